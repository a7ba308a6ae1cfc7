"""From a berth to the open sea: the cheapest ways over a local chart to the sea graph."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.engine.sea.chart import (
    REACHED,
    SHUT,
    VOUCHED,
    Chart,
    barrier_east,
    find_reached,
    get_centre,
    place_nodes,
    survey,
)
from app.engine.sea.shoals import DEEP, UNKNOWN, find_least_steps
from app.engine.search.barriers import do_segments_touch
from app.engine.search.conditions import Waters
from app.engine.search.heap import grow
from app.engine.search.sphere import distance_nm

#: Charts tried in turn: half the height [deg] and cells per degree.
CHARTS: Final = ((0.15, 1200), (0.55, 600))
#: A snap longer than this [nm] is looked for again on the larger chart.
_NEAR_NM: Final = 3.0
#: How many ways out to the sea graph are offered to the search.
_EXITS: Final = 16

#: Cells that the search for ways out has put a cost on, and those it is done with.
_PRICED: Final = 4
_DONE: Final = 5


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
    are not crossed, on the chart or beyond its edge. Returns None when no node is to be
    reached.
    """
    joined = np.asarray(_are_joined(chart, node_lats, node_lngs, barriers), dtype=np.bool_)
    nodes, node_lats, node_lngs = nodes[joined], node_lats[joined], node_lngs[joined]
    node_rows, node_cols = place_nodes(chart, node_lats, node_lngs)
    state = survey(chart, waters, node_rows, node_cols, barriers)
    start = find_reached(chart, state, lat, lng)
    if start[0] < 0:
        return None
    at_lat, at_lng = get_centre(chart, *start)
    if distance_nm(lat, lng, at_lat, at_lng) * chart.cells < 60.0 and _is_open(
        chart, state, lat, lng
    ):
        at_lat, at_lng = lat, lng
    is_vouched = state[start] == VOUCHED
    cost, before = _spread(chart, state, start[0], start[1], node_rows, node_cols, _EXITS)
    reached = np.flatnonzero(state[node_rows, node_cols] == _DONE)
    best = reached[np.argsort(cost[node_rows[reached], node_cols[reached]])][:_EXITS]
    if is_vouched:
        at_lat, at_lng = float(node_lats[best[0]]), float(node_lngs[best[0]])
    ways = [_trace_way(chart, before, int(node_rows[i]), int(node_cols[i])) for i in best]
    for (lats, lngs), i in zip(ways, best, strict=True):
        lats[0], lngs[0] = at_lat, at_lng
        lats[-1], lngs[-1] = node_lats[i], node_lngs[i]
    # where the place and a passage's end share a cell, the passage speaks for the depth
    together = (node_rows[best] == start[0]) & (node_cols[best] == start[1])
    depths = np.where(together, UNKNOWN, [_sound_way(waters, *way) for way in ways])
    return Approach(
        at_lat,
        at_lng,
        float(distance_nm(lat, lng, at_lat, at_lng)),
        nodes[best].astype(np.int32),
        cost[node_rows[best], node_cols[best]].astype(np.float64),
        depths.astype(np.uint8),
        tuple(ways),
    )


@njit(cache=True)
def _are_joined(chart, lats, lngs, barriers):  # type: ignore[no-untyped-def]
    """Which nodes, (n,), no barrier parts from where the chart meets them."""
    joined = np.ones(lats.size, dtype=np.bool_)
    for k in range(lats.size):
        x = (lngs[k] - chart.west - 0.5 * chart.cols / chart.cells + 180.0) % 360.0 - 180.0
        x += 0.5 * chart.cols / chart.cells
        y = lats[k] - chart.south
        edge_x = min(max(x, 0.0), chart.cols / chart.cells)
        edge_y = min(max(y, 0.0), chart.rows / chart.cells)
        for i in range(barriers.shape[0]):
            east = barrier_east(barriers[i], chart.west)
            if do_segments_touch(
                edge_x,
                edge_y,
                x,
                y,
                east,
                barriers[i, 1] - chart.south,
                east + barriers[i, 2] - barriers[i, 0],
                barriers[i, 3] - chart.south,
            ):
                joined[k] = False
                break
    return joined


def is_near_enough(approach: Approach) -> bool:
    """Whether a finer, smaller chart's answer can stand."""
    return approach.snap_nm <= _NEAR_NM


def _is_open(chart: Chart, state: NDArray[np.uint8], lat: float, lng: float) -> bool:
    """Whether the position itself lies in a cell that a ship can reach."""
    row = int((lat - chart.south) * chart.cells)
    col = int(((lng - chart.west) % 360.0) * chart.cells)
    return bool(state[row, col] == REACHED)


@njit(cache=True)
def _is_beside_shore(state, row, col):  # type: ignore[no-untyped-def]
    for r in range(max(0, row - 1), min(state.shape[0], row + 2)):
        for c in range(max(0, col - 1), min(state.shape[1], col + 2)):
            if state[r, c] == SHUT:
                return True
    return False


@njit(cache=True)
def _spread(chart, state, start_row, start_col, node_rows, node_cols, enough):  # type: ignore[no-untyped-def]
    """Cheapest ways over the chart from one cell until enough nodes are reached.

    A mile beside a shore costs twice. Returns cost [nm] and the cell before, flat; both
    hold for the cells whose state is then ``_DONE``. Cells wait in buckets as wide as
    the shortest step, so that any order within one will do (Dial 1969, Algorithm 360).
    """
    rows, cols = state.shape
    cost = np.empty((rows, cols), dtype=np.float64)
    before = np.empty(rows * cols, dtype=np.int64)
    is_node = np.zeros((rows, cols), dtype=np.bool_)
    for i in range(node_rows.size):
        is_node[node_rows[i], node_cols[i]] = True
    dy = 60.0 / chart.cells
    dx = dy * np.cos(np.radians(chart.south + 0.5 * rows / chart.cells))
    steps = np.array([0.0, dx, dy, np.hypot(dx, dy)])
    wide = min(dx, dy)
    heads = np.full(int(2.0 * steps[3] / wide) + 2, -1, dtype=np.int64)
    items = np.empty(4096, dtype=np.int64)
    after = np.empty(4096, dtype=np.int64)
    leaves = state[start_row, start_col] == REACHED
    cost[start_row, start_col] = 0.0
    before[start_row * cols + start_col] = -1
    items[0], after[0], heads[0] = start_row * cols + start_col, -1, 0
    size = waiting = 1
    found = 0
    turn = 0
    while waiting > 0 and found < enough:
        bucket = turn % heads.size
        while heads[bucket] >= 0:
            at = items[heads[bucket]]
            heads[bucket] = after[heads[bucket]]
            waiting -= 1
            row = at // cols
            col = at - row * cols
            if state[row, col] == _DONE:
                continue
            state[row, col] = _DONE
            found += is_node[row, col]
            if not leaves:
                continue
            for r in range(max(0, row - 1), min(rows, row + 2)):
                for c in range(max(0, col - 1), min(cols, col + 2)):
                    if state[r, c] != REACHED and state[r, c] != _PRICED:
                        continue
                    reached = cost[row, col] + steps[abs(c - col) + 2 * abs(r - row)]
                    if state[r, c] == _PRICED and reached >= cost[r, c]:
                        continue
                    if _is_beside_shore(state, r, c):
                        reached += reached - cost[row, col]
                    if state[r, c] == _PRICED and reached >= cost[r, c]:
                        continue
                    if r != row and c != col and (state[row, c] == SHUT or state[r, col] == SHUT):
                        continue
                    state[r, c] = _PRICED
                    cost[r, c] = reached
                    before[r * cols + c] = at
                    if size == items.size:
                        items, after = grow(items, after)
                    slot = int(reached / wide) % heads.size
                    items[size], after[size], heads[slot] = r * cols + c, heads[slot], size
                    size += 1
                    waiting += 1
        turn += 1
    return cost, before


def _trace_way(
    chart: Chart, before: NDArray[np.int64], row: int, col: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The way to a cell, at least two points long."""
    at = _list_cells(before, row * chart.cols + col)
    lats = chart.south + (at // chart.cols + 0.5) / chart.cells
    lngs = chart.west + (at % chart.cols + 0.5) / chart.cells
    return lats, (lngs + 180.0) % 360.0 - 180.0


@njit(cache=True)
def _list_cells(before, last):  # type: ignore[no-untyped-def]
    """Cells of the way to ``last`` from its start, which is told twice when it is ``last``."""
    count = 1
    at = last
    while before[at] >= 0:
        at = before[at]
        count += 1
    cells = np.full(max(2, count), last, dtype=np.int64)
    at = last
    for i in range(count - 1, -1, -1):
        cells[i] = at
        at = before[at]
    return cells


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
