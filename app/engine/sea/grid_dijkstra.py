"""Cheapest paths over a local chart from one cell: Dijkstra's algorithm on a grid, with buckets."""

from typing import Final

import numpy as np

from app.engine.compiled import njit
from app.engine.sea.chart import CLOSED, REACHED

#: The eight steps, from the south-west row by row, and the mark of no step.
_ROW_STEPS: Final = np.array([-1, -1, -1, 0, 0, 1, 1, 1])
_COL_STEPS: Final = np.array([-1, 0, 1, -1, 1, -1, 0, 1])
_NO_STEP: Final = 8
#: Steps to consider after each step in open water, and after none; padded with ``_NO_STEP``.
_ONWARD: Final = np.array(
    [
        (0, 1, 3, 8, 8, 8, 8, 8),
        (1, 8, 8, 8, 8, 8, 8, 8),
        (2, 1, 4, 8, 8, 8, 8, 8),
        (3, 8, 8, 8, 8, 8, 8, 8),
        (4, 8, 8, 8, 8, 8, 8, 8),
        (5, 3, 6, 8, 8, 8, 8, 8),
        (6, 8, 8, 8, 8, 8, 8, 8),
        (7, 4, 6, 8, 8, 8, 8, 8),
        (0, 1, 2, 3, 4, 5, 6, 7),
    ]
)


@njit(cache=True)
def grid_dijkstra(chart, state, start, places, enough):  # type: ignore[no-untyped-def]
    """Find the cheapest paths over the chart from one cell until enough nodes are reached.

    A mile next to a shore costs twice. Cells are numbered row by row, with a margin of one cell
    around the chart. Return the mask of settled cells, and for these the cost [nm] and the step
    by which they are reached, ``_NO_STEP`` at the start.

    Cells are queued in buckets as wide as the shortest step, in any order within a bucket (Dial
    1969, Algorithm 360). In open water, paths that are dominated by others are pruned (Harabor
    and Grastien 2011, Online graph pruning for pathfinding on grid maps, AAAI-11).
    """
    cost, is_shut, is_near_shore, is_free = _sort_cells(state)
    step_from = np.full(cost.size, _NO_STEP, dtype=np.uint8)
    is_done = np.zeros(cost.size, dtype=np.bool_)
    is_node = np.zeros(cost.size, dtype=np.bool_)
    is_node[places] = True
    dy = 60.0 / chart.cells
    dx = dy * np.cos(np.radians(chart.south + 0.5 * state.shape[0] / chart.cells))
    far = np.hypot(dx, dy)
    miles = np.array([far, dy, far, dx, dx, far, dy, far], dtype=np.float32)
    width = state.shape[1] + 2
    rows, cols = _ROW_STEPS * width, _COL_STEPS
    per_mile = 1.0 / min(dx, dy)
    buckets = np.empty((int(2.0 * far * per_mile) + 2, 4096), dtype=np.int32)
    filled = np.zeros(len(buckets), dtype=np.int64)
    leaves = cost[start] == np.inf
    cost[start] = 0.0
    buckets[0, 0], filled[0] = start, 1
    waiting = 1
    found = 0
    turn = 0
    while waiting > 0 and found < enough:
        bucket = turn % len(buckets)
        while buckets.shape[1] < 8 * filled[bucket] + filled.max():
            buckets = np.concatenate((buckets, np.empty_like(buckets)), axis=1)
        for i in range(filled[bucket]):
            at = buckets[bucket, i]
            if is_done[at]:
                continue
            is_done[at] = True
            found += is_node[at]
            if not leaves:
                continue
            came = step_from[at] if is_free[at] else _NO_STEP
            for j in range(8):
                k = _ONWARD[came, j]
                if k == _NO_STEP:
                    break
                to = at + rows[k] + cols[k]
                reached = cost[at] + (2.0 * miles[k] if is_near_shore[to] else miles[k])
                if reached >= cost[to]:
                    continue
                if came == _NO_STEP and (is_shut[at + rows[k]] or is_shut[at + cols[k]]):
                    continue
                cost[to] = reached
                step_from[to] = k
                slot = bucket + max(1, int(reached * per_mile) - turn)
                if slot >= len(buckets):
                    slot -= len(buckets)
                buckets[slot, filled[slot]] = to
                filled[slot] += 1
                waiting += 1
        waiting -= filled[bucket]
        filled[bucket] = 0
        turn += 1
    return is_done, cost, step_from


@njit(cache=True)
def _sort_cells(state):  # type: ignore[no-untyped-def]
    """Return the initial state of the search for each cell of the chart with its margin, flat.

    The cost, infinite in navigable cells and -1 elsewhere; masks of closed cells, of cells next
    to a closed one, and of cells with only navigable cells within two cells.
    """
    rows, cols = state.shape
    cost = np.full((rows + 2, cols + 2), np.float32(-1.0))
    is_shut = np.zeros((rows + 2, cols + 2), dtype=np.bool_)
    is_barred = np.ones((rows + 2, cols + 2), dtype=np.bool_)
    for r in range(rows):
        for c in range(cols):
            is_shut[r + 1, c + 1] = state[r, c] == CLOSED
            is_barred[r + 1, c + 1] = state[r, c] != REACHED
            cost[r + 1, c + 1] = np.inf if state[r, c] == REACHED else -1.0
    is_near_shore = _widen(is_shut)
    is_hemmed = _widen(_widen(is_barred))
    return cost.ravel(), is_shut.ravel(), is_near_shore.ravel(), ~is_hemmed.ravel()


@njit(cache=True)
def _widen(mask):  # type: ignore[no-untyped-def]
    """Dilate a mask by one cell; the margin is unchanged."""
    out = mask.copy()
    rows, cols = mask.shape
    line = np.empty(cols, dtype=np.bool_)
    for r in range(1, rows - 1):
        for c in range(cols):
            line[c] = mask[r - 1, c] | mask[r, c] | mask[r + 1, c]
        for c in range(1, cols - 1):
            out[r, c] = line[c - 1] | line[c] | line[c + 1]
    return out


@njit(cache=True)
def list_cells(step_from, width, lasts):  # type: ignore[no-untyped-def]
    """Return the concatenated cells of the paths to ``lasts``, and the index of each path's start.

    A path of one cell contains it twice.
    """
    starts = np.zeros(lasts.size + 1, dtype=np.int64)
    for i in range(lasts.size):
        count = 1
        at = lasts[i]
        while step_from[at] != _NO_STEP:
            at = _step_back(step_from, width, at)
            count += 1
        starts[i + 1] = starts[i] + max(2, count)
    cells = np.empty(starts[-1], dtype=np.int64)
    for i in range(lasts.size):
        at = lasts[i]
        for k in range(starts[i + 1] - 1, starts[i] - 1, -1):
            cells[k] = at
            if step_from[at] != _NO_STEP:
                at = _step_back(step_from, width, at)
    return cells, starts


@njit(cache=True)
def _step_back(step_from, width, at):  # type: ignore[no-untyped-def]
    step = step_from[at]
    return at - _ROW_STEPS[step] * width - _COL_STEPS[step]
