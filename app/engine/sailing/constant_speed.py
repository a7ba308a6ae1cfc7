"""Choice of a constant speed for the objective of a voyage."""

from collections.abc import Callable
from functools import cache
from math import inf
from typing import Final

import numpy as np
from scipy.optimize import minimize_scalar

from app.engine.request import Objective
from app.engine.sailing.arrival import find_change_of_speed
from app.engine.sailing.simulation import Simulation, simulate_if_headway

#: Number of speeds tried before the best is refined; fuel against speed has few local minima.
_TRIAL_SPEEDS: Final = 9
_SPEED_TOLERANCE_KN: Final = 0.005
#: Tolerance of the time of arrival [h].
_TOLERANCE_H: Final = 0.01
#: Tolerance of the lowest speed at which no current stops the ship [kn], and its least speed over
#: ground there: much lower ones would take weeks.
_HEADWAY_TOLERANCE_KN: Final = 0.1
_LEAST_HEADWAY_KN: Final = 0.5


def choose_speed(
    simulate: Callable[[float], Simulation],
    slowest_kn: float,
    fastest_kn: float,
    objective: Objective,
    time_price_t_per_h: float,
    longest_h: float | None,
) -> Simulation:
    """Simulate the track at the best constant speed.

    ``simulate`` simulates the track at an ordered speed [kn]. ``time_price_t_per_h`` is the value
    of time [t/h] of a balanced voyage. If the fastest speed is too slow for ``longest_h``, the
    longest duration [h], that speed is chosen. Raise :class:`LimitsTooTight` if a current stops the
    ship at the fastest speed.
    """
    simulate = cache(simulate)
    slowest_kn = find_slowest_with_headway(simulate, slowest_kn, fastest_kn)
    if longest_h is not None:
        slowest_kn = find_slowest_in_time(simulate, slowest_kn, fastest_kn, longest_h)
    if objective is Objective.TIME or fastest_kn - slowest_kn < _SPEED_TOLERANCE_KN:
        return simulate(fastest_kn)
    price = time_price_t_per_h if objective is Objective.BALANCED else 0.0
    return _cheapest(simulate, slowest_kn, fastest_kn, price)


def find_slowest_with_headway(
    simulate: Callable[[float], Simulation], slowest_kn: float, fastest_kn: float
) -> float:
    """Return the lowest ordered speed at which no current stops the ship [kn].

    That is ``slowest_kn``, or the lowest at which the ship is nowhere close to a stop. Raise
    :class:`LimitsTooTight` if a current stops the ship at ``fastest_kn``.
    """
    if simulate_if_headway(simulate, slowest_kn) is not None:
        return slowest_kn
    simulate(fastest_kn)
    while fastest_kn - slowest_kn > _HEADWAY_TOLERANCE_KN:
        middle_kn = 0.5 * (slowest_kn + fastest_kn)
        simulation = simulate_if_headway(simulate, middle_kn)
        if simulation is not None and simulation.over_ground_kn.min() >= _LEAST_HEADWAY_KN:
            fastest_kn = middle_kn
        else:
            slowest_kn = middle_kn
    return fastest_kn


def find_slowest_in_time(
    simulate: Callable[[float], Simulation], slowest_kn: float, fastest_kn: float, longest_h: float
) -> float:
    """Return the slowest ordered speed that arrives in time, or the fastest if none does [kn]."""
    slowest_h = simulate(slowest_kn).total_h
    if slowest_h <= longest_h:
        return slowest_kn
    return slowest_kn + find_change_of_speed(
        lambda faster_kn: simulate(slowest_kn + faster_kn).total_h - (longest_h - _TOLERANCE_H),
        estimate=slowest_kn * (slowest_h / longest_h - 1.0),
        limit=fastest_kn - slowest_kn,
        tolerance_h=_TOLERANCE_H,
    )


def _cheapest(
    simulate: Callable[[float], Simulation], slowest_kn: float, fastest_kn: float, price: float
) -> Simulation:
    """Simulate the track at the speed of least fuel plus hours at ``price`` [t/h]."""

    def cost(speed_kn: float) -> float:
        simulation = simulate_if_headway(simulate, speed_kn)
        if simulation is None:
            return inf
        return simulation.total_fuel_t + price * simulation.total_h

    speeds = np.linspace(slowest_kn, fastest_kn, _TRIAL_SPEEDS)
    costs = np.array([cost(speed) for speed in speeds])
    best = int(costs.argmin())
    if best == 0 and cost(slowest_kn + _SPEED_TOLERANCE_KN) >= costs[0]:
        return simulate(slowest_kn)
    around = (speeds[max(best - 1, 0)], speeds[min(best + 1, _TRIAL_SPEEDS - 1)])
    refined = minimize_scalar(
        cost, bounds=around, method="bounded", options={"xatol": _SPEED_TOLERANCE_KN}
    )
    return simulate(float(refined.x if refined.fun < costs[best] else speeds[best]))
