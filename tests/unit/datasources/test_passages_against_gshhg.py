"""Centre lines of passages against the full-resolution coast, by exact intersections."""

from itertools import pairwise

import numpy as np
import pytest
import shapely
from numba import njit
from pyproj import Geod
from shapely.ops import substring

from app.datasources.gshhg import Coastline, load_coastline
from app.datasources.passages import load_passages
from app.engine.sea.passages import Passage, PassageKind

PASSAGES = load_passages()
GEOD = Geod(ellps="WGS84")

#: Cells per degree of the sieve that keeps coast edges near a passage.
CELLS = 10


@pytest.fixture(scope="module")
def coast() -> Coastline:
    return load_coastline("f")


@pytest.fixture(scope="module")
def shore(coast) -> shapely.STRtree:
    """Every edge of the coast in the cells that passages run through, and their neighbours."""
    near = np.zeros((180 * CELLS + 1, 360 * CELLS + 1), dtype=bool)
    for passage in PASSAGES:
        for start, end in pairwise(passage.centre_line):
            rows = sorted(int((lat + 90) * CELLS) for lat in (start.lat, end.lat))
            cols = sorted(int((lng + 180) * CELLS) for lng in (start.lng, end.lng))
            near[max(rows[0] - 1, 0) : rows[1] + 2, max(cols[0] - 1, 0) : cols[1] + 2] = True
    vertices = coast.vertices
    row = ((vertices[:-1, 1] + 90) * CELLS).astype(int)
    col = ((vertices[:-1, 0] + 180) * CELLS).astype(int)
    kept = near[row, col]
    kept[coast.starts[1:-1] - 1] = False
    (first,) = np.nonzero(kept)
    ends = np.stack([vertices[first], vertices[first + 1]], axis=1).astype(np.float64)
    return shapely.STRtree(shapely.linestrings(ends))


@njit(cache=True)
def _count_rings_around(lng, lat, vertices, starts, boxes):  # type: ignore[no-untyped-def]
    """Parity of the rings around a point: odd is land."""
    odd = False
    for ring in range(boxes.shape[0]):
        if not (boxes[ring, 1] <= lat <= boxes[ring, 3] and boxes[ring, 2] >= lng):
            continue
        for i in range(starts[ring], starts[ring + 1] - 1):
            x0, y0 = vertices[i, 0], vertices[i, 1]
            x1, y1 = vertices[i + 1, 0], vertices[i + 1, 1]
            if (y0 > lat) != (y1 > lat) and lng < x0 + (lat - y0) * (x1 - x0) / (y1 - y0):
                odd = not odd
    return odd


@pytest.fixture(scope="module")
def is_ashore(coast):
    first, last = coast.starts[:-1], coast.starts[1:]
    low = np.minimum.reduceat(coast.vertices, first, axis=0)
    high = np.maximum.reduceat(coast.vertices, first, axis=0)
    boxes = np.hstack([low, high]).astype(np.float64)
    assert len(boxes) == len(last)
    return lambda position: _count_rings_around(
        position.lng, position.lat, coast.vertices, coast.starts, boxes
    )


def _line(passage: Passage) -> shapely.LineString:
    return shapely.LineString([(lng, lat) for lat, lng in passage.centre_line])


def _count_crossings(passage: Passage, shore: shapely.STRtree) -> int:
    return len(shore.query(_line(passage), predicate="intersects"))


def _of(*kinds: PassageKind) -> list[Passage]:
    return [passage for passage in PASSAGES if passage.kind in kinds]


def test_every_passage_begins_on_water(is_ashore):
    ashore = [passage.id for passage in PASSAGES if is_ashore(passage.centre_line[0])]
    assert ashore == []


def test_straits_and_lanes_end_on_water_and_never_touch_the_coast(shore, is_ashore):
    for passage in _of(PassageKind.STRAIT, PassageKind.LANE):
        assert not is_ashore(passage.centre_line[-1]), passage.id
        assert _count_crossings(passage, shore) == 0, passage.id


#: Approaches with a dredged or closed stretch that the coastline data lack.
CLOSED_APPROACHES = {"cienfuegos", "drammen", "richards-bay", "stockholm"}


def test_approaches_never_touch_the_coast_but_where_the_coastline_is_known_to_be_closed(shore):
    touching = {p.id for p in _of(PassageKind.APPROACH) if _count_crossings(p, shore)}
    assert touching == CLOSED_APPROACHES


def test_a_passage_for_through_traffic_joins_water_to_water(is_ashore):
    for passage in PASSAGES:
        if passage.through_traffic:
            assert not is_ashore(passage.centre_line[-1]), passage.id


def test_the_water_next_to_a_strait_is_as_wide_as_promised_nearly_everywhere(shore):
    for passage in _of(PassageKind.STRAIT):
        line = _line(passage)
        points = [line.interpolate(share, normalized=True) for share in np.linspace(0, 1, 201)]
        narrow = 0
        for point in points:
            nearest = shore.geometries[shore.nearest(point)]
            end = shapely.shortest_line(point, nearest).coords[-1]
            narrow += GEOD.inv(point.x, point.y, *end)[2] < passage.half_width_m
        assert narrow <= 0.15 * len(points), passage.id


def _distance_km(passage_id: str, start: tuple[float, float], end: tuple[float, float]) -> float:
    """Length of a centre line between the places on it nearest to two (lat, lng)."""
    (passage,) = [passage for passage in PASSAGES if passage.id == passage_id]
    line = _line(passage)
    along = sorted(line.project(shapely.Point(lng, lat)) for lat, lng in (start, end))
    stretch = substring(line, *along)
    return GEOD.line_length(*zip(*stretch.coords, strict=True)) / 1000.0


@pytest.mark.parametrize(
    ("passage_id", "start", "end", "published_km"),
    [
        ("suez-canal", (31.265, 32.37), (29.93, 32.56), 162.25),
        ("panama-canal", (9.385, -79.918), (8.88, -79.52), 82.0),
        ("kiel-canal", (53.8935, 9.1415), (54.3665, 10.1440), 98.3),
        ("corinth-canal", (37.9555, 22.953), (37.916, 23.009), 6.34),
        ("bosphorus", (41.225, 29.13), (40.995, 28.985), 31.0),
        ("dardanelles", (40.03, 26.18), (40.42, 26.75), 68.5),
        ("chesapeake-delaware-canal", (39.5605, -75.572), (39.526, -75.828), 22.5),
        ("magellan", (-52.45, -68.45), (-52.65, -74.75), 565.0),
    ],
)
def test_the_length_agrees_with_the_published_one_within_five_per_cent(
    passage_id, start, end, published_km
):
    assert _distance_km(passage_id, start, end) == pytest.approx(published_km, rel=0.05)


@pytest.mark.parametrize(
    ("name", "lat", "lng"),
    [
        ("Great Belt, East Bridge span", 55.342, 11.036),
        ("Suez Canal at Ismailia", 30.59, 32.309),
        ("Great Bitter Lake", 30.33, 32.39),
        ("Bridge of Chalkis", 38.463, 23.589),
        ("Active Pass", 48.87, -123.311),
        ("Golden Gate bridge", 37.82, -122.4785),
    ],
)
def test_a_place_that_ships_pass_lies_within_half_a_mile_of_a_centre_line(name, lat, lng):
    near = shapely.STRtree([_line(passage) for passage in PASSAGES])
    point = shapely.Point(lng, lat)
    line = near.geometries[near.nearest(point)]
    end = shapely.shortest_line(point, line).coords[-1]
    assert GEOD.inv(lng, lat, *end)[2] < 926.0, name


def test_limits_are_those_of_ships():
    for passage in PASSAGES:
        for limit, low, high in (
            (passage.max_draft_m, 2.5, 25.0),
            (passage.max_breadth_m, 10.0, 80.0),
            (passage.max_loa_m, 50.0, 400.0),
            (passage.max_air_draft_m, 20.0, 75.0),
            (passage.speed_kn, 4.0, 14.0),
            (passage.half_width_m, 40.0, 3000.0),
        ):
            assert limit is None or low <= limit <= high, (passage.id, limit)
