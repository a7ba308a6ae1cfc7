"""Local charts: fine grids of the water around a position, built from the coast on demand.

Harbours lie behind moles and in estuaries that the sea graph's cells do not resolve. The cells of
a chart measure about a hundred metres; those that an edge of the coast touches are closed.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Floats, Ints
from app.engine.compiled import njit
from app.engine.sea.coast import BUCKET_COLS, BUCKET_ROWS, BUCKETS, is_land
from app.engine.sea.raster import clip_to_row
from app.engine.sea.search.conditions import CoastData
from app.engine.sea.squares import number_bucket
from app.engine.units import wrap_longitude

CLOSED: Final = 1
REACHED: Final = 2
#: A point of a passage's centre line in a closed cell, which ships reach along the passage only.
IN_PASSAGE: Final = 3
#: Kinds of runs of cells between shores.
_WATER: Final = 1
_LAND: Final = 2


class Chart(NamedTuple):
    """A window of square cells: its south-west corner and cells per degree."""

    south: float
    west: float
    rows: int
    cols: int
    cells: float


def draw_chart(lat: float, lng: float, half_deg: float, cells: int) -> Chart:
    """Return the chart around a position, at most 4 half heights of longitude on each side."""
    half_lng = half_deg / max(0.25, np.cos(np.radians(lat)))
    south = max(-89.9, lat - half_deg)
    rows = int((min(89.9, lat + half_deg) - south) * cells)
    return Chart(south, lng - half_lng, rows, int(2.0 * half_lng * cells), float(cells))


def place_nodes(chart: Chart, lats: Floats, lngs: Floats) -> tuple[Ints, Ints]:
    """Return rows and columns of nodes; those outside the chart are moved to its edge."""
    middle = chart.cols / chart.cells / 2.0
    east = wrap_longitude(lngs - chart.west - middle) + middle
    rows = np.clip((lats - chart.south) * chart.cells, 0, chart.rows - 1)
    return rows.astype(np.int64), np.clip(east * chart.cells, 0, chart.cols - 1).astype(np.int64)


def get_centre(chart: Chart, row: int, col: int) -> tuple[float, float]:
    """Return the latitude and longitude [deg] of a cell's centre."""
    lng = chart.west + (col + 0.5) / chart.cells
    return chart.south + (row + 0.5) / chart.cells, float(wrap_longitude(lng))


def classify_cells(
    chart: Chart,
    waters: CoastData,
    rows: Ints,
    cols: Ints,
    barriers: Floats,
) -> NDArray[np.uint8]:
    """Classify cells: CLOSED, REACHED by water from the given cells, IN_PASSAGE, or 0.

    ``barriers``, (m, 4) lng, lat [deg], close the cells that they cross.
    """
    state = np.zeros((chart.rows, chart.cols), dtype=np.uint8)
    _close_shores(chart, state, waters.edges, waters.edge_starts)
    _close_land(chart, state, waters)
    is_closed = state[rows, cols] == CLOSED
    state[rows[is_closed], cols[is_closed]] = IN_PASSAGE
    _close_barriers(chart, state, barriers)
    _flood(state, rows, cols)
    return state


@njit(cache=True)
def _close_shores(chart, state, edges, starts):  # type: ignore[no-untyped-def]
    """Close every cell that an edge of the coast touches."""
    south = max(0, int((chart.south + 90.0) * BUCKETS))
    north = min(BUCKET_ROWS - 1, int((chart.south + chart.rows / chart.cells + 90.0) * BUCKETS))
    west = int(np.floor((chart.west + 180.0) * BUCKETS))
    east = int(np.floor((chart.west + chart.cols / chart.cells + 180.0) * BUCKETS))
    for row in range(south, north + 1):
        for wide in range(west, east + 1):
            shift = 360.0 * ((wide - wide % BUCKET_COLS) // BUCKET_COLS)
            bucket = number_bucket(row, wide % BUCKET_COLS)
            for i in range(starts[bucket], starts[bucket + 1]):
                x0 = (edges[i, 0] + shift - chart.west) * chart.cells
                y0 = (edges[i, 1] - chart.south) * chart.cells
                x1 = (edges[i, 2] + shift - chart.west) * chart.cells
                y1 = (edges[i, 3] - chart.south) * chart.cells
                if y0 > y1:
                    x0, y0, x1, y1 = x1, y1, x0, y0
                _close_line(state, x0, y0, x1, y1)


@njit(cache=True)
def barrier_east(barrier, west):  # type: ignore[no-untyped-def]
    """Return the degrees from a meridian eastward to a barrier's first end; negative to the west.

    The sign is decided at the barrier's middle, because it may span half the world.
    """
    half = (barrier[2] - barrier[0]) / 2.0
    return (barrier[0] + half - west + 180.0) % 360.0 - 180.0 - half


@njit(cache=True)
def _close_barriers(chart, state, barriers):  # type: ignore[no-untyped-def]
    for i in range(barriers.shape[0]):
        x0 = barrier_east(barriers[i], chart.west)
        x1 = x0 + (barriers[i, 2] - barriers[i, 0])
        y0 = (barriers[i, 1] - chart.south) * chart.cells
        y1 = (barriers[i, 3] - chart.south) * chart.cells
        if y0 <= y1:
            _close_line(state, x0 * chart.cells, y0, x1 * chart.cells, y1)
        else:
            _close_line(state, x1 * chart.cells, y1, x0 * chart.cells, y0)


@njit(cache=True)
def _close_line(state, x0, y0, x1, y1):  # type: ignore[no-untyped-def]
    if y1 < 0.0 or y0 >= state.shape[0]:
        return
    for row in range(max(0, int(y0)), min(state.shape[0] - 1, int(y1)) + 1):
        a, b = clip_to_row(x0, y0, x1, y1, row)
        first = max(0, int(np.floor(a)))
        for col in range(first, min(state.shape[1] - 1, int(np.floor(b))) + 1):
            state[row, col] = CLOSED


@njit(cache=True)
def _close_land(chart, state, waters):  # type: ignore[no-untyped-def]
    """Close the cells inside land: a run of cells between shores is land or water as a whole.

    Adjacent runs of two rows are alike, so that only the others are tested against the coast.
    """
    rows, cols = state.shape
    known = np.zeros((2, cols), dtype=np.uint8)
    for row in range(rows):
        line = state[row]
        lat = chart.south + (row + 0.5) / chart.cells
        below, here = known[(row + 1) % 2], known[row % 2]
        here[:] = 0
        first, end = _find_run(line, 0)
        while first < line.size:
            kind = 0
            for col in range(first, end):
                if below[col] != 0:
                    kind = below[col]
                    break
            if kind == 0:
                lng = chart.west + (first + 0.5) / chart.cells
                kind = _LAND if is_land(waters, lat, lng) else _WATER
            here[first:end] = kind
            if kind == _LAND:
                line[first:end] = CLOSED
            first, end = _find_run(line, end)


@njit(cache=True)
def _find_run(line, at):  # type: ignore[no-untyped-def]
    """Return the next run of unclassified cells: its first cell, and one past its last."""
    while at < line.size and line[at] != 0:
        at += 1
    end = at
    while end < line.size and line[end] == 0:
        end += 1
    return at, end


@njit(cache=True)
def _flood(state, rows, cols):  # type: ignore[no-untyped-def]
    """Mark all cells that water joins to the given cells, run by run."""
    stack = np.empty((1024, 2), dtype=np.int32)
    for i in range(rows.size):
        if state[rows[i], cols[i]] != 0:
            continue
        size = 1
        stack[0] = rows[i], cols[i]
        while size > 0:
            size -= 1
            row, col = stack[size]
            if state[row, col] != 0:
                continue
            first = col
            while first > 0 and state[row, first - 1] == 0:
                first -= 1
            end = col + 1
            while end < state.shape[1] and state[row, end] == 0:
                end += 1
            state[row, first:end] = REACHED
            for adjacent in (row - 1, row + 1):
                if not 0 <= adjacent < state.shape[0]:
                    continue
                near, past = _find_run(state[adjacent, :end], first)
                while near < end:
                    if size == len(stack):
                        stack = np.concatenate((stack, stack))
                    stack[size] = adjacent, near
                    size += 1
                    near, past = _find_run(state[adjacent, :end], past)


@njit(cache=True)
def find_nearest_reached(chart, state, lat, lng):  # type: ignore[no-untyped-def]
    """Return the navigable cell nearest to a position, or (-1, -1)."""
    best = np.inf
    found = (-1, -1)
    y = (lat - chart.south) * chart.cells - 0.5
    x = (lng - chart.west) * chart.cells - 0.5
    scale = np.cos(np.radians(lat))
    for row in range(state.shape[0]):
        if (row - y) ** 2 >= best:
            continue
        for col in range(state.shape[1]):
            if state[row, col] == REACHED or state[row, col] == IN_PASSAGE:
                d = (row - y) ** 2 + ((col - x) * scale) ** 2
                if d < best:
                    best = d
                    found = (row, col)
    return found
