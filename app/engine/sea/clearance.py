"""Field of distances to the nearest land, to within a cell of 1/32 degree.

It is used for the cost of coastal clearance, and for steps that are as long as the distance to
land allows (sphere tracing, Hart 1996).
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit, njit_borrowing
from app.engine.sea.raster import CELLS, LandRaster
from app.engine.sea.squares import find_byte_place, find_cell_place

#: Field cells per degree.
FIELD_CELLS: Final = 32
FIELD_ROWS: Final = 180 * FIELD_CELLS
FIELD_COLS: Final = 360 * FIELD_CELLS

#: Value of one unit of the field [nm], and its greatest distance.
UNIT_NM: Final = 0.125
FARTHEST_NM: Final = 30.0

#: Side of a field cell on a meridian, and the most by which the distance between
#: two cells' centres exceeds the distance between points in them [nm].
CELL_NM: Final = 60.0 / FIELD_CELLS
SLACK_NM: Final = CELL_NM * 2.0**0.5


def build_clearance_field(raster: LandRaster) -> NDArray[np.uint8]:
    """Measure the distance between cell centres to the nearest cell with land, in UNIT_NM.

    (FIELD_ROWS, FIELD_COLS) uint8, row 0 at the south pole, column 0 at 180 W;
    capped at FARTHEST_NM.
    """
    along_row = _measure_rows(raster.inside, raster.shore)
    return np.asarray(_measure_columns(along_row), dtype=np.uint8)


@njit_borrowing(cache=True)
def _has_land(inside, shore, row, col):  # type: ignore[no-untyped-def]
    ratio = CELLS // FIELD_CELLS
    byte = col * ratio // 8
    mask = 0x0F << (col * ratio % 8)
    for r in range(row * ratio, (row + 1) * ratio):
        at = find_byte_place(r, byte)
        if (inside[at] | shore[at]) & mask:
            return True
    return False


@njit(cache=True)
def _measure_rows(inside, shore):  # type: ignore[no-untyped-def]
    """Count the cells to the nearest land on the same row, around the globe, at most 65535."""
    out = np.empty((FIELD_ROWS, FIELD_COLS), dtype=np.uint16)
    for row in range(FIELD_ROWS):
        for col in range(FIELD_COLS):
            out[row, col] = 0 if _has_land(inside, shore, row, col) else 65535
        for _turn in range(2):
            for col in range(FIELD_COLS):
                before = out[row, col - 1]
                out[row, col] = min(out[row, col], before + 1 if before < 65535 else 65535)
            for col in range(FIELD_COLS - 1, -1, -1):
                after = out[row, (col + 1) % FIELD_COLS]
                out[row, col] = min(out[row, col], after + 1 if after < 65535 else 65535)
    return out


@njit(cache=True)
def _measure_columns(along_row):  # type: ignore[no-untyped-def]
    out = np.empty((FIELD_ROWS, FIELD_COLS), dtype=np.uint8)
    reach = int(FARTHEST_NM / CELL_NM) + 1
    cos_lat = np.cos(np.radians((np.arange(FIELD_ROWS) + 0.5) / FIELD_CELLS - 90.0))
    for row in range(FIELD_ROWS):
        best = np.full(FIELD_COLS, (FARTHEST_NM / CELL_NM) ** 2)
        for other in range(max(0, row - reach), min(FIELD_ROWS, row + reach + 1)):
            dy2 = np.float64(row - other) ** 2
            scale = min(cos_lat[row], cos_lat[other])
            for col in range(FIELD_COLS):
                dx = along_row[other, col] * scale
                best[col] = min(best[col], dy2 + dx * dx)
        for col in range(FIELD_COLS):
            out[row, col] = np.uint8(np.sqrt(best[col]) * CELL_NM / UNIT_NM)
    return out


@njit_borrowing(cache=True)
def get_clearance_nm(field, lat, lng):  # type: ignore[no-untyped-def]
    """Return the distance to land [nm] between cell centres, accurate within SLACK_NM."""
    return get_clearance_units(field, lat, lng) * UNIT_NM


@njit_borrowing(cache=True)
def get_clearance_units(field, lat, lng):  # type: ignore[no-untyped-def]
    """Return the distance to land in units of UNIT_NM; ``field`` is in squares."""
    return field[find_cell_place(*find_field_cell(lat, lng))]


@njit_borrowing(cache=True)
def find_field_cell(lat, lng):  # type: ignore[no-untyped-def]
    """Return the row and the column of the cell of a position."""
    row = min(int((lat + 90.0) * FIELD_CELLS), FIELD_ROWS - 1)
    col = int(np.floor((lng + 180.0) * FIELD_CELLS))
    # the test avoids a division, which takes longer than the rest
    if not 0 <= col < FIELD_COLS:
        col %= FIELD_COLS
    return row, col
