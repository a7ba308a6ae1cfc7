"""Reference routes from files: RTZ, GPX, KML, GeoJSON, CSV and XLSX, recognised by content.

Only the waypoints in order, with the lines of their legs, are read.
"""

from typing import Final

from app.datasources.route_files.reading import read_route_file
from app.datasources.route_files.records import FileWaypoint, UnreadableRoute
from app.records.record import Json
from app.records.texts import drop_faulty
from app.services.errors import Invalid

#: Characters of a route's name that are kept.
_NAME_LENGTH: Final = 200


def read_route(content: bytes, file_name: str) -> Json:
    """Read the route of a file as an element of a request's ``importedData``.

    Raises :class:`Invalid` with the error and its place in the file.
    """
    try:
        route = read_route_file(content)
    except UnreadableRoute as fault:
        raise Invalid.at("/importedData", str(fault)) from None
    shown = drop_faulty(route.name) or drop_faulty(file_name)
    return {"name": shown[:_NAME_LENGTH], "waypoints": [*map(_write, route.waypoints)]}


def _write(waypoint: FileWaypoint) -> Json:
    """Write a waypoint, with the line of the leg to it if the file states it."""
    written: Json = {"lat": waypoint.position.lat, "lng": waypoint.position.lng}
    if waypoint.leg_geometry is not None:
        written["legGeometry"] = str(waypoint.leg_geometry)
    return written
