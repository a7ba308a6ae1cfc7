"""Vector tiles of coast and depth."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import MultiPolygon, Point, Polygon
from shapely.ops import unary_union

from app.datasources import basemap
from app.datasources.passages import load_passages

ISLES = {"Iceland": (64.9, -18.5), "Sicily": (37.5, 14.2), "Taveuni": (-16.85, -179.97)}


def tile_of(lat: float, lng: float, z: int) -> tuple[int, int, int]:
    x, y = basemap.project(lng, lat)
    return z, int(x * 2**z) % 2**z, int(y * 2**z)


def decode(ring: list[int]) -> np.ndarray:
    return np.cumsum(np.reshape(ring, (-1, 2)), axis=0)


def is_land(lat: float, lng: float, z: int) -> bool:
    """Read a tile as a browser would: even-odd over all rings."""
    place = tile_of(lat, lng, z)
    x, y = basemap.project(lng, lat)
    here = Point(
        (float(x) % 1 * 2**z - place[1]) * basemap.EXTENT,
        (float(y) * 2**z - place[2]) * basemap.EXTENT,
    )
    rings = (Polygon(decode(ring)).buffer(0) for ring in basemap.build_tile(*place)["land"])
    return sum(ring.contains(here) for ring in rings) % 2 == 1


@pytest.mark.parametrize("z", [2, 6, 9, 12])
@pytest.mark.parametrize("isle", ["Iceland", "Sicily"])
def test_islands_are_land_from_the_ocean_down_to_the_harbour(isle: str, z: int) -> None:
    assert is_land(*ISLES[isle], z)


@pytest.mark.parametrize("z", [6, 9, 12])
def test_a_small_island_at_the_antimeridian_is_land(z: int) -> None:
    assert is_land(*ISLES["Taveuni"], z)


@pytest.mark.parametrize("z", [1, 4, 8, 11])
def test_open_sea_is_water(z: int) -> None:
    assert not is_land(40.0, -40.0, z)


def test_a_lake_lies_as_water_in_the_land() -> None:
    assert not is_land(44.0, -87.0, 6)
    assert is_land(44.0, -89.5, 6)


@pytest.mark.parametrize("lng", [-180.0, -90.0, 0.0, 179.9])
def test_antarctica_reaches_the_foot_of_the_chart(lng: float) -> None:
    assert is_land(-84.5, lng, 4)


def test_land_reaches_the_antimeridian_from_both_sides() -> None:
    assert is_land(68.0, 179.95, 6)
    assert is_land(68.0, -179.95, 6)


def test_a_tile_at_the_antimeridian_shows_land_of_the_other_side_in_its_margin() -> None:
    _, _, y = tile_of(68.0, 179.9, 6)
    rings = [decode(ring) for ring in basemap.build_tile(6, 63, y)["land"]]
    assert max(ring[:, 0].max() for ring in rings) > basemap.EXTENT


def test_depths_deepen_from_the_shelf_to_the_ocean() -> None:
    bands = basemap.build_tile(4, *tile_of(48.0, -12.0, 4)[1:])["depth"]
    area = [unary_union([Polygon(decode(ring)).buffer(0) for ring in band]).area for band in bands]
    assert area == sorted(area, reverse=True)
    assert area[-1] > 0


def test_no_depths_are_drawn_where_the_grid_is_too_coarse() -> None:
    assert basemap.build_tile(*tile_of(51.0, 1.5, 9))["depth"] == []


def test_all_corners_stay_within_the_margin() -> None:
    margin = basemap.EXTENT * basemap.MARGIN
    for ring in basemap.build_tile(*tile_of(60.0, 5.0, 7))["land"]:
        corners = decode(ring)
        assert corners.min() >= -margin - 1
        assert corners.max() <= basemap.EXTENT + margin + 1


@given(st.floats(-85, 85), st.floats(-180, 180))
def test_projection_and_its_inverse_agree(lat: float, lng: float) -> None:
    _, y = basemap.project(lng, lat)
    assert basemap.unproject_lat(y) == pytest.approx(lat, abs=1e-9)


corner = st.tuples(st.floats(-2, 3), st.floats(-2, 3))


@given(st.lists(corner, min_size=3, max_size=3, unique=True))
def test_clipping_a_triangle_keeps_what_lies_in_the_box(corners: list[tuple[float, float]]) -> None:
    triangle = Polygon(corners)
    cut = basemap.clip_ring(np.array(corners), (0.0, 0.0, 1.0, 1.0))
    clipped = Polygon(cut).area if len(cut) else 0.0
    box = MultiPolygon([Polygon([(0, 0), (1, 0), (1, 1), (0, 1)])])
    assert clipped == pytest.approx(triangle.intersection(box).area, abs=1e-9)


@pytest.mark.parametrize(("lat", "lng"), [(68.0, 180.0), (-84.0, 0.0), (-84.0, 180.0)])
def test_no_coast_is_drawn_where_the_data_cut_a_continent(lat: float, lng: float) -> None:
    place = tile_of(lat, lng, 6)
    seam = (float(basemap.project(lng, lat)[0]) % 1 * 64 - place[1]) * basemap.EXTENT
    for ring in basemap.build_tile(*place)["land"]:
        east = decode(ring)[:, 0]
        assert not np.any((east == seam) & (np.roll(east, 1) == seam))


@pytest.mark.parametrize("z", [9, 12])
def test_the_channels_that_voyages_follow_are_water(z: int) -> None:
    for passage in load_passages():
        if passage.name == "Nieuwe Waterweg to Rotterdam":
            for start, end in pairwise(passage.centre_line):
                middle = ((start.lat + end.lat) / 2, (start.lng + end.lng) / 2)
                assert not is_land(*middle, z), middle
    assert is_land(52.08, 5.12, z)
