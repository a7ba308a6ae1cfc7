"""Tiles of unproven water for a class of ships."""

import numpy as np
import pytest

from app.engine.sea.atlas import SeaAtlas
from app.services.sea.unproven_water import (
    NoSuchTile,
    describe_class,
    find_unproven,
    get_tile,
    list_runs,
)


def test_runs_show_every_sample_that_is_set() -> None:
    hatched = np.array([[1, 1, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]], dtype=bool)
    assert list_runs(hatched) == [[0, 0, 2], [0, 3, 1], [2, 0, 4]]


@pytest.mark.parametrize(
    ("draft_m", "deeper_than_m"), [(3.0, 4.0), (6.0, 4.0), (10.0, 8.0), (12.0, 13.0), (21.0, 13.0)]
)
def test_a_deeper_ship_is_of_a_class_that_needs_more(draft_m: float, deeper_than_m: float) -> None:
    assert describe_class(draft_m)["deeperThanM"] == deeper_than_m


@pytest.mark.parametrize("address", [(0, 8, 0, 0), (4, 8, 0, 0), (2, 4, 0, 0), (2, 8, 256, 0)])
def test_what_is_no_tile_is_refused(address: tuple[int, int, int, int]) -> None:
    with pytest.raises(NoSuchTile):
        get_tile(*address)


@pytest.mark.atlas
def test_nantucket_sound_is_unproven_and_the_ocean_is_not(sea: SeaAtlas) -> None:
    # the tiles of zoom 8 about 41.4 N 70.3 W and 40 N 50 W
    sound, ocean = find_unproven(sea, 3, 8, 78, 95), find_unproven(sea, 3, 8, 92, 96)
    assert sound.any()
    assert not ocean.any()


@pytest.mark.atlas
def test_more_is_unproven_for_larger_ships(sea: SeaAtlas) -> None:
    small, middle, large = (find_unproven(sea, ships, 8, 78, 95) for ships in (1, 2, 3))
    assert not (small & ~middle).any()
    assert not (middle & ~large).any()
    assert large.sum() > small.sum()
