"""Probability, place and time of exceeding a limit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.arrays import Bools, Floats, Ints
from app.engine.compiled import njit
from app.engine.ensemble.member_simulation import MemberSimulation
from app.engine.ensemble.quantiles import estimate_percentile
from app.engine.planning.context import PlanningContext
from app.engine.planning.limits import WEATHER_LIMITS
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.spread import ExceedancePlace, LimitExceedance, LimitKind, ProbabilityPoint
from app.engine.times import add_hours
from app.engine.vessel import SeaRisk, Ship, seaway_risks
from app.engine.vessel.seakeeping import SeakeepingParameters

#: Number of parts of the track for which probabilities are given.
_PARTS: Final = 60


@dataclass(frozen=True, slots=True)
class MeasuredLimit:
    """A limit in m members on n segments.

    ``exceeded``, shape (m, n), is whether it is exceeded; ``highest``, shape (m,), the highest
    value in each member in the limit's unit, ``None`` if it has no unit.
    """

    limit: LimitKind
    unit: str
    allowed: float | None
    exceeded: Bools
    highest: Floats | None


def measure_limits(
    context: PlanningContext, simulations: Sequence[MemberSimulation]
) -> Iterator[MeasuredLimit]:
    """Yield the limits of the request that are set, and dangerous rolling, in all members."""
    for limit in WEATHER_LIMITS:
        allowed = limit.allowed(context.request.limits)
        if allowed is not None:
            weathers = [simulated.weather for simulated in simulations]
            met = np.stack([limit.met(weather) for weather in weathers])
            exceeded = np.stack([limit.find_exceeded(weather, allowed) for weather in weathers])
            yield MeasuredLimit(limit.kind, limit.unit, allowed, exceeded, met.max(axis=1))
    rolls = np.stack(
        [_mark_dangerous_rolling(context.ship, simulated) for simulated in simulations]
    )
    yield MeasuredLimit(LimitKind.ROLLING, "", None, rolls, None)


def describe_exceedance(
    measured: MeasuredLimit, route: SimulatedRoute, simulations: Sequence[MemberSimulation]
) -> LimitExceedance:
    """Return the probability, place and time of exceeding a limit."""
    highest = None if measured.highest is None else estimate_percentile(measured.highest, 90.0)
    return LimitExceedance(
        limit=measured.limit,
        unit=measured.unit,
        allowed=measured.allowed,
        probability=float(measured.exceeded.any(axis=1).mean()),
        highest_p90=highest,
        place=_find_place(measured.exceeded, route, simulations),
        along=tuple(_list_probabilities(measured.exceeded, route)),
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
    """Yield the share of members that exceed the limit on each part of the track."""
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
def _fill_risks(
    parameters: SeakeepingParameters,
    speed_kn: Floats,
    course_deg: Floats,
    sea: Floats,
    out: Ints,
) -> None:
    """Fill ``out`` with the bits of :class:`SeaRisk` of n segments.

    ``sea``, shape (3, n), are wave height, period and direction.
    """
    for k in range(out.size):
        out[k] = seaway_risks(
            parameters, speed_kn[k], course_deg[k], sea[0, k], sea[1, k], sea[2, k]
        )
