"""Passings of places: when, what is met there, and what each speed makes of it."""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.engine.optimise.medium import MET, WORK_ROWS

Floats = NDArray[np.float64]

#: Times of a clock at most.
MOST_TIMES = 256


class Clock(NamedTuple):
    """Times at which something is worked out: the first [h], a step [h], and how many."""

    from_h: float
    step_h: float
    times: int


class Passings(NamedTuple):
    """Passings of places, n of them, and what m speeds make of them.

    ``hours`` and ``burnt``, shape (m, n), are what has been taken and burnt; ``met``, shape
    (MET, n), what is met; ``course``, shape (2, n), the unit vector of the course, to east and to
    north; ``distance_nm``, shape (n,), what is sailed there; ``ground_kn`` and ``fuel_per_h``,
    shape (m, n), how fast; ``memory``, shape (WORK_ROWS + m, n), the medium's own.
    """

    hours: Floats
    burnt: Floats
    met: Floats
    course: Floats
    distance_nm: Floats
    ground_kn: Floats
    fuel_per_h: Floats
    memory: Floats


@njit(cache=True, nogil=True, error_model="numpy")
def wind_clock(first_h: float, last_h: float, longest_step_h: float) -> Clock:
    """A clock that spans two times in steps of no more than a length [h]."""
    if last_h - first_h < 1e-9:
        return Clock(first_h, 1.0, 1)
    steps = min(math.ceil((last_h - first_h) / longest_step_h), MOST_TIMES - 1)
    return Clock(first_h, (last_h - first_h) / steps, int(steps) + 1)


@njit(cache=True, nogil=True, error_model="numpy")
def make_memory(speeds: int, lines: int) -> Floats:
    """Memory for passings of so many lines at as many times as there may be."""
    return np.empty((5 * speeds + MET + WORK_ROWS + 3) * lines * MOST_TIMES)


@njit(cache=True, nogil=True, error_model="numpy")
def lay_passings(memory: Floats, speeds: int, count: int) -> Passings:
    """So many passings in memory, nothing taken nor burnt yet.

    Rows that lie side by side in memory are what the compiler makes vector instructions of.
    """
    m, n = speeds, 2 * speeds
    met, course, ground = n + MET, n + MET + 2, n + MET + 3
    last = ground + 3 * m + WORK_ROWS
    rows = memory[: last * count].reshape(last, count)
    rows[:n] = 0.0
    return Passings(
        rows[:m],
        rows[m:n],
        rows[n:met],
        rows[met:course],
        rows[course],
        rows[ground : ground + m],
        rows[ground + m : ground + n],
        rows[ground + n :],
    )


@njit(cache=True, nogil=True, error_model="numpy")
def add_rates(
    distance_nm: Floats, ground_kn: Floats, fuel_per_h: Floats, hours: Floats, burnt: Floats
) -> None:
    """Add what distances, shape (n,), take and burn, all others of shape (m, n)."""
    for s in range(ground_kn.shape[0]):
        for n in range(distance_nm.size):
            made_good = ground_kn[s, n]
            under_way_h = distance_nm[n] / made_good if made_good > 0.0 else math.inf
            hours[s, n] += under_way_h
            burnt[s, n] += fuel_per_h[s, n] * under_way_h
