"""Progress of a voyage: position on the plan, delay and expected arrival."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.geodesy import great_circle_steps_nm
from app.engine.monitoring.fuel_so_far import DistanceMadeGood, compare_fuel
from app.engine.monitoring.planned_track import PlannedTrack
from app.engine.plan import RoutePlan, Waypoint
from app.engine.request import Position
from app.engine.telemetry.records import (
    LONGEST_GAP_H,
    VoyageRecords,
    mark_regular,
    sum_covering,
)
from app.engine.times import hours_since_epoch, moment_at

#: Period over which the speed made good is measured [h].
_TREND_H: Final = 24.0
#: Shortest period that gives a speed made good [h].
_LEAST_TREND_H: Final = 1.0
#: Least speed made good along the track from which an arrival is predicted [kn].
_LEAST_MADE_GOOD_KN: Final = 0.5
#: Interval to which positions are thinned out [h].
_THINNED_TO_H: Final = 0.25
#: Distance to a waypoint at which it is passed, for rounding [nm].
_PASSED_NM: Final = 1e-3
#: Largest distance off the track of a ship on it; farther off, it says nothing of the voyage [nm].
_ON_TRACK_NM: Final = 50.0
#: Distance along the track within which a drifting ship is at a planned place of waiting [nm].
_WAITING_PLACE_NM: Final = 5.0


@dataclass(frozen=True, slots=True)
class NextWaypoint:
    """Next waypoint: index, distance along the track [nm], hours at the speed made good."""

    index: int
    distance_nm: float
    hours: float | None


@dataclass(frozen=True, slots=True)
class TrackProgress:
    """State of a ship on the planned track: distances along it [nm], times, fuel [t].

    ``behind_h`` is the delay against the plan, zero while the ship waits where and when the plan
    does. ``planned_fuel_t`` is the fuel of the plan where the ship was in the hours that
    ``VoyageProgress.fuel_t`` sums, or to this place if that is unknown, plus the records' until a
    plan made under way begins. ``speed_made_good_kn`` is the mean of the last day along the track,
    and along the positions before the plan begins. ``eta_by_trend`` assumes that speed,
    ``eta_by_plan`` the plan's speeds from here.
    """

    made_good_nm: float
    to_go_nm: float
    behind_h: float
    planned_fuel_t: float
    speed_made_good_kn: float | None
    next_waypoint: NextWaypoint | None
    eta_by_plan: datetime
    eta_by_trend: datetime | None


@dataclass(frozen=True, slots=True)
class VoyageProgress:
    """State of a voyage at the last position: distances [nm], times, fuel of the main engine [t].

    ``off_track_nm`` is the distance off the planned track, positive to starboard, at ``along_nm``
    along it. ``on_track`` is ``None`` for a ship too far off the track. ``sailed_nm`` is along the
    positions since departure, and ``fuel_t`` the sum of the records that report fuel, the first and
    the last of which are of ``fuel_from`` and ``fuel_to``.
    """

    time: datetime
    position: Position
    speed_kn: float
    along_nm: float
    off_track_nm: float
    on_track: TrackProgress | None
    sailed_nm: float | None
    fuel_t: float | None
    planned_eta: datetime
    fuel_from: datetime | None = None
    fuel_to: datetime | None = None


def measure_progress(
    plan: RoutePlan,
    records: VoyageRecords,
    departed_at: datetime | None = None,
    replanned_at: datetime | None = None,
) -> VoyageProgress | None:
    """Measure a voyage's progress by its credible records since departure; ``None`` without any.

    ``departed_at`` is the first record's time unless it is given. Distance sailed and fuel are
    ``None`` if the records cover too few of the hours since then. ``replanned_at`` is the start of
    a plan made under way, on which earlier records do not count.
    """
    replanned_h = -np.inf if replanned_at is None else hours_since_epoch(replanned_at)
    if not np.any(records.times_h >= replanned_h):
        return None
    track = PlannedTrack.of(plan)
    thinned = records.take(mark_regular(records.times_h, _THINNED_TO_H))
    along_nm, off_nm = track.project(thinned.take(thinned.times_h >= replanned_h))
    time_h = float(records.times_h[-1])
    since_h = records.times_h[0] if departed_at is None else hours_since_epoch(departed_at)
    sailed = sum_covering(records, time_h - since_h)
    made_good = DistanceMadeGood(thinned.times_h[-along_nm.size :], along_nm)
    fuel = compare_fuel(track, made_good, records, since_h, replanned_h)
    on_track = _measure_on_track(plan, track, thinned, along_nm, fuel.planned_t)
    return VoyageProgress(
        time=moment_at(time_h),
        position=Position(float(records.lats[-1]), float(records.lngs[-1])),
        speed_kn=float(records.speed_kn[-1]),
        along_nm=float(along_nm[-1]),
        off_track_nm=float(off_nm[-1]),
        on_track=on_track if abs(off_nm[-1]) <= _ON_TRACK_NM else None,
        sailed_nm=None if sailed is None else sailed.distance_nm,
        fuel_t=fuel.reported_t,
        planned_eta=plan.summary.eta,
        fuel_from=fuel.begins_at,
        fuel_to=fuel.ends_at,
    )


def _measure_on_track(
    plan: RoutePlan,
    track: PlannedTrack,
    thinned: VoyageRecords,
    along_nm: Floats,
    planned_t: float,
) -> TrackProgress:
    """Measure the progress of a ship on the track, ``along_nm`` along it at the last records.

    ``planned_t`` is the fuel planned so far.
    """
    made_good_nm, time_h = float(along_nm[-1]), float(thinned.times_h[-1])
    behind_h = _measure_behind_h(plan, track.time_at(made_good_nm), made_good_nm, time_h)
    made_good_kn = _find_speed_made_good_kn(thinned, along_nm)
    to_go_nm = track.length_nm - made_good_nm
    trend_h = _hours(to_go_nm, made_good_kn)
    return TrackProgress(
        made_good_nm=made_good_nm,
        to_go_nm=to_go_nm,
        behind_h=behind_h,
        planned_fuel_t=planned_t,
        speed_made_good_kn=made_good_kn,
        next_waypoint=_find_next(plan, made_good_nm, made_good_kn),
        eta_by_plan=plan.summary.eta + timedelta(hours=behind_h),
        eta_by_trend=None if trend_h is None else moment_at(time_h + trend_h),
    )


def find_wait(plan: RoutePlan, along_nm: float) -> Waypoint | None:
    """Find the waypoint near a distance along the track at which the plan waits."""
    waits = (w for w in plan.waypoints if w.leaves_at is not None)
    near = [w for w in waits if abs(w.cumulative_nm - along_nm) <= _WAITING_PLACE_NM]
    return min(near, key=lambda w: abs(w.cumulative_nm - along_nm), default=None)


def _measure_behind_h(plan: RoutePlan, due_h: float, along_nm: float, time_h: float) -> float:
    """Measure the delay of a ship that is due here at ``due_h``; zero while the plan waits here."""
    wait = find_wait(plan, along_nm)
    if wait is None or wait.leaves_at is None:
        return time_h - due_h
    first_h = min(due_h, hours_since_epoch(wait.eta))
    last_h = max(due_h, hours_since_epoch(wait.leaves_at))
    return time_h - min(max(time_h, first_h), last_h)


def _find_speed_made_good_kn(records: VoyageRecords, along_nm: Floats) -> float | None:
    """Return the mean speed made good in the last day; ``None`` of less than an hour.

    ``along_nm`` is the distance along the track of the last records; before, it is that along
    the positions.
    """
    times_h, sailed_nm = records.times_h, great_circle_steps_nm(records.lats, records.lngs)
    made_nm = np.concatenate([sailed_nm[: times_h.size - along_nm.size], np.diff(along_nm)])
    # from the last record before, as days of noon reports may have 25 hours
    first = max(int(np.searchsorted(times_h, times_h[-1] - _TREND_H, side="right")) - 1, 0)
    if times_h[-1] - times_h[first] > LONGEST_GAP_H:
        first += 1
    hours = float(times_h[-1] - times_h[first])
    return None if hours < _LEAST_TREND_H else float(made_nm[first:].sum()) / hours


def _find_next(
    plan: RoutePlan, made_good_nm: float, made_good_kn: float | None
) -> NextWaypoint | None:
    for waypoint in plan.waypoints[1:]:
        distance_nm = waypoint.cumulative_nm - made_good_nm
        if distance_nm > _PASSED_NM:
            return NextWaypoint(waypoint.index, distance_nm, _hours(distance_nm, made_good_kn))
    return None


def _hours(distance_nm: float, made_good_kn: float | None) -> float | None:
    if made_good_kn is None or made_good_kn < _LEAST_MADE_GOOD_KN:
        return None
    return distance_nm / made_good_kn
