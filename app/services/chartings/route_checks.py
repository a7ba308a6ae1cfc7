"""Checks of given routes, computed at once and not stored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Final

from sqlalchemy.orm import Session

from app.datasources.route_files.reading import read_route_file
from app.datasources.route_files.records import FileFault, FileWaypoint, RouteFile, UnreadableRoute
from app.engine.area import Area
from app.engine.checking.check import CheckedRoute
from app.engine.checking.findings import Finding, FindingCode, Severity, sort_findings
from app.engine.formatting import format_time
from app.engine.geodesy import great_circle_distance_nm
from app.engine.geodesy.leg import LegGeometry
from app.engine.plan import VoyageSummary, Waypoint
from app.engine.planning.area_rules import settle_for_given_route
from app.engine.planning.context import PlanningContext, estimate_latest_arrival
from app.engine.planning.given_comparison import find_best_speeds
from app.engine.planning.given_route import GivenWaypoint, is_same_place
from app.engine.report.passage_plan import write_summary, write_waypoints
from app.engine.request import Position
from app.models import Vessel, utc_now
from app.records.charting import CHECKED
from app.records.route_check import LONGEST_ROUTE
from app.services import charting_request
from app.services.chartings.chartings import find_draft_faults
from app.services.chartings.given_limits import (
    check_bounded,
    find_length_faults,
    find_time_faults,
)
from app.services.chartings.quotes import build_request, describe_voyage, find_vessel
from app.services.engine_mapping import build_registered_ship
from app.services.errors import FieldError, Invalid, refuse
from app.services.platform.actor import Actor
from app.services.platform.sessions import end_reading
from app.services.sea import sea
from app.services.weather import weather

#: Lowest speed of the search for best speeds, as a share of service speed: main engines do not
#: run slower for long.
_SLOWEST_SHARE: Final = 0.5
#: Factor on the hours of a route at its lowest speed, for loss of speed and waits.
_SLOWED: Final = 1.25
#: A departure up to this long ago is one of now.
_JUST_NOW: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class RouteCheck:
    """Findings on a route, the most severe first, the areas checked, and the route's figures.

    ``summary`` is ``None`` if the route cannot be sailed. ``waypoints``, and the summary
    ``at_best_speeds`` for the same arrival, are present if prices were requested.
    """

    findings: tuple[Finding, ...]
    summary: VoyageSummary | None
    waypoints: tuple[Waypoint, ...] = ()
    at_best_speeds: VoyageSummary | None = None
    areas: tuple[Area, ...] = ()


def check(
    session: Session, actor: Actor, asked: Mapping[str, Any], content: bytes | None = None
) -> RouteCheck:
    """Check a route for a vessel of the organization or for given particulars.

    ``content`` is a route file; without one ``asked`` has the waypoints. Areas and limits apply
    as for a charting. A departure that is asked for moves the times of the route.
    Raises :class:`Invalid` if there is no route, with the line of a file, and for one that is too
    long.
    """
    vessel = find_vessel(session, actor, asked)
    route = read_given(asked, content)
    if asked["startDate"] is not None:
        refuse(charting_request.find_time_faults("/startDate", asked["startDate"]))
    stated = asked["startDate"] or _find_departure(route.waypoints)
    departs_at = stated or utc_now()
    waypoints = move_departure(route.waypoints, departs_at, asked, content)
    given = add_orders(waypoints, asked)
    context = _build_context(session, actor, asked, vessel, waypoints, departs_at)
    checked = check_bounded(context, given, "route", point_at(content))
    found = _sum_up(context, checked, asked["price"])
    departure = _judge_departure(departs_at, stated, is_asked=asked["startDate"] is not None)
    findings = [*list_findings(checked, route), *departure]
    return replace(found, findings=sort_findings(findings), areas=context.request.areas)


def move_departure(
    waypoints: Sequence[FileWaypoint],
    departs_at: datetime,
    asked: Mapping[str, Any],
    content: bytes | None,
) -> tuple[FileWaypoint, ...]:
    """Move the times of a route to another departure; its intervals are kept.

    A route without a time at its first waypoint is returned as it is. Raises :class:`Invalid` for
    times, also those of the request, that cannot be planned.
    """
    by = departs_at - (_find_departure(waypoints) or departs_at)
    try:
        moved = tuple(
            replace(each, eta=each.eta and each.eta + by, etd=each.etd and each.etd + by)
            for each in waypoints
        )
    except OverflowError:
        detail = "The route's times, moved to its departure, are beyond the calendar."
        raise Invalid.at(point_at(content), detail) from None
    refuse(find_time_faults(_list_times(moved, asked, content), departs_at))
    return moved


def _find_departure(waypoints: Sequence[FileWaypoint]) -> datetime | None:
    """Return the time at which a route departs by itself, if it has one."""
    return waypoints[0].etd or waypoints[0].eta


def point_at(content: bytes | None) -> str:
    """Return the pointer to the route in the request."""
    return "/waypoints" if content is None else "/file"


def _list_times(
    waypoints: Sequence[FileWaypoint], asked: Mapping[str, Any], content: bytes | None
) -> Iterator[tuple[str, datetime]]:
    """Yield the times of a route and of the request, each with its pointer."""
    for number, waypoint in enumerate(waypoints):
        for name, time in (("eta", waypoint.eta), ("etd", waypoint.etd)):
            if time is not None:
                yield "/file" if content is not None else f"/waypoints/{number}/{name}", time
    for number, time in enumerate(asked["etas"] or ()):
        yield f"/etas/{number}", time


def _judge_departure(
    departs_at: datetime, stated: datetime | None, *, is_asked: bool
) -> Iterator[Finding]:
    """Yield a finding on a departure that is past, or that neither request nor route states."""
    if stated is None:
        code, severity = FindingCode.SCHEDULE_MISSING, Severity.NOTE
        text = f"The route has no time of departure; it departs now, {format_time(departs_at)}."
    elif departs_at < utc_now() - _JUST_NOW:
        code, severity = FindingCode.DEPARTURE_PAST, Severity.WARNING
        text = f"The route departs {format_time(departs_at)}, which is past."
        text += "" if is_asked else " Give a departure: it moves the route's times."
    else:
        return
    yield Finding(code, severity, text, waypoint_index=0)


def list_findings(checked: CheckedRoute, route: RouteFile) -> tuple[Finding, ...]:
    """Findings on a route and in its file, the most severe first."""
    return sort_findings([*checked.findings, *map(_as_finding, route.faults)])


def read_given(asked: Mapping[str, Any], content: bytes | None) -> RouteFile:
    """The route of the file or of the request.

    Raises :class:`Invalid` unless one is sent, and for one that is too long.
    """
    waypoints = asked["waypoints"]
    if (content is None) == (waypoints is None):
        detail = "Send either waypoints, or a file as multipart/form-data."
        raise Invalid.at("/waypoints", detail)
    try:
        route = read_route_file(content) if content is not None else _read_waypoints(waypoints)
    except UnreadableRoute as error:
        raise Invalid.at("/file", str(error)) from None
    first = route.waypoints[0].position
    if all(is_same_place(waypoint.position, first) for waypoint in route.waypoints):
        raise Invalid.at(point_at(content), "All waypoints are one place. A route needs two.")
    refuse(find_length_faults(point_at(content), route.waypoints))
    return route


def _read_waypoints(waypoints: Sequence[Mapping[str, Any]]) -> RouteFile:
    read = tuple(
        FileWaypoint(
            Position(each["lat"], each["lng"]),
            id=each["id"],
            leg_geometry=LegGeometry(each["legGeometry"]) if each["legGeometry"] else None,
            stw_kn=each["speedKn"],
            eta=each["eta"],
            etd=each["etd"],
            xtd_m=each["xtdM"],
            turn_radius_nm=each["turnRadiusNm"],
        )
        for each in waypoints
    )
    return RouteFile("", read)


def add_orders(waypoints: Sequence[FileWaypoint], asked: Mapping[str, Any]) -> list[GivenWaypoint]:
    """The waypoints, with speeds and times of the request where the route gives none.

    Raises :class:`Invalid` for speeds or times that are given twice.
    """
    refuse(_find_double_orders(waypoints, asked))
    count = len(waypoints) - 1
    speeds = _per_leg("speeds", asked, count) or [asked["speed"]] * count
    etas = _per_leg("etas", asked, count) or [None] * count
    return give_waypoints(waypoints, speeds, etas)


def _find_double_orders(
    waypoints: Sequence[FileWaypoint], asked: Mapping[str, Any]
) -> Iterator[FieldError]:
    """Yield the errors of speeds and times of which one would be ignored."""
    if asked["speed"] is not None and asked["speeds"] is not None:
        yield FieldError("/speeds", "Send either speed, for all legs, or speeds, one for each leg.")
    timed = next((number for number, each in enumerate(waypoints[1:], 2) if each.eta), None)
    if timed is not None and asked["etas"] is not None:
        yield FieldError(
            "/etas",
            f"Waypoint {timed} has an ETA of its own. Send either etas, or a route with ETAs.",
        )


def give_waypoints(
    waypoints: Sequence[FileWaypoint],
    speeds_kn: Sequence[float | None],
    etas: Sequence[datetime | None],
) -> list[GivenWaypoint]:
    """Convert waypoints to the engine's type; speeds and times are those of each leg, if any.

    A leg without a given geometry is a rhumb line, as on an ECDIS.
    """
    orders = [(None, None), *zip(speeds_kn, etas, strict=True)]
    return [
        GivenWaypoint(
            each.position,
            each.leg_geometry or LegGeometry.RHUMB,
            speed_kn=each.stw_kn or (None if each.speed_kn else speed),
            due=None if number == 0 else each.eta or eta or each.etd,
            passage=each.passage,
            xtd_m=each.xtd_m,
            turn_radius_nm=each.turn_radius_nm,
            # the departure time of the request applies to the first waypoint
            leaves=None if number == 0 else each.etd,
            id=each.id,
            ground_speed_kn=each.speed_kn,
        )
        for number, (each, (speed, eta)) in enumerate(zip(waypoints, orders, strict=True))
    ]


def _per_leg(name: str, asked: Mapping[str, Any], count: int) -> list[Any] | None:
    values: list[Any] | None = asked[name]
    if values is not None and len(values) != count:
        detail = f"There are {count + 1} waypoints: send {count} values, one for each leg."
        raise Invalid.at(f"/{name}", detail)
    return values


def _build_context(
    session: Session,
    actor: Actor,
    asked: Mapping[str, Any],
    vessel: Vessel,
    waypoints: Sequence[FileWaypoint],
    departs_at: datetime,
) -> PlanningContext:
    """Build the planning context: request with areas and limits, ship, sea and weather.

    Ends the transaction, which must not have written.
    """
    refuse(find_draft_faults(asked["draft"], vessel))
    conditions = _charting(asked, vessel, waypoints, departs_at)
    request = build_request(
        session, actor, vessel, charting_request.normalise_conditions(conditions)
    )
    ends_at = _estimate_arrival(waypoints, asked, departs_at)
    ends_at = ends_at or estimate_latest_arrival(request)
    field = weather.find_field(session, departs_at, ends_at, request.ends)
    end_reading(session)
    return settle_for_given_route(sea.build_context(request, field))


def _estimate_arrival(
    waypoints: Sequence[FileWaypoint], asked: Mapping[str, Any], departs_at: datetime
) -> datetime | None:
    """Estimate when a route ends: by its last time, or by its length at its lowest speed.

    ``None`` if it has neither. A plan's latest arrival is later, because its route and its speeds
    are not yet known: a forecast that is longer and older would be used.
    """
    last = (asked["etas"] or [None])[-1] or waypoints[-1].eta
    if last is not None:
        return max(last, departs_at)
    given = [asked["speed"], *(asked["speeds"] or ())]
    given += [each for at in waypoints for each in (at.speed_kn, at.stw_kn)]
    speeds_kn = [speed_kn for speed_kn in given if speed_kn]
    if not speeds_kn:
        return None
    positions = [waypoint.position for waypoint in waypoints]
    length_nm = sum(float(great_circle_distance_nm(*a, *b)) for a, b in pairwise(positions))
    hours = min(_SLOWED * length_nm / min(speeds_kn), LONGEST_ROUTE / timedelta(hours=1))
    return departs_at + timedelta(hours=hours)


def _charting(
    asked: Mapping[str, Any],
    vessel: Vessel,
    waypoints: Sequence[FileWaypoint],
    departs_at: datetime,
) -> dict[str, Any]:
    """The charting request that corresponds to the route."""
    ship = build_registered_ship(vessel)
    start, end = waypoints[0].position, waypoints[-1].position
    fastest = max([asked["speed"] or ship.service_speed_kn, *(asked["speeds"] or ())])
    return {
        **describe_voyage(vessel, asked, CHECKED),
        "latFrom": start.lat,
        "lngFrom": start.lng,
        "latTo": end.lat,
        "lngTo": end.lng,
        "startDate": departs_at,
        "speedRangeMin": min(fastest, _SLOWEST_SHARE * ship.service_speed_kn),
        "speedRangeMax": fastest,
        "isAlterFrom": True,
    }


def _as_finding(fault: FileFault) -> Finding:
    where = "" if fault.line is None else f"Line {fault.line}: "
    return Finding(
        FindingCode.FILE_FAULT,
        Severity.WARNING,
        f"{where}{fault.detail}",
        waypoint_index=None if fault.waypoint is None else fault.waypoint - 1,
        line=fault.line,
    )


def _sum_up(context: PlanningContext, checked: CheckedRoute, is_priced: bool) -> RouteCheck:
    """Summarise the route and, if priced, each leg and the route at the best speeds."""
    route = checked.route
    if route is None:
        return RouteCheck(checked.findings, None)
    summary = write_summary(context, route)
    if not is_priced:
        return RouteCheck(checked.findings, summary)
    best = find_best_speeds(context, route, route.simulation.total_h)
    return RouteCheck(
        checked.findings, summary, write_waypoints(route, ()), write_summary(context, best)
    )
