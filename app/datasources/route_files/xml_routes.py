"""Routes in XML: which format it is, and KML; RTZ and GPX have modules of their own."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import lxml.etree as etree

from app.datasources.route_files.gpx import read_gpx
from app.datasources.route_files.records import (
    FileLine,
    FileWaypoint,
    RouteFile,
    UnreadableRoute,
    join_lines,
    place,
)
from app.datasources.route_files.rtz import read_rtz

#: The place in the file, at the end of a parser's message.
_PLACE: Final = re.compile(r",? line \d+, column \d+.*$", re.DOTALL)
_LONGEST_REASON: Final = 160
#: Elements of which a route consists, by their names in small letters.
_SPELLINGS: Final = {
    name.lower(): name
    for name in (
        *("route", "waypoints", "waypoint", "position"),
        *("gpx", "rte", "rtept", "trk", "trkseg", "trkpt"),
        *("kml", "LineString", "Point", "coordinates"),
    )
}


def read_xml(content: bytes) -> RouteFile:
    """A route in RTZ, GPX or KML."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(content.lstrip(), parser)
    except etree.XMLSyntaxError as error:
        reason = _PLACE.sub("", error.msg or "")[:_LONGEST_REASON]
        raise UnreadableRoute(f"The XML is broken: {reason}.", error.lineno or None) from None
    if root.getroottree().docinfo.doctype:
        raise UnreadableRoute(
            "XML with a document type is not read. Export the route again.", line=1
        )
    kind = etree.QName(root).localname
    readers = {"route": read_rtz, "gpx": read_gpx, "kml": _read_kml}
    if kind not in readers:
        _refuse_other_spelling(root)
        raise UnreadableRoute(
            f"XML of kind “{kind[:40]}” is neither RTZ nor GPX nor KML.", root.sourceline
        )
    try:
        route = readers[kind](root)
    except UnreadableRoute:
        _refuse_other_spelling(root)
        raise
    if not route.waypoints:
        _refuse_other_spelling(root)
    return route


def _refuse_other_spelling(root: etree._Element) -> None:
    """Raise :class:`UnreadableRoute` for an element with wrong capitals, which count in XML."""
    for element in root.iter("{*}*"):
        name = etree.QName(element).localname
        right = _SPELLINGS.get(name.lower(), name)
        if name != right:
            detail = f"The element “{name}” must be spelt “{right}”."
            raise UnreadableRoute(detail, element.sourceline)


def _read_kml(root: etree._Element) -> RouteFile:
    """Return the line, without other points; if there is none, the points in order.

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
