"""Voyage reports: fuel and time of a finished voyage against its plan, by cause.

The voyage is simulated in steps from the plan to the voyage as sailed: first in the weather that
occurred, then at the speeds sailed, then on the track sailed. The remaining difference to the
reported fuel is the error of the ship's model and of the reports. The steps add up to the reported
fuel by construction.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.constants import DEGREE_NM, HOURS_PER_DAY
from app.engine.formatting import format_time
from app.engine.geodesy import great_circle_distance_nm
from app.engine.geodesy.leg import LegGeometry
from app.engine.geodesy.plane import project_on_segments
from app.engine.monitoring.departure import PORT_AREA_NM
from app.engine.monitoring.planned_track import PlannedTrack
from app.engine.plan import RoutePlan
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint, simulate_given_route
from app.engine.request import Position
from app.engine.telemetry.records import (
    LEAST_FUEL_SHARE,
    LONGEST_GAP_H,
    VoyageRecords,
    join_records,
    mark_regular,
    sum_fuel_t,
    sum_records,
)
from app.engine.times import hours_since_epoch, moment_at
from app.engine.units import wrap_longitude

#: Interval of the positions that make up the track sailed [h].
_TRACK_STEP_H: Final = 3.0
#: Distance from the line between them at which a position counts as a corner and is kept too [nm].
_CORNER_NM: Final = 0.25
#: Least distance between two places of the planned track at which times are taken [nm].
_LEAST_ADVANCE_NM: Final = 1.0
#: Greatest credible speed between a port and the nearest record, over the highest speed ordered.
_FASTER: Final = 1.5


@dataclass(frozen=True, slots=True)
class FuelByCause:
    """Fuel of the main engine [t]: planned, added by each cause, and reported, their sum."""

    planned_t: float
    weather_t: float
    speed_t: float
    track_t: float
    model_t: float
    reported_t: float


@dataclass(frozen=True, slots=True)
class TimeByCause:
    """Hours from departure to arrival: planned, added by each cause, and sailed, their sum."""

    planned_h: float
    weather_h: float
    conduct_h: float
    sailed_h: float


@dataclass(frozen=True, slots=True)
class VoyageReport:
    """A finished voyage, as planned and as sailed.

    Distances [nm]; highest waves [m] by the forecast of the plan and by the weather known
    afterwards, ``None`` if unknown. ``TimeByCause.conduct_h`` is of speeds and track together.
    ``weather_runs`` are the forecasts of the weather known afterwards, and
    ``forecast_coverage_pct`` is the share of the time sailed in which waves and wind are both
    theirs.
    """

    departed_at: datetime
    arrived_at: datetime
    planned_nm: float
    sailed_nm: float
    planned_wave_m: float | None
    met_wave_m: float | None
    fuel: FuelByCause
    time: TimeByCause
    weather_runs: tuple[str, ...]
    forecast_coverage_pct: float


def report_voyage(
    context: PlanningContext,
    plan: RoutePlan,
    records: VoyageRecords,
    departed_at: datetime,
    arrived_at: datetime,
) -> VoyageReport:
    """Report a voyage by its plan and the credible records from departure to arrival.

    ``context`` has the request of the plan, and the weather as known afterwards. The times of
    departure and arrival apply if a record lies within :data:`LONGEST_GAP_H` of them, else those of
    the first and the last record. Between the ends and these records the ship is assumed to sail
    the great circle at the consumption of these records. Raise :class:`ValueError` if the records
    do not reach from departure to arrival, or are too few or too far apart to determine the fuel
    burnt, and :class:`LimitsTooTight` if a current of the known weather is stronger than the ship.
    """
    fastest_kn = _FASTER * context.request.speed_max_kn
    sailing = _complete_records(plan, records, (departed_at, arrived_at), fastest_kn)
    whole = sailing.records
    leaves_at = moment_at(whole.times_h[0])
    sailed = replace(context, request=replace(context.request, departs_at=leaves_at))
    planned = [GivenWaypoint.of(waypoint) for waypoint in plan.waypoints]
    in_weather = simulate_given_route(context, planned, "as planned")
    at_speeds = simulate_given_route(sailed, _at_sailed_times(plan, whole), "planned track")
    on_track = simulate_given_route(sailed, _sailed_track(whole), "as sailed")
    planned_t, waits_h = plan.summary.fuel_t, _measure_planned_delay_h(plan, context)
    planned_h = plan.summary.duration_h - waits_h
    in_weather_h = in_weather.simulation.total_h - waits_h
    return VoyageReport(
        departed_at=sailing.departed_at,
        arrived_at=sailing.arrived_at,
        planned_nm=plan.summary.distance_nm,
        sailed_nm=sailing.distance_nm,
        planned_wave_m=plan.summary.max_wave_m,
        met_wave_m=on_track.max_wave_m,
        fuel=FuelByCause(
            planned_t,
            in_weather.total_fuel_t - planned_t,
            at_speeds.total_fuel_t - in_weather.total_fuel_t,
            on_track.total_fuel_t - at_speeds.total_fuel_t,
            sailing.fuel_t - on_track.total_fuel_t,
            sailing.fuel_t,
        ),
        time=TimeByCause(
            planned_h,
            in_weather_h - planned_h,
            sailing.hours - in_weather_h,
            sailing.hours,
        ),
        weather_runs=() if context.weather is None else context.weather.forecast_names,
        forecast_coverage_pct=on_track.forecast_coverage_pct,
    )


def _measure_planned_delay_h(plan: RoutePlan, context: PlanningContext) -> float:
    """Return the hours by which a ship in harbour was planned to depart later than requested."""
    first = plan.waypoints[0]
    if context.request.under_way or first.leaves_at is None:
        return 0.0
    return (first.leaves_at - first.eta) / timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class _Sailing:
    """A voyage as reported: its times, its records from end to end, miles, and fuel burnt [t]."""

    departed_at: datetime
    arrived_at: datetime
    records: VoyageRecords
    distance_nm: float
    fuel_t: float

    @property
    def hours(self) -> float:
        """Hours from departure to arrival."""
        return (self.arrived_at - self.departed_at) / timedelta(hours=1)


def _complete_records(
    plan: RoutePlan, records: VoyageRecords, times: tuple[datetime, datetime], fastest_kn: float
) -> _Sailing:
    """Complete the records of a voyage to both ends of its plan.

    ``times`` are those of departure and arrival. Raise :class:`ValueError` if the records are too
    few, too far apart or too far from the ends.
    """
    reported_t = sum_fuel_t(records)
    if reported_t is None:
        raise ValueError(_explain_too_few(records, times))
    begins = _reach(records, 0, plan.waypoints[0].position, times[0], fastest_kn)
    ends = _reach(records, -1, plan.waypoints[-1].position, times[1], fastest_kn)
    whole = join_records([begins.added, records, ends.added])
    reported = sum_records(whole)
    if reported is None:
        raise ValueError(_explain_too_few(records, times))
    fuel_t = reported_t + begins.fuel_t + ends.fuel_t
    sailing = _Sailing(begins.at, ends.at, whole, reported.distance_nm, fuel_t)
    if reported.hours + begins.idle_h + ends.idle_h < LEAST_FUEL_SHARE * sailing.hours:
        raise ValueError(_explain_too_few(records, times))
    return sailing


def _explain_too_few(records: VoyageRecords, times: tuple[datetime, datetime]) -> str:
    """Describe of how many of the voyage's hours records state the fuel."""
    stated = sum_records(records.take(np.isfinite(records.fuel_t_per_day)))
    stated_h = 0.0 if stated is None else stated.hours
    hours = (times[1] - times[0]) / timedelta(hours=1)
    return (
        f"they state the fuel of {stated_h:.0f} of the voyage's {hours:.0f} h, and"
        f" {LEAST_FUEL_SHARE:.0%} are needed. Send those that are missing"
    )


@dataclass(frozen=True, slots=True)
class _End:
    """An end of a voyage: its time, and the interval to the record nearest to it in time.

    ``added`` is a record at this end, added if the nearest record is not from there; ``fuel_t`` is
    the fuel burnt between them [t], ``idle_h`` the time between them in port [h].
    """

    at: datetime
    added: VoyageRecords
    fuel_t: float
    idle_h: float


def _reach(
    records: VoyageRecords, index: int, place: Position, at: datetime, fastest_kn: float
) -> _End:
    """Extend the records from the first one, ``index`` 0, or the last, -1, to the voyage's end.

    Raises ValueError if the record is too far from it.
    """
    one = slice(0, 1) if index == 0 else slice(-1, None)
    nearest = records.take(one)
    away_nm = float(
        great_circle_distance_nm(nearest.lats[0], nearest.lngs[0], place.lat, place.lng)
    )
    apart_h = abs(float(nearest.times_h[0]) - hours_since_epoch(at))
    is_near, is_soon = away_nm <= PORT_AREA_NM, apart_h <= LONGEST_GAP_H
    nothing = records.take(slice(0))
    if is_near:
        reached_at = at if is_soon else moment_at(nearest.times_h[0])
        return _End(reached_at, nothing, 0.0, apart_h if is_soon else 0.0)
    if not is_soon or away_nm > PORT_AREA_NM + fastest_kn * apart_h:
        raise ValueError(_explain_gap(index, moment_at(nearest.times_h[0]), at, away_nm))
    speed_kn = max(float(nearest.speed_kn[0]), away_nm / apart_h)
    rates = records.fuel_t_per_day[np.isfinite(records.fuel_t_per_day)]
    added = nearest._replace(
        times_h=np.array([hours_since_epoch(at)]),
        lats=np.array([place.lat]),
        lngs=np.array([place.lng]),
    )
    return _End(at, added, float(rates[index]) * away_nm / speed_kn / HOURS_PER_DAY, 0.0)


def _explain_gap(index: int, time: datetime, at: datetime, away_nm: float) -> str:
    which, end = ("first", "departure") if index == 0 else ("last", "arrival")
    hours = abs(time - at) / timedelta(hours=1)
    if hours <= LONGEST_GAP_H:
        side = "after the ship had left" if index == 0 else "before the ship came in"
        return (
            f"the {which} one, of {format_time(time)}, is {away_nm:.0f} nm from the place of {end},"
            f" too far for the {hours:.1f} h to the voyage's time of {end}, {format_time(at)}. That"
            f" time was set {side}, and a voyage is not reported in part"
        )
    return (
        f"the {which} one, of {format_time(time)}, is {away_nm:.0f} nm from the place of {end} and"
        f" {hours:.1f} h from the time of {end}, {format_time(at)}. Send the ship's reports of the"
        f" time between; they must reach to within {LONGEST_GAP_H:.0f} h of the {end}"
    )


def _at_sailed_times(plan: RoutePlan, records: VoyageRecords) -> list[GivenWaypoint]:
    """Return the planned track, due at each waypoint when the ship was as far along it.

    It is due between them too, as often as on the track sailed: a stop within a leg is no slow leg.
    """
    track = PlannedTrack.of(plan)
    furthest_nm = np.maximum.accumulate(track.project(records)[0])
    ends_nm = np.array([waypoint.cumulative_nm for waypoint in plan.waypoints])
    ends_h = np.append(np.interp(ends_nm[:-1], furthest_nm, records.times_h), records.times_h[-1])
    due: list[GivenWaypoint] = []
    for leg, waypoint in enumerate(plan.waypoints):
        given = replace(GivenWaypoint.of(waypoint), speed_kn=None, leaves=None)
        begins_nm = ends_nm[leg - 1] if leg else ends_nm[0]
        for i in _list_advances(records, furthest_nm, begins_nm, ends_nm[leg]):
            place = track.position_at(float(furthest_nm[i]))
            due.append(replace(given, position=place, due=moment_at(records.times_h[i])))
        due.append(replace(given, due=moment_at(ends_h[leg])))
    return due


def _list_advances(
    records: VoyageRecords, furthest_nm: Floats, begins_nm: float, ends_nm: float
) -> list[int]:
    """List the records some hours apart, by index, that lie further along within a leg [nm]."""
    found: list[int] = []
    last_nm = begins_nm
    for i in _list_regular(records):
        if last_nm + _LEAST_ADVANCE_NM < furthest_nm[i] < ends_nm - _LEAST_ADVANCE_NM:
            found.append(i)
            last_nm = furthest_nm[i]
    return found


def _sailed_track(records: VoyageRecords) -> list[GivenWaypoint]:
    """Return the track sailed, on rhumb lines between positions some hours apart and corners."""
    kept = _add_corners(records, _list_regular(records))
    # the first of consecutive records at one position, where the ship lay still
    places = groupby(kept, key=lambda i: (records.lats[i], records.lngs[i]))
    moved = [next(still) for _, still in places]
    return [
        GivenWaypoint(
            Position(float(records.lats[i]), float(records.lngs[i])),
            LegGeometry.RHUMB,
            due=moment_at(records.times_h[i]),
        )
        for i in moved
    ]


def _list_regular(records: VoyageRecords) -> list[int]:
    """List records some hours apart, the last one included, by index."""
    since_h = records.times_h - records.times_h[0]
    return list(map(int, np.flatnonzero(mark_regular(since_h, _TRACK_STEP_H))))


def _add_corners(records: VoyageRecords, kept: Sequence[int]) -> list[int]:
    """Add the positions between kept ones that lie off the line between them, farthest first.

    The lines by which Douglas and Peucker (1973) simplify a curve.
    """
    found, pending = set(kept), list(pairwise(kept))
    while pending:
        first, last = pending.pop()
        off_nm = _measure_off_line_nm(records.take(slice(first, last + 1)))
        corner = first + int(np.argmax(off_nm))
        if off_nm[corner - first] > _CORNER_NM:
            found.add(corner)
            pending += [(first, corner), (corner, last)]
    return sorted(found)


def _measure_off_line_nm(records: VoyageRecords) -> Floats:
    """Return the distances of positions from the line between the first and the last [nm], (n,)."""
    lats, lngs, ends = records.lats, records.lngs, [0, -1]
    north_nm = DEGREE_NM * (lats[ends] - lats[:, None])
    east_nm = DEGREE_NM * np.asarray(wrap_longitude(lngs[ends] - lngs[:, None]))
    gaps_nm, _ = project_on_segments(east_nm * np.cos(np.radians(lats.mean())), north_nm)
    return gaps_nm[:, 0]
