"""Tiles of unproven water, whose depth is unknown, for the chart."""

import json
from functools import lru_cache
from typing import Any, Final

import numpy as np

from app.datasources.mercator import unproject_lat
from app.engine.arrays import Bools
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.clearance import FIELD_CELLS
from app.engine.sea.mouths import DEPTH_PER_DRAFT
from app.engine.sea.proving import CLASSES, count_classes, list_class_steps
from app.engine.sea.shoals import count_steps
from app.engine.sea.squares import find_cell_place
from app.services.sea import sea

#: Zooms of the tiles; at lower zooms cells are smaller than pixels.
ZOOMS: Final = range(5, 13)
#: Samples along a tile's side: at zoom 5 each is three cells of the map of proven water.
_SIDE: Final = 128
#: Draught if no ship is given; most of the world's fleet draws less.
_USUAL_DRAFT_M: Final = 10.0


class NoSuchTile(Exception):
    """There is no such tile or class of ships."""


def describe_class(draft_m: float | None = None) -> dict[str, Any]:
    """Class of a ship by its draught: number, and the depth that its ships' need exceeds."""
    need_m = DEPTH_PER_DRAFT * (_USUAL_DRAFT_M if draft_m is None else draft_m)
    number = max(1, count_classes(count_steps(need_m)))
    return {"ships": number, "deeperThanM": CLASSES[number - 1].deeper_than_m}


def get_tile(ships: int, z: int, x: int, y: int) -> bytes:
    """A tile as JSON: runs of samples, each [row, first, count], rows from the north.

    Raise :class:`NoSuchTile` outside the zooms and the world's square and for an unknown class, and
    :class:`DataMissing` without an atlas.
    """
    if z not in ZOOMS or not (0 <= x < 2**z and 0 <= y < 2**z) or not 1 <= ships <= len(CLASSES):
        raise NoSuchTile(f"{ships}/{z}/{x}/{y}")
    atlas = sea.open_atlas()
    return _draw(atlas.identity, ships, z, x, y)


@lru_cache(maxsize=1024)
def _draw(_identity: str, ships: int, z: int, x: int, y: int) -> bytes:
    hatched = find_unproven(sea.open_atlas(), ships, z, x, y)
    body = {"side": _SIDE, "runs": list_runs(hatched)}
    return json.dumps(body, separators=(",", ":")).encode()


def find_unproven(atlas: SeaAtlas, ships: int, z: int, x: int, y: int) -> Bools:
    """Mask of a tile's samples that are unproven for a class but not known to be too shallow."""
    middles = (np.arange(_SIDE) + 0.5) / _SIDE
    rows = ((unproject_lat((y + middles) / 2**z) + 90.0) * FIELD_CELLS).astype(np.int64)
    cols = ((x + middles) / 2**z * 360.0 * FIELD_CELLS).astype(np.int64)
    cells, least = find_cell_place(*np.ix_(rows, cols)), list_class_steps()[ships - 1]
    waters = atlas.waters
    return np.asarray((waters.shoals[cells] < least) & (waters.charted[cells] >= least))


def list_runs(hatched: Bools) -> list[list[int]]:
    """Encode a mask as runs along rows: [row, first, count]."""
    edged = np.pad(hatched, ((0, 0), (1, 1))).astype(np.int8)
    change = np.diff(edged, axis=1)
    (row, first), (_, end) = np.nonzero(change == 1), np.nonzero(change == -1)
    runs: list[list[int]] = np.column_stack([row, first, end - first]).tolist()
    return runs
