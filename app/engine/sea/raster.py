"""Raster of the coast on a grid of 1/128 degree.

Two bit planes, eight cells to a byte, lowest bit first, row 0 at the south pole, column 0 at
180 W: ``inside`` is set if a cell's *centre* is on land, ``shore`` if a coastline crosses the
cell. Cells with neither are water; those with a shore are decided by the vectors
(:mod:`app.engine.sea.coast`). The planes are stored in squares (:mod:`app.engine.sea.squares`).
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Ints
from app.engine.compiled import njit_borrowing
from app.engine.sea.squares import find_byte_place, store_in_squares

#: Raster cells per degree.
CELLS: Final = 128
ROWS: Final = 180 * CELLS
COLS: Final = 360 * CELLS


class LandRaster(NamedTuple):
    """The two bit planes, each of ROWS by COLS / 8 bytes, in squares (180 * 360, 2048) uint8."""

    inside: NDArray[np.uint8]
    shore: NDArray[np.uint8]


def build_land_raster(vertices: NDArray[np.float32], starts: Ints) -> LandRaster:
    """Rasterise rings of lng, lat [deg] by the even-odd rule.

    ``starts`` are the first vertices of the rings and the end of the last; each
    ring repeats its first vertex at its end.
    """
    inside = np.zeros((ROWS, COLS // 8), dtype=np.uint8)
    shore = np.zeros((ROWS, COLS // 8), dtype=np.uint8)
    _mark_edges(vertices, starts, inside, shore)
    _fill_rows(inside)
    return LandRaster(store_in_squares(inside), store_in_squares(shore))


@njit_borrowing(cache=True)
def _mark_edges(vertices, starts, toggles, shore):  # type: ignore[no-untyped-def]
    for ring in range(starts.size - 1):
        for i in range(starts[ring], starts[ring + 1] - 1):
            x0 = (np.float64(vertices[i, 0]) + 180.0) * CELLS
            y0 = (np.float64(vertices[i, 1]) + 90.0) * CELLS
            x1 = (np.float64(vertices[i + 1, 0]) + 180.0) * CELLS
            y1 = (np.float64(vertices[i + 1, 1]) + 90.0) * CELLS
            if y0 > y1:
                x0, y0, x1, y1 = x1, y1, x0, y0
            _toggle_crossings(toggles, x0, y0, x1, y1)
            _mark_cells(shore, x0, y0, x1, y1)


@njit_borrowing(cache=True)
def _toggle_crossings(toggles, x0, y0, x1, y1):  # type: ignore[no-untyped-def]
    """Invert the first cell whose centre is east of the edge, on each row of centres."""
    first = max(0, int(np.ceil(y0 - 0.5)))
    last = min(ROWS - 1, int(np.ceil(y1 - 0.5)) - 1)
    for row in range(first, last + 1):
        x = x0 + (x1 - x0) * (row + 0.5 - y0) / (y1 - y0)
        col = int(np.ceil(x - 0.5))
        if col < COLS:
            toggles[row, max(col, 0) >> 3] ^= np.uint8(1 << (max(col, 0) & 7))


@njit_borrowing(cache=True)
def _mark_cells(shore, x0, y0, x1, y1):  # type: ignore[no-untyped-def]
    """Set every cell that an edge, given from south to north, crosses."""
    for row in range(max(0, int(y0)), min(ROWS - 1, int(y1)) + 1):
        a, b = clip_to_row(x0, y0, x1, y1, row)
        for col in range(max(0, int(a)), min(COLS - 1, int(b)) + 1):
            shore[row, col >> 3] |= np.uint8(1 << (col & 7))


@njit_borrowing(cache=True)
def clip_to_row(x0, y0, x1, y1, row):  # type: ignore[no-untyped-def]
    """Return the least and greatest column of a segment (y0 <= y1) in a row of cells."""
    if y1 - y0 < 1e-12:
        return min(x0, x1), max(x0, x1)
    slope = (x1 - x0) / (y1 - y0)
    a = x0 + slope * (max(y0, np.float64(row)) - y0)
    b = x0 + slope * (min(y1, row + 1.0) - y0)
    return min(a, b), max(a, b)


@njit_borrowing(cache=True)
def _fill_rows(bits):  # type: ignore[no-untyped-def]
    """Fill each row between crossings by a cumulative exclusive-or, in place."""
    for row in range(bits.shape[0]):
        carry = np.uint8(0)
        for i in range(bits.shape[1]):
            b = bits[row, i]
            b ^= (b << 1) & 0xFF
            b ^= (b << 2) & 0xFF
            b ^= (b << 4) & 0xFF
            if carry:
                b ^= 0xFF
            carry = (b >> 7) & 1
            bits[row, i] = b


@njit_borrowing(cache=True)
def get_bit(bits, row, col):  # type: ignore[no-untyped-def]
    """Return whether a cell is set; columns wrap around the globe."""
    col = col % COLS
    return (bits[find_byte_place(row, col >> 3)] >> (col & 7)) & 1 != 0


@njit_borrowing(cache=True)
def is_box_water(inside, shore, lat0, lng0, lat1, lng1, margin):  # type: ignore[no-untyped-def]
    """Return whether no cell between two points, or within a margin [deg of latitude], has land.

    To east and west the margin is wider by the secant of the latitude.
    """
    x0 = (lng0 + 180.0) * CELLS
    x1 = x0 + ((lng1 - lng0 + 180.0) % 360.0 - 180.0) * CELLS
    y0 = (lat0 + 90.0) * CELLS
    y1 = (lat1 + 90.0) * CELLS
    more = margin * CELLS
    wide = more / max(0.01, np.cos(np.radians(min(89.0, max(abs(lat0), abs(lat1)) + margin))))
    south = max(0, int(min(y0, y1) - more))
    north = min(ROWS - 1, int(max(y0, y1) + more))
    west = int(np.floor(min(x0, x1) - wide))
    east = int(np.floor(max(x0, x1) + wide))
    # byte by byte, the cells outside the box masked out of the first and the last
    first, last = west >> 3, east >> 3
    for row in range(south, north + 1):
        for byte in range(first, last + 1):
            at = find_byte_place(row, byte % (COLS // 8))
            mask = 0xFF
            if byte == first:
                mask &= 0xFF << (west & 7)
            if byte == last:
                mask &= 0xFF >> (7 - (east & 7))
            if int(inside[at] | shore[at]) & mask:
                return False
    return True


@njit_borrowing(cache=True)
def is_line_on_water(inside, shore, lat0, lng0, lat1, lng1):  # type: ignore[no-untyped-def]
    """Return whether no cell under a line, straight in degrees, is land or shore.

    The line follows the shorter arc. A narrow strait may be rejected, but no land is crossed.
    """
    x0 = (lng0 + 180.0) * CELLS
    y0 = (lat0 + 90.0) * CELLS
    x1 = x0 + ((lng1 - lng0 + 180.0) % 360.0 - 180.0) * CELLS
    y1 = (lat1 + 90.0) * CELLS
    if y0 > y1:
        x0, y0, x1, y1 = x1, y1, x0, y0
    for row in range(max(0, int(y0)), min(ROWS - 1, int(y1)) + 1):
        a, b = clip_to_row(x0, y0, x1, y1, row)
        for col in range(int(np.floor(a)), int(np.floor(b)) + 1):
            if get_bit(inside, row, col) or get_bit(shore, row, col):
                return False
    return True
