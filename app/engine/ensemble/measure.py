"""The spread of one route over the members of a forecast."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np

from app.engine.ensemble.exceedance import MeasuredLimit, describe_exceedance, measure_limits
from app.engine.ensemble.member_simulation import (
    REASONS,
    MemberSimulation,
    choose_kept_setting,
    simulate_member,
)
from app.engine.ensemble.members import Ensemble
from app.engine.ensemble.quantiles import (
    find_percentiles,
    find_time_percentiles,
    list_percentiles,
    list_time_percentiles,
)
from app.engine.parallel import run_parallel
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.progress import Tick, no_tick
from app.engine.sailing.track import Track
from app.engine.spread import FanPoint, MemberOutcome, Spread

#: Number of evenly spaced points of the track at which the fan is given, besides the waypoints.
_FAN_POINTS: Final = 60


def simulate_members(
    context: PlanningContext,
    route: SimulatedRoute,
    ensemble: Ensemble,
    tick: Tick = no_tick,
) -> list[MemberSimulation]:
    """Simulate a route in all members; those in which the ship makes no headway are left out."""
    kept = choose_kept_setting(context, route.simulation)
    simulate = partial(simulate_member, context, route, kept)
    deviations = ensemble.list_deviations(route.simulation)
    parts = [partial(simulate, *each) for each in zip(ensemble.members, deviations, strict=True)]
    return [simulated for simulated in run_parallel(parts, tick) if simulated is not None]


def describe_spread(
    context: PlanningContext,
    route: SimulatedRoute,
    ensemble: Ensemble,
    simulations: Sequence[MemberSimulation],
) -> Spread:
    """Return the spread of a route over its simulations in the members."""
    kept, departs_at = choose_kept_setting(context, route.simulation), route.simulation.departs_at
    hours = [simulated.simulation.total_h for simulated in simulations]
    measured = list(measure_limits(context, simulations))
    return Spread(
        basis=ensemble.basis,
        member_count=len(simulations),
        unsailable_count=len(ensemble.members) - len(simulations),
        kept=kept,
        reason=REASONS[kept],
        fuel_t=find_percentiles([simulated.total_fuel_t for simulated in simulations]),
        duration_h=find_percentiles(hours),
        eta=find_time_percentiles(departs_at, hours),
        climatology_pct=100.0 - route.forecast_coverage_pct,
        fan=tuple(_list_fan_points(route, simulations)),
        exceedances=tuple(describe_exceedance(limit, route, simulations) for limit in measured),
        outcomes=tuple(_list_outcomes(simulations, measured)),
    )


def _list_fan_points(
    route: SimulatedRoute, simulations: Sequence[MemberSimulation]
) -> Iterator[FanPoint]:
    """Return the spread at evenly spaced points of the track and at all waypoints."""
    simulation = route.simulation
    points = _list_fan_point_numbers(simulation.track)
    hours = np.stack([simulated.simulation.hours for simulated in simulations])
    fuel_t = np.stack([np.append(0.0, np.cumsum(simulated.fuel_t)) for simulated in simulations])
    return map(
        FanPoint,
        simulation.track.cumulative_nm[points].tolist(),
        list_time_percentiles(simulation.departs_at, hours[:, points]),
        list_percentiles(fuel_t[:, points]),
    )


def _list_fan_point_numbers(track: Track) -> list[int]:
    """Return the numbers of evenly spaced points of a track and of all waypoints, ascending."""
    last = track.cumulative_nm.size - 1
    at_nm = np.linspace(0.0, track.length_nm, _FAN_POINTS)
    nearest = np.searchsorted(track.cumulative_nm, at_nm).clip(0, last)
    waypoints = np.flatnonzero(np.diff(track.leg)) + 1
    return sorted({0, *map(int, nearest), *map(int, waypoints), last})


def _list_outcomes(
    simulations: Sequence[MemberSimulation], measured: Sequence[MeasuredLimit]
) -> Iterator[MemberOutcome]:
    for row, simulated in enumerate(simulations):
        yield MemberOutcome(
            number=simulated.member.number,
            fuel_t=simulated.total_fuel_t,
            eta=simulated.simulation.time_at(-1),
            max_wave_m=float(simulated.weather.wave_height_m.max()),
            max_wind_ms=float(simulated.weather.wind_speed_ms.max()),
            exceeds=tuple(limit.limit for limit in measured if limit.exceeded[row].any()),
        )
