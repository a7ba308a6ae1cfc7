"""Members of a forecast, possible courses of the weather, and a planned route simulated in one.

A route keeps its track in a member; its speeds are adapted to the weather. If an arrival is
required soon after the planned one, the crew keeps the planned one, for which a berth, a tide or a
canal transit is booked. All ordered speeds are multiplied by one factor, within the range that may
be ordered. If none is required, or much later only, the crew keeps the planned revolutions, which
are what a bridge orders, and arrives earlier or later.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.ensemble.typical_error import MEMBER_COUNT, draw_deviations
from app.engine.errors import LimitsTooTight
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import build_simulator
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.sailing.arrival import estimate_change_of_speed, find_change_of_speed
from app.engine.sailing.simulation import Simulation, Simulator
from app.engine.sailing.waiting import copy_waits
from app.engine.spread import KeptSetting, SpreadBasis
from app.engine.vessel import eca_factors
from app.engine.weather import WeatherDeviations, WeatherField, WeatherSamples

#: Least forecast coverage of a voyage by members, as a share of that by the forecast itself.
_MIN_COVERAGE_SHARE: Final = 0.9
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
class Member:
    """A member: its number and its weather."""

    number: int
    weather: WeatherField


@dataclass(frozen=True, slots=True)
class Ensemble:
    """All members, and the basis on which they were made."""

    basis: SpreadBasis
    members: tuple[Member, ...]

    def list_deviations(self, simulation: Simulation) -> Sequence[WeatherDeviations | None]:
        """List each member's deviation from its weather on the segments of a simulated track.

        Members with forecasts of their own deviate beyond these, as the climate does; ``None`` if
        they cover the voyage. Deviations are those at the simulation's times; they change little
        in the hours by which a member's simulation differs.
        """
        track = simulation.track
        weather, count = self.members[0].weather, len(self.members)
        has_forecasts = self.basis is SpreadBasis.MEMBERS
        if has_forecasts and simulation.weather_at_middles(weather).is_forecast.all():
            return [None] * count
        return draw_deviations(
            weather,
            track.middle_lats,
            track.middle_lngs,
            simulation.middle_times_h,
            count,
            has_forecast_error=not has_forecasts,
        )


def build_ensemble(
    weather: WeatherField, fields: Sequence[tuple[int, WeatherField]], voyage: Simulation
) -> Ensemble:
    """Return the members of a forecast by number, or members by the typical error of ``weather``.

    The latter if there are no members or they cover too little of the voyage, for example because
    they are of another region.
    """
    if fields and _covers_voyage(fields[0][1], weather, voyage):
        members = tuple(Member(number, field) for number, field in fields)
        return Ensemble(SpreadBasis.MEMBERS, members)
    drawn = tuple(Member(number, weather) for number in range(1, MEMBER_COUNT + 1))
    return Ensemble(SpreadBasis.TYPICAL_ERROR, drawn)


def _covers_voyage(member: WeatherField, control: WeatherField, voyage: Simulation) -> bool:
    """Return whether a member covers almost as much of a voyage as the control forecast."""
    hours = np.diff(voyage.hours)
    met = map(voyage.weather_at_middles, (member, control))
    shares = [weather.forecast_coverage_pct(hours) for weather in met]
    return shares[0] >= _MIN_COVERAGE_SHARE * shares[1]


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
    slowest_kn = np.minimum(ordered_kn, context.request.speed_min_kn)
    fastest_kn = np.maximum(ordered_kn, context.request.speed_max_kn)

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
