"""Shoal map: the least charted depth of every cell of 1/32 degree.

Depth between the nodes of the 5' grid is bilinear, so that in a cell it is least at a corner of
the cell or where the cell's edges cross a line of the grid (a bilinear surface has no inner
minimum). Therefore a line over cells that are deep enough is deep enough at every point.
"""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.engine.arrays import Bools, Floats
from app.engine.compiled import njit, njit_borrowing
from app.engine.sea.clearance import FIELD_CELLS, FIELD_COLS, FIELD_ROWS, UNIT_NM, find_field_cell
from app.engine.sea.depth import (
    CELLS,
    NO_DEPTH,
    TRUSTED_FROM_LAND_NM,
    get_depth_m,
    interpolate_grid,
)
from app.engine.sea.raster import clip_to_row
from app.engine.sea.squares import find_cell_place, restore_rows

#: Steps of the map per metre; its values for depths beyond its range, and for cells where the grid
#: is unreliable.
STEPS_PER_M: Final = 4
DEEP: Final = 254
UNKNOWN: Final = 255
#: Ratio of an interpolated depth to the least in its cell above which that is the edge of a bank.
_EDGE_RATIO: Final = 1.5
#: Least distance from land at which a grid of a minute or finer is reliable [nm].
_FINE_TRUSTED_FROM_LAND_NM: Final = 2.0
#: Depth below which a node can be a lone shoal, and least median depth around it [m]. Deeper nodes
#: affect no ship; in shallower water neighbours are no evidence.
_LONE_BELOW_M: Final = 30
_LONE_OVER_M: Final = 15.0
#: Blocks of the overview per degree.
_BLOCKS: Final = 2
_BLOCK_CELLS: Final = FIELD_CELLS // _BLOCKS
_BLOCK_ROWS: Final = 180 * _BLOCKS
_BLOCK_COLS: Final = 360 * _BLOCKS

#: Margin between a path and a shoal during the search [cells], as room for the rhumb line of a
#: great circle: about 2 nm.
SHOAL_MARGIN_CELLS: Final = 1


def build_shoal_map(depths: NDArray[np.int16], field: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Build the least depth of each cell in steps of 1/STEPS_PER_M m, rounded down, dry cells 0.

    (FIELD_ROWS, FIELD_COLS) uint8, as ``field``, rows from the south pole, columns from 180 W.
    """
    return np.asarray(_map_cells(depths, field, _find_deep(depths)), dtype=np.uint8)


def find_lone_shoals(depths: NDArray[np.int16]) -> Bools:
    """Mask of nodes of the depth grid that are at most half as deep as any node around them.

    In a grid of five miles such a node among deep ones may be a reef or an error. Shape as
    ``depths``; False where the nodes around are too shallow to decide, or unknown.
    """
    rows, columns = depths.shape[0] - 2, depths.shape[1]
    wide = np.pad(depths, ((0, 0), (1, 1)), mode="wrap")
    around = [
        wide[south : south + rows, west : west + columns]
        for south in range(3)
        for west in range(3)
        if (south, west) != (1, 1)
    ]
    least, most = np.minimum.reduce(around), np.maximum.reduce(around)
    inner = depths[1:-1]
    found = np.zeros(depths.shape, dtype=np.bool_)
    found[1:-1] = (2 * inner <= least) & (inner < _LONE_BELOW_M) & (least > 0) & (most != NO_DEPTH)
    rows_of, cols_of = np.nonzero(found)
    for row, col in zip(rows_of.tolist(), cols_of.tolist(), strict=True):
        found[row, col] = _median_around(depths, row, col) >= _LONE_OVER_M
    return found


def fill_lone_shoals(depths: NDArray[np.int16], is_lone: Bools) -> NDArray[np.int16]:
    """Return the grid with lone shoals replaced by the median of the nodes around them."""
    filled = depths.copy()
    for row, col in np.argwhere(is_lone).tolist():
        filled[row, col] = int(_median_around(depths, row, col))
    return filled


def _median_around(depths: NDArray[np.int16], row: int, col: int) -> float:
    square = depths[row - 1 : row + 2].take(range(col - 1, col + 2), axis=1, mode="wrap")
    return float(np.median(np.delete(square.ravel(), 4)))


def read_charted_depth(
    depths: NDArray[np.int16],
    charted: NDArray[np.uint8],
    field: NDArray[np.uint8],
    lats: ArrayLike,
    lngs: ArrayLike,
) -> Floats:
    """Return the charted depths [m] at positions [deg], broadcast.

    Inshore, where the grid ``depths`` is unreliable, they are the least in the cells of the map
    ``charted``; NaN where that has none.
    """
    lat, lng = np.broadcast_arrays(
        np.asarray(lats, dtype=np.float64), np.asarray(lngs, dtype=np.float64)
    )
    out = np.empty(lat.size)
    _fill_charted_depth(depths, charted, field, lat.ravel(), lng.ravel(), out)
    return out.reshape(lat.shape)


@njit_borrowing(cache=True, nogil=True)
def _fill_charted_depth(depths, charted, field, lats, lngs, out):  # type: ignore[no-untyped-def]
    for i in range(lats.size):
        out[i] = get_offshore_depth_m(depths, charted, field, lats[i], lngs[i])
        if np.isnan(out[i]):
            out[i] = _get_inshore_m(charted, field, lats[i], lngs[i])


@njit_borrowing(cache=True)
def get_offshore_depth_m(depths, charted, field, lat, lng):  # type: ignore[no-untyped-def]
    """Return the charted depth [m] at a position, NaN where the depth grid is unreliable.

    It is the grid's, or the least in the cell of the map: if that is less than the grid's there, as
    of a reef that the grid misses, and on the edge of a bank, where the grid is too coarse.
    """
    depth = get_depth_m(depths, field, lat, lng)
    if np.isnan(depth):
        return depth
    row, col = find_field_cell(lat, lng)
    steps = charted[find_cell_place(row, col)]
    if steps >= min(DEEP, depth * STEPS_PER_M):
        return depth
    least = _find_least_m(depths, _list_corners(row), _list_corners(col))
    is_lowered = steps < np.floor(least * STEPS_PER_M)
    is_edge = depth * STEPS_PER_M > _EDGE_RATIO * steps
    return steps / STEPS_PER_M if is_lowered or is_edge else depth


@njit_borrowing(cache=True)
def _get_inshore_m(charted, field, lat, lng):  # type: ignore[no-untyped-def]
    """Return the least charted depth of the cell of a position [m].

    NaN where unknown, and offshore, where the depth grid itself is reliable.
    """
    at = find_cell_place(*find_field_cell(lat, lng))
    is_known = charted[at] != UNKNOWN and field[at] * UNIT_NM < TRUSTED_FROM_LAND_NM
    return charted[at] / STEPS_PER_M if is_known else np.nan


def build_overview(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the least value of each half degree, (360, 720), of a map in squares."""
    blocks = restore_rows(cells).reshape(_BLOCK_ROWS, _BLOCK_CELLS, _BLOCK_COLS, _BLOCK_CELLS)
    return np.asarray(blocks.min(axis=(1, 3)))


def overlay_fine_grid(
    cells: NDArray[np.uint8], fine: NDArray[np.uint8], field: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Return the shoal map with the cells that a finer grid covers replaced.

    ``fine``, (FIELD_ROWS, FIELD_COLS), is UNKNOWN where it has no depth. It is used from
    _FINE_TRUSTED_FROM_LAND_NM off the coast, because nearer its samples mix shore and sea.
    """
    return np.where(is_covered(fine, field), fine, cells)


def is_covered(fine: NDArray[np.uint8], field: NDArray[np.uint8]) -> Bools:
    """Mask of the cells that a finer grid covers, far enough from land to be reliable."""
    return np.asarray((fine != UNKNOWN) & (field * UNIT_NM >= _FINE_TRUSTED_FROM_LAND_NM))


def blank_unknown(fine: NDArray[np.uint8], depths: NDArray[np.int16]) -> NDArray[np.uint8]:
    """Return a finer map with UNKNOWN where the depth grid has no depth, as in high lakes."""
    rows = np.rint((np.arange(FIELD_ROWS) + 0.5) / FIELD_CELLS * CELLS).astype(np.int64)
    cols = np.rint((np.arange(FIELD_COLS) + 0.5) / FIELD_CELLS * CELLS).astype(np.int64)
    blank = (depths == NO_DEPTH)[np.ix_(rows, cols % depths.shape[1])]
    return np.asarray(np.where(blank, UNKNOWN, fine), dtype=np.uint8)


def count_steps(depth_m: float) -> int:
    """Convert a required depth [m] to steps of the map, at most its greatest value."""
    return min(DEEP, int(np.ceil(depth_m * STEPS_PER_M)))


def _find_deep(depths: NDArray[np.int16]) -> Bools:
    """Mask of squares of the depth grid whose four nodes are at least as deep as the map's range.

    (2160, 4320); then every place in the square is, and need not be interpolated.
    """
    nodes = (depths >= DEEP / STEPS_PER_M) & (depths != NO_DEPTH)
    edges = nodes & np.roll(nodes, -1, axis=1)
    return np.asarray(edges[:-1] & edges[1:])


@njit_borrowing(cache=True)
def _list_corners(first):  # type: ignore[no-untyped-def]
    """Return a cell's edges and the line of the depth grid between them [deg from origin]."""
    low = first / FIELD_CELLS
    high = (first + 1.0) / FIELD_CELLS
    line = np.floor(high * CELLS) / CELLS
    return low, max(low, line), high


@njit(cache=True)
def _map_cells(depths, field, deep):  # type: ignore[no-untyped-def]
    out = np.empty((FIELD_ROWS, FIELD_COLS), dtype=np.uint8)
    for row in range(FIELD_ROWS):
        ys = _list_corners(row)
        for col in range(FIELD_COLS):
            out[row, col] = UNKNOWN
            if field[row, col] * UNIT_NM < TRUSTED_FROM_LAND_NM:
                continue
            xs = _list_corners(col)
            if _is_all_deep(deep, ys, xs):
                out[row, col] = DEEP
                continue
            least = _find_least_m(depths, ys, xs)
            if not np.isnan(least):
                out[row, col] = min(DEEP, max(0, int(np.floor(least * STEPS_PER_M))))
    return out


@njit_borrowing(cache=True)
def _is_all_deep(deep, ys, xs):  # type: ignore[no-untyped-def]
    """Return whether a cell lies in squares of the depth grid that are deep at each node."""
    for y in (ys[0], ys[-1]):
        row = min(int(y * CELLS), deep.shape[0] - 1)
        for x in (xs[0], xs[-1]):
            if not deep[row, int(x * CELLS) % deep.shape[1]]:
                return False
    return True


@njit_borrowing(cache=True)
def _find_least_m(depths, ys, xs):  # type: ignore[no-untyped-def]
    """Return the least depth [m] at the crossings of lines; NaN if one is unknown."""
    least = np.inf
    for y in ys:
        for x in xs:
            depth = interpolate_grid(depths, y * CELLS, x * CELLS)
            if np.isnan(depth):
                return np.nan
            least = min(least, depth)
    return least


@njit_borrowing(cache=True)
def is_overview_deep(blocks, south, north, west, east, need):  # type: ignore[no-untyped-def]
    """Return whether no block in a window of cells is shallower than needed."""
    for row in range(max(0, south // _BLOCK_CELLS), min(_BLOCK_ROWS, north // _BLOCK_CELLS + 1)):
        for col in range(west // _BLOCK_CELLS, east // _BLOCK_CELLS + 1):
            if blocks[row, col % _BLOCK_COLS] < need:
                return False
    return True


@njit_borrowing(cache=True)
def is_shoal_near(blocks, lat, lng, within_nm, need):  # type: ignore[no-untyped-def]
    """Return whether a cell charted with less than ``need`` steps may lie within a distance."""
    if need <= 0:
        return False
    to_north = within_nm / 60.0
    to_east = min(to_north / max(np.cos(np.radians(lat)), 1e-6), 180.0)
    south, north = (lat - to_north + 90.0) * FIELD_CELLS, (lat + to_north + 90.0) * FIELD_CELLS
    west, east = (lng - to_east + 180.0) * FIELD_CELLS, (lng + to_east + 180.0) * FIELD_CELLS
    window = int(south), int(north), int(np.floor(west)), int(np.floor(east))
    return not is_overview_deep(blocks, *window, need)


@njit_borrowing(cache=True)
def find_least_steps(cells, blocks, lat0, lng0, lat1, lng1, margin, need):  # type: ignore[no-untyped-def]
    """Return the least depth in the cells under a line, straight in degrees, in steps of the map.

    ``margin`` cells to each side are included. Depths of ``need`` steps or more may be returned
    as UNKNOWN.
    """
    x0 = (lng0 + 180.0) * FIELD_CELLS
    y0 = (lat0 + 90.0) * FIELD_CELLS
    x1 = x0 + ((lng1 - lng0 + 180.0) % 360.0 - 180.0) * FIELD_CELLS
    y1 = (lat1 + 90.0) * FIELD_CELLS
    if y0 > y1:
        x0, y0, x1, y1 = x1, y1, x0, y0
    west = int(np.floor(min(x0, x1))) - margin
    east = int(np.floor(max(x0, x1))) + margin
    south = int(y0) - margin
    north = int(y1) + margin
    if is_overview_deep(blocks, south, north, west, east, need):
        return UNKNOWN
    least = UNKNOWN
    for row in range(int(y0), int(y1) + 1):
        a, b = clip_to_row(x0, y0, x1, y1, row)
        for r in range(max(0, row - margin), min(FIELD_ROWS, row + margin + 1)):
            for col in range(int(np.floor(a)) - margin, int(np.floor(b)) + margin + 1):
                least = min(least, int(cells[find_cell_place(r, col % FIELD_COLS)]))
    return least


@njit_borrowing(cache=True)
def is_shoal(cells, blocks, lat0, lng0, lat1, lng1, margin, need):  # type: ignore[no-untyped-def]
    """Return whether a line crosses a cell charted with less than ``need`` steps."""
    return need > 0 and find_least_steps(cells, blocks, lat0, lng0, lat1, lng1, margin, need) < need
