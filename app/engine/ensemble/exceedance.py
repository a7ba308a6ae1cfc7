"""The probability that a limit is exceeded: how often, where and when."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit
from app.engine.ensemble.quantiles import percentile
from app.engine.ensemble.sailing import MemberSailing
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.spread import ExceedancePlace, LimitExceedance, LimitKind, ProbabilityPoint
from app.engine.vessel import SeaRisk, Ship, seaway_risks
from app.engine.vessel.seakeeping import SeakeepingParameters

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: Parts of the track of which probabilities are given.
_PARTS: Final = 60
#: The dangerous situations of MSC.1/Circ.1228, which count as one limit.
_ROLLING: Final = int(
    SeaRisk.SYNCHRONOUS_ROLL
    | SeaRisk.PARAMETRIC_ROLL
    | SeaRisk.SURF_RIDING
    | SeaRisk.HIGH_WAVE_GROUPS
)


@dataclass(frozen=True, slots=True)
class MeasuredLimit:
    """A limit measured over m members and n segments.

    ``exceeded`` has shape (m, n); ``highest`` is the highest value of each member, shape (m,), in
    the limit's unit, ``None`` where it has none.
    """

    limit: LimitKind
    unit: str
    allowed: float | None
    exceeded: Flags
    highest: Floats | None


def measure_limits(
    context: PlanningContext, sailings: Sequence[MemberSailing]
) -> Iterator[MeasuredLimit]:
    """Measure the limits of the request, where set, and dangerous rolling."""
    limits = context.request.limits
    for kind, unit, allowed, values in (
        (
            LimitKind.WAVE_HEIGHT,
            "m",
            limits.wave_height_m,
            [sailing.weather.wave_height_m for sailing in sailings],
        ),
        (
            LimitKind.WIND_SPEED,
            "m/s",
            limits.wind_speed_ms,
            [sailing.weather.wind_speed_ms for sailing in sailings],
        ),
    ):
        if allowed is not None:
            met = np.stack(values)
            yield MeasuredLimit(kind, unit, allowed, met > allowed, met.max(axis=1))
    rolls = np.stack([_rolls(context.ship, sailing) for sailing in sailings])
    yield MeasuredLimit(LimitKind.ROLLING, "", None, rolls, None)


def describe_exceedance(
    measured: MeasuredLimit, route: SimulatedRoute, sailings: Sequence[MemberSailing]
) -> LimitExceedance:
    """Return how probably, where and when a limit is exceeded."""
    highest = None if measured.highest is None else percentile(measured.highest, 90.0)
    return LimitExceedance(
        limit=measured.limit,
        unit=measured.unit,
        allowed=measured.allowed,
        probability=float(measured.exceeded.any(axis=1).mean()),
        highest_p90=highest,
        place=_find_place(measured.exceeded, route, sailings),
        along=tuple(_share_along(measured.exceeded, route)),
    )


def _find_place(
    exceeded: Flags, route: SimulatedRoute, sailings: Sequence[MemberSailing]
) -> ExceedancePlace | None:
    """Find the segment on which most members exceed the limit, the first of equals."""
    shares = exceeded.mean(axis=0)
    segment = int(np.argmax(shares))
    if shares[segment] == 0.0:
        return None
    track = route.simulation.track
    there_h = [
        float(sailing.simulation.left_h[segment])
        for sailing, flags in zip(sailings, exceeded, strict=True)
        if flags[segment]
    ]
    return ExceedancePlace(
        position=track.position(segment),
        time=route.simulation.departs_at
        + timedelta(seconds=round(3600.0 * float(np.median(there_h)))),
        cumulative_nm=float(track.cumulative_nm[segment]),
        waypoint_index=int(track.leg[segment]) + 1,
        probability=float(shares[segment]),
    )


def _share_along(exceeded: Flags, route: SimulatedRoute) -> Iterator[ProbabilityPoint]:
    """Yield the share of members that exceed the limit on each part of the track."""
    track = route.simulation.track
    parts = np.array_split(np.arange(track.distance_nm.size), min(_PARTS, track.distance_nm.size))
    for part in parts:
        middle_nm = 0.5 * (track.cumulative_nm[part[0]] + track.cumulative_nm[part[-1] + 1])
        share = float(exceeded[:, part].any(axis=1).mean())
        yield ProbabilityPoint(float(middle_nm), share)


def _rolls(ship: Ship, sailing: MemberSailing) -> Flags:
    """Return on which segments the ship meets a dangerous situation of MSC.1/Circ.1228."""
    met, simulation = sailing.weather, sailing.simulation
    sea = np.stack([met.wave_height_m, met.wave_period_s, met.wave_from_deg])
    bits = np.empty(simulation.fuel_t.size, dtype=np.int64)
    _fill_risks(
        ship.seakeeping_parameters,
        simulation.through_water_kn,
        simulation.track.course_deg,
        sea,
        bits,
    )
    return np.asarray(bits & _ROLLING) > 0


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_risks(
    parameters: SeakeepingParameters,
    speed_kn: Floats,
    course_deg: Floats,
    sea: Floats,
    out: NDArray[np.int64],
) -> None:
    """Fill in the bits of :class:`SeaRisk` per segment; ``sea`` has shape (3, n)."""
    for k in range(out.size):
        out[k] = seaway_risks(
            parameters, speed_kn[k], course_deg[k], sea[0, k], sea[1, k], sea[2, k]
        )
