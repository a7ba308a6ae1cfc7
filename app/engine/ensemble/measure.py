"""The spread of one route over the members of a forecast.

The truth is taken as one more draw from the distribution of the members. It lies below the k-th of
n members with probability k / (n + 1): definition 6 of Hyndman & Fan (1996), Sample quantiles in
statistical packages, The American Statistician 50, 361.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from app.engine.arrays import Bools, Floats
from app.engine.compiled import njit
from app.engine.ensemble.members import (
    REASONS,
    Ensemble,
    MemberSimulation,
    choose_kept_setting,
    simulate_member,
)
from app.engine.parallel import run_parallel
from app.engine.planning.context import PlanningContext
from app.engine.planning.limits import list_allowed
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.spread import (
    ExceedancePlace,
    FanPoint,
    LimitExceedance,
    LimitKind,
    MemberOutcome,
    Percentiles,
    ProbabilityPoint,
    Spread,
    TimePercentiles,
)
from app.engine.times import add_hours
from app.engine.vessel import SeaRisk, Ship, seaway_risks

#: Number of evenly spaced points of the track at which the fan is given, besides the waypoints.
_FAN_POINTS: Final = 60
#: Number of parts of the track for which probabilities are given.
_PARTS: Final = 60
_SHOWN: Final = (10.0, 50.0, 90.0)


def simulate_members(
    context: PlanningContext, route: SimulatedRoute, ensemble: Ensemble
) -> list[MemberSimulation]:
    """Simulate a route in all members; those in which the ship makes no headway are left out."""
    kept = choose_kept_setting(context, route.simulation)
    simulate = partial(simulate_member, context, route, kept)
    deviations = ensemble.list_deviations(route.simulation)
    parts = [partial(simulate, *each) for each in zip(ensemble.members, deviations, strict=True)]
    simulated = run_parallel(parts, context.progress.tick)
    return [each for each in simulated if each is not None]


def describe_spread(
    context: PlanningContext,
    route: SimulatedRoute,
    ensemble: Ensemble,
    simulations: Sequence[MemberSimulation],
) -> Spread:
    """Return the spread of a route over its simulations in the members."""
    kept, departs_at = choose_kept_setting(context, route.simulation), route.simulation.departs_at
    hours = [simulated.simulation.total_h for simulated in simulations]
    measured = list(_measure_limits(context, route, simulations))
    return Spread(
        basis=ensemble.basis,
        member_count=len(simulations),
        unsailable_count=len(ensemble.members) - len(simulations),
        kept=kept,
        reason=REASONS[kept],
        fuel_t=find_percentiles([simulated.total_fuel_t for simulated in simulations]),
        duration_h=find_percentiles(hours),
        eta=_write_times(departs_at, _estimate(hours, _SHOWN).tolist()),
        climatology_pct=100.0 - route.forecast_coverage_pct,
        fan=tuple(_list_fan_points(route, simulations)),
        exceedances=tuple(exceedance for exceedance, _ in measured),
        outcomes=tuple(_list_outcomes(simulations, measured)),
    )


def _list_fan_points(
    route: SimulatedRoute, simulations: Sequence[MemberSimulation]
) -> Iterator[FanPoint]:
    simulation = route.simulation
    cumulative_nm, last = simulation.track.cumulative_nm, simulation.track.distance_nm.size
    spaced_nm = np.linspace(0.0, simulation.track.length_nm, _FAN_POINTS)
    spaced = np.searchsorted(cumulative_nm, spaced_nm).clip(0, last).tolist()
    waypoints = (np.flatnonzero(np.diff(simulation.track.leg)) + 1).tolist()
    points = sorted({0, *spaced, *waypoints, last})
    hours = np.stack([simulated.simulation.hours for simulated in simulations])
    fuel_t = np.stack([np.append(0.0, np.cumsum(simulated.fuel_t)) for simulated in simulations])
    return map(
        FanPoint,
        cumulative_nm[points].tolist(),
        (
            _write_times(simulation.departs_at, found)
            for found in _estimate(hours[:, points], _SHOWN).T.tolist()
        ),
        map(Percentiles, *_estimate(fuel_t[:, points], _SHOWN).tolist()),
    )


def _list_outcomes(
    simulations: Sequence[MemberSimulation], measured: Sequence[tuple[LimitExceedance, Bools]]
) -> Iterator[MemberOutcome]:
    for row, simulated in enumerate(simulations):
        yield MemberOutcome(
            number=simulated.member.number,
            fuel_t=simulated.total_fuel_t,
            eta=simulated.simulation.time_at(-1),
            max_wave_m=float(simulated.weather.wave_height_m.max()),
            max_wind_ms=float(simulated.weather.wind_speed_ms.max()),
            exceeds=tuple(each.limit for each, exceeded in measured if exceeded[row].any()),
        )


def _measure_limits(
    context: PlanningContext, route: SimulatedRoute, simulations: Sequence[MemberSimulation]
) -> Iterator[tuple[LimitExceedance, Bools]]:
    """Yield the exceedance of each limit that is set, and of dangerous rolling, in m members.

    Each has a mask of the members and segments with it, shape (m, n).
    """
    weathers = [simulated.weather for simulated in simulations]
    describe = partial(_describe_exceedance, route, simulations)
    for limit, allowed in list_allowed(context.request.limits):
        exceeded = np.stack([limit.find_exceeded(weather, allowed) for weather in weathers])
        highest = [limit.met(weather).max() for weather in weathers]
        p90 = estimate_percentile(highest, 90.0)
        yield describe(exceeded, limit.kind, limit.unit, allowed, p90), exceeded
    rolls = np.stack([_mark_dangerous_rolling(context.ship, each) for each in simulations])
    yield describe(rolls, LimitKind.ROLLING, "", None, None), rolls


def _describe_exceedance(
    route: SimulatedRoute,
    simulations: Sequence[MemberSimulation],
    exceeded: Bools,
    limit: LimitKind,
    unit: str,
    allowed: float | None,
    highest_p90: float | None,
) -> LimitExceedance:
    return LimitExceedance(
        limit=limit,
        unit=unit,
        allowed=allowed,
        probability=float(exceeded.any(axis=1).mean()),
        highest_p90=highest_p90,
        place=_find_place(exceeded, route, simulations),
        along=tuple(_list_probabilities(exceeded, route)),
    )


def _find_place(
    exceeded: Bools, route: SimulatedRoute, simulations: Sequence[MemberSimulation]
) -> ExceedancePlace | None:
    """Find the first segment on which the most members exceed the limit, ``None`` if none does."""
    shares = exceeded.mean(axis=0)
    segment = int(np.argmax(shares))
    if shares[segment] == 0.0:
        return None
    track = route.simulation.track
    there_h = [
        float(simulated.simulation.left_h[segment])
        for simulated, flags in zip(simulations, exceeded, strict=True)
        if flags[segment]
    ]
    return ExceedancePlace(
        position=track.position(segment),
        time=add_hours(route.simulation.departs_at, float(np.median(there_h))),
        cumulative_nm=float(track.cumulative_nm[segment]),
        waypoint_index=int(track.leg[segment]) + 1,
        probability=float(shares[segment]),
    )


def _list_probabilities(exceeded: Bools, route: SimulatedRoute) -> Iterator[ProbabilityPoint]:
    track = route.simulation.track
    parts = np.array_split(np.arange(track.distance_nm.size), min(_PARTS, track.distance_nm.size))
    bounds = np.array([*(part[0] for part in parts), track.distance_nm.size])
    ends_nm = track.cumulative_nm[bounds]
    middles_nm = 0.5 * (ends_nm[:-1] + ends_nm[1:])
    shares = np.logical_or.reduceat(exceeded, bounds[:-1], axis=1).mean(axis=0)
    yield from map(ProbabilityPoint, middles_nm.tolist(), shares.tolist())


def _mark_dangerous_rolling(ship: Ship, simulated: MemberSimulation) -> Bools:
    """Mark the segments with a dangerous situation of MSC.1/Circ.1228, shape (n,)."""
    weather, simulation = simulated.weather, simulated.simulation
    sea = np.stack([weather.wave_height_m, weather.wave_period_s, weather.wave_from_deg])
    bits = np.empty(simulation.fuel_t.size, dtype=np.int64)
    _fill_risks(
        ship.seakeeping_parameters,
        simulation.through_water_kn,
        simulation.track.course_deg,
        sea,
        bits,
    )
    return np.asarray(bits & SeaRisk.ROLLING) > 0


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_risks(parameters, speed_kn, course_deg, sea, out):  # type: ignore[no-untyped-def]
    """Fill ``out``, shape (n,), with risks; ``sea``, (3, n), is wave height, period, direction."""
    for k in range(out.size):
        met = sea[0, k], sea[1, k], sea[2, k]
        out[k] = seaway_risks(parameters, speed_kn[k], course_deg[k], *met)


def estimate_percentile(values: ArrayLike, share_pct: float) -> float:
    """Return the value below which the truth lies with a probability [%]."""
    return float(_estimate(values, (share_pct,))[0])


def find_percentiles(values: ArrayLike) -> Percentiles:
    """Return P10, P50 and P90 of values."""
    return Percentiles(*_estimate(values, _SHOWN).tolist())


def _write_times(departs_at: datetime, hours: Sequence[float]) -> TimePercentiles:
    """Write percentiles of hours since departure as times, to the second."""
    return TimePercentiles(*(add_hours(departs_at, h) for h in hours))


def _estimate(values: ArrayLike, shares_pct: Sequence[float]) -> Floats:
    """Estimate percentiles along the first axis; the result's first axis is that of the shares."""
    numbers = np.asarray(values, dtype=np.float64)
    return np.asarray(np.percentile(numbers, shares_pct, axis=0, method="weibull"))
