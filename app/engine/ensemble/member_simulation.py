"""Simulation of a planned route in a member: the same track, with speeds adapted to the weather.

If an arrival is required soon after the planned one, the crew keeps the planned one, for which a
berth, a tide or a canal transit is booked. All ordered speeds are multiplied by one factor, within
the range that may be ordered. If none is required, or much later only, the crew keeps the planned
revolutions, which are what a bridge orders, and arrives earlier or later.
"""

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.ensemble.members import Member
from app.engine.errors import LimitsTooTight
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import build_simulator
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.sailing.arrival import estimate_change_of_speed, find_change_of_speed
from app.engine.sailing.simulation import Simulation, Simulator
from app.engine.sailing.waiting import copy_waits
from app.engine.spread import KeptSetting
from app.engine.vessel import eca_factors
from app.engine.weather import WeatherDeviations, WeatherSamples

#: Tolerance of the arrival [h]: half a minute.
_TOLERANCE_H: Final = 1.0 / 120.0

#: Time left until the required arrival over the planned duration, from which no weather puts that
#: arrival at risk: the ship would have to lose a fifth of its speed on the whole voyage.
_AMPLE: Final = 0.25

#: Reason for which a setting is kept.
REASONS: Final = {
    KeptSetting.ETA: "an arrival is required: speeds change so that the planned one is kept",
    KeptSetting.RPM: "no required arrival is near: the planned revolutions are kept",
}


@dataclass(frozen=True, slots=True)
class MemberSimulation:
    """A route simulated in one member.

    ``fuel_t``, shape (n,), is the fuel burnt on each segment [t], of the type burnt there, and
    ``weather`` is sampled in the middle of each.
    """

    member: Member
    simulation: Simulation
    fuel_t: Floats
    weather: WeatherSamples

    @property
    def total_fuel_t(self) -> float:
        """Fuel of all types for the whole route [t]."""
        return float(self.fuel_t.sum())


def choose_kept_setting(context: PlanningContext, planned: Simulation) -> KeptSetting:
    """Return the setting that the crew keeps in other weather: arrival or revolutions.

    The arrival is kept if one is required within a quarter of the planned duration after it.
    """
    longest_h = context.longest_h
    if longest_h is None or longest_h > (1.0 + _AMPLE) * planned.total_h:
        return KeptSetting.RPM
    return KeptSetting.ETA


def simulate_member(
    context: PlanningContext,
    route: SimulatedRoute,
    kept: KeptSetting,
    member: Member,
    deviations: WeatherDeviations | None = None,
) -> MemberSimulation | None:
    """Simulate a route in a member; ``None`` if the ship makes no headway against a current."""
    planned = route.simulation
    in_member = replace(context, weather=member.weather)
    simulate = partial(
        build_simulator(in_member, route.geometry, deviations),
        not_before_h=copy_waits(planned, planned.track),
    )
    try:
        if kept is KeptSetting.ETA:
            simulation = _keep_eta(context, planned, simulate)
        else:
            simulation = simulate(planned.capped_kn, kept_rpm=planned.rpm)
    except LimitsTooTight:
        return None
    fuel_t = simulation.fuel_t * eca_factors(route.in_eca, context.request.ship.fuel_type)
    weather = simulation.weather_at_middles(member.weather, deviations)
    return MemberSimulation(member, simulation, fuel_t, weather)


def _keep_eta(context: PlanningContext, planned: Simulation, simulate: Simulator) -> Simulation:
    """Simulate with the ordered speeds scaled so that the ship arrives as nearly as planned."""
    ordered_kn = planned.capped_kn
    slowest_kn, fastest_kn = _speed_range(context, ordered_kn)

    @cache
    def scaled(change: float) -> Simulation:
        return simulate(np.clip((1.0 + change) * ordered_kn, slowest_kn, fastest_kn))

    late_h = scaled(0.0).total_h - planned.total_h
    if abs(late_h) <= _TOLERANCE_H:
        return scaled(0.0)
    limit = (fastest_kn / ordered_kn).max() if late_h > 0.0 else (slowest_kn / ordered_kn).min()
    change = find_change_of_speed(
        lambda change: scaled(change).total_h - planned.total_h,
        estimate=estimate_change_of_speed(scaled(0.0), ordered_kn, late_h),
        limit=float(limit) - 1.0,
        tolerance_h=_TOLERANCE_H,
    )
    return scaled(change)


def _speed_range(context: PlanningContext, ordered_kn: Floats) -> tuple[Floats, Floats]:
    """Return the lowest and the highest speed that may be ordered on each segment [kn]."""
    request = context.request
    return (
        np.minimum(ordered_kn, request.speed_min_kn),
        np.maximum(ordered_kn, request.speed_max_kn),
    )
