"""Extension of a node's labels along an edge: the innermost loops of the dynamic programming.

There are three short loops over the labels, so that the compiler keeps their values in registers.
The first locates each label in the edge's time grid, the second computes its time and fuel at the
end of the edge, the third compares it with the labels there.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Floats
from app.engine.compiled import njit, njit_borrowing
from app.engine.optimise.edge_batch import EdgeBatch, TimeGrid
from app.engine.optimise.lattice import Lattice, SearchSettings, StageLabels
from app.engine.optimise.stage_edges import is_closed
from app.engine.optimise.wait_windows import (
    AT_A_GRID_TIME,
    WaitWindow,
    find_departure_h,
    find_next_reopening_h,
    interpolate,
    locate_in_grid,
)


class Extension(NamedTuple):
    """Working memory for the labels of a node, shape (bins,), extended along one edge.

    ``before`` and ``after`` are the columns of the two times of the edge's grid around each
    label, and ``share`` its position between them. ``arrives_h`` and ``fuel`` are its time and
    fuel at the end of the edge, and ``bin_there`` is its bin in the next stage, counted from 1.
    ``least``, shape (p, bins + 2), is the least weighted sum of fuel and time among the labels of
    the next stage, and ``hour_prices``, shape (bins + 2,), the value of time there. Labels outside
    the window of times are counted in the first bin and the last, where no label is stored.
    """

    before: NDArray[np.uint64]
    after: NDArray[np.uint64]
    share: Floats
    arrives_h: Floats
    fuel: Floats
    bin_there: NDArray[np.int32]
    least: Floats
    hour_prices: Floats


@njit(cache=True, nogil=True, error_model="numpy")
def allocate_extension(nodes: int, hour_prices: Floats) -> Extension:
    """Allocate the memory for a lattice by its nodes per stage and its value of time by bin."""
    bins = hour_prices.size
    floats, indices = np.empty((3, bins)), np.empty((2, bins), dtype=np.uint64)
    least, prices = np.full((nodes, bins + 2), -math.inf), np.zeros(bins + 2)
    prices[1:-1] = hour_prices
    bin_there = np.empty(bins, dtype=np.int32)
    return Extension(
        indices[0], indices[1], floats[0], floats[1], floats[2], bin_there, least, prices
    )


@njit_borrowing(cache=True, nogil=True, error_model="numpy", forceinline=True)
def extend_labels(
    lattice: Lattice,
    search: SearchSettings,
    edge: tuple[int, int, int],
    time_grid: TimeGrid,
    batch: EdgeBatch,
    column: int,
    window: WaitWindow,
    labels: StageLabels,
    extension: Extension,
) -> None:
    """Extend every label of a node along one edge, and keep the best label of each bin.

    ``edge`` is (k, i, j): from node i of stage k to node j of the next. The columns of the batch
    from ``column`` on are its time and fuel for departures at the times of the grid; hours are
    infinite where a limit is exceeded.
    """
    k, i, j = edge
    is_always_open = window.allowed.size == 0 and not lattice.closed_from_h[k, i, j, 0] < math.inf
    _locate_labels(time_grid, column, labels.time_h[k, i], extension)
    for s in range(batch.hours.shape[0]):
        hours, edge_fuel = batch.hours[s], batch.edge_fuel[s]
        _compute_arrivals(lattice, search, edge, hours, edge_fuel, labels, extension)
        if is_always_open:
            _keep_best(search, edge, s, labels, extension)
        else:
            _keep_best_when_open(
                lattice, search, edge, time_grid, batch, column, s, window, labels, extension
            )


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _locate_labels(time_grid: TimeGrid, column: int, time_h: Floats, extension: Extension) -> None:
    """Locate every label in the time grid, as ``locate_in_grid`` does for one time.

    ``column`` is that of the grid's first time.
    """
    before, after, share = extension.before, extension.after, extension.share
    from_h, step_h, times = time_grid
    per_step, last = 1.0 / step_h, times - 1
    for b in range(time_h.size):
        position = min(max((time_h[b] - from_h) * per_step, 0.0), float(last))
        lower = int(position + AT_A_GRID_TIME)
        above_lower = position - lower
        is_at_lower = above_lower < AT_A_GRID_TIME
        before[b] = np.uint64(column + lower)
        after[b] = np.uint64(column + (lower if is_at_lower else lower + 1))
        share[b] = 0.0 if is_at_lower else above_lower


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _compute_arrivals(
    lattice: Lattice,
    search: SearchSettings,
    edge: tuple[int, int, int],
    hours: Floats,
    edge_fuel: Floats,
    labels: StageLabels,
    extension: Extension,
) -> None:
    """Compute the time and fuel of every label at the end of the edge, for one speed."""
    k, i, j = edge
    time_h, so_far, price = labels.time_h[k, i], labels.fuel[k, i], lattice.price[k, i, j]
    before, after, share = extension.before, extension.after, extension.share
    arrives_h, fuel, bin_there = extension.arrives_h, extension.fuel, extension.bin_there
    next_h, per_bin = search.from_h[k + 1], 1.0 / search.width_h[k + 1]
    outside = float(search.bins + 1)
    for b in range(time_h.size):
        u, v, part = before[b], after[b], share[b]
        reached_h = time_h[b] + hours[u] + part * (hours[v] - hours[u])
        arrives_h[b] = reached_h
        fuel[b] = so_far[b] + price * (edge_fuel[u] + part * (edge_fuel[v] - edge_fuel[u]))
        position = 1.0 + (reached_h - next_h) * per_bin
        position = position if position >= 1.0 else 0.0  # also if it is not a number
        bin_there[b] = np.int32(position if position < outside else outside)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _keep_best(
    search: SearchSettings,
    edge: tuple[int, int, int],
    s: int,
    labels: StageLabels,
    extension: Extension,
) -> None:
    """Store the labels of speed ``s`` that are better than those stored in their bins."""
    k, i, j = edge
    fuel_price, here_h, least = search.fuel_price, labels.time_h[k, i], extension.least[j]
    time_there, fuel_there = labels.time_h[k + 1, j], labels.fuel[k + 1, j]
    left_there, parent_there = labels.left_h[k + 1, j], labels.parent[k + 1, j]
    arrives_h, fuel, bin_there = extension.arrives_h, extension.fuel, extension.bin_there
    for b in range(here_h.size):
        n = np.uint64(bin_there[b])
        value = fuel_price * fuel[b] + extension.hour_prices[n] * arrives_h[b]
        if value < least[n]:
            least[n] = value
            m = n - np.uint64(1)
            time_there[m], fuel_there[m], left_there[m] = arrives_h[b], fuel[b], here_h[b]
            parent_there[m, 0], parent_there[m, 1], parent_there[m, 2] = i, b, s


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _keep_best_when_open(
    lattice: Lattice,
    search: SearchSettings,
    edge: tuple[int, int, int],
    time_grid: TimeGrid,
    batch: EdgeBatch,
    column: int,
    s: int,
    window: WaitWindow,
    labels: StageLabels,
    extension: Extension,
) -> None:
    """Store the better labels of speed ``s`` where the edge may be closed or the ship may wait.

    A label departs at once or when the edge opens, and also after each closure of the edge that
    follows: the time before it may be too short to pass the whole of an area.
    """
    k, i, j = edge
    hours = batch.hours[:, column : column + time_grid.times]
    edge_fuel = batch.edge_fuel[:, column : column + time_grid.times]
    fuel_price, hour_prices, bins = search.fuel_price, extension.hour_prices, search.bins
    next_h, per_bin = search.from_h[k + 1], 1.0 / search.width_h[k + 1]
    here_h, least = labels.time_h[k, i], extension.least[j]
    time_there, fuel_there = labels.time_h[k + 1, j], labels.fuel[k + 1, j]
    left_there, parent_there = labels.left_h[k + 1, j], labels.parent[k + 1, j]
    for b in range(bins):
        leaves_h, arrives_h, fuel = here_h[b], extension.arrives_h[b], extension.fuel[b]
        if not arrives_h < math.inf or is_closed(lattice, k, i, j, leaves_h, arrives_h):
            leaves_h = find_departure_h(
                lattice, search, edge, time_grid, hours, s, window, labels, b, leaves_h
            )
        while leaves_h < math.inf:
            if leaves_h > here_h[b]:
                grid_position = locate_in_grid(time_grid, leaves_h)
                arrives_h = leaves_h + interpolate(hours, s, grid_position)
                fuel = labels.fuel[k, i, b]
                fuel += lattice.price[k, i, j] * interpolate(edge_fuel, s, grid_position)
            position = (arrives_h - next_h) * per_bin
            if 0.0 <= position < bins:
                n = int(position)
                value = fuel_price * fuel + hour_prices[n + 1] * arrives_h
                if value < least[n + 1]:
                    least[n + 1] = value
                    time_there[n], fuel_there[n], left_there[n] = arrives_h, fuel, leaves_h
                    parent_there[n, 0], parent_there[n, 1], parent_there[n, 2] = i, b, s
            opens_h = find_next_reopening_h(lattice, edge, leaves_h)
            leaves_h = find_departure_h(
                lattice, search, edge, time_grid, hours, s, window, labels, b, opens_h
            )
