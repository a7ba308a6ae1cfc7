"""The change of speed with which a ship arrives at a given time."""

from collections.abc import Callable
from math import copysign

from scipy.optimize import brentq


def find_change_of_speed(
    late_h: Callable[[float], float], *, likely: float, most: float, tolerance: float
) -> float:
    """Find the change at which a ship is just in time, or return the most that may be changed.

    ``late_h`` gives the hours late, not 0 without a change, and falls as the change grows; it
    should remember its answers. ``likely`` is an estimate of the change, ``most`` of its sign.
    """
    if most == 0.0:
        return most
    # hours go about with one over the speed: the change lies between none and twice the estimate
    end = copysign(min(abs(2.0 * likely), abs(most)), most)
    if late_h(end) * most > 0.0:
        end = most
        if late_h(end) * most > 0.0:
            return most
    return float(brentq(late_h, 0.0, end, xtol=tolerance))
