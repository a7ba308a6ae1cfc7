"""Maps stored square by square, a degree each, in which a voyage reads few pages of memory.

In a map stored row by row, a few degrees of longitude lie on another page in every row. The
operating system maps the pages around each that is read, and so most of the map.
"""

from typing import Final, TypeVar

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from app.engine.arrays import Ints

#: Rows or columns: one, or an array of them.
_Index = TypeVar("_Index", int, Ints)

#: Squares around the globe.
_ACROSS: Final = 360
#: Cells, bytes of the raster, and buckets of the coast along the sides of a square, as powers of 2.
_CELL_BITS: Final = 5
_RASTER_ROW_BITS: Final = 7
_RASTER_BYTE_BITS: Final = 4
_BUCKET_BITS: Final = 4


def store_in_squares(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a map of the globe, (180 n, 360 m), square by square, (180 * 360, n * m)."""
    high, wide = rows.shape[0] // 180, rows.shape[1] // _ACROSS
    squares = rows.reshape(180, high, _ACROSS, wide).swapaxes(1, 2)
    return np.ascontiguousarray(squares).reshape(-1, high * wide)


def restore_rows(squares: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a map of cells of 1/32 degree, (180 * 360, 1024), row by row, (5760, 11520)."""
    side = 1 << _CELL_BITS
    rows = squares.reshape(180, _ACROSS, side, side).swapaxes(1, 2)
    return np.ascontiguousarray(rows).reshape(180 * side, _ACROSS * side)


@register_jitable
def find_cell_place(row: _Index, col: _Index) -> tuple[_Index, _Index]:
    """Return the square of a cell of 1/32 degree, and its place in the square; broadcast."""
    square = (row >> _CELL_BITS) * _ACROSS + (col >> _CELL_BITS)
    return square, (row & 31) << _CELL_BITS | (col & 31)


@register_jitable
def find_byte_place(row: _Index, byte: _Index) -> tuple[_Index, _Index]:
    """Return the square of a byte of the land raster, and its place in the square."""
    square = (row >> _RASTER_ROW_BITS) * _ACROSS + (byte >> _RASTER_BYTE_BITS)
    return square, (row & 127) << _RASTER_BYTE_BITS | (byte & 15)


@register_jitable
def number_bucket(row: int, col: int) -> int:
    """Return the number of a bucket of 1/16 degree, square by square."""
    square = (row >> _BUCKET_BITS) * _ACROSS + (col >> _BUCKET_BITS)
    return square << 2 * _BUCKET_BITS | (row & 15) << _BUCKET_BITS | (col & 15)
