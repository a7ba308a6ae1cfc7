"""A voyage that was sailed, against its plan: fuel and time by what caused them.

The voyage is simulated in steps from the plan to what was sailed, each with one thing more as it
was: the weather, then the speeds, then the track. What is left to the reports is the error of the
ship's model, and of the reports. The steps add up to the reports by construction.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import numpy as np

from app.engine.monitoring.planned_track import PlannedTrack
from app.engine.plan import LegGeometry, RoutePlan
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint, simulate_given_route
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Position
from app.engine.telemetry.records import VoyageRecords, sum_fuel_t, sum_up
from app.engine.weather.times import moment_at

#: One position in so many hours makes the track that was sailed.
_TRACK_STEP_H: Final = 3.0


@dataclass(frozen=True, slots=True)
class FuelByCause:
    """Fuel of the main engine [t]: planned, what each cause added, and reported, their sum."""

    planned_t: float
    weather_t: float
    speed_t: float
    track_t: float
    model_t: float
    reported_t: float


@dataclass(frozen=True, slots=True)
class TimeByCause:
    """Hours from departure to arrival: planned, what each cause added, and sailed, their sum."""

    planned_h: float
    weather_h: float
    conduct_h: float
    sailed_h: float


@dataclass(frozen=True, slots=True)
class VoyageReport:
    """A finished voyage: planned and made good.

    Distances [nm]; the highest waves planned for and met [m], by the weather as it is known since,
    ``None`` where none is known. ``conduct_h`` is of speeds and track together.
    """

    departed_at: datetime
    arrived_at: datetime
    planned_nm: float
    sailed_nm: float
    planned_wave_m: float | None
    met_wave_m: float | None
    fuel: FuelByCause
    time: TimeByCause


def report_voyage(
    context: PlanningContext, plan: RoutePlan, records: VoyageRecords
) -> VoyageReport:
    """Report a voyage by its plan and the credible records from departure to arrival.

    ``context`` has the request of the plan, and the weather as it is known since.

    Raises
    ------
    ValueError
        Where the records are too few or too far apart to say what was burnt.
    LimitsTooTight
        Where a current of the known weather is stronger than the ship.
    """
    reported, reported_t = sum_up(records), sum_fuel_t(records)
    if reported is None or reported_t is None:
        raise ValueError("the reports are too few to say what was burnt")
    departed_at, arrived_at = moment_at(records.times_h[0]), moment_at(records.times_h[-1])
    sailed = replace(context, request=replace(context.request, departs_at=departed_at))
    in_weather = simulate_given_route(context, _at_planned_speeds(plan), "as planned")
    at_speeds = simulate_given_route(sailed, _at_sailed_times(plan, records), "planned track")
    on_track = simulate_given_route(sailed, _sailed_track(records), "as sailed")
    planned_t, planned_h = plan.summary.fuel_t, plan.summary.duration_h
    sailed_h = (arrived_at - departed_at) / timedelta(hours=1)
    return VoyageReport(
        departed_at=departed_at,
        arrived_at=arrived_at,
        planned_nm=plan.summary.distance_nm,
        sailed_nm=reported.distance_nm,
        planned_wave_m=plan.summary.max_wave_m,
        met_wave_m=_highest_wave_m(on_track),
        fuel=FuelByCause(
            planned_t,
            in_weather.total_fuel_t - planned_t,
            at_speeds.total_fuel_t - in_weather.total_fuel_t,
            on_track.total_fuel_t - at_speeds.total_fuel_t,
            reported_t - on_track.total_fuel_t,
            reported_t,
        ),
        time=TimeByCause(
            planned_h,
            in_weather.simulation.total_h - planned_h,
            sailed_h - in_weather.simulation.total_h,
            sailed_h,
        ),
    )


def _at_planned_speeds(plan: RoutePlan) -> list[GivenWaypoint]:
    return [
        GivenWaypoint(
            waypoint.position,
            waypoint.leg_geometry or LegGeometry.RHUMB,
            speed_kn=waypoint.speed_through_water_kn,
            passage=waypoint.passage,
            leaves=waypoint.leaves_at,
        )
        for waypoint in plan.waypoints
    ]


def _at_sailed_times(plan: RoutePlan, records: VoyageRecords) -> list[GivenWaypoint]:
    """The planned track, each waypoint due when the ship was as far along it."""
    along_nm, _ = PlannedTrack.of(plan).project(records)
    furthest_nm = np.maximum.accumulate(along_nm)
    ends = plan.waypoints[-1].index
    return [
        GivenWaypoint(
            waypoint.position,
            waypoint.leg_geometry or LegGeometry.RHUMB,
            due=moment_at(
                records.times_h[-1]
                if waypoint.index == ends
                else np.interp(waypoint.cumulative_nm, furthest_nm, records.times_h)
            ),
            passage=waypoint.passage,
        )
        for waypoint in plan.waypoints
    ]


def _sailed_track(records: VoyageRecords) -> list[GivenWaypoint]:
    """The track that was sailed, on rhumb lines between positions some hours apart."""
    slots = np.floor((records.times_h - records.times_h[0]) / _TRACK_STEP_H)
    is_kept = np.concatenate([[True], np.diff(slots) > 0])
    is_kept[-1] = True
    return [
        GivenWaypoint(
            Position(float(records.lats[i]), float(records.lngs[i])),
            LegGeometry.RHUMB,
            due=moment_at(records.times_h[i]),
        )
        for i in _drop_still(records, np.flatnonzero(is_kept).tolist())
    ]


def _drop_still(records: VoyageRecords, kept: Sequence[int]) -> list[int]:
    """Leave out positions where the ship has not moved since the one before."""
    moved = [kept[0]]
    for i in kept[1:]:
        last = moved[-1]
        if (records.lats[i], records.lngs[i]) != (records.lats[last], records.lngs[last]):
            moved.append(i)
    return moved


def _highest_wave_m(route: SimulatedRoute) -> float | None:
    return None if route.weather is None else float(route.weather.wave_height_m.max())
