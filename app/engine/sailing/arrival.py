"""The change of speed with which a ship arrives at a given time."""

from collections.abc import Callable
from math import copysign
from typing import Final

from scipy.optimize import brentq

#: Most steps of the secant method. Hours are nearly proportional to one over the speed, so two or
#: three are usually enough.
_MAX_STEPS: Final = 6
#: Step at which the search ends if the hours are not continuous, as a share of the limit.
_MIN_STEP_SHARE: Final = 1e-5


def find_change_of_speed(
    late_h: Callable[[float], float], *, estimate: float, limit: float, tolerance_h: float
) -> float:
    """Return the change of speed with which a ship arrives in time, or ``limit`` if none is enough.

    ``late_h`` returns the hours late at a change and decreases as the change grows; it should cache
    its results. Without a change it differs from zero by more than ``tolerance_h``. ``estimate`` is
    a first estimate of the change, and ``limit`` the largest change, of the same sign. Where the
    hours jump past zero, the change is just beyond the jump.
    """
    if limit == 0.0:
        return limit

    def miss_h(change: float) -> float:
        late = late_h(change)
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
