"""Navigable lines of a lattice over small drawn seas."""

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.optimise.navigable_water import NavigableWater
from app.engine.request import Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import ShipSize
from app.engine.sea.search.chords import is_chord_clear
from app.engine.sea.search.open_water import is_all_open_water, is_in_open_water, make_known
from tests.unit.engine.sea.ascii_chart import Drawing

OFF_M = 1852.0
#: The bank, the islands, the island astride the antimeridian, and the northern square.
CORNERS = ((-8.0, 56.0), (-2.0, -31.0), (7.0, 176.0), (62.0, -33.0))
SIDE_DEG = 6.0
#: West, south, east and north of what is forbidden: by the bank; and far north, with its corner,
#: a thousandth of a degree wider, just inside a bucket of its own.
SQUARES = ((58.0, -2.0, 58.6, -1.3), (-35.0, 64.0015, -30.0015, 67.0))

corners = st.sampled_from(CORNERS)
places = st.tuples(st.floats(0.0, SIDE_DEG), st.floats(0.0, SIDE_DEG))
reaches = st.tuples(st.floats(-4.0, 4.0), st.floats(-4.0, 4.0))


@pytest.fixture(scope="module")
def water(tiny_sea: SeaAtlas) -> NavigableWater:
    """Navigable water of a ship that requires 9.5 m and may not enter the squares."""
    squares = shapely.MultiPolygon([shapely.box(*square) for square in SQUARES])
    area = Area("squares", "the squares", AreaKind.NO_GO, AreaRule.NO_ENTRY, squares)
    size = ShipSize(7.5, 15.0, 100.0, required_depth_m=9.5)
    ends = Position(-4.1, 57.0), Position(-3.9, 64.0)
    path = tiny_sea.find_paths(*ends, ship=size, areas=[area])[0]
    return NavigableWater(tiny_sea.waters, path.conditions)


@pytest.fixture(scope="module")
def known() -> NDArray[np.uint8]:
    """Cache of the cells that the tests of lines share."""
    return make_known()


@given(corner=corners, place=places, reach=reaches)
def test_open_water_excludes_coasts_shoals_and_areas(
    water: NavigableWater,
    known: NDArray[np.uint8],
    corner: tuple[float, float],
    place: tuple[float, float],
    reach: tuple[float, float],
) -> None:
    lat, lng = corner[0] + place[0], corner[1] + place[1]
    line = lat, lng, lat + reach[0], (lng + reach[1] + 180.0) % 360.0 - 180.0
    is_open = is_in_open_water(water.waters, water.conditions, known, *line, OFF_M)
    assert not is_open or is_chord_clear(water.waters, water.conditions, *line, OFF_M)


@given(
    corner=corners,
    place=places,
    reach=st.lists(reaches, min_size=4, max_size=4),
)
def test_every_line_is_open_where_all_water_is_open(
    water: NavigableWater,
    known: NDArray[np.uint8],
    corner: tuple[float, float],
    place: tuple[float, float],
    reach: list[tuple[float, float]],
) -> None:
    lats, lngs = (np.array(corner) + place)[:, None] + 0.4 * np.array(reach).T
    rows = lats.reshape(2, 2), (lngs.reshape(2, 2) + 180.0) % 360.0 - 180.0
    if is_all_open_water(water.waters, water.conditions, *rows, OFF_M):
        for i, j in np.ndindex(2, 2):
            line = rows[0][0, i], rows[1][0, i], rows[0][1, j], rows[1][1, j]
            assert is_in_open_water(water.waters, water.conditions, known, *line, OFF_M)


@pytest.mark.parametrize(
    ("lng", "is_open"),
    [pytest.param(10.0, True, id="mid-ocean"), pytest.param(179.9, True, id="antimeridian"),
     pytest.param(58.0, False, id="a square in the middle")],
)  # fmt: skip
def test_open_water_is_recognised_among_many_places(
    water: NavigableWater, lng: float, is_open: bool
) -> None:
    south, east = (-40.0, 0.4) if is_open else (-2.5, 2.0)
    lats, lngs = np.meshgrid(south + np.array([0.0, east]), lng + np.array([-0.5, east]))
    rows = lats, (lngs + 180.0) % 360.0 - 180.0
    assert is_all_open_water(water.waters, water.conditions, *rows, OFF_M) == is_open


@pytest.mark.parametrize(
    "line",
    [
        pytest.param((-40.0, 10.0, -40.2, 10.7), id="mid-ocean"),
        pytest.param((-40.0, 10.0, -40.0, 10.7), id="along a parallel"),
        pytest.param((-40.0, 179.8, -39.5, -179.9), id="across the antimeridian"),
        pytest.param((-6.0, 58.0, -5.2, 58.5), id="a few miles from the bank"),
    ],
)
def test_open_water_is_recognised(
    water: NavigableWater, known: NDArray[np.uint8], line: tuple[float, ...]
) -> None:
    assert is_in_open_water(water.waters, water.conditions, known, *line, OFF_M)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param((-4.5, 59.5, -4.4, 60.5), id="over the bank"),
        pytest.param((-1.6, 57.5, -1.6, 58.3), id="into the square"),
        pytest.param((-1.6, 57.8, -1.6, 57.9), id="beside the square"),
        pytest.param((-40.0, 10.0, -40.5, 14.5), id="too long to be told from the map"),
        pytest.param((85.0, 10.0, 85.1, 11.0), id="too far north"),
        pytest.param((63.4678, -30.6241, 64.533, -29.3674), id="bulging into the northern square"),
    ],
)
def test_lines_that_may_not_be_open_do_not_count_as_open(
    water: NavigableWater, known: NDArray[np.uint8], line: tuple[float, ...]
) -> None:
    assert not is_in_open_water(water.waters, water.conditions, known, *line, OFF_M)


def test_no_line_leads_over_land_not_even_inland(
    water: NavigableWater, drawings: dict[str, Drawing]
) -> None:
    west, south, east, _ = shapely.get_parts(drawings["isthmus"].land)[0].bounds
    lngs = np.array([0.2, 0.4, 0.6, 0.8]) * (east - west) + west
    lats = np.linspace(south + 0.5, south + 0.6, 3)
    rows = np.broadcast_to(lats, (4, 3)), np.broadcast_to(lngs[:, None], (4, 3))
    has_edge = np.ones((3, 3, 3), dtype=np.bool_)
    assert not water.clear(*map(np.ascontiguousarray, rows), has_edge).any()
