"""GPX 1.0 and 1.1: a route or a track, with the extensions of OpenCPN."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Final

import lxml.etree as etree

from app.datasources.route_files.records import (
    FileWaypoint,
    RouteFile,
    UnreadableRoute,
    Values,
    refuse_several,
)
from app.datasources.route_files.rtz import read_position
from app.engine.geodesy.leg import LegGeometry, leg_distance_nm
from app.engine.units import ms_to_kn

#: Mean speeds between the times of a route's points from and to which these are ETAs [kn].
SLOWEST_BY_ETAS_KN: Final = 1.0
FASTEST_BY_ETAS_KN: Final = 40.0
#: A track has a new segment after a loss of reception (GPX 1.1); one further off is another's [nm].
MOST_GAP_NM: Final = 60.0
_OPENCPN: Final = "{http://www.opencpn.org}"


def read_gpx(root: etree._Element) -> RouteFile:
    """The route; the track where there is no route with points (GPX 1.1)."""
    for kind, path, points in (
        ("routes", "{*}rte", "{*}rtept"),
        ("tracks", "{*}trk", "{*}trkseg/{*}trkpt"),
    ):
        drawn = [each for each in root.iterfind(path) if each.find(points) is not None]
        if len(drawn) > 1:
            refuse_several(kind, [each.findtext("{*}name") or "" for each in drawn])
        if not drawn:
            continue
        (found,) = drawn
        values = Values()
        if kind == "routes" and root.find("{*}trk/{*}trkseg/{*}trkpt") is not None:
            values.note("Tracks are left out; the route is read.", None, None)
        waypoints = [
            FileWaypoint(
                read_position(point, number),
                speed_kn=_read_speed(point, number, values),
                eta=values.time("time", point.findtext("{*}time"), point.sourceline, number),
                line=point.sourceline,
            )
            for number, point in enumerate(found.iterfind(points), 1)
        ]
        if kind == "tracks":
            _refuse_gaps(found, waypoints)
        else:
            waypoints = _drop_times_of_writing(_add_plan(found, waypoints, values), values)
        name = found.findtext("{*}name") or ""
        return RouteFile(name, tuple(waypoints), tuple(values.faults))
    raise UnreadableRoute("This GPX file holds neither a route nor a track.")


def _refuse_gaps(track: etree._Element, waypoints: Sequence[FileWaypoint]) -> None:
    """Raise :class:`UnreadableRoute` where a segment begins far from the end of the one before."""
    sizes = [len(segment.findall("{*}trkpt")) for segment in track.iterfind("{*}trkseg")]
    starts = {start for start in accumulate(sizes) if 0 < start < len(waypoints)}
    far = [
        start
        for start in starts
        if leg_distance_nm(
            waypoints[start - 1].position, waypoints[start].position, LegGeometry.RHUMB
        )
        > MOST_GAP_NM
    ]
    if far:
        kind = f"parts of a track that are more than {MOST_GAP_NM:g} nm apart"
        refuse_several(kind, [""] * (len(far) + 1))


def _read_speed(point: etree._Element, number: int, values: Values) -> float | None:
    """Speed over ground at a point of GPX [kn]; ``None`` if it states none, or 0.

    It is in m/s in GPX 1.0 as in the extensions of GPX 1.1, such as Garmin's TrackPointExtension.
    OpenCPN's planned speed, in knots, is that of the leg to the point.
    """
    speed = next(point.iter("{*}speed"), None)
    if speed is None:
        return _read_planned_speed(point, number, values)
    speed_ms = values.number("speed", speed.text, speed.sourceline, number)
    return float(ms_to_kn(speed_ms)) if speed_ms else None


def _read_planned_speed(owner: etree._Element, number: int | None, values: Values) -> float | None:
    """OpenCPN's planned speed of a route or of the leg to a point [kn]; ``None`` if it is 0."""
    planned = owner.find(f"{{*}}extensions/{_OPENCPN}planned_speed")
    if planned is None:
        return None
    return values.number("planned_speed", planned.text, planned.sourceline, number) or None


def _drop_times_of_writing(waypoints: Sequence[FileWaypoint], values: Values) -> list[FileWaypoint]:
    """Waypoints of a route without times at which no ship can be there.

    GPX 1.1 has the time at which a point was made or changed; some programs write ETAs there.
    """
    if all(waypoint.eta is None for waypoint in waypoints) or _are_etas(waypoints):
        return list(waypoints)
    values.note(
        "The times of the route's points are left out: they are those at which the points were"
        f" made. ETAs rise, at {SLOWEST_BY_ETAS_KN:g} to {FASTEST_BY_ETAS_KN:g} kn between points.",
        None,
        None,
    )
    return [replace(waypoint, eta=None) for waypoint in waypoints]


def _are_etas(waypoints: Sequence[FileWaypoint]) -> bool:
    """Return whether a ship can be at two or more points at their times, and at all of them."""
    timed = [number for number, each in enumerate(waypoints) if each.etd or each.eta]
    return len(timed) > 1 and all(
        _is_possible(waypoints[start : end + 1]) for start, end in pairwise(timed)
    )


def _is_possible(stretch: Sequence[FileWaypoint]) -> bool:
    """Return whether a ship can sail between the times of a stretch's first and last waypoint."""
    start, end = stretch[0].etd or stretch[0].eta, stretch[-1].eta
    if start is None or end is None or end <= start:
        return False
    distance_nm = sum(
        leg_distance_nm(one.position, other.position, LegGeometry.RHUMB)
        for one, other in pairwise(stretch)
    )
    speed_kn = distance_nm / ((end - start).total_seconds() / 3600.0)
    return SLOWEST_BY_ETAS_KN <= speed_kn <= FASTEST_BY_ETAS_KN


def _add_plan(
    route: etree._Element, waypoints: Sequence[FileWaypoint], values: Values
) -> list[FileWaypoint]:
    """Waypoints with OpenCPN's departure, and its speed on the legs that have none."""
    speed_kn = _read_planned_speed(route, None, values)
    departure = route.find(f"{{*}}extensions/{_OPENCPN}planned_departure")
    line = None if departure is None else departure.sourceline
    text = None if departure is None else departure.text
    first, *others = waypoints
    return [
        replace(first, etd=values.time("planned_departure", text, line, None)),
        *(replace(each, speed_kn=each.speed_kn or speed_kn) for each in others),
    ]
