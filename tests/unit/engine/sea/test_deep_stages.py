"""Stages of a lattice that are known to be deep, without sounding their edges."""

import numpy as np
import pytest

from app.engine.sea.clearance import FIELD_COLS, FIELD_ROWS
from app.engine.sea.depth import CELLS, mark_deep_stages
from app.engine.sea.shoals import UNKNOWN, read_charted_depth
from app.engine.sea.squares import store_in_squares

DEEP_M = 150.0


def make_grid(shoal_lat: float, shoal_lng: float) -> np.ndarray:
    """A chart 4,000 m deep but for one shoal."""
    grid = np.full((180 * CELLS + 1, 360 * CELLS), 4000, dtype=np.int16)
    row = round((shoal_lat + 90.0) * CELLS)
    grid[row, round((shoal_lng + 180.0) * CELLS) % grid.shape[1]] = 20
    return grid


@pytest.mark.parametrize("east_deg", [-60.0, 0.0, 179.0, -179.5])
def test_a_stage_with_a_shoal_between_its_rows_is_not_deep(east_deg: float) -> None:
    lats = np.tile(40.0 + np.linspace(0.0, 3.0, 5), (4, 1))
    lngs = (np.tile(np.arange(4.0)[:, None], 5) + east_deg + 180.0) % 360.0 - 180.0
    shoal_lng = (east_deg + 1.5 + 180.0) % 360.0 - 180.0
    deep = mark_deep_stages(make_grid(41.0, shoal_lng), lats, lngs, DEEP_M)
    assert deep.tolist() == [True, False, True]


def test_every_depth_in_a_deep_stage_is_deep() -> None:
    random = np.random.default_rng(5)
    grid = random.choice([100, 4000], (180 * CELLS + 1, 360 * CELLS), p=[0.002, 0.998])
    grid = grid.astype(np.int16)
    open_sea = store_in_squares(np.full((FIELD_ROWS, FIELD_COLS), 255, dtype=np.uint8))
    uncharted = np.full_like(open_sea, UNKNOWN)
    marked = 0
    for _ in range(200):
        lats = random.uniform(-60.0, 60.0) + random.uniform(0.0, 1.0, (2, 3))
        lngs = random.uniform(-180.0, 180.0) + random.uniform(0.0, 1.5, (2, 3))
        lngs = (lngs + 180.0) % 360.0 - 180.0
        if mark_deep_stages(grid, lats, lngs, DEEP_M)[0]:
            marked += 1
            share = random.uniform(0.0, 1.0, (100, 1))
            east = (lngs[1] - lngs[0] + 180.0) % 360.0 - 180.0
            places = lats[0] + share * (lats[1] - lats[0]), lngs[0] + share * east
            assert read_charted_depth(grid, uncharted, open_sea, *places).min() >= DEEP_M
    assert 20 < marked < 180
