"""GeoJSON polygons from clients."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import MultiPolygon, Point, Polygon, box

from app.services.areas.geojson import MOST_VERTICES, parse_area
from app.services.errors import Invalid

SQUARE = [[0, 50], [2, 50], [2, 52], [0, 52], [0, 50]]


def polygon(*rings: Any) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": list(rings)}


def fault_of(geometry: Any) -> tuple[str, str]:
    with pytest.raises(Invalid) as refused:
        parse_area(geometry, "/geometry")
    (fault,) = refused.value.faults
    return fault.pointer, fault.detail


def test_a_plain_polygon_is_taken_as_it_is() -> None:
    area = parse_area(polygon(SQUARE))
    assert area.bounds == (0, 50, 2, 52)
    assert area.area == pytest.approx(4)


def test_a_hole_is_kept_out() -> None:
    hole = [[0.5, 50.5], [1.5, 50.5], [1.5, 51.5], [0.5, 51.5], [0.5, 50.5]]
    area = parse_area(polygon(SQUARE, hole))
    assert area.area == pytest.approx(3)
    assert not area.contains(Point(1, 51))


def test_a_polygon_without_closing_point_is_refused_with_its_place() -> None:
    pointer, detail = fault_of(polygon(SQUARE[:-1]))
    assert pointer == "/geometry/coordinates/0"
    assert "not closed" in detail


def test_a_polygon_that_crosses_itself_is_refused_with_the_crossing() -> None:
    bow_tie = [[0, 50], [2, 52], [2, 50], [0, 52], [0, 50]]
    pointer, detail = fault_of(polygon(bow_tie))
    assert pointer == "/geometry/coordinates"
    assert detail == (
        "Self-intersection at 51°00.000'N 001°00.000'E. Change the outline so that no edges cross."
    )


@pytest.mark.parametrize("step", [0.1, 1.0])
def test_corners_in_one_line_enclose_no_area(step: float) -> None:
    line = [[i * step, 50 + i * step] for i in (0, 1, 2, 3, 0)]
    assert fault_of(polygon(line)) == ("/geometry/coordinates", "The polygon encloses no area.")


def test_exchanged_latitude_and_longitude_are_refused_with_their_order() -> None:
    pointer, detail = fault_of(polygon([[lat, lng + 120] for lng, lat in SQUARE]))
    assert pointer == "/geometry/coordinates/0/0/1"
    assert detail == "Latitude 120 is outside -90 to 90. Are latitude and longitude exchanged?"


def test_a_crossing_east_of_the_antimeridian_is_named_by_its_own_longitude() -> None:
    bow_tie = [[178, 0], [-178, 2], [-178, 0], [178, 2], [178, 0]]
    assert "180°00.000'W" in fault_of(polygon(bow_tie))[1]


@pytest.mark.parametrize(
    "ring",
    [
        [[179, 10], [-179, 10], [-179, 12], [179, 12], [179, 10]],
        [[179, 10], [181, 10], [181, 12], [179, 12], [179, 10]],
        [[-179, 10], [-179, 12], [179, 12], [179, 10], [-179, 10]],
    ],
)
def test_a_polygon_across_the_antimeridian_is_split_there(ring: list[list[float]]) -> None:
    area = parse_area(polygon(ring))
    assert len(area.geoms) == 2
    assert area.area == pytest.approx(4)
    assert area.contains(Point(179.5, 11))
    assert area.contains(Point(-179.5, 11))
    assert not area.contains(Point(0, 11))


def test_a_hole_across_the_antimeridian_is_kept_out_on_both_sides() -> None:
    ring = [[170, 0], [-170, 0], [-170, 20], [170, 20], [170, 0]]
    hole = [[-179, 5], [-179, 15], [179, 15], [179, 5], [-179, 5]]
    area = parse_area(polygon(ring, hole))
    assert area.area == pytest.approx(20 * 20 - 2 * 10)
    assert not area.contains(Point(179.5, 10))
    assert not area.contains(Point(-179.5, 10))


def test_longitudes_beyond_180_are_brought_home() -> None:
    ring = [[200, 0], [210, 0], [210, 10], [200, 10], [200, 0]]
    assert parse_area(polygon(ring)).bounds == (-160, 0, -150, 10)


@pytest.mark.parametrize(
    ("geometry", "pointer"),
    [
        (None, "/geometry/type"),
        ([], "/geometry/type"),
        ({"type": "Point", "coordinates": [0, 0]}, "/geometry/type"),
        ({"type": "Polygon"}, "/geometry/coordinates"),
        (polygon(), "/geometry/coordinates"),
        (polygon([]), "/geometry/coordinates/0"),
        (polygon([[0, 0], [1, 1], [0, 0]]), "/geometry/coordinates/0"),
        (polygon([[0, 0], [1, 0], [1, 91], [0, 0]]), "/geometry/coordinates/0/2/1"),
        (polygon([[0, 0], [361, 0], [1, 1], [0, 0]]), "/geometry/coordinates/0/1/0"),
        (polygon([[0, 0], ["1", 0], [1, 1], [0, 0]]), "/geometry/coordinates/0/1"),
        (polygon([[0, 0], [float("nan"), 0], [1, 1], [0, 0]]), "/geometry/coordinates/0/1"),
        (polygon([[0, 0], [1, True], [1, 1], [0, 0]]), "/geometry/coordinates/0/1"),
        (polygon(SQUARE, SQUARE[:3]), "/geometry/coordinates/1"),
        ({"type": "MultiPolygon", "coordinates": [[SQUARE], [SQUARE[:3]]]},
         "/geometry/coordinates/1/0"),
        (polygon([[0, 0], [1, 1], [2, 2], [0, 0]]), "/geometry/coordinates"),
    ],
)  # fmt: skip
def test_a_fault_is_named_by_its_place(geometry: Any, pointer: str) -> None:
    assert fault_of(geometry)[0] == pointer


def test_a_hole_outside_its_outline_is_refused_with_its_place() -> None:
    hole = [[10, 60], [11, 60], [11, 61], [10, 61], [10, 60]]
    pointer, detail = fault_of(polygon(SQUARE, hole))
    assert pointer == "/geometry/coordinates"
    assert detail == "Hole lies outside shell at 60°00.000'N 010°00.000'E."


@pytest.mark.parametrize("member", ["crs", "properties", "Coordinates"])
def test_a_member_that_a_polygon_does_not_have_is_named(member: str) -> None:
    pointer, detail = fault_of(polygon(SQUARE) | {member: {}})
    assert pointer == f"/geometry/{member}"
    assert member in detail


def test_a_bounding_box_may_come_along() -> None:
    assert parse_area(polygon(SQUARE) | {"bbox": [0, 50, 2, 52]}).area == pytest.approx(4)


def test_polygons_of_one_area_that_overlap_are_refused() -> None:
    pointer, detail = fault_of({"type": "MultiPolygon", "coordinates": [[SQUARE], [SQUARE]]})
    assert pointer == "/geometry/coordinates"
    assert detail == (
        "Self-intersection at 52°00.000'N 000°00.000'E. Change the outline so that no edges cross."
    )


def test_a_ring_round_a_pole_is_refused_and_the_band_to_draw_is_named() -> None:
    ring = [[lng, 80] for lng in range(-180, 181, 30)]
    assert "Draw the band from longitude -180 to 180" in fault_of(polygon(ring))[1]


@pytest.mark.parametrize(
    "ring",
    [
        [[-180, 70], [180, 70], [180, 90], [-180, 90], [-180, 70]],
        [[180, 90], [-180, 90], [-180, 70], [180, 70], [180, 90]],
        [[-180, 70], [0, 70], [180, 70], [180, 90], [-180, 90], [-180, 70]],
        [[-180, 70], [-90, 70], [0, 70], [90, 70], [180, 70],
         [180, 90], [90, 90], [0, 90], [-90, 90], [-180, 90], [-180, 70]],
        [[0, 70], [360, 70], [360, 90], [0, 90], [0, 70]],
        [[-170, 70], [190, 70], [190, 90], [-170, 90], [-170, 70]],
    ],
)  # fmt: skip
def test_a_ring_over_all_longitudes_is_a_band_round_the_globe(ring: list[list[float]]) -> None:
    band = parse_area(polygon(ring))
    assert band.equals(MultiPolygon([box(-180, 70, 180, 90)]))
    assert len(band.geoms) == 1


def test_a_band_may_have_an_uneven_edge_and_a_hole() -> None:
    ring = [[-180, 70], [-60, 66], [60, 74], [180, 70], [180, 90], [-180, 90], [-180, 70]]
    band = parse_area(polygon(ring, [[20, 80], [20, 82], [22, 82], [22, 80], [20, 80]]))
    assert band.area == pytest.approx(360 * 20 - 4)
    assert not band.contains(Point(21, 81))


@pytest.mark.parametrize("seam", [-180, -170, 0])
@pytest.mark.parametrize("west", [-180, -178, -40, -5, 100, 170, 178])
def test_a_hole_of_a_band_may_lie_anywhere_even_across_its_ends(seam: int, west: int) -> None:
    east = seam + 360
    ring = [[seam, 60], [east, 60], [east, 80], [seam, 80], [seam, 60]]
    hole = [[west, 65], [west, 70], [west + 5, 70], [west + 5, 65], [west, 65]]
    band = parse_area(polygon(ring, hole))
    assert band.area == pytest.approx(360 * 20 - 25)
    assert not band.contains(Point((west + 3 + 180) % 360 - 180, 67))


def test_a_hole_round_the_globe_leaves_two_bands() -> None:
    ring = [[-180, 60], [180, 60], [180, 80], [-180, 80], [-180, 60]]
    hole = [[0, 65], [360, 65], [360, 70], [0, 70], [0, 65]]
    bands = parse_area(polygon(ring, hole))
    assert bands.equals(MultiPolygon([box(-180, 60, 180, 65), box(-180, 70, 180, 80)]))


@pytest.mark.parametrize(("south", "north"), [(50, 55), (75, 85)])
def test_a_hole_that_is_not_inside_its_band_is_refused(south: int, north: int) -> None:
    ring = [[-180, 60], [180, 60], [180, 80], [-180, 80], [-180, 60]]
    hole = [[178, south], [178, north], [-178, north], [-178, south], [178, south]]
    detail = "A hole of the band reaches beyond its edge."
    assert fault_of(polygon(ring, hole)) == ("/geometry/coordinates", detail)


def test_a_band_of_which_its_hole_leaves_nothing_is_refused() -> None:
    ring = [[-180, 60], [180, 60], [180, 80], [-180, 80], [-180, 60]]
    assert fault_of(polygon(ring, ring))[1] == "The polygon encloses no area."


def test_an_edge_along_the_antimeridian_written_twice_has_no_width() -> None:
    ring = [[179, 10], [180, 10], [-180, 10], [-179, 10], [-179, 12], [-180, 12], [180, 12],
            [179, 12], [179, 10]]  # fmt: skip
    assert parse_area(polygon(ring)).area == pytest.approx(4)


def test_an_edge_that_could_lead_either_way_round_the_globe_is_refused() -> None:
    ring = [[-100, -60], [100, -60], [100, 60], [-100, 60], [-100, -60]]
    pointer, detail = fault_of(polygon(ring))
    assert pointer.endswith("/0/1")
    assert "from longitude -100 to 100" in detail


def test_a_ring_wider_than_half_the_world_is_refused() -> None:
    ring = [[0, 0], [100, 0], [200, 0], [200, 10], [100, 10], [0, 10], [0, 0]]
    assert "200 degrees wide" in fault_of(polygon(ring))[1]


def test_too_many_vertices_are_refused() -> None:
    bottom = [[index / 1000, 0] for index in range(MOST_VERTICES)]
    pointer, detail = fault_of(polygon([*bottom, [5, 10], [0, 0]]))
    assert pointer == "/geometry/coordinates"
    assert "10,002 vertices" in detail


@given(
    west=st.floats(-180, 179),
    south=st.floats(-80, 70),
    width=st.floats(0.1, 90),
    height=st.floats(0.1, 10),
)
def test_a_box_keeps_its_area_wherever_it_lies(
    west: float, south: float, width: float, height: float
) -> None:
    east, north = west + width, south + height
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    area = parse_area(polygon(ring))
    assert area.area == pytest.approx(width * height, rel=1e-6)
    assert area.bounds[0] >= -180
    assert area.bounds[2] <= 180


@st.composite
def stars(draw: st.DrawFn) -> list[list[float]]:
    """A ring that its middle (0, lat) [deg] sees every vertex of, closed."""
    count = draw(st.integers(3, 30))
    lat = draw(st.floats(-60, 60))
    reaches = draw(st.lists(st.floats(1, 20), min_size=count, max_size=count))
    turns = [2 * math.pi * step / count for step in range(count)]
    ring = [
        [reach * math.cos(turn), lat + reach * math.sin(turn)]
        for reach, turn in zip(reaches, turns, strict=True)
    ]
    return [*ring, ring[0]]


@given(ring=stars(), middle=st.floats(-180, 180), share=st.floats(0.1, 0.9))
def test_a_polygon_with_a_hole_is_the_same_wherever_it_lies_and_however_it_is_written(
    ring: list[list[float]], middle: float, share: float
) -> None:
    lat = sum(position[1] for position in ring[:-1]) / (len(ring) - 1)
    centre = Polygon(ring).representative_point()
    hole = [[centre.x + 0.01 * share * x, centre.y + 0.01 * share * (y - lat)] for x, y in ring]

    def written(wrap: Callable[[float], float], *rings: list[list[float]]) -> MultiPolygon:
        return parse_area(polygon(*([[wrap(x + middle), y] for x, y in r] for r in rings)))

    def home(lng: float) -> float:
        return (lng + 180.0) % 360.0 - 180.0

    def east(lng: float) -> float:
        return lng % 360.0

    whole = Polygon(ring).area
    for wrap in (home, east):
        area = written(wrap, ring)
        assert area.area == pytest.approx(whole, rel=1e-6)
        assert -180.0 <= area.bounds[0] <= area.bounds[2] <= 180.0
        assert area.is_valid
        assert area.covers(Point(home(centre.x + middle), centre.y))
        if Polygon(ring).contains(Polygon(hole)):
            cut = written(wrap, ring, hole).area
            assert cut == pytest.approx(whole - Polygon(hole).area, rel=1e-6)


@given(st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=5),
    max_leaves=20,
))  # fmt: skip
def test_whatever_is_sent_is_taken_or_refused_and_nothing_breaks(coordinates: Any) -> None:
    for kind in ("Polygon", "MultiPolygon"):
        with pytest.raises(Invalid):
            parse_area({"type": kind, "coordinates": coordinates})


#: Whatever JSON can hold, as Python reads it.
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.text(max_size=3) | st.floats() | st.integers(-400, 400),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "coordinates", "bbox", "crs"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(ANY_JSON, ANY_JSON)
def test_whatever_is_sent_is_refused_in_words(kind: Any, coordinates: Any) -> None:
    for geometry in (kind, {"type": kind, "coordinates": coordinates}, polygon(coordinates)):
        assert all(fault_of(geometry))


@pytest.mark.parametrize(
    ("geometry", "place"),
    [
        ({"type": [], "coordinates": []}, "/geometry/type"),
        (polygon([[10**400, 50], *SQUARE[1:4], [10**400, 50]]), "/geometry/coordinates/0/0"),
    ],
)
def test_what_no_set_and_no_float_can_hold_is_refused_too(geometry: Any, place: str) -> None:
    assert fault_of(geometry)[0] == place


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (
            {"type": "Feature", "properties": {}, "geometry": polygon(SQUARE)},
            "Must be a GeoJSON Polygon or MultiPolygon, not a Feature."
            " Send the Feature's geometry.",
        ),
        (
            {"type": "FeatureCollection", "features": []},
            "Must be a GeoJSON Polygon or MultiPolygon, not a FeatureCollection."
            " Send the geometry of each of its Features.",
        ),
        (
            {"type": "Point", "coordinates": [0, 50]},
            "Must be a GeoJSON Polygon or MultiPolygon, not a Point.",
        ),
        ({"type": "Circle"}, "Must be a GeoJSON Polygon or MultiPolygon."),
        ({"type": ["Polygon"]}, "Must be a GeoJSON Polygon or MultiPolygon."),
    ],
)
def test_another_kind_of_geojson_is_named_with_what_to_send(sent: Any, said: str) -> None:
    assert fault_of(sent) == ("/geometry/type", said)
