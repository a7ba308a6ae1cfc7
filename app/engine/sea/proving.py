"""Proven water: cells of unknown depth that are wide enough for a ship.

Nearer to land than :data:`app.engine.sea.depth.TRUSTED_FROM_LAND_NM` no depth is known except on
the centre lines of passages. There a ship keeps to wide water, which other ships use too: a cell
is open to a ship if a disc free of land, as wide as its class requires, covers it (the
morphological opening of the sea, Serra 1982, Image Analysis and Mathematical Morphology, ch. II).
Water that no such disc covers, between islands and near the coast, is unproven.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit
from app.engine.sea.clearance import CELL_NM, FIELD_CELLS, FIELD_COLS, FIELD_ROWS, UNIT_NM
from app.engine.sea.raster import clip_to_row
from app.engine.sea.shoals import SHOAL_MARGIN_CELLS, STEPS_PER_M, UNKNOWN
from app.engine.sea.squares import find_cell_place


class DepthClass(NamedTuple):
    """A class of ships with a required depth of more than ``deeper_than_m``, and its room.

    Water of unknown depth must be at least ``2 * room_nm`` wide for them; they keep
    ``offing_nm`` from the coast, and one cell of the shoal map more during the search.
    """

    deeper_than_m: float
    room_nm: float
    offing_nm: float


#: Small craft, up to 4 m, have no unproven water. The widths are a rule of thumb of navigators,
#: not a standard: a channel narrower than about 4, 10 or 16 nm is used only with known depths.
CLASSES: Final = (DepthClass(4.0, 1.8, 0.0), DepthClass(8.0, 5.0, 1.0), DepthClass(13.0, 8.0, 2.0))


def list_class_steps() -> tuple[int, ...]:
    """List the least required depth of each class, in steps of the shoal map."""
    return tuple(int(each.deeper_than_m * STEPS_PER_M) + 1 for each in CLASSES)


def count_classes(steps: int) -> int:
    """Count the classes whose least required depth is at most that of a ship, in steps."""
    return sum(steps >= least for least in list_class_steps())


def build_proven_map(field: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Build the map of the greatest required depth to which each cell is open, in steps.

    ``field`` is the distance from land. Shape as the field; UNKNOWN in cells open to all.
    """
    proven = np.full((FIELD_ROWS, FIELD_COLS), UNKNOWN, dtype=np.uint8)
    for each in reversed(CLASSES):
        limit = int(each.deeper_than_m * STEPS_PER_M)
        _limit(field, each.room_nm / UNIT_NM, each.offing_nm / UNIT_NM, limit, proven)
    return proven


@njit(cache=True)
def _limit(field, room, offing, limit, proven):  # type: ignore[no-untyped-def]
    """Limit the cells that no disc of ``room`` covers, or that are nearer to land than allowed."""
    for row in range(FIELD_ROWS):
        for col in range(FIELD_COLS):
            here = field[row, col]
            # such a cell is the centre of a disc
            if here >= room:
                continue
            if here < offing or not _is_covered(field, row, col, room):
                proven[row, col] = limit


@njit(cache=True)
def _is_covered(field, row, col, room):  # type: ignore[no-untyped-def]
    """Return whether a disc of ``room`` free of land covers a cell and the search's margin."""
    reach_nm = room * UNIT_NM + SHOAL_MARGIN_CELLS * CELL_NM
    rows = int(reach_nm / CELL_NM)
    scale = max(0.02, np.cos(np.radians((row + 0.5) / FIELD_CELLS - 90.0)))
    for r in range(max(0, row - rows), min(FIELD_ROWS, row + rows + 1)):
        up_nm = (r - row) * CELL_NM
        cols = int(np.sqrt(reach_nm**2 - up_nm**2) / (CELL_NM * scale))
        for c in range(col - cols, col + cols + 1):
            if field[r, c % FIELD_COLS] >= room:
                return True
    return False


@njit(cache=True)
def open_along(proven, lats, lngs, steps, margin):  # type: ignore[no-untyped-def]
    """Open the cells along a line, in place, to ships that need up to ``steps``.

    ``proven`` is in squares (:mod:`app.engine.sea.squares`).
    """
    for i in range(lats.size - 1):
        x0 = (lngs[i] + 180.0) * FIELD_CELLS
        y0 = (lats[i] + 90.0) * FIELD_CELLS
        x1 = x0 + ((lngs[i + 1] - lngs[i] + 180.0) % 360.0 - 180.0) * FIELD_CELLS
        y1 = (lats[i + 1] + 90.0) * FIELD_CELLS
        if y0 > y1:
            x0, y0, x1, y1 = x1, y1, x0, y0
        for row in range(int(y0), int(y1) + 1):
            a, b = clip_to_row(x0, y0, x1, y1, row)
            for r in range(max(0, row - margin), min(FIELD_ROWS, row + margin + 1)):
                for col in range(int(np.floor(a)) - margin, int(np.floor(b)) + margin + 1):
                    at = find_cell_place(r, col % FIELD_COLS)
                    proven[at] = max(proven[at], steps)
