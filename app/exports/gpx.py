"""A route plan as GPX 1.1, for plotters and office tools.

The waypoints form one ``rte``; the dense profile, where the plan has one, one
``trk`` with times, so that the track may be played. Elements stand in the
order of the schema http://www.topografix.com/GPX/1/1.
"""

from datetime import datetime

import lxml.etree as etree

from app.engine.voyage import Position, RoutePlan, Waypoint
from app.exports.formats import fixed, latitude, longitude, remark, utc_time, xml_text

NAMESPACE = "http://www.topografix.com/GPX/1/1"


def render_gpx(plan: RoutePlan, *, route_name: str, revision: int) -> bytes:
    """Write the plan as a GPX 1.1 document in UTF-8."""
    gpx = etree.Element(_tag("gpx"), nsmap={None: NAMESPACE}, version="1.1", creator="Chartroom")
    metadata = _add(gpx, "metadata")
    _add(metadata, "name", route_name)
    _add(metadata, "desc", f"Revision {revision}. Verify on the ECDIS before use.")
    route = _add(gpx, "rte")
    _add(route, "name", route_name)
    for waypoint in plan.waypoints:
        _add_route_point(route, waypoint)
    if plan.profile:
        track = _add(gpx, "trk")
        _add(track, "name", route_name)
        segment = _add(track, "trkseg")
        for sample in plan.profile:
            _add_point(segment, "trkpt", sample.position, sample.time)
    return bytes(etree.tostring(gpx, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def _add(parent: etree._Element, tag: str, text: str | None = None) -> etree._Element:
    element = etree.SubElement(parent, _tag(tag))
    element.text = None if text is None else xml_text(text)
    return element


def _add_point(
    parent: etree._Element, tag: str, position: Position, time: datetime
) -> etree._Element:
    point = _add(parent, tag)
    point.set("lat", latitude(position.lat))
    point.set("lon", longitude(position.lng))
    _add(point, "time", utc_time(time))
    return point


def _add_route_point(route: etree._Element, waypoint: Waypoint) -> None:
    point = _add_point(route, "rtept", waypoint.position, waypoint.eta)
    _add(point, "name", f"WP {waypoint.number:03d}")
    if waypoint.speed_kn is not None:
        _add(point, "cmt", f"Leg at {fixed(waypoint.speed_kn, 2)} kn over ground")
    if said := remark(waypoint):
        _add(point, "desc", said)
