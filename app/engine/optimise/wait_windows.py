"""Waiting at a point until a line that leads on from it opens."""

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.engine.optimise.edge_batch import Clock
from app.engine.optimise.lattice import Labels, Search, Stages
from app.engine.optimise.medium import MET, look
from app.engine.optimise.stage_edges import is_closed

Floats = NDArray[np.float64]

#: How often what opens one thing that closes a line is asked whether another does.
_TURNS: Final = 4
#: Times nearer to one of a clock's than this share of its step are taken to be it.
_AT_A_TICK: Final = 1e-6


class Stay(NamedTuple):
    """From when on, at steps of so many hours, the limits allow to stay at a point; no times
    where nothing is to be waited for."""

    from_h: float
    step_h: float
    allowed: NDArray[np.bool_]


@njit(cache=True, nogil=True, error_model="numpy")
def look_about(
    medium: Any, stages: Stages, k: int, i: int, first_h: float, clock: Clock, waits: bool
) -> Stay:
    """When the limits allow to stay at a point, from its first label to the end of a clock."""
    count = clock.times + math.ceil(max(clock.from_h - first_h, 0.0) / clock.step_h) if waits else 0
    allowed, met = np.empty(count, dtype=np.bool_), np.empty(MET)
    for n in range(count):
        time_h = first_h + n * clock.step_h
        allowed[n] = look(medium, stages.lats[k, i], stages.lngs[k, i], time_h, met)
    return Stay(first_h, clock.step_h, allowed)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def read_clock(clock: Clock, time_h: float) -> tuple[int, int, float]:
    """The clock's times about a time, the same twice where it is one of them, and its share
    of the way from the one to the other."""
    from_h, step_h, times = clock
    place = (time_h - from_h) / step_h
    one = min(int(place + _AT_A_TICK), times - 1)
    two = min(one + 1, times - 1)
    share = min(place - one, 1.0)
    if two == one or share < _AT_A_TICK:
        return one, one, 0.0
    return one, two, share


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def read(values: Floats, s: int, ticks: tuple[int, int, float]) -> float:
    """What is worked out for row ``s`` at a clock's times, between two of them; not a number
    between two that are infinite."""
    one, two, share = ticks
    return float(values[s, one] + share * (values[s, two] - values[s, one]))


@njit(cache=True, nogil=True, error_model="numpy")
def find_leaving(
    stages: Stages,
    search: Search,
    at: tuple[int, int, int],
    clock: Clock,
    hours: Floats,
    s: int,
    stay: Stay,
    labels: Labels,
    b: int,
) -> float:
    """When a label that has come to a closed line leaves along it; infinite where it can't
    stay there until that opens."""
    k, i, _ = at
    reached_h = labels.time_h[k, i, b]
    leaves_h = _find_opening(stages, at, clock, hours, s, reached_h)
    if leaves_h - reached_h > search.longest_wait_h[k]:
        return math.inf
    first = int((reached_h - stay.from_h) / stay.step_h)
    last = math.ceil((leaves_h - stay.from_h) / stay.step_h)
    if last >= stay.allowed.size or not stay.allowed[first : last + 1].all():
        return math.inf
    # an area that the line there touches may hold the point itself
    before = labels.parent[k, i, b, 0]
    return math.inf if is_closed(stages, k - 1, before, i, reached_h, leaves_h) else leaves_h


@njit(cache=True, nogil=True, error_model="numpy")
def _find_opening(
    stages: Stages,
    at: tuple[int, int, int],
    clock: Clock,
    hours: Floats,
    s: int,
    leaves_h: float,
) -> float:
    """The first time from one on at which a line is open; infinite where there is none."""
    k, i, j = at
    for _ in range(_TURNS):
        one, two, _share = ticks = read_clock(clock, leaves_h)
        if hours[s, one] == math.inf or hours[s, two] == math.inf:
            one += 1
            while one < clock.times and hours[s, one] == math.inf:
                one += 1
            if one >= clock.times:
                return math.inf
            leaves_h = clock.from_h + one * clock.step_h
        elif is_closed(stages, k, i, j, leaves_h, leaves_h + read(hours, s, ticks)):
            leaves_h = stages.closed_to_h[k, i, j]
            if leaves_h > clock.from_h + (clock.times - 1) * clock.step_h:
                return math.inf
        else:
            return leaves_h
    return math.inf
