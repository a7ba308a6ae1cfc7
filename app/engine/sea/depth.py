"""Depth of the open sea from a 5' grid, where it is reliable."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Bools, Floats
from app.engine.compiled import njit, njit_borrowing
from app.engine.sea.clearance import get_clearance_nm

#: Grid nodes per degree; row 0 is 90 S, column 0 is 180 W.
CELLS: Final = 12

#: Value of the grid for waters of unknown depth, such as lakes above sea level.
NO_DEPTH: Final = 32_767

#: Least distance from land at which the grid is reliable [nm]; its cells nearer mix shore and sea.
TRUSTED_FROM_LAND_NM: Final = 12.0


def mark_deep_stages(
    depths: NDArray[np.int16], lats: Floats, lngs: Floats, depth_m: float
) -> Bools:
    """Mark the stages of a lattice between whose rows no depth of the grid is less than given [m].

    ``lats``, ``lngs`` [deg] have shape (s, p), the result (s - 1,). Every cell of the box about
    two rows counts. Places of no known depth do not make a stage shallow.
    """
    deep = np.empty(lats.shape[0] - 1, dtype=np.bool_)
    # the grid is of whole metres
    _mark_deep(depths, lats, lngs, np.int16(np.ceil(depth_m)), deep)
    return deep


@njit(cache=True, nogil=True)
def _mark_deep(depths, lats, lngs, least_m, deep):  # type: ignore[no-untyped-def]
    for k in range(deep.size):
        rows = lats[k : k + 2]
        east_deg = (lngs[k : k + 2] - lngs[k, 0] + 180.0) % 360.0 - 180.0
        south, north = int((rows.min() + 90.0) * CELLS), int((rows.max() + 90.0) * CELLS) + 2
        west_deg = (lngs[k, 0] + east_deg.min() + 180.0) % 360.0
        west = int(west_deg * CELLS) % depths.shape[1]
        east = west + int((east_deg.max() - east_deg.min()) * CELLS) + 3
        deep[k] = _is_box_deep(depths, (south, north), (west, east), least_m)


@njit_borrowing(cache=True, nogil=True)
def _is_box_deep(depths, rows, cols, least_m):  # type: ignore[no-untyped-def]
    """Return whether no depth is less than ``least_m`` from the first row and column up to the end.

    Columns beyond the last continue with the first.
    """
    across = depths.shape[1]
    for row in range(rows[0], min(rows[1], depths.shape[0])):
        # no exit from these loops, so that the compiler uses vector instructions
        is_shallow = False
        for col in range(cols[0], min(cols[1], across)):
            is_shallow |= depths[row, col] < least_m
        for col in range(max(cols[0] - across, 0), cols[1] - across):
            is_shallow |= depths[row, col] < least_m
        if is_shallow:
            return False
    return True


@njit_borrowing(cache=True)
def get_depth_m(depths, field, lat, lng):  # type: ignore[no-untyped-def]
    """Return the depth [m] at a position, NaN where the grid is unreliable."""
    if get_clearance_nm(field, lat, lng) < TRUSTED_FROM_LAND_NM:
        return np.nan
    return interpolate_grid(depths, (lat + 90.0) * CELLS, ((lng + 180.0) % 360.0) * CELLS)


@njit_borrowing(cache=True)
def interpolate_grid(depths, y, x):  # type: ignore[no-untyped-def]
    """Interpolate the depth [m] bilinearly at a place in steps of the grid from its corner.

    NaN if the depth of one of the four nodes is unknown.
    """
    row = min(int(y), depths.shape[0] - 2)
    col = int(x) % depths.shape[1]
    right = (col + 1) % depths.shape[1]
    fy = y - row
    fx = x - int(x)
    if (
        max(depths[row, col], depths[row, right], depths[row + 1, col], depths[row + 1, right])
        == NO_DEPTH
    ):
        return np.nan
    low = depths[row, col] * (1.0 - fx) + depths[row, right] * fx
    high = depths[row + 1, col] * (1.0 - fx) + depths[row + 1, right] * fx
    return low * (1.0 - fy) + high * fy
