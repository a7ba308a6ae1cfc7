"""Depths of ETOPO5: known in the open sea, unknown elsewhere."""

import numpy as np

from app.datasources.etopo import CELLS_PER_DEGREE, blank_lakes
from app.datasources.gshhg import Coastline
from app.engine.sea.clearance import FIELD_COLS, FIELD_ROWS
from app.engine.sea.depth import NO_DEPTH
from app.engine.sea.shoals import UNKNOWN, build_shoal_map, read_charted_depth
from app.engine.sea.squares import store_in_squares

#: A lake of two degrees on an island of six.
SQUARE = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)], dtype=np.float32)
COAST = Coastline(
    np.concatenate([3 * SQUARE, SQUARE]), np.array([0, 5, 10]), np.array([1, 2], dtype=np.uint8)
)


def _node(lat: float, lng: float) -> tuple[int, int]:
    return round((lat + 90) * CELLS_PER_DEGREE), round((lng + 180) * CELLS_PER_DEGREE)


def test_a_lake_has_no_depth_and_the_land_and_sea_around_it_keep_theirs():
    depths = np.full((2161, 4320), 100, dtype=np.int16)
    blanked = blank_lakes(depths, COAST)
    assert blanked[_node(0, 0)] == blanked[_node(0.9, -0.9)] == NO_DEPTH
    assert blanked[_node(2, 0)] == blanked[_node(0, 1.1)] == blanked[_node(40, 40)] == 100
    assert (depths == 100).all()


def test_where_a_node_has_no_depth_neither_have_the_waters_around_it():
    depths = np.full((2161, 4320), 100, dtype=np.int16)
    depths[_node(10, 10)] = NO_DEPTH
    field = np.full((FIELD_ROWS, FIELD_COLS), 255, dtype=np.uint8)
    lats, lngs = [10.02, 9.97, 10.1], [10.02, 9.95, 10.02]
    cells = build_shoal_map(depths, field)
    squares = store_in_squares(cells), store_in_squares(field)
    found = read_charted_depth(depths, *squares, lats, lngs)
    assert np.isnan(found).tolist() == [True, True, False]
    assert cells[100 * 32, 190 * 32] == UNKNOWN
    assert cells[101 * 32, 190 * 32] == 254
