"""The spread of one route over the members of a forecast."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import Final

import numpy as np

from app.engine.ensemble.exceedance import MeasuredLimit, describe_exceedance, measure_limits
from app.engine.ensemble.members import Ensemble
from app.engine.ensemble.quantiles import find_percentiles, find_times
from app.engine.ensemble.sailing import REASONS, MemberSailing, choose_setting, sail_member
from app.engine.planning.context import PlanningContext
from app.engine.planning.parallel import run_parallel
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.sailing.track import Track
from app.engine.spread import FanPoint, MemberOutcome, Spread

#: Points evenly along the track at which the fan is given, besides the waypoints.
_FAN_POINTS: Final = 60


def sail_members(
    context: PlanningContext,
    route: SimulatedRoute,
    ensemble: Ensemble,
    tick: Callable[[], None] = lambda: None,
) -> list[MemberSailing]:
    """Sail a route in all members in which the ship makes headway."""
    sail = partial(sail_member, context, route, choose_setting(context))
    deviations = ensemble.list_deviations(route.simulation)
    parts = [partial(sail, *each) for each in zip(ensemble.members, deviations, strict=True)]
    return [sailing for sailing in run_parallel(parts, tick) if sailing is not None]


def describe_spread(
    context: PlanningContext,
    route: SimulatedRoute,
    ensemble: Ensemble,
    sailings: Sequence[MemberSailing],
) -> Spread:
    """Return what the sailings of a route in the members say of it."""
    kept, departs_at = choose_setting(context), route.simulation.departs_at
    hours = [sailing.total_h for sailing in sailings]
    measured = list(measure_limits(context, sailings))
    return Spread(
        basis=ensemble.basis,
        member_count=len(sailings),
        unsailable_count=len(ensemble.members) - len(sailings),
        kept=kept,
        reason=REASONS[kept],
        fuel_t=find_percentiles([sailing.total_fuel_t for sailing in sailings]),
        duration_h=find_percentiles(hours),
        eta=find_times(departs_at, hours),
        climatology_pct=_climatology_pct(route),
        fan=tuple(_draw_fan(route, sailings)),
        exceedances=tuple(describe_exceedance(limit, route, sailings) for limit in measured),
        outcomes=tuple(_list_outcomes(sailings, measured)),
    )


def _climatology_pct(route: SimulatedRoute) -> float:
    """Return the share of hours in which waves or wind are not forecast alone [%]."""
    met = route.weather_at_middles
    if met is None:
        return 100.0
    return 100.0 - met.forecast_coverage_pct(np.diff(route.simulation.hours))


def _draw_fan(route: SimulatedRoute, sailings: Sequence[MemberSailing]) -> Iterator[FanPoint]:
    """Yield the spread at points evenly along the track and at all waypoints."""
    simulation = route.simulation
    points = _pick_points(simulation.track)
    hours = np.stack([sailing.simulation.hours for sailing in sailings])
    fuel_t = np.stack([np.append(0.0, np.cumsum(sailing.fuel_t)) for sailing in sailings])
    for point in points:
        yield FanPoint(
            cumulative_nm=float(simulation.track.cumulative_nm[point]),
            time=find_times(simulation.departs_at, hours[:, point]),
            fuel_t=find_percentiles(fuel_t[:, point]),
        )


def _pick_points(track: Track) -> list[int]:
    """Return the numbers of points evenly along a track and of all waypoints, each once."""
    last = track.cumulative_nm.size - 1
    wanted_nm = np.linspace(0.0, track.length_nm, _FAN_POINTS)
    nearest = np.searchsorted(track.cumulative_nm, wanted_nm).clip(0, last)
    waypoints = np.flatnonzero(np.diff(track.leg)) + 1
    return sorted({0, *map(int, nearest), *map(int, waypoints), last})


def _list_outcomes(
    sailings: Sequence[MemberSailing], measured: Sequence[MeasuredLimit]
) -> Iterator[MemberOutcome]:
    for row, sailing in enumerate(sailings):
        yield MemberOutcome(
            number=sailing.member.number,
            fuel_t=sailing.total_fuel_t,
            eta=sailing.simulation.departs_at + timedelta(seconds=round(3600.0 * sailing.total_h)),
            max_wave_m=float(sailing.weather.wave_height_m.max()),
            max_wind_ms=float(sailing.weather.wind_speed_ms.max()),
            exceeds=tuple(limit.limit for limit in measured if limit.exceeded[row].any()),
        )
