"""The change of speed with which a ship arrives at a given time."""

from collections.abc import Callable
from math import copysign
from typing import Final

from scipy.optimize import brentq

#: Most steps of the secant method. Hours go about with one over the speed: two or three suffice.
_MOST_STEPS: Final = 6
#: Step at which the search ends where hours jump, as where a limit closes, as a share of the most.
_LEAST_STEP: Final = 1e-5


def find_change_of_speed(
    late_h: Callable[[float], float], *, likely: float, most: float, close_h: float
) -> float:
    """Find a change at which a ship is in time within ``close_h``, or return the most.

    ``late_h`` gives the hours late, more than ``close_h`` without a change, and falls as the
    change grows; it should remember its answers. ``likely`` is an estimate of the change, ``most``
    of its sign. Where the hours jump past the time, the change is the first after they do.
    """
    if most == 0.0:
        return most

    def miss_h(change: float) -> float:
        late = late_h(change)
        return 0.0 if abs(late) <= close_h else late

    before, change = 0.0, copysign(min(abs(likely), abs(most)), most)
    for _ in range(_MOST_STEPS):
        missed_h = miss_h(change)
        if missed_h == 0.0:
            return change
        slope = (missed_h - miss_h(before)) / (change - before) if change != before else 0.0
        if not slope < 0.0:
            break
        before, change = change, change - missed_h / slope
        if not 0.0 < change / most <= 1.0:
            break
    if miss_h(most) * most > 0.0:
        return most
    step = _LEAST_STEP * abs(most)
    change = float(brentq(miss_h, 0.0, most, xtol=step))
    return change if miss_h(change) == 0.0 else change + step
