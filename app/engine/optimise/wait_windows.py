"""Waits at a node until an edge from it opens."""

import math
from typing import Any, Final, NamedTuple

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.compiled import njit, njit_borrowing
from app.engine.optimise.edge_batch import TimeGrid
from app.engine.optimise.lattice import Lattice, SearchSettings, StageLabels
from app.engine.optimise.medium import CONDITIONS, sample
from app.engine.optimise.stage_edges import find_reopening_h, is_closed

#: Most successive closures of one edge that a ship waits for, by areas and by weather.
_MAX_CLOSURES: Final = 16
#: Share of a step within which a time counts as a time of the grid.
AT_A_GRID_TIME: Final = 1e-6


class WaitWindow(NamedTuple):
    """Times at which the weather at a node keeps the limits, from ``from_h`` in steps.

    ``allowed`` is empty if no ship waits at the node.
    """

    from_h: float
    step_h: float
    allowed: Bools


@njit(cache=True, nogil=True, error_model="numpy")
def find_wait_window(
    medium: Any, lattice: Lattice, k: int, i: int, first_h: float, time_grid: TimeGrid, waits: bool
) -> WaitWindow:
    """Find when the weather at node i of stage k keeps the limits, up to a time grid's end."""
    count = (
        time_grid.times + math.ceil(max(time_grid.from_h - first_h, 0.0) / time_grid.step_h)
        if waits
        else 0
    )
    allowed, conditions = np.empty(count, dtype=np.bool_), np.empty(CONDITIONS)
    for n in range(count):
        time_h = first_h + n * time_grid.step_h
        allowed[n] = sample(
            medium, lattice.lats[k, i], lattice.lngs[k, i], time_h, False, conditions
        )
    return WaitWindow(first_h, time_grid.step_h, allowed)


@njit_borrowing(cache=True, nogil=True, error_model="numpy", inline="always")
def locate_in_grid(time_grid: TimeGrid, time_h: float) -> tuple[int, int, float]:
    """Return the indices of the grid's times around a time, and its position between them.

    The indices are equal where the time is a time of the grid.
    """
    from_h, step_h, times = time_grid
    position = (time_h - from_h) / step_h
    lower = min(int(position + AT_A_GRID_TIME), times - 1)
    upper = min(lower + 1, times - 1)
    share = min(position - lower, 1.0)
    if upper == lower or share < AT_A_GRID_TIME:
        return lower, lower, 0.0
    return lower, upper, share


@njit_borrowing(cache=True, nogil=True, error_model="numpy", inline="always")
def interpolate(values: Floats, s: int, grid_position: tuple[int, int, float]) -> float:
    """Interpolate row ``s`` of values computed at the times of a grid.

    NaN between two infinite values.
    """
    lower, upper, share = grid_position
    return float(values[s, lower] + share * (values[s, upper] - values[s, lower]))


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def find_departure_h(
    lattice: Lattice,
    search: SearchSettings,
    edge: tuple[int, int, int],
    time_grid: TimeGrid,
    hours: Floats,
    s: int,
    window: WaitWindow,
    labels: StageLabels,
    b: int,
    from_h: float,
) -> float:
    """Return when label ``b`` departs along an edge, from ``from_h`` on.

    Infinite if the ship cannot wait until the edge is open then.
    """
    k, i, _ = edge
    reached_h = labels.time_h[k, i, b]
    if window.allowed.size == 0 or from_h == math.inf:
        return math.inf
    leaves_h = _find_opening(lattice, edge, time_grid, hours, s, from_h)
    if leaves_h - reached_h > search.longest_wait_h[k]:
        return math.inf
    first = int((reached_h - window.from_h) / window.step_h)
    last = math.ceil((leaves_h - window.from_h) / window.step_h)
    if last >= window.allowed.size or not window.allowed[first : last + 1].all():
        return math.inf
    if k == 0:
        return leaves_h
    # an area that closes the edge to this node may contain the node itself
    parent = labels.parent[k, i, b, 0]
    return math.inf if is_closed(lattice, k - 1, parent, i, reached_h, leaves_h) else leaves_h


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def find_next_reopening_h(lattice: Lattice, edge: tuple[int, int, int], after_h: float) -> float:
    """Return when the first closure of an edge that begins after a time ends, or infinity."""
    k, i, j = edge
    for n in range(lattice.closed_from_h.shape[3]):
        if lattice.closed_from_h[k, i, j, n] > after_h:
            ends_h = lattice.closed_to_h[k, i, j, n]
            return float(ends_h) if ends_h > after_h else math.inf
    return math.inf


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _find_opening(
    lattice: Lattice,
    edge: tuple[int, int, int],
    time_grid: TimeGrid,
    hours: Floats,
    s: int,
    leaves_h: float,
) -> float:
    """Return the first time from ``leaves_h`` on at which an edge is open, or infinity."""
    k, i, j = edge
    last_h = time_grid.from_h + (time_grid.times - 1) * time_grid.step_h
    for _ in range(_MAX_CLOSURES):
        if leaves_h > last_h:
            return math.inf
        lower, upper, _share = grid_position = locate_in_grid(time_grid, leaves_h)
        if hours[s, lower] == math.inf or hours[s, upper] == math.inf:
            lower += 1
            while lower < time_grid.times and hours[s, lower] == math.inf:
                lower += 1
            if lower >= time_grid.times:
                return math.inf
            leaves_h = time_grid.from_h + lower * time_grid.step_h
            continue
        arrives_h = leaves_h + interpolate(hours, s, grid_position)
        opens_h = find_reopening_h(lattice, k, i, j, leaves_h, arrives_h)
        if not opens_h > leaves_h:
            return leaves_h
        leaves_h = opens_h
    return math.inf
