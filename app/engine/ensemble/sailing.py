"""A planned route sailed in a member: the same track, the speeds adapted as a crew would.

Where an arrival is asked for, the crew keeps the plan's: a berth, a tide or a canal transit is
booked for it. All ordered speeds are scaled by one factor, within the speeds that may be ordered.
Where none is asked for, the crew keeps the revolutions of the plan, which is what the bridge
orders, and arrives sooner or later, at whatever speed they give.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.ensemble.members import Member
from app.engine.errors import LimitsTooTight
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.sailing.arrival import find_change_of_speed
from app.engine.sailing.simulation import Simulation, simulate_track
from app.engine.sailing.waiting import copy_waits
from app.engine.spread import KeptSetting
from app.engine.vessel import eca_fuel_factor
from app.engine.weather import WeatherDeviations, WeatherSamples

Floats = NDArray[np.float64]

#: How near to the arrival the factor of speeds is found [h]: half a minute.
_CLOSE_H: Final = 1.0 / 120.0
#: Rounds in which the speeds of given revolutions are found, and the share by which revolutions
#: may differ. Revolutions grow nearly in proportion to speed, so each round leaves a fraction.
_ROUNDS: Final = 6
_RPM_SHARE: Final = 0.001
#: Speeds between which they are found, as shares of the planned.
_RPM_SPEEDS: Final = (0.25, 1.5)

#: Why a setting is kept.
REASONS: Final = {
    KeptSetting.ETA: "an arrival is asked for: speeds change so that the planned one is kept",
    KeptSetting.RPM: "no arrival is asked for: the planned revolutions are kept",
}


@dataclass(frozen=True, slots=True)
class MemberSailing:
    """A route sailed in one member.

    Per segment of the track, shape (n,): the fuel burnt [t], of the kind burnt there, and the
    weather met. ``None`` stands in for this record where the ship makes no headway.
    """

    member: Member
    simulation: Simulation
    fuel_t: Floats
    weather: WeatherSamples

    @property
    def total_fuel_t(self) -> float:
        """Fuel of all kinds for the whole route [t]."""
        return float(self.fuel_t.sum())

    @property
    def total_h(self) -> float:
        """Hours from departure to arrival."""
        return self.simulation.total_h


def choose_setting(context: PlanningContext) -> KeptSetting:
    """Return what the crew keeps in other weather."""
    return KeptSetting.RPM if context.request.arrive_by is None else KeptSetting.ETA


def sail_member(
    context: PlanningContext,
    route: SimulatedRoute,
    kept: KeptSetting,
    member: Member,
    deviations: WeatherDeviations | None = None,
) -> MemberSailing | None:
    """Sail a route in a member; ``None`` where a current is stronger than the ship."""
    planned = route.simulation
    simulate = partial(
        simulate_track,
        planned.track,
        ship=context.ship,
        departs_at=planned.departs_at,
        weather=member.weather,
        depth_m=route.depth_m,
        not_before_h=copy_waits(planned, planned.track),
        deviations=deviations,
    )
    keep = _keep_eta if kept is KeptSetting.ETA else _keep_rpm
    try:
        simulation = keep(context, planned, simulate)
    except LimitsTooTight:
        return None
    in_eca = np.where(route.in_eca, eca_fuel_factor(context.request.ship.fuel_type), 1.0)
    weather = simulation.weather_at_middles(member.weather, deviations)
    return MemberSailing(member, simulation, simulation.fuel_t * in_eca, weather)


def _keep_eta(
    context: PlanningContext, planned: Simulation, simulate: Callable[[Floats], Simulation]
) -> Simulation:
    """Scale the ordered speeds so that the ship arrives as planned, or as near as it can."""
    ordered_kn = _ordered_kn(planned)
    slowest_kn, fastest_kn = _speed_range(context, ordered_kn)

    @cache
    def scaled(change: float) -> Simulation:
        return simulate(np.clip((1.0 + change) * ordered_kn, slowest_kn, fastest_kn))

    late_h = scaled(0.0).total_h - planned.total_h
    if abs(late_h) <= _CLOSE_H:
        return scaled(0.0)
    most = (fastest_kn / ordered_kn).max() if late_h > 0.0 else (slowest_kn / ordered_kn).min()
    change = find_change_of_speed(
        lambda change: scaled(change).total_h - planned.total_h,
        estimate=late_h / planned.total_h,
        limit=float(most) - 1.0,
        tolerance_h=_CLOSE_H,
    )
    return scaled(change)


def _keep_rpm(
    _context: PlanningContext, planned: Simulation, simulate: Callable[[Floats], Simulation]
) -> Simulation:
    """Find the speeds at which the shaft turns as planned, whatever they are."""
    ordered_kn = _ordered_kn(planned)
    slowest_kn, fastest_kn = (share * ordered_kn for share in _RPM_SPEEDS)
    speeds_kn = ordered_kn
    for _ in range(_ROUNDS):
        simulation = simulate(speeds_kn)
        ratio = planned.rpm / simulation.rpm
        # a ship that power or the sea holds back takes no higher order
        is_held_back = simulation.through_water_kn < 0.999 * np.minimum(
            speeds_kn, planned.track.speed_cap_kn
        )
        ratio = np.where(is_held_back, np.minimum(ratio, 1.0), ratio)
        if np.abs(ratio - 1.0).max() <= _RPM_SHARE:
            break
        speeds_kn = np.clip(speeds_kn * ratio, slowest_kn, fastest_kn)
    return simulation


def _ordered_kn(planned: Simulation) -> Floats:
    """Return the speed ordered on each segment [kn], as far as its passage allows."""
    ordered_kn = np.broadcast_to(planned.ordered_kn, planned.fuel_t.shape)
    return np.asarray(np.minimum(ordered_kn, planned.track.speed_cap_kn), dtype=np.float64)


def _speed_range(context: PlanningContext, ordered_kn: Floats) -> tuple[Floats, Floats]:
    """Return the least and greatest speed that may be ordered per segment [kn]."""
    request = context.request
    return (
        np.minimum(ordered_kn, request.speed_min_kn),
        np.maximum(ordered_kn, request.speed_max_kn),
    )
