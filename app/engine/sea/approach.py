"""From a berth to the open sea: a fine local chart, drawn from the coast on demand.

Harbours lie behind moles and up estuaries that the sea graph's cells don't
resolve. Around a position a chart of some hundred metres a cell is drawn from the
coastline's own edges; cells that any edge touches are shut.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.engine.sea.coast import BUCKET_COLS, BUCKET_ROWS, BUCKETS, is_land
from app.engine.sea.shoals import DEEP, UNKNOWN, find_least_steps
from app.engine.search.astar import grow, pop, push
from app.engine.search.conditions import Waters
from app.engine.search.sphere import distance_nm

#: Charts tried in turn: half the height [deg] and cells per degree.
CHARTS: Final = ((0.15, 1200), (0.55, 600))
#: A snap longer than this [nm] is looked for again on the larger chart.
_NEAR_NM: Final = 3.0
#: How many ways out to the sea graph are offered to the search.
_EXITS: Final = 16

_SHUT: Final = 1
_REACHED: Final = 2
#: A point of a passage's centre line that the chart's coast shuts in: ships lie there on
#: the passage's word and leave along it only.
_VOUCHED: Final = 3


class Chart(NamedTuple):
    """A window of square cells: its south-west corner and cells per degree."""

    south: float
    west: float
    rows: int
    cols: int
    cells: float


@dataclass(frozen=True)
class Approach:
    """A place on the water and the ways from it to nodes of the sea graph.

    ``lats``/``lngs`` [deg] of way ``i`` run from the place to node ``nodes[i]``;
    ``costs`` in open-sea miles and ``depths``, the least charted, in steps of
    :mod:`app.engine.sea.shoals`. ``snap_nm`` is how far the place is from what was
    asked for.
    """

    lat: float
    lng: float
    snap_nm: float
    nodes: NDArray[np.int32]
    costs: NDArray[np.float64]
    depths: NDArray[np.uint8]
    ways: tuple[tuple[NDArray[np.float64], NDArray[np.float64]], ...]

    def keep_deep(self, steps: int) -> "Approach | None":
        """The ways with that depth all along; None when there are none."""
        deep = np.flatnonzero(self.depths >= steps)
        if deep.size == 0:
            return None
        ways = tuple(self.ways[i] for i in deep.tolist())
        kept = self.nodes[deep], self.costs[deep], self.depths[deep]
        return Approach(self.lat, self.lng, self.snap_nm, *kept, ways)


def draw_chart(lat: float, lng: float, half_deg: float, cells: int) -> Chart:
    """The chart around a position, no wider than 4 half heights of longitude on each side."""
    half_lng = half_deg / max(0.25, np.cos(np.radians(lat)))
    south = max(-89.9, lat - half_deg)
    rows = int((min(89.9, lat + half_deg) - south) * cells)
    return Chart(south, lng - half_lng, rows, int(2.0 * half_lng * cells), float(cells))


def find_approach(
    waters: Waters,
    chart: Chart,
    lat: float,
    lng: float,
    nodes: NDArray[np.int32],
    node_lats: NDArray[np.float64],
    node_lngs: NDArray[np.float64],
    barriers: NDArray[np.float64],
) -> Approach | None:
    """Ways on one chart from the nearest water to the nodes given.

    A node's cell may reach into the chart though its centre lies outside: it is met
    where the chart's edge is nearest to the centre. ``barriers``, (m, 4) lng, lat [deg],
    are not crossed. Returns None when no node is to be reached.
    """
    state = np.zeros((chart.rows, chart.cols), dtype=np.uint8)
    _shut_shores(chart, state, waters.edges, waters.edge_starts)
    _shut_land(chart, state, waters)
    node_rows, node_cols = _place(chart, node_lats, node_lngs)
    shut = state[node_rows, node_cols] == _SHUT
    state[node_rows[shut], node_cols[shut]] = _VOUCHED
    _shut_barriers(chart, state, barriers)
    _flood(state, node_rows, node_cols)
    start = _find_start(chart, state, lat, lng)
    if start[0] < 0:
        return None
    cost, before = _spread(chart, state, start[0], start[1], node_rows, node_cols, _EXITS)
    reached = np.flatnonzero(np.isfinite(cost[node_rows, node_cols]))
    best = reached[np.argsort(cost[node_rows[reached], node_cols[reached]])][:_EXITS]
    at_lat, at_lng = _centre(chart, *start)
    if distance_nm(lat, lng, at_lat, at_lng) * chart.cells < 60.0 and _is_open(
        chart, state, waters, lat, lng
    ):
        at_lat, at_lng = lat, lng
    if state[start] == _VOUCHED:
        at_lat, at_lng = float(node_lats[best[0]]), float(node_lngs[best[0]])
    ways = [_trace_way(chart, before, int(node_rows[i]), int(node_cols[i])) for i in best]
    for (lats, lngs), i in zip(ways, best, strict=True):
        lats[0], lngs[0] = at_lat, at_lng
        lats[-1], lngs[-1] = node_lats[i], node_lngs[i]
    return Approach(
        at_lat,
        at_lng,
        float(distance_nm(lat, lng, at_lat, at_lng)),
        nodes[best].astype(np.int32),
        cost[node_rows[best], node_cols[best]].astype(np.float64),
        np.array([_sound_way(waters, *way) for way in ways], dtype=np.uint8),
        tuple(ways),
    )


def _place(
    chart: Chart, lats: NDArray[np.float64], lngs: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of nodes, brought to the chart's edge from outside it."""
    middle = chart.cols / chart.cells / 2.0
    east = (lngs - chart.west - middle + 180.0) % 360.0 - 180.0 + middle
    rows = np.clip((lats - chart.south) * chart.cells, 0, chart.rows - 1)
    return rows.astype(np.int64), np.clip(east * chart.cells, 0, chart.cols - 1).astype(np.int64)


def is_near_enough(approach: Approach) -> bool:
    """Whether a finer, smaller chart's answer can stand."""
    return approach.snap_nm <= _NEAR_NM


def _is_open(
    chart: Chart, state: NDArray[np.uint8], waters: Waters, lat: float, lng: float
) -> bool:
    """Whether the position itself lies in a cell that a ship can reach."""
    row = int((lat - chart.south) * chart.cells)
    col = int(((lng - chart.west) % 360.0) * chart.cells)
    return bool(state[row, col] == _REACHED)


def _centre(chart: Chart, row: int, col: int) -> tuple[float, float]:
    lng = chart.west + (col + 0.5) / chart.cells
    return chart.south + (row + 0.5) / chart.cells, float((lng + 180.0) % 360.0 - 180.0)


@njit(cache=True)
def _shut_shores(chart, state, edges, starts):  # type: ignore[no-untyped-def]
    """Shut every cell that an edge of the coast touches."""
    south = max(0, int((chart.south + 90.0) * BUCKETS))
    north = min(BUCKET_ROWS - 1, int((chart.south + chart.rows / chart.cells + 90.0) * BUCKETS))
    west = int(np.floor((chart.west + 180.0) * BUCKETS))
    east = int(np.floor((chart.west + chart.cols / chart.cells + 180.0) * BUCKETS))
    for row in range(south, north + 1):
        for wide in range(west, east + 1):
            shift = 360.0 * ((wide - wide % BUCKET_COLS) // BUCKET_COLS)
            bucket = row * BUCKET_COLS + wide % BUCKET_COLS
            for i in range(starts[bucket], starts[bucket + 1]):
                x0 = (edges[i, 0] + shift - chart.west) * chart.cells
                y0 = (edges[i, 1] - chart.south) * chart.cells
                x1 = (edges[i, 2] + shift - chart.west) * chart.cells
                y1 = (edges[i, 3] - chart.south) * chart.cells
                if y0 > y1:
                    x0, y0, x1, y1 = x1, y1, x0, y0
                _shut_line(state, x0, y0, x1, y1)


@njit(cache=True)
def _shut_barriers(chart, state, barriers):  # type: ignore[no-untyped-def]
    for i in range(barriers.shape[0]):
        x0 = (barriers[i, 0] - chart.west + 180.0) % 360.0 - 180.0
        x1 = x0 + (barriers[i, 2] - barriers[i, 0])
        y0 = (barriers[i, 1] - chart.south) * chart.cells
        y1 = (barriers[i, 3] - chart.south) * chart.cells
        if y0 <= y1:
            _shut_line(state, x0 * chart.cells, y0, x1 * chart.cells, y1)
        else:
            _shut_line(state, x1 * chart.cells, y1, x0 * chart.cells, y0)


@njit(cache=True)
def _shut_line(state, x0, y0, x1, y1):  # type: ignore[no-untyped-def]
    if y1 < 0.0 or y0 >= state.shape[0]:
        return
    slope = (x1 - x0) / (y1 - y0) if y1 - y0 > 1e-12 else 0.0
    for row in range(max(0, int(y0)), min(state.shape[0] - 1, int(y1)) + 1):
        if y1 - y0 > 1e-12:
            a = x0 + slope * (max(y0, float(row)) - y0)
            b = x0 + slope * (min(y1, row + 1.0) - y0)
        else:
            a, b = x0, x1
        first = max(0, int(np.floor(min(a, b))))
        for col in range(first, min(state.shape[1] - 1, int(np.floor(max(a, b)))) + 1):
            state[row, col] = _SHUT


@njit(cache=True)
def _shut_land(chart, state, waters):  # type: ignore[no-untyped-def]
    """Shut the cells inside land: their state changes only across a shore's cells."""
    for row in range(state.shape[0]):
        known = False
        land = False
        lat = chart.south + (row + 0.5) / chart.cells
        for col in range(state.shape[1]):
            if state[row, col] == _SHUT:
                known = False
                continue
            if not known:
                lng = chart.west + (col + 0.5) / chart.cells
                land = is_land(
                    waters.inside, waters.shore, waters.edges, waters.edge_starts, lat, lng
                )
                known = True
            if land:
                state[row, col] = _SHUT
                known = True


@njit(cache=True)
def _flood(state, rows, cols):  # type: ignore[no-untyped-def]
    """Mark all cells that water joins to the given ones."""
    stack = np.empty(state.size, dtype=np.int64)
    size = 0
    for i in range(rows.size):
        if state[rows[i], cols[i]] == 0:
            state[rows[i], cols[i]] = _REACHED
            stack[size] = rows[i] * state.shape[1] + cols[i]
            size += 1
    while size > 0:
        size -= 1
        row = stack[size] // state.shape[1]
        col = stack[size] % state.shape[1]
        for r in range(max(0, row - 1), min(state.shape[0], row + 2)):
            for c in range(max(0, col - 1), min(state.shape[1], col + 2)):
                if state[r, c] == 0 and (r == row or c == col):
                    state[r, c] = _REACHED
                    stack[size] = r * state.shape[1] + c
                    size += 1


@njit(cache=True)
def _find_start(chart, state, lat, lng):  # type: ignore[no-untyped-def]
    """Reached cell nearest to a position, or (-1, -1)."""
    best = np.inf
    found = (-1, -1)
    y = (lat - chart.south) * chart.cells - 0.5
    x = (lng - chart.west) * chart.cells - 0.5
    scale = np.cos(np.radians(lat))
    for row in range(state.shape[0]):
        if (row - y) ** 2 >= best:
            continue
        for col in range(state.shape[1]):
            if state[row, col] == _REACHED or state[row, col] == _VOUCHED:
                d = (row - y) ** 2 + ((col - x) * scale) ** 2
                if d < best:
                    best = d
                    found = (row, col)
    return found


@njit(cache=True)
def _is_beside_shore(state, row, col):  # type: ignore[no-untyped-def]
    for r in range(max(0, row - 1), min(state.shape[0], row + 2)):
        for c in range(max(0, col - 1), min(state.shape[1], col + 2)):
            if state[r, c] == _SHUT:
                return True
    return False


@njit(cache=True)
def _spread(chart, state, start_row, start_col, node_rows, node_cols, enough):  # type: ignore[no-untyped-def]
    """Cheapest ways over the chart from one cell until enough nodes are reached.

    A mile beside a shore costs twice. Returns cost [nm] and the cell before, flat.
    """
    rows, cols = state.shape
    cost = np.full((rows, cols), np.inf, dtype=np.float64)
    before = np.full(rows * cols, -1, dtype=np.int64)
    done = np.zeros((rows, cols), dtype=np.bool_)
    is_node = np.zeros((rows, cols), dtype=np.bool_)
    for i in range(node_rows.size):
        is_node[node_rows[i], node_cols[i]] = True
    dy = 60.0 / chart.cells
    dx = dy * np.cos(np.radians(chart.south + 0.5 * rows / chart.cells))
    keys = np.empty(4096, dtype=np.float64)
    items = np.empty(4096, dtype=np.int64)
    cost[start_row, start_col] = 0.0
    push(keys, items, 0, 0.0, start_row * cols + start_col)
    size = 1
    found = 0
    while size > 0 and found < enough:
        at = items[0]
        pop(keys, items, size)
        size -= 1
        row = at // cols
        col = at % cols
        if done[row, col]:
            continue
        done[row, col] = True
        found += is_node[row, col]
        if state[row, col] == _VOUCHED:
            continue
        for r in range(max(0, row - 1), min(rows, row + 2)):
            for c in range(max(0, col - 1), min(cols, col + 2)):
                if state[r, c] != _REACHED or done[r, c]:
                    continue
                step = np.sqrt(((r - row) * dy) ** 2 + ((c - col) * dx) ** 2)
                if _is_beside_shore(state, r, c):
                    step *= 2.0
                if r != row and c != col and (state[row, c] == _SHUT or state[r, col] == _SHUT):
                    continue
                if cost[row, col] + step < cost[r, c]:
                    cost[r, c] = cost[row, col] + step
                    before[r * cols + c] = at
                    if size == keys.size:
                        keys, items = grow(keys, items)
                    push(keys, items, size, cost[r, c], r * cols + c)
                    size += 1
    for row in range(rows):
        for col in range(cols):
            if not done[row, col]:
                cost[row, col] = np.inf
    return cost, before


def _trace_way(
    chart: Chart, before: NDArray[np.int64], row: int, col: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    cells = [row * chart.cols + col]
    while before[cells[-1]] >= 0:
        cells.append(int(before[cells[-1]]))
    at = np.array(cells[::-1] if len(cells) > 1 else cells * 2)
    lats = chart.south + (at // chart.cols + 0.5) / chart.cells
    lngs = chart.west + (at % chart.cols + 0.5) / chart.cells
    return lats, (lngs + 180.0) % 360.0 - 180.0


@njit(cache=True)
def _sound_way(waters, lats, lngs):  # type: ignore[no-untyped-def]
    """Least charted depth on a way, in steps of the shoal map."""
    least = UNKNOWN
    for i in range(lats.size - 1):
        found = find_least_steps(
            waters.shoals,
            waters.shoal_blocks,
            lats[i],
            lngs[i],
            lats[i + 1],
            lngs[i + 1],
            0,
            DEEP,
        )
        least = min(least, found)
    return least
