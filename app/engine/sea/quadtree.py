"""Quadtree of the open sea: cells of 1 degree where it is wide, of 1/64 degree at coasts.

A cell is sea if no shore and no land is in it, and as large as possible (Samet 1984, The quadtree
and related hierarchical data structures). Ships move between centres of cells, along straight
lines over water.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Bools, Floats, Ints
from app.engine.compiled import njit
from app.engine.sea.raster import COLS, ROWS, LandRaster, is_line_on_water
from app.engine.sea.squares import find_byte_place

#: Cells per degree of the finest level; level k has cells 2**k times as wide.
_FINEST: Final = 64
LEVELS: Final = 7
#: Side of the widest cells [deg].
LARGEST_CELL_DEG: Final = 2 ** (LEVELS - 1) / _FINEST

#: Least level of cells with neighbours in more than eight directions: compared with a great
#: circle, paths in eight directions are 5 % longer, in thirty-two 0.65 %.
_WIDE_LEVEL: Final = 3
_WIDE_STEPS: Final = np.array(
    [
        (dr, dc)
        for dr in range(-3, 4)
        for dc in range(-3, 4)
        if np.gcd(dr, dc) == 1 and max(abs(dr), abs(dc)) > 1
    ],
    dtype=np.int64,
)


class SeaCells(NamedTuple):
    """Cells sorted by level, row and column.

    ``level``, ``row``, ``col`` are (n,); rows count from the south pole and
    columns from 180 W in cells of the level's own size. ``row_starts`` holds, for
    level k and row r, the first cell at ``row_starts[first_rows[k] + r]``.
    """

    level: NDArray[np.uint8]
    row: NDArray[np.int32]
    col: NDArray[np.int32]
    row_starts: Ints
    first_rows: Ints


def build_cells(raster: LandRaster) -> SeaCells:
    """Divide the sea into the largest cells without land."""
    full = [_find_clear_pairs(raster.inside, raster.shore)]
    for _ in range(LEVELS - 1):
        full.append(_merge(full[-1]))
    levels, rows, cols = [], [], []
    for level, clear in enumerate(full):
        if level < LEVELS - 1:
            clear &= ~full[level + 1].repeat(2, axis=0).repeat(2, axis=1)
        row, col = np.nonzero(clear)
        levels.append(np.full(row.size, level, dtype=np.uint8))
        rows.append(row.astype(np.int32))
        cols.append(col.astype(np.int32))
    first_rows = np.concatenate([[0], np.cumsum([180 * _FINEST >> k for k in range(LEVELS)])])
    counts = np.concatenate(
        [np.bincount(row, minlength=180 * _FINEST >> k) for k, row in enumerate(rows)]
    )
    return SeaCells(
        np.concatenate(levels),
        np.concatenate(rows),
        np.concatenate(cols),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        first_rows.astype(np.int64),
    )


def compute_centres(cells: SeaCells) -> tuple[Floats, Floats]:
    """Compute the latitude and longitude [deg] of the cells' centres."""
    size = np.exp2(cells.level.astype(np.float64)) / _FINEST
    return (cells.row + 0.5) * size - 90.0, (cells.col + 0.5) * size - 180.0


def build_edges(cells: SeaCells, raster: LandRaster) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Build the pairs of cells between which a straight line is over water, each pair once."""
    lats, lngs = compute_centres(cells)
    wide = int((cells.level >= _WIDE_LEVEL).sum())
    room = 8 * cells.level.size + len(_WIDE_STEPS) * wide
    pairs = np.empty((2, room), dtype=np.int32)
    count = _link_cells(cells, lats, lngs, raster.inside, raster.shore, _WIDE_STEPS, pairs)
    return pairs[0, :count], pairs[1, :count]


def _merge(clear: Bools) -> Bools:
    """Mask of the cells of twice the size whose four quarters are clear."""
    merged: Bools = clear[::2, ::2] & clear[1::2, ::2] & clear[::2, 1::2] & clear[1::2, 1::2]
    return merged


@njit(cache=True)
def _find_clear_pairs(inside, shore):  # type: ignore[no-untyped-def]
    """Mask of blocks of two by two raster cells that are water, (rows / 2, columns / 2)."""
    out = np.empty((ROWS // 2, COLS // 2), dtype=np.bool_)
    for row in range(ROWS // 2):
        for byte in range(COLS // 8):
            south, north = find_byte_place(2 * row, byte), find_byte_place(2 * row + 1, byte)
            land = inside[south] | inside[north] | shore[south] | shore[north]
            for k in range(4):
                out[row, byte * 4 + k] = (land >> (2 * k)) & 3 == 0
    return out


@njit(cache=True)
def find_cell(row_starts, first_rows, col, level, r, c):  # type: ignore[no-untyped-def]
    """Find the index of the cell at level, row and column, or -1."""
    low = row_starts[first_rows[level] + r]
    high = row_starts[first_rows[level] + r + 1]
    while low < high:
        middle = (low + high) // 2
        if col[middle] < c:
            low = middle + 1
        else:
            high = middle
    if low < row_starts[first_rows[level] + r + 1] and col[low] == c:
        return low
    return -1


@njit(cache=True)
def _find_cell_or_larger(row_starts, first_rows, col, level, r, c):  # type: ignore[no-untyped-def]
    """Find the index of the cell at level, row and column or of a larger one over it, or -1."""
    for k in range(level, LEVELS):
        found = find_cell(row_starts, first_rows, col, k, r >> (k - level), c >> (k - level))
        if found >= 0:
            return found
    return -1


@njit(cache=True)
def _link_cells(cells, lats, lngs, inside, shore, wide_steps, pairs):  # type: ignore[no-untyped-def]
    level, row, col, row_starts, first_rows = cells
    count = 0
    for a in range(level.size):
        begin = count
        rows = (180 * _FINEST) >> level[a]
        cols = (360 * _FINEST) >> level[a]
        steps = 8 + (len(wide_steps) if level[a] >= _WIDE_LEVEL else 0)
        for step in range(steps):
            if step < 8:
                dr = (step if step < 4 else step + 1) // 3 - 1
                dc = (step if step < 4 else step + 1) % 3 - 1
            else:
                dr = wide_steps[step - 8, 0]
                dc = wide_steps[step - 8, 1]
            r = row[a] + dr
            if r < 0 or r >= rows:
                continue
            c = (col[a] + dc) % cols
            b = _find_cell_or_larger(row_starts, first_rows, col, level[a], r, c)
            if b < 0 or (level[b] == level[a] and b < a) or b == a:
                continue
            if _is_listed(pairs, begin, count, b):
                continue
            touching = step < 8 and (dr == 0 or dc == 0)
            if touching or is_line_on_water(inside, shore, lats[a], lngs[a], lats[b], lngs[b]):
                pairs[0, count] = a
                pairs[1, count] = b
                count += 1
    return count


@njit(cache=True)
def _is_listed(pairs, begin, end, b):  # type: ignore[no-untyped-def]
    return bool(np.any(pairs[1, begin:end] == b))


@njit(cache=True)
def list_cells_in_window(row_starts, first_rows, col, south, west, north, east):  # type: ignore[no-untyped-def]
    """List the cells that extend into a window; ``west`` <= ``east`` unwrapped [deg]."""
    out = np.empty(1024, dtype=np.int32)
    count = 0
    for level in range(LEVELS):
        per_degree = _FINEST / 2.0**level
        rows = (180 * _FINEST) >> level
        cols = (360 * _FINEST) >> level
        for r in range(
            max(0, int((south + 90.0) * per_degree)),
            min(rows, int((north + 90.0) * per_degree) + 1),
        ):
            first = row_starts[first_rows[level] + r]
            last = row_starts[first_rows[level] + r + 1]
            c0 = int(np.floor((west + 180.0) * per_degree))
            c1 = int(np.floor((east + 180.0) * per_degree))
            for low, high in _split_columns(c0, c1, cols):
                at = first + np.searchsorted(col[first:last], low)
                while at < last and col[at] <= high:
                    if count == out.size:
                        out = np.append(out, np.empty(out.size, dtype=np.int32))
                    out[count] = at
                    count += 1
                    at += 1
    return out[:count]


@njit(cache=True)
def _split_columns(c0, c1, cols):  # type: ignore[no-untyped-def]
    """Split a range of columns into two ranges within 0..cols, the second possibly empty."""
    if c1 - c0 >= cols - 1:
        return (0, cols - 1), (1, 0)
    a = c0 % cols
    b = c1 % cols
    if c1 < c0:
        return (1, 0), (1, 0)
    if a <= b:
        return (a, b), (1, 0)
    return (a, cols - 1), (0, b)
