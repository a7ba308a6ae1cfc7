"""Extension of a point's labels along an edge: the innermost loops of the dynamic programming.

Each loop does little, so that the compiler keeps what it needs in registers: first the place of
every label among the times of the edge, then its time and fuel at the end of the edge, and only
then the comparison with the labels there.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit, njit_borrowing
from app.engine.optimise.edge_batch import TimeGrid
from app.engine.optimise.lattice import Lattice, SearchSettings, StageLabels
from app.engine.optimise.wait_windows import (
    AT_A_GRID_TIME,
    WaitWindow,
    find_departure_h,
    interpolate,
    locate_in_grid,
)

Floats = NDArray[np.float64]


class Extension(NamedTuple):
    """Memory for the labels of a point, shape (bins,), extended along one edge.

    ``before`` and ``after`` are the two times of the edge's grid around each label and ``share``
    its place between them; ``arrives_h``, ``fuel`` and ``place`` are its time and fuel at the end
    of the edge, and where that time lies among the bins there. ``least``, shape (p, bins), is the
    least weighted sum of fuel and time of the labels of the next stage.
    """

    before: NDArray[np.uint64]
    after: NDArray[np.uint64]
    share: Floats
    arrives_h: Floats
    fuel: Floats
    place: Floats
    least: Floats


@njit(cache=True, nogil=True, error_model="numpy")
def make_extension(points: int, bins: int) -> Extension:
    """Allocate the memory for a lattice with so many points a stage and bins a point."""
    floats, places = np.empty((4, bins)), np.empty((2, bins), dtype=np.uint64)
    least = np.empty((points, bins))
    return Extension(places[0], places[1], floats[0], floats[1], floats[2], floats[3], least)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def extend_labels(
    lattice: Lattice,
    search: SearchSettings,
    at: tuple[int, int, int],
    time_grid: TimeGrid,
    hours: Floats,
    burnt: Floats,
    window: WaitWindow,
    labels: StageLabels,
    extension: Extension,
) -> None:
    """Carry every label of a point along one edge, keeping the best of each bin.

    ``hours`` and ``burnt``, shape (m, times), are time and fuel of the edge when it is left at
    the times of the grid; hours are infinite where a limit forbids it.
    """
    k, i, _ = at
    _locate(time_grid, labels.time_h[k, i], extension)
    for s in range(hours.shape[0]):
        _arrive(lattice, search, at, hours[s], burnt[s], labels, extension)
        _keep_best(lattice, search, at, time_grid, hours, burnt, s, window, labels, extension)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _locate(time_grid: TimeGrid, time_h: Floats, extension: Extension) -> None:
    """Find the place of every label among the times of the grid; as ``locate_in_grid``."""
    before, after, share, _, _, _, _ = extension
    from_h, step_h, times = time_grid
    per_step, last = 1.0 / step_h, times - 1
    for b in range(time_h.size):
        place = min(max((time_h[b] - from_h) * per_step, 0.0), float(last))
        one = int(place + AT_A_GRID_TIME)
        between = place - one
        is_at_one = between < AT_A_GRID_TIME
        before[b] = np.uint64(one)
        after[b] = np.uint64(one if is_at_one else one + 1)
        share[b] = 0.0 if is_at_one else between


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _arrive(
    lattice: Lattice,
    search: SearchSettings,
    at: tuple[int, int, int],
    hours: Floats,
    burnt: Floats,
    labels: StageLabels,
    extension: Extension,
) -> None:
    """Compute time and fuel of every label at the end of the edge, at one speed."""
    k, i, j = at
    time_h, so_far, price = labels.time_h[k, i], labels.fuel[k, i], lattice.price[k, i, j]
    before, after, share, arrives_h, fuel, place, _ = extension
    next_h, per_bin = search.from_h[k + 1], 1.0 / search.width_h[k + 1]
    for b in range(time_h.size):
        one, two, part = before[b], after[b], share[b]
        reached_h = time_h[b] + hours[one] + part * (hours[two] - hours[one])
        arrives_h[b] = reached_h
        fuel[b] = so_far[b] + price * (burnt[one] + part * (burnt[two] - burnt[one]))
        place[b] = (reached_h - next_h) * per_bin


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _keep_best(
    lattice: Lattice,
    search: SearchSettings,
    at: tuple[int, int, int],
    time_grid: TimeGrid,
    hours: Floats,
    burnt: Floats,
    s: int,
    window: WaitWindow,
    labels: StageLabels,
    extension: Extension,
) -> None:
    """Keep the labels of one speed that are better than those of their bins."""
    k, i, j = at
    closed_from_h, closed_to_h = lattice.closed_from_h[k, i, j], lattice.closed_to_h[k, i, j]
    fuel_price, hour_prices, bins = search.fuel_price, search.hour_prices, search.bins
    next_h, per_bin = search.from_h[k + 1], 1.0 / search.width_h[k + 1]
    here_h, least = labels.time_h[k, i], extension.least[j]
    time_there, fuel_there = labels.time_h[k + 1, j], labels.fuel[k + 1, j]
    left_there, parent_there = labels.left_h[k + 1, j], labels.parent[k + 1, j]
    for b in range(bins):
        leaves_h, arrives_h = here_h[b], extension.arrives_h[b]
        fuel, place = extension.fuel[b], extension.place[b]
        if not arrives_h < math.inf or (leaves_h < closed_to_h and arrives_h > closed_from_h):
            if window.allowed.size == 0 or leaves_h == math.inf:
                continue
            leaves_h = find_departure_h(lattice, search, at, time_grid, hours, s, window, labels, b)
            if leaves_h == math.inf:
                continue
            grid_place = locate_in_grid(time_grid, leaves_h)
            arrives_h = leaves_h + interpolate(hours, s, grid_place)
            fuel = labels.fuel[k, i, b]
            fuel += lattice.price[k, i, j] * interpolate(burnt, s, grid_place)
            place = (arrives_h - next_h) * per_bin
        if not 0.0 <= place < bins:
            continue
        n = int(place)
        value = fuel_price * fuel + hour_prices[n] * arrives_h
        if value < least[n]:
            least[n] = value
            time_there[n], fuel_there[n], left_there[n] = arrives_h, fuel, leaves_h
            parent_there[n, 0], parent_there[n, 1], parent_there[n, 2] = i, b, s
