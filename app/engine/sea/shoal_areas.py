"""Shoals, banks and reefs as data, where the depth grid lacks them or is too deep."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import shapely
from numpy.typing import NDArray

from app.engine.arrays import Ints
from app.engine.request import Position
from app.engine.sea.clearance import FIELD_CELLS, FIELD_COLS, FIELD_ROWS
from app.engine.sea.passages import Quality
from app.engine.sea.shoals import STEPS_PER_M


class ShoalKind(StrEnum):
    """Kind of the water inside an outline.

    ``CHARTED`` water is as shallow as stated, and closed to ships that need more. ``UNPROVEN``
    water has such depths among deeper ones, and harbours: it is used only at a voyage's ends.
    """

    CHARTED = "CHARTED"
    UNPROVEN = "UNPROVEN"


@dataclass(frozen=True, slots=True)
class ShoalArea:
    """A shoal: its outline, straight in degrees, and the least depth in it [m]."""

    id: str
    name: str
    kind: ShoalKind
    outline: tuple[Position, ...]
    least_depth_m: float
    source: str = ""
    quality: Quality = Quality.APPROXIMATE


def apply_shoal_areas(
    charted: NDArray[np.uint8], proven: NDArray[np.uint8], areas: Sequence[ShoalArea]
) -> None:
    """Lower the maps, in place, to the least depth in every cell that an outline touches.

    ``charted`` and ``proven`` are (FIELD_ROWS, FIELD_COLS), in steps of the shoal map.
    """
    for area in areas:
        cells = charted if area.kind is ShoalKind.CHARTED else proven
        rows, cols = find_cells(area)
        cells[rows, cols] = np.minimum(cells[rows, cols], int(area.least_depth_m * STEPS_PER_M))


def find_cells(area: ShoalArea) -> tuple[Ints, Ints]:
    """Find the rows and columns of the cells that an outline touches, shape (n,) each."""
    polygon = shapely.Polygon([(place.lng, place.lat) for place in area.outline])
    west, south, east, north = polygon.bounds
    rows = np.arange(_cell(south + 90.0), min(FIELD_ROWS, _cell(north + 90.0) + 1))
    cols = np.arange(_cell(west + 180.0), min(FIELD_COLS, _cell(east + 180.0) + 1))
    row, col = (grid.ravel() for grid in np.meshgrid(rows, cols, indexing="ij"))
    x, y = col / FIELD_CELLS - 180.0, row / FIELD_CELLS - 90.0
    boxes = shapely.box(x, y, x + 1.0 / FIELD_CELLS, y + 1.0 / FIELD_CELLS)
    shapely.prepare(polygon)
    touched = shapely.intersects(polygon, boxes)
    return row[touched], col[touched]


def _cell(angle_deg: float) -> int:
    return int(np.floor(angle_deg * FIELD_CELLS))
