"""Findings of areas that a route or its corridor enters in force, and of latitude limits."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from app.engine.area import SEASONAL, Area, AreaRule
from app.engine.checking.findings import (
    CORRIDOR_SLACK_M,
    Finding,
    FindingCode,
    Severity,
    describe_line,
)
from app.engine.formatting import (
    format_latitude,
    format_miles,
    format_position,
    format_time,
    format_window,
    name_area,
)
from app.engine.planning.areas import (
    TimedLine,
    find_stays,
    limit_xtd_to_areas,
    list_lines,
    mark_touching,
)
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Position
from app.engine.sea.route_restrictions import (
    LatitudeLimit,
    find_end_inside,
    list_blocking,
    list_latitude_limits,
)

_SEVERITIES = {
    AreaRule.NO_ENTRY: Severity.DANGER,
    AreaRule.AVOID_UNLESS_ENDPOINT: Severity.DANGER,
    AreaRule.LEAST_EXPOSURE: Severity.WARNING,
    AreaRule.PRICED: Severity.NOTE,
    AreaRule.REPORTED: Severity.NOTE,
}


def find_areas(context: PlanningContext, route: SimulatedRoute) -> Iterator[Finding]:
    """Find each area entered while in force, once, at the first entry.

    Areas that forbid entry are tested along the other lines of the legs too, as in a planning.
    """
    own, other = list_lines(route.legs, route.simulation)
    for area in context.request.areas:
        for line in (own, other) if area.rule.forbids_entry else (own,):
            entered = np.flatnonzero(mark_touching(area, line))
            if entered.size:
                yield _judge(route, area, line, int(entered[0]))
                break


def _judge(route: SimulatedRoute, area: Area, line: TimedLine, touched: int) -> Finding:
    entry = _find_entry(area, line, touched)
    (place, time), leg = line.at(entry), line.leg_at(entry)
    rule, ends = area.rule, _ends(route)
    holds_end = rule is AreaRule.AVOID_UNLESS_ENDPOINT and find_end_inside(area, *ends)
    severity = Severity.WARNING if holds_end or not line.is_own else _SEVERITIES[rule]
    in_force = f" (in force{format_window(area)})" if area.has_window else ""
    is_seasonal = area.kind in SEASONAL and severity is not Severity.NOTE
    return Finding(
        FindingCode.SEASON_CLOSED if is_seasonal else FindingCode.AREA_ENTERED,
        severity,
        f"The route enters {name_area(area)}{in_force} at {format_position(*place)},"
        f" {format_time(time)}{describe_line(route.legs[leg], line.is_own)}.",
        leg_index=leg,
        position=place,
        subject=area.id,
    )


def _find_entry(area: Area, line: TimedLine, touched: int) -> float:
    """Find where a line enters an area in force, or is inside when that comes into force.

    The result is in segments of the line: 2.5 is the middle of the third segment. It is the start
    of the segment ``touched`` where the line only touches the outline.
    """
    window = area.starts_at, area.ends_at
    stays = find_stays(area.geometry, *window, line.lats, line.lngs, line.departs_at, line.hours)
    return float(stays[0, 0]) if stays.size else float(touched)


def find_areas_in_corridors(
    context: PlanningContext, route: SimulatedRoute, waypoints: Sequence[GivenWaypoint]
) -> Iterator[Finding]:
    """Find legs whose stated cross-track distance reaches an area in force."""
    claimed = tuple(
        replace(leg, xtd_m=given.xtd_m or 0.0)
        for leg, given in zip(route.legs, waypoints[1:], strict=True)
    )
    blocking = list_blocking(context.request.areas, partial(_ends, route))
    if limit_xtd_to_areas(claimed, blocking, route.simulation) == claimed:
        return
    for area in blocking:
        clear = limit_xtd_to_areas(claimed, [area], route.simulation)
        for number, (wide, narrow) in enumerate(zip(claimed, clear, strict=True)):
            if narrow.xtd_m < wide.xtd_m - CORRIDOR_SLACK_M:
                yield Finding(
                    FindingCode.CORRIDOR_TOO_WIDE,
                    Severity.WARNING,
                    f"The leg states a cross-track distance of {wide.xtd_m:.0f} m;"
                    f" {name_area(area)} is {narrow.xtd_m:.0f} m away.",
                    leg_index=number,
                    position=wide.start,
                    measured=wide.xtd_m,
                    required=narrow.xtd_m,
                )


def _ends(route: SimulatedRoute) -> tuple[Position, Position]:
    """Return the ends of a given route, which are not moved to the water."""
    return route.legs[0].start, route.legs[-1].end


def find_latitudes(context: PlanningContext, route: SimulatedRoute) -> Iterator[Finding]:
    """Find the latitude limits that the route passes, each at the extreme latitude of one line."""
    lines = list_lines(route.legs, route.simulation)
    for limit in list_latitude_limits(context.request.limits):
        for line in lines:
            beyond = limit.side * (line.lats - limit.lat)
            if (beyond > 0.0).any():
                yield _judge_latitude(route, limit, line, int(np.argmax(beyond)))
                break


def _judge_latitude(
    route: SimulatedRoute, limit: LatitudeLimit, line: TimedLine, point: int
) -> Finding:
    place, leg = line.position(point), line.leg_at(point)
    beyond_nm = 60.0 * abs(place.lat - limit.lat)
    severity, cause = Severity.DANGER if line.is_own else Severity.WARNING, ""
    if limit.exempts(*_ends(route)):
        is_end = point in (0, line.lats.size - 1)
        severity = Severity.NOTE if is_end else Severity.WARNING
        cause = "; it begins or ends beyond it"
    return Finding(
        FindingCode.LATITUDE_LIMIT,
        severity,
        f"The route passes the latitude limit of {format_latitude(limit.lat)} and reaches"
        f" {format_latitude(place.lat)}, {format_miles(beyond_nm)} beyond it"
        f"{describe_line(route.legs[leg], line.is_own)}{cause}.",
        leg_index=leg,
        position=place,
        measured=place.lat,
        required=limit.lat,
    )
