"""RTZ 1.0, 1.1 and 1.2: IEC 61174:2015, annex S, and its later versions.

What the schema asks for and a file lacks is noted with its line; the route is read all the same.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import lxml.etree as etree

from app.datasources.route_files.records import (
    FileWaypoint,
    RouteFile,
    UnreadableRoute,
    Values,
    place,
)
from app.engine.constants import NAUTICAL_MILE_M
from app.engine.request import Position

_NAMESPACES: Final = tuple(f"http://www.cirm.org/RTZ/1/{minor}" for minor in (0, 1, 2))
#: The first edition of the schema spells it so.
_SCHEDULE_ELEMENTS: Final = ("{*}scheduleElement", "{*}sheduleElement")
_LEG_ATTRIBUTES: Final = ("starboardXTD", "portsideXTD", "geometryType", "legInfo")


def read_rtz(root: etree._Element) -> RouteFile:
    """The route of an RTZ document, with times and speeds of its first schedule that has any."""
    values = Values()
    _check_head(root, values)
    info = root.find("{*}routeInfo")
    name = "" if info is None else info.get("routeName") or ""
    default = root.find("{*}waypoints/{*}defaultWaypoint")
    elements = root.findall("{*}waypoints/{*}waypoint")
    ids = {element.get("id") for element in elements}
    timetable = _read_schedule(root, ids, values)
    _note_repeated_ids(elements, values)
    waypoints = tuple(
        _read_waypoint(element, default, number, timetable, values)
        for number, element in enumerate(elements, 1)
    )
    return RouteFile(name, waypoints, tuple(values.faults))


def read_position(element: etree._Element, number: int) -> Position:
    """The position in an element's attributes lat and lon."""
    lat, lng = (_read_degrees(element, name, number) for name in ("lat", "lon"))
    return place(lat, lng, number, element.sourceline)


def _read_degrees(element: etree._Element, name: str, number: int) -> float:
    text = element.get(name)
    if text is None:
        raise UnreadableRoute(f"Waypoint {number} has no {name}.", element.sourceline)
    try:
        return float(text)
    except ValueError:
        detail = f"Waypoint {number} has the {name} {text[:40]!r}, not degrees such as 49.8."
        raise UnreadableRoute(detail, element.sourceline) from None


def _check_head(root: etree._Element, values: Values) -> None:
    """Add faults of the document and its head against the schema."""
    line = root.sourceline
    namespace = etree.QName(root).namespace
    if namespace not in _NAMESPACES:
        stated = f"The namespace is {namespace!r}" if namespace else "There is no namespace"
        values.note(f"{stated}; those of RTZ 1.0, 1.1 and 1.2 are known.", line, None)
    elif root.get("version") != namespace[-3:].replace("/", "."):
        said = root.get("version")
        values.note(f"The version is {said!r}, not that of the namespace.", line, None)
    info = root.find("{*}routeInfo")
    if info is None:
        values.note("There is no routeInfo.", line, None)
    elif not info.get("routeName"):
        values.note("routeInfo has no routeName.", info.sourceline, None)


def _note_repeated_ids(elements: Sequence[etree._Element], values: Values) -> None:
    """Note ids that an earlier waypoint has: the schedule's times are that one's."""
    first: dict[str, int] = {}
    for number, element in enumerate(elements, 1):
        own_id = element.get("id")
        if own_id is not None and first.setdefault(own_id, number) != number:
            words = f"The id of waypoint {number} is {own_id[:40]!r}, as that of waypoint"
            values.note(f"{words} {first[own_id]}.", element.sourceline, number)


def _read_waypoint(
    element: etree._Element,
    default: etree._Element | None,
    number: int,
    timetable: dict[str, dict[str, Any]],
    values: Values,
) -> FileWaypoint:
    line, own_id = element.sourceline, element.get("id")
    if own_id is None or not own_id.isdecimal():
        values.note(f"The id of waypoint {number} is {own_id!r}, not a whole number.", line, number)
    position = element.find("{*}position")
    if position is None:
        raise UnreadableRoute(f"Waypoint {number} has no position (lat, lon).", line)
    leg = _read_leg(element, default)
    radius = element.get("radius")
    if radius is None and default is not None:
        radius = default.get("radius")
    sides = [
        values.number(side, leg.get(side), line, number) for side in ("starboardXTD", "portsideXTD")
    ]
    widest_nm = max((side for side in sides if side is not None), default=None)
    return FileWaypoint(
        read_position(position, number),
        id=own_id,
        leg_geometry=values.geometry(leg.get("geometryType"), line, number),
        xtd_m=None if widest_nm is None else widest_nm * NAUTICAL_MILE_M,
        turn_radius_nm=values.number("radius", radius, line, number),
        passage=leg.get("legInfo") or None,
        line=line,
        **timetable.pop(own_id or "", {}),
    )


def _read_leg(element: etree._Element, default: etree._Element | None) -> dict[str, str | None]:
    """The attributes of a waypoint's leg; where it has none, those of the default waypoint."""
    parts = [part for part in (element, default) if part is not None]
    legs = [leg for part in parts if (leg := part.find("{*}leg")) is not None]
    return {
        name: next((leg.get(name) for leg in legs if leg.get(name) is not None), None)
        for name in _LEG_ATTRIBUTES
    }


def _read_schedule(
    root: etree._Element, ids: set[str | None], values: Values
) -> dict[str, dict[str, Any]]:
    """Times and speeds by the waypoint's id: as ordered, else as calculated."""
    timetable: dict[str, dict[str, Any]] = {}
    for element in _choose_schedule(root, values):
        waypoint_id, line = element.get("waypointId"), element.sourceline
        if waypoint_id not in ids:
            values.note(f"The schedule names a waypoint {waypoint_id!r} that is not there.", line,
                        None)  # fmt: skip
            continue
        known = timetable.setdefault(waypoint_id or "", {})
        stay = values.duration("stay", element.get("stay"), line, None)
        stop = {
            "eta": values.time("eta", element.get("eta"), line, None),
            "etd": values.time("etd", element.get("etd"), line, None),
            "stay": (stay, line) if stay else None,
            "speed_kn": values.number("speed", element.get("speed"), line, None) or None,
        }
        known.update({key: value for key, value in stop.items() if value and key not in known})
    for stop in timetable.values():
        _apply_stay(stop, values)
    return timetable


def _choose_schedule(root: etree._Element, values: Values) -> list[etree._Element]:
    """Return the stops of the first schedule that has any; note the further ones."""
    filled = [
        (schedule, stops)
        for schedule in root.iterfind("{*}schedules/{*}schedule")
        if (stops := list(_list_stops(schedule)))
    ]
    for schedule, _ in filled[1:]:
        label = schedule.get("name") or schedule.get("id")
        named = f" {label[:40]!r}" if label else ""
        words = f"The further schedule{named} is left out; times and speeds are those of the first."
        values.note(words, schedule.sourceline, None)
    return filled[0][1] if filled else []


def _apply_stay(stop: dict[str, Any], values: Values) -> None:
    """Replace a stay by the one of ETA and ETD that is not given."""
    stay, line = stop.pop("stay", (None, None))
    eta, etd = stop.get("eta"), stop.get("etd")
    if stay is None or (eta and etd):
        return
    try:
        if eta:
            stop["etd"] = eta + stay
        elif etd:
            stop["eta"] = etd - stay
        else:
            values.note("stay is left out: there is neither eta nor etd.", line, None)
    except OverflowError:
        values.note("stay is left out: it leads beyond the calendar.", line, None)


def _list_stops(schedule: etree._Element) -> Iterator[etree._Element]:
    for part in ("{*}manual", "{*}calculated"):
        for tag in _SCHEDULE_ELEMENTS:
            yield from schedule.iterfind(f"{part}/{tag}")
