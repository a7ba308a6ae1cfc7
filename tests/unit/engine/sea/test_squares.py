"""Maps stored square by square have each cell where the kernels look for it."""

import numpy as np
import pytest

from app.engine.sea.clearance import FIELD_COLS, FIELD_ROWS
from app.engine.sea.coast import BUCKET_COLS, BUCKET_ROWS
from app.engine.sea.raster import COLS, ROWS
from app.engine.sea.squares import (
    find_byte_place,
    find_cell_place,
    number_bucket,
    restore_rows,
    store_in_squares,
)


def make_map(rows: int, cols: int) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 256, (rows, cols), dtype=np.uint8)


@pytest.mark.parametrize(
    ("shape", "find_place"),
    [((FIELD_ROWS, FIELD_COLS), find_cell_place), ((ROWS, COLS // 8), find_byte_place)],
    ids=["cells", "bytes of the raster"],
)
def test_every_value_is_found_at_the_place_of_its_row_and_column(shape, find_place):
    rows = make_map(*shape)
    stored = store_in_squares(rows)
    for south in range(0, shape[0], 128):  # places of the whole map would fill a gigabyte
        band = rows[south : south + 128]
        places = find_place(south + np.arange(len(band))[:, None], np.arange(shape[1]))
        assert (stored[places] == band).all()


def test_a_map_of_cells_is_restored_row_by_row():
    rows = make_map(FIELD_ROWS, FIELD_COLS)
    assert (restore_rows(store_in_squares(rows)) == rows).all()


def test_a_degree_of_the_map_is_contiguous_in_memory():
    rows = np.zeros((FIELD_ROWS, FIELD_COLS), dtype=np.uint8)
    rows[50 * 32 : 51 * 32, 200 * 32 : 201 * 32] = 1
    at = np.flatnonzero(store_in_squares(rows))
    assert at.size == 1024
    assert at[-1] - at[0] == 1023


def test_every_bucket_has_a_number_of_its_own():
    numbers = number_bucket(*np.ogrid[:BUCKET_ROWS, :BUCKET_COLS])
    assert np.array_equal(np.sort(numbers, axis=None), np.arange(BUCKET_ROWS * BUCKET_COLS))
