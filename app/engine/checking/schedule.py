"""Findings of a route's schedule: times out of order, inconsistent with speeds, or missed."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

import numpy as np

from app.engine.checking.findings import Finding, FindingCode, Severity
from app.engine.formatting import format_time
from app.engine.planning.given_route import GivenWaypoint
from app.engine.planning.simulated_route import SimulatedRoute

#: Tolerance of a time due.
_IN_TIME: Final = timedelta(minutes=6)
#: Difference between a leg's time by its schedule and by its speed from which they are
#: inconsistent: share of the leg's time, and time.
_INCONSISTENT_SHARE: Final = 0.08
_INCONSISTENT_BY: Final = timedelta(minutes=15)
#: Least speed over ground [kn] that a speed through the water is taken to give against a current.
_LEAST_KN: Final = 0.5
#: Difference to the speed ordered [kn], and its duration [h], from which a speed is not kept.
_SLOWER_KN: Final = 0.3
_LASTING_H: Final = 0.5


def find_repeated_ids(waypoints: Sequence[GivenWaypoint]) -> Iterator[Finding]:
    """Find waypoints with the id of an earlier one, to which schedules may refer."""
    first: dict[str, int] = {}
    for number, waypoint in enumerate(waypoints):
        if waypoint.id is None:
            continue
        before = first.setdefault(waypoint.id, number)
        if before != number:
            same = f"Waypoints {before + 1} and {number + 1} have the same id, {waypoint.id[:40]}."
            yield _at_waypoint(FindingCode.DUPLICATE_ID, same, number, waypoint)


def find_schedule_faults(
    waypoints: Sequence[GivenWaypoint],
    route: SimulatedRoute,
    waits_h: Sequence[float],
    highest_kn: float,
) -> Iterator[Finding]:
    """Find times that run backwards, times inconsistent with speeds, and missing schedules.

    ``waits_h`` are the usual waits before each leg [h], which its times may include, and
    ``highest_kn`` is the highest speed ordered, at which a route without a schedule is simulated.
    """
    if not any(w.due or w.speed_kn or w.ground_speed_kn for w in waypoints[1:]):
        message = f"The route has neither times nor speeds; it is sailed at {highest_kn:.1f} kn."
        yield Finding(FindingCode.SCHEDULE_MISSING, Severity.NOTE, message)
    last, at = route.simulation.departs_at, 0
    for number, waypoint in enumerate(waypoints[1:], 1):
        if waypoint.due is None:
            continue
        if waypoint.due <= last:
            yield _reversed(number, waypoint, last, waypoints[at])
            continue
        if at == number - 1:
            wait = timedelta(hours=waits_h[number - 1])
            yield from _find_inconsistent_times(route, waypoint, number, last, wait)
        if waypoint.leaves is not None and waypoint.leaves < waypoint.due:
            yield _leaves_before_arrival(number, waypoint)
        last, at = max(waypoint.due, waypoint.leaves or waypoint.due), number


def _reversed(
    number: int, waypoint: GivenWaypoint, last: datetime, before: GivenWaypoint
) -> Finding:
    text = (
        f"Waypoint {waypoint.number} is due {format_time(waypoint.due or last)}, no later than"
        f" waypoint {before.number}, {format_time(last)}."
    )
    return _at_waypoint(FindingCode.SCHEDULE_REVERSED, text, number, waypoint)


def _leaves_before_arrival(number: int, waypoint: GivenWaypoint) -> Finding:
    text = f"The ship is due to leave waypoint {waypoint.number} before it arrives there."
    return _at_waypoint(FindingCode.SCHEDULE_REVERSED, text, number, waypoint)


def _find_inconsistent_times(
    route: SimulatedRoute, waypoint: GivenWaypoint, number: int, since: datetime, wait: timedelta
) -> Iterator[Finding]:
    speed_kn, leg = waypoint.ground_speed_kn or waypoint.speed_kn, route.legs[number - 1]
    if waypoint.due is None or speed_kn is None:
        return
    fair_kn = 0.0 if waypoint.ground_speed_kn else _mean_current_kn(route, number - 1)
    by_speed = timedelta(hours=leg.distance_nm / max(speed_kn + fair_kn, _LEAST_KN))
    given = waypoint.due - since
    off = max(by_speed - given, given - by_speed - wait)
    if off <= _INCONSISTENT_BY or off <= _INCONSISTENT_SHARE * by_speed:
        return
    # times too short for the speed hold no wait
    under_way = given if given < by_speed else given - wait
    needed_kn = leg.distance_nm / (under_way / timedelta(hours=1)) - fair_kn
    yield Finding(
        FindingCode.ETA_INCONSISTENT,
        Severity.WARNING,
        f"The times of the leg to waypoint {waypoint.number} require {needed_kn:.1f} kn over"
        f" {leg.distance_nm:.1f} nm; its speed is given as {speed_kn:.1f} kn.",
        leg_index=number - 1,
        position=leg.start,
        measured=speed_kn,
        required=needed_kn,
    )


def _mean_current_kn(route: SimulatedRoute, leg: int) -> float:
    """Return the mean current along a leg [kn], positive fair."""
    simulation, is_in = route.simulation, route.simulation.track.leg == leg
    fair_kn = simulation.over_ground_kn[is_in] - simulation.through_water_kn[is_in]
    return float(np.average(fair_kn, weights=simulation.segment_h[is_in]))


def find_missed_times(
    waypoints: Sequence[GivenWaypoint], route: SimulatedRoute
) -> Iterator[Finding]:
    """Find times due that the ship misses or is early for, and speeds that it cannot keep."""
    simulation, track = route.simulation, route.simulation.track
    ends = np.searchsorted(track.leg, np.arange(1, len(route.legs) + 1))
    last_due = max((n for n, w in enumerate(waypoints) if w.due is not None), default=0)
    was_late = timedelta()
    for number, waypoint in enumerate(waypoints[1:], 1):
        point = int(ends[number - 1])
        if waypoint.due is not None:
            late = simulation.time_at(point) - waypoint.due
            if late > max(_IN_TIME, was_late + _IN_TIME):
                yield _late(number, waypoint, waypoint.due, late)
            elif late < -_IN_TIME:
                yield _early(number, waypoint, -late)
            was_late = max(late, timedelta())
        elif number > last_due:  # else the time due decides
            if waypoint.speed_kn is not None:
                yield from _find_slow(route, number, waypoint, waypoint.speed_kn)
            elif waypoint.ground_speed_kn is not None:
                given_kn = waypoint.ground_speed_kn
                yield from _find_slow_over_ground(route, number, waypoint, given_kn)


def find_doubtful_headway(
    waypoints: Sequence[GivenWaypoint], route: SimulatedRoute
) -> Iterator[Finding]:
    """Find the legs with a sea that may be heavier than the engine can overcome."""
    simulation, track = route.simulation, route.simulation.track
    segments = np.flatnonzero(simulation.is_headway_in_doubt).tolist()
    for leg, in_doubt in groupby(segments, key=lambda segment: int(track.leg[segment])):
        first = next(in_doubt)
        yield Finding(
            FindingCode.SPEED_NOT_HELD,
            Severity.DANGER,
            f"From {format_time(simulation.time_at(first))} the sea on the leg to waypoint"
            f" {waypoints[leg + 1].number} may be heavier than the engine can overcome:"
            f" {simulation.through_water_kn[first]:.1f} kn at full power are assumed.",
            leg_index=leg,
            position=track.position(first),
            measured=float(simulation.through_water_kn[first]),
        )


def _late(number: int, waypoint: GivenWaypoint, due: datetime, late: timedelta) -> Finding:
    hours = late / timedelta(hours=1)
    text = (
        f"Waypoint {waypoint.number} is due {format_time(due)}; the earliest is"
        f" {format_time(due + late)}, {hours:.1f} h later."
    )
    return _at_waypoint(FindingCode.SPEED_NOT_HELD, text, number, waypoint, hours)


def _early(number: int, waypoint: GivenWaypoint, early: timedelta) -> Finding:
    hours = early / timedelta(hours=1)
    text = (
        f"The ship reaches waypoint {waypoint.number} {hours:.1f} h before the time due, even at"
        " the lowest speed; it is taken to wait there."
    )
    return _at_waypoint(FindingCode.ETA_INCONSISTENT, text, number, waypoint, hours)


def _at_waypoint(
    code: FindingCode, text: str, number: int, waypoint: GivenWaypoint, hours: float | None = None
) -> Finding:
    """Return a warning at a waypoint; ``hours`` is its deviation from the time due, if any."""
    return Finding(
        code,
        Severity.WARNING,
        text,
        waypoint_index=number,
        position=waypoint.position,
        measured=hours,
        required=None if hours is None else 0.0,
    )


def _find_slow(
    route: SimulatedRoute, number: int, waypoint: GivenWaypoint, ordered_kn: float
) -> Iterator[Finding]:
    """Find a leg on which the ship is slower than ordered, except by a passage's speed limit."""
    simulation, track = route.simulation, route.simulation.track
    segments = np.flatnonzero(track.leg == number - 1)
    made_kn = simulation.through_water_kn[segments]
    allowed_kn = np.minimum(ordered_kn, track.speed_cap_kn[segments])
    slow = segments[made_kn < allowed_kn - _SLOWER_KN]
    hours = simulation.segment_h[slow].sum()
    if hours < _LASTING_H:
        return
    at = int(slow[np.argmin(simulation.through_water_kn[slow])])
    made = float(simulation.through_water_kn[at])
    yield Finding(
        FindingCode.SPEED_NOT_HELD,
        Severity.WARNING,
        f"For {hours:.1f} h on the leg to waypoint {waypoint.number} the ship makes as little as"
        f" {made:.1f} kn of the {ordered_kn:.1f} kn ordered, in the weather of"
        f" {format_time(simulation.time_at(at))}.",
        leg_index=number - 1,
        position=track.position(at),
        measured=made,
        required=ordered_kn,
    )


def _find_slow_over_ground(
    route: SimulatedRoute, number: int, waypoint: GivenWaypoint, given_kn: float
) -> Iterator[Finding]:
    """Find a leg with a lower mean speed over the ground than given, passages' limits apart."""
    simulation, track = route.simulation, route.simulation.track
    segments = np.flatnonzero(track.leg == number - 1)
    distance_nm = track.distance_nm[segments]
    hours = float(simulation.segment_h[segments].sum())
    allowed_kn = np.minimum(given_kn, track.speed_cap_kn[segments])
    if hours - float((distance_nm / allowed_kn).sum()) <= _IN_TIME / timedelta(hours=1):
        return
    made_kn = float(distance_nm.sum()) / hours
    yield Finding(
        FindingCode.SPEED_NOT_HELD,
        Severity.WARNING,
        f"On the leg to waypoint {waypoint.number} the ship makes {made_kn:.1f} kn of the"
        f" {given_kn:.1f} kn given over the ground.",
        leg_index=number - 1,
        position=route.legs[number - 1].start,
        measured=made_kn,
        required=given_kn,
    )
