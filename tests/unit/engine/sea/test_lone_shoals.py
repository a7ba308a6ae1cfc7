"""A shoal of a single grid node counts as water of unknown depth, not as charted."""

import numpy as np
import pytest

from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.depth import NO_DEPTH
from app.engine.sea.search.conditions import CoastData
from app.engine.sea.shoals import fill_lone_shoals, find_lone_shoals
from app.engine.sea.squares import find_cell_place

OFF_NORFOLK = (36.8333, -75.0)


def make_grid(depth_m: int) -> np.ndarray:
    return np.full((2161, 4320), depth_m, dtype=np.int16)


def test_a_shoal_of_one_node_in_deep_water_is_lone_and_filled_from_around() -> None:
    depths = make_grid(40)
    depths[1000, 0] = 6
    is_lone = find_lone_shoals(depths)
    assert np.argwhere(is_lone).tolist() == [[1000, 0]]
    assert fill_lone_shoals(depths, is_lone)[1000, 0] == 40


@pytest.mark.parametrize("neighbour", [7, NO_DEPTH])
def test_a_shoal_next_to_another_or_to_land_is_not_lone(neighbour: int) -> None:
    depths = make_grid(40)
    depths[1000, 2000], depths[1001, 2001] = 6, neighbour
    assert not find_lone_shoals(depths).any()


def test_a_shoal_next_to_land_is_not_lone() -> None:
    depths = make_grid(40)
    depths[1000, 2000], depths[1001, 2001] = 6, -20
    assert not find_lone_shoals(depths)[1000, 2000]


def test_a_shoal_in_shallow_water_is_not_lone() -> None:
    depths = make_grid(12)
    depths[1000, 2000] = 2
    assert not find_lone_shoals(depths).any()


def find_cell(waters: CoastData, lat: float, lng: float) -> tuple[int, int]:
    return find_cell_place(int((lat + 90.0) * 32), int((lng + 180.0) * 32))


@pytest.mark.atlas
def test_the_lone_shoal_off_norfolk_is_unproven_water_and_no_charted_depth(sea: SeaAtlas) -> None:
    cell = find_cell(sea.waters, *OFF_NORFOLK)
    assert np.isnan(sea.depth_m(*OFF_NORFOLK))
    assert sea.waters.charted[cell] > 4 * 10
    assert sea.waters.shoals[cell] <= 4 * 10
