"""Routes in XML: which format it is, GPX and KML; RTZ has a module of its own."""

from collections.abc import Iterable, Iterator

import lxml.etree as etree

from app.datasources.route_files.records import (
    FileLine,
    FileWaypoint,
    RouteFile,
    UnreadableRoute,
    Values,
    join_lines,
    place,
    refuse_several,
)
from app.datasources.route_files.rtz import read_position, read_rtz
from app.engine.units import ms_to_kn


def read_xml(content: bytes) -> RouteFile:
    """A route in RTZ, GPX or KML."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(content.lstrip(), parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableRoute("The XML is broken.", error.lineno or None) from None
    if root.getroottree().docinfo.doctype:
        raise UnreadableRoute(
            "XML with a document type is not read. Export the route again.", line=1
        )
    kind = etree.QName(root).localname
    readers = {"route": read_rtz, "gpx": _read_gpx, "kml": _read_kml}
    if kind not in readers:
        raise UnreadableRoute(
            f"XML of kind “{kind[:40]}” is neither RTZ nor GPX nor KML.", root.sourceline
        )
    return readers[kind](root)


def _read_gpx(root: etree._Element) -> RouteFile:
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
        waypoints = tuple(
            FileWaypoint(
                read_position(point, number),
                speed_kn=_read_speed(point, number, values),
                eta=values.time("time", point.findtext("{*}time"), point.sourceline, number),
                line=point.sourceline,
            )
            for number, point in enumerate(found.iterfind(points), 1)
        )
        name = found.findtext("{*}name") or ""
        return RouteFile(name, waypoints, tuple(values.faults))
    raise UnreadableRoute("This GPX file holds neither a route nor a track.")


def _read_speed(point: etree._Element, number: int, values: Values) -> float | None:
    """Speed over ground at a point of GPX [kn]; ``None`` if it states none, or 0.

    It is in m/s in GPX 1.0 as in the extensions of GPX 1.1, such as Garmin's TrackPointExtension.
    """
    speed = next(point.iter("{*}speed"), None)
    if speed is None:
        return None
    speed_ms = values.number("speed", speed.text, speed.sourceline, number)
    return float(ms_to_kn(speed_ms)) if speed_ms else None


def _read_kml(root: etree._Element) -> RouteFile:
    """The line, without points beside it; the points in order where there is none.

    Format: OGC 07-147r2.
    """
    drawn = [
        FileLine(_name_of(line), list(_read_coordinates([line])))
        for line in root.iter("{*}LineString")
    ]
    lines = [line for line in drawn if line.waypoints]
    route = join_lines(lines or [FileLine("", list(_read_coordinates(root.iter("{*}Point"))))])
    if not route.waypoints:
        raise UnreadableRoute("This KML file holds neither a line nor points.")
    return RouteFile(route.name, tuple(route.waypoints))


def _name_of(line: etree._Element) -> str:
    owner = next(line.iterancestors("{*}Placemark"), None)
    return "" if owner is None else owner.findtext("{*}name") or ""


def _read_coordinates(shapes: Iterable[etree._Element]) -> Iterator[FileWaypoint]:
    number = 0
    for shape in shapes:
        element = shape.find("{*}coordinates")
        texts = [] if element is None else (element.text or "").split()
        for text in texts:
            number += 1
            try:
                lng, lat = (float(part) for part in text.split(",")[:2])
            except ValueError:
                raise UnreadableRoute(
                    f"Waypoint {number} is {text[:40]!r}, no longitude,latitude.", shape.sourceline
                ) from None
            yield FileWaypoint(place(lat, lng, number, shape.sourceline), line=shape.sourceline)
