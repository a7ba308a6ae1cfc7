"""The change of speed with which a ship arrives at a given time."""

from collections.abc import Callable
from math import copysign, inf, sqrt
from typing import Final

import numpy as np
from scipy.optimize import brentq

from app.engine.arrays import Floats
from app.engine.errors import LimitsTooTight
from app.engine.sailing.simulation import Simulation

#: Most steps of the secant method. Hours are nearly proportional to one over the speed, so two or
#: three are usually enough.
_MAX_STEPS: Final = 6
#: Step at which the search ends if the hours are not continuous, as a share of the limit.
_MIN_STEP_SHARE: Final = 1e-5
#: Hours late of a ship that a current stops: more than those of any voyage.
_STOPPED_H: Final = 1e5
#: Share of the ordered speed below which the ship is held by power, motions or a passage.
_HELD_SHARE: Final = 0.999


def estimate_change_of_speed(
    simulation: Simulation, kn_per_change: float | Floats, late_h: float
) -> float:
    """Estimate the change of the ordered speeds with which a ship arrives ``late_h`` earlier.

    ``kn_per_change`` is the change of each segment's ordered speed [kn] for a change of 1. The
    hours are expanded to the second order in the change. The weather is taken as unchanged, and the
    ship as held where it is held in the simulation.
    """
    is_held = simulation.through_water_kn < _HELD_SHARE * simulation.ordered_kn
    rate = np.where(is_held, 0.0, kn_per_change / simulation.over_ground_kn)
    hours = simulation.segment_h
    first, second = float(hours @ rate), float(hours @ rate**2)
    root = first + sqrt(max(first * first - 4.0 * second * late_h, 0.0))
    return 2.0 * late_h / root if root > 0.0 else copysign(inf, late_h)


def find_change_of_speed(
    late_h: Callable[[float], float], *, estimate: float, limit: float, tolerance_h: float
) -> float:
    """Return the change of speed with which a ship arrives in time, or ``limit`` if none is enough.

    ``late_h`` returns the hours late at a change and decreases as the change grows; it should cache
    its results. Without a change it differs from zero by more than ``tolerance_h``; with one it may
    raise :class:`LimitsTooTight`, for a ship that a current stops. ``estimate`` is a first estimate
    of the change, and ``limit`` the largest change, of the same sign. Where the hours jump past
    zero, the change is just beyond the jump.
    """
    if limit == 0.0:
        return limit

    def miss_h(change: float) -> float:
        try:
            late = late_h(change)
        except LimitsTooTight:
            return _STOPPED_H
        return 0.0 if abs(late) <= tolerance_h else late

    previous, change = 0.0, copysign(min(abs(estimate), abs(limit)), limit)
    for _ in range(_MAX_STEPS):
        missed_h = miss_h(change)
        if missed_h == 0.0:
            return change
        slope = (missed_h - miss_h(previous)) / (change - previous) if change != previous else 0.0
        if not slope < 0.0:
            break
        previous, change = change, change - missed_h / slope
        if not 0.0 < change / limit <= 1.0:
            break
    if miss_h(limit) * limit > 0.0:
        return limit
    step = _MIN_STEP_SHARE * abs(limit)
    change = float(brentq(miss_h, 0.0, limit, xtol=step))
    return change if miss_h(change) == 0.0 else change + step
