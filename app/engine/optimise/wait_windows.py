"""Waiting at a point until an edge from it opens."""

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit, njit_borrowing
from app.engine.optimise.edge_batch import TimeGrid
from app.engine.optimise.lattice import Lattice, SearchSettings, StageLabels
from app.engine.optimise.medium import CONDITIONS, sample
from app.engine.optimise.stage_edges import is_closed

Floats = NDArray[np.float64]

#: Most closures of one edge that are waited for in turn.
_TURNS: Final = 4
#: Share of a step within which a time counts as one of the grid's.
AT_A_GRID_TIME: Final = 1e-6


class WaitWindow(NamedTuple):
    """Times at which the limits allow to stay at a point, from ``from_h`` in steps.

    It holds no times where nothing is waited for.
    """

    from_h: float
    step_h: float
    allowed: NDArray[np.bool_]


@njit(cache=True, nogil=True, error_model="numpy")
def find_wait_window(
    medium: Any, lattice: Lattice, k: int, i: int, first_h: float, time_grid: TimeGrid, waits: bool
) -> WaitWindow:
    """Find when the limits allow to stay at a point, up to the end of a time grid."""
    count = (
        time_grid.times + math.ceil(max(time_grid.from_h - first_h, 0.0) / time_grid.step_h)
        if waits
        else 0
    )
    allowed, conditions = np.empty(count, dtype=np.bool_), np.empty(CONDITIONS)
    for n in range(count):
        time_h = first_h + n * time_grid.step_h
        allowed[n] = sample(medium, lattice.lats[k, i], lattice.lngs[k, i], time_h, conditions)
    return WaitWindow(first_h, time_grid.step_h, allowed)


@njit_borrowing(cache=True, nogil=True, error_model="numpy", inline="always")
def locate_in_grid(time_grid: TimeGrid, time_h: float) -> tuple[int, int, float]:
    """Return the two times of a grid around a time, and its share between them.

    The two are the same where the time is one of the grid's.
    """
    from_h, step_h, times = time_grid
    place = (time_h - from_h) / step_h
    one = min(int(place + AT_A_GRID_TIME), times - 1)
    two = min(one + 1, times - 1)
    share = min(place - one, 1.0)
    if two == one or share < AT_A_GRID_TIME:
        return one, one, 0.0
    return one, two, share


@njit_borrowing(cache=True, nogil=True, error_model="numpy", inline="always")
def interpolate(values: Floats, s: int, grid_place: tuple[int, int, float]) -> float:
    """Interpolate row ``s`` of values computed at the times of a grid.

    Not a number between two infinite values.
    """
    one, two, share = grid_place
    return float(values[s, one] + share * (values[s, two] - values[s, one]))


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def find_departure_h(
    lattice: Lattice,
    search: SearchSettings,
    at: tuple[int, int, int],
    time_grid: TimeGrid,
    hours: Floats,
    s: int,
    window: WaitWindow,
    labels: StageLabels,
    b: int,
) -> float:
    """Return when a label that has reached a closed edge leaves along it.

    Infinite where it cannot stay there until the edge opens.
    """
    k, i, _ = at
    reached_h = labels.time_h[k, i, b]
    leaves_h = _find_opening(lattice, at, time_grid, hours, s, reached_h)
    if leaves_h - reached_h > search.longest_wait_h[k]:
        return math.inf
    first = int((reached_h - window.from_h) / window.step_h)
    last = math.ceil((leaves_h - window.from_h) / window.step_h)
    if last >= window.allowed.size or not window.allowed[first : last + 1].all():
        return math.inf
    # an area that the line there touches may hold the point itself
    before = labels.parent[k, i, b, 0]
    return math.inf if is_closed(lattice, k - 1, before, i, reached_h, leaves_h) else leaves_h


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _find_opening(
    lattice: Lattice,
    at: tuple[int, int, int],
    time_grid: TimeGrid,
    hours: Floats,
    s: int,
    leaves_h: float,
) -> float:
    """Return the first time from ``leaves_h`` on at which an edge is open, else infinity."""
    k, i, j = at
    for _ in range(_TURNS):
        one, two, _share = grid_place = locate_in_grid(time_grid, leaves_h)
        if hours[s, one] == math.inf or hours[s, two] == math.inf:
            one += 1
            while one < time_grid.times and hours[s, one] == math.inf:
                one += 1
            if one >= time_grid.times:
                return math.inf
            leaves_h = time_grid.from_h + one * time_grid.step_h
        elif is_closed(lattice, k, i, j, leaves_h, leaves_h + interpolate(hours, s, grid_place)):
            leaves_h = lattice.closed_to_h[k, i, j]
            if leaves_h > time_grid.from_h + (time_grid.times - 1) * time_grid.step_h:
                return math.inf
        else:
            return leaves_h
    return math.inf
