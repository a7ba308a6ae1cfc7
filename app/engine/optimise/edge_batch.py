"""Batches of positions passed at given times: conditions there, and the rates of each speed."""

import math
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Floats
from app.engine.compiled import njit, njit_borrowing
from app.engine.optimise.medium import CONDITIONS, WORK_ROWS

#: Most times of a grid.
_MAX_TIMES: Final = 256


class TimeGrid(NamedTuple):
    """Times at which values are computed: the first [h], the step [h] and the number of times."""

    from_h: float
    step_h: float
    times: int


class EdgeBatch(NamedTuple):
    """n positions passed at given times, and the rates of m speeds there.

    ``hours`` and ``edge_fuel``, shape (m, n), are time and fuel so far. ``conditions``, shape
    (CONDITIONS, n), is the weather. ``course``, shape (2, n), is the unit vector of the course,
    to east and to north. ``distance_nm``, shape (n,), is the distance that the position stands
    for. ``ground_kn`` and ``fuel_per_h``, shape (m, n), are the rates. ``memory``, shape
    (WORK_ROWS + m, n), is working memory of the medium.
    """

    hours: Floats
    edge_fuel: Floats
    conditions: Floats
    course: Floats
    distance_nm: Floats
    ground_kn: Floats
    fuel_per_h: Floats
    memory: Floats


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def build_time_grid(first_h: float, last_h: float, longest_step_h: float) -> TimeGrid:
    """Build a time grid from a first to a last time, in steps of at most ``longest_step_h``."""
    if last_h - first_h < 1e-9:
        return TimeGrid(first_h, 1.0, 1)
    steps = min(math.ceil((last_h - first_h) / longest_step_h), _MAX_TIMES - 1)
    return TimeGrid(first_h, (last_h - first_h) / steps, int(steps) + 1)


@njit(cache=True, nogil=True, error_model="numpy")
def allocate_batch(speeds: int, count: int) -> EdgeBatch:
    """Allocate a batch of ``count`` positions.

    Its hours and fuel are zero. All rows are contiguous, so that the compiler uses vector
    instructions.
    """
    m, n = speeds, 2 * speeds
    conditions, course, ground = n + CONDITIONS, n + CONDITIONS + 2, n + CONDITIONS + 3
    last = ground + n + m + WORK_ROWS
    rows = np.empty((last, count))
    rows[:n] = 0.0
    return EdgeBatch(
        rows[:m],
        rows[m:n],
        rows[n:conditions],
        rows[conditions:course],
        rows[course],
        rows[ground : ground + m],
        rows[ground + m : ground + n],
        rows[ground + n :],
    )


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def add_rates(
    distance_nm: Floats, ground_kn: Floats, fuel_per_h: Floats, hours: Floats, edge_fuel: Floats
) -> None:
    """Add the time and fuel of distances, shape (n,), to sums of shape (m, n).

    A speed that makes no headway adds infinite hours.
    """
    for s in range(ground_kn.shape[0]):
        for n in range(distance_nm.size):
            made_good = ground_kn[s, n]
            under_way_h = distance_nm[n] / made_good if made_good > 0.0 else math.inf
            hours[s, n] += under_way_h
            edge_fuel[s, n] += fuel_per_h[s, n] * under_way_h
