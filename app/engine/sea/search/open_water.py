"""Open water by cells of 1/16 degree, in which lines need no test against the coast.

The lattices of a voyage cross the same cells many times, so that the state of a cell is cached.
Only lines that leave the open cells are tested against the coast.
"""

from math import pi
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit_borrowing
from app.engine.constants import DEGREE_M, NAUTICAL_MILE_M
from app.engine.geodesy.longitudes import wrap
from app.engine.sea.clearance import FIELD_CELLS, FIELD_COLS, SLACK_NM, get_clearance_nm
from app.engine.sea.raster import is_box_water
from app.engine.sea.search.barriers import BUCKETS, is_bucket_barred
from app.engine.sea.shoals import SHOAL_MARGIN_CELLS, is_overview_deep
from app.engine.sea.squares import find_cell_place

#: Cells per degree.
_CELLS: Final = 16
_COLS: Final = 360 * _CELLS
#: Side of the squares in which cells are stored, so that those near a path are on few pages.
_SQUARE: Final = 64
_FIELD_RATIO: Final = FIELD_CELLS // _CELLS
#: Cells of the shoal map around a cell: the margin to each side, and the width of the window.
_MARGIN: Final = SHOAL_MARGIN_CELLS
_WINDOW: Final = _FIELD_RATIO + 2 * _MARGIN
#: Diagonal of a cell and slack: greatest difference to the clearance at its corner [nm].
_ACROSS_NM: Final = _FIELD_RATIO * SLACK_NM + SLACK_NM
#: Side of a block, which is a bucket of barriers [cells]; and half its diagonal and slack, the
#: greatest difference to the clearance at its middle [nm].
_BLOCK: Final = _CELLS // BUCKETS
_ACROSS_BLOCK_NM: Final = _BLOCK * _FIELD_RATIO * SLACK_NM / 2.0 + SLACK_NM
#: States of a cell.
_UNSEEN, _OPEN, _OTHER = range(3)
#: Greatest difference of longitude, and greatest latitude, of lines decided by cells [deg].
_WIDEST_DEG: Final = 4.0
_HIGHEST_LAT: Final = 80.0
#: The second derivative of a great circle's latitude by longitude is sin(lat) cos(lat) +
#: 2 tan(lat) lat'^2. Its distance from the line that is straight in degrees is an eighth of that
#: times the squared difference of longitude: for the first term, at most 1/2; for the second, by
#: the difference of latitude.
_BULGE: Final = pi / 180.0 / 16.0
_SLANT: Final = pi / 180.0 / 4.0
#: Tolerance for rounding [cells].
_ROUNDING: Final = 1e-6


def make_known() -> NDArray[np.uint8]:
    """Return the cache of cells, all unseen, for one set of conditions and distance to coasts."""
    squares = 180 * _CELLS // _SQUARE, 360 * _CELLS // _SQUARE
    return np.zeros((*squares, _SQUARE, _SQUARE), dtype=np.uint8)


@njit_borrowing(cache=True, nogil=True)
def is_in_open_water(waters, conditions, known, lat0, lng0, lat1, lng1, nearest_m):  # type: ignore[no-untyped-def]
    """Return whether all cells under a great circle are clear of coasts, barriers and shoals.

    ``known`` is the cache of ``make_known``; threads may share it, because they find the same
    states. False can also mean that cells do not decide.
    """
    span_deg = wrap(lng1 - lng0)
    if abs(span_deg) > _WIDEST_DEG or max(abs(lat0), abs(lat1)) > _HIGHEST_LAT:
        return False
    x0, y0 = (lng0 + 180.0) * _CELLS, (lat0 + 90.0) * _CELLS
    x1, y1 = x0 + span_deg * _CELLS, (lat1 + 90.0) * _CELLS
    if y0 > y1:
        x0, y0, x1, y1 = x1, y1, x0, y0
    highest = np.radians(max(abs(lat0), abs(lat1)))
    bulge_deg = _BULGE * span_deg**2 + _SLANT * np.tan(highest) * (lat1 - lat0) ** 2
    margin = bulge_deg * _CELLS + _ROUNDING
    rows = (y0 - margin) / _BLOCK, (y1 + margin) / _BLOCK
    cols = (min(x0, x1) - margin) / _BLOCK, (max(x0, x1) + margin) / _BLOCK
    if _are_blocks_open(waters, conditions, rows, cols, nearest_m):
        return True
    slope = (x1 - x0) / (y1 - y0) if y1 - y0 > _ROUNDING else 0.0
    for row in range(int(y0 - margin), int(y1 + margin) + 1):
        one, two = x0, x1
        if slope != 0.0:
            one = x0 + slope * (max(row - margin, y0) - y0)
            two = x0 + slope * (min(row + 1.0 + margin, y1) - y0)
        west, east = min(one, two) - margin, max(one, two) + margin
        if not _is_row_open(waters, conditions, known, row, west, east, nearest_m):
            return False
    return True


@njit_borrowing(cache=True, nogil=True)
def is_all_open_water(waters, conditions, lats, lngs, nearest_m):  # type: ignore[no-untyped-def]
    """Return whether ``is_in_open_water`` is true for all great circles between places, (m, n).

    All are tested at once, by the blocks of half a degree around them. False can also mean that
    it is true for some.
    """
    south, north, west_deg, east_deg = 90.0, -90.0, 0.0, 0.0
    for i in range(lats.shape[0]):
        for j in range(lats.shape[1]):
            south, north = min(south, lats[i, j]), max(north, lats[i, j])
            off_deg = wrap(lngs[i, j] - lngs[0, 0])
            west_deg, east_deg = min(west_deg, off_deg), max(east_deg, off_deg)
    span_deg, highest = east_deg - west_deg, max(abs(south), abs(north))
    if span_deg > _WIDEST_DEG or highest > _HIGHEST_LAT:
        return False
    bulge_deg = _BULGE * span_deg**2 + _SLANT * np.tan(np.radians(highest)) * (north - south) ** 2
    rows = (south + 90.0 - bulge_deg) * BUCKETS, (north + 90.0 + bulge_deg) * BUCKETS
    west_deg, east_deg = lngs[0, 0] + west_deg + 180.0, lngs[0, 0] + east_deg + 180.0
    cols = (west_deg - bulge_deg) * BUCKETS, (east_deg + bulge_deg) * BUCKETS
    return _are_blocks_open(waters, conditions, rows, cols, nearest_m)


@njit_borrowing(cache=True, nogil=True)
def _are_blocks_open(waters, conditions, rows, cols, nearest_m):  # type: ignore[no-untyped-def]
    """Return whether the blocks from the first to the last of rows and columns are all open."""
    for row in range(int(rows[0]), int(rows[1]) + 1):
        for col in range(int(np.floor(cols[0])), int(np.floor(cols[1])) + 1):
            if not _is_block_open(waters, conditions, row, col % (360 * BUCKETS), nearest_m):
                return False
    return True


@njit_borrowing(cache=True, nogil=True)
def _is_block_open(waters, conditions, row, col, nearest_m):  # type: ignore[no-untyped-def]
    """Return whether every place in a block is open, by bounds for the whole block."""
    if is_bucket_barred(conditions.segments, conditions.starts, row, col):
        return False
    middle_lat, middle_lng = (row + 0.5) / BUCKETS - 90.0, (col + 0.5) / BUCKETS - 180.0
    clearance_nm = get_clearance_nm(waters.field, middle_lat, middle_lng)
    if clearance_nm < nearest_m / NAUTICAL_MILE_M + _ACROSS_BLOCK_NM:
        return False
    cells = _BLOCK * _FIELD_RATIO
    first_row, first_col = row * cells - _MARGIN, col * cells - _MARGIN
    end_row, end_col = first_row + cells + 2 * _MARGIN, first_col + cells + 2 * _MARGIN
    need = conditions.depth_steps
    return is_overview_deep(waters.shoal_blocks, first_row, end_row, first_col, end_col, need)


@njit_borrowing(cache=True, nogil=True)
def _is_row_open(waters, conditions, known, row, west, east, nearest_m):  # type: ignore[no-untyped-def]
    """Return whether the cells of a row are open from ``west`` to ``east``, in cells from 180 W."""
    for wide in range(int(np.floor(west)), int(np.floor(east)) + 1):
        col = wide % _COLS
        cell = row // _SQUARE, col // _SQUARE, row % _SQUARE, col % _SQUARE
        if known[cell] == _UNSEEN:
            is_open = _is_open(waters, conditions, row, col, nearest_m)
            known[cell] = _OPEN if is_open else _OTHER
        if known[cell] != _OPEN:
            return False
    return True


@njit_borrowing(cache=True, nogil=True)
def _is_open(waters, conditions, row, col, nearest_m):  # type: ignore[no-untyped-def]
    """Return whether every place in a cell is clear of coasts, barriers and shoals."""
    bucket_row, bucket_col = row * BUCKETS // _CELLS, col * BUCKETS // _CELLS
    if is_bucket_barred(conditions.segments, conditions.starts, bucket_row, bucket_col):
        return False
    south, west = row / _CELLS - 90.0, col / _CELLS - 180.0
    north, east = south + 1.0 / _CELLS, west + 1.0 / _CELLS
    if get_clearance_nm(waters.field, south, west) < nearest_m / NAUTICAL_MILE_M + _ACROSS_NM:
        margin_deg = nearest_m / DEGREE_M
        if not is_box_water(waters.inside, waters.shore, south, west, north, east, margin_deg):
            return False
    first_row, first_col = row * _FIELD_RATIO - _MARGIN, col * _FIELD_RATIO - _MARGIN
    end_row, end_col = first_row + _WINDOW, first_col + _WINDOW
    need = conditions.depth_steps
    if is_overview_deep(waters.shoal_blocks, first_row, end_row, first_col, end_col, need):
        return True
    for r in range(first_row, end_row):
        for c in range(first_col, end_col):
            if waters.shoals[find_cell_place(r, c % FIELD_COLS)] < need:
                return False
    return True
