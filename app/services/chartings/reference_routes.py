"""Reference routes from files: RTZ, GPX, KML, GeoJSON, CSV and XLSX, recognised by content.

Only the order and positions of waypoints are read.
"""

from dataclasses import dataclass
from typing import Final

from app.datasources.route_files import UnreadableRoute, read_route_file
from app.records.texts import drop_faulty
from app.services.errors import Invalid

#: Characters of a route's name that are kept.
_NAME_LENGTH: Final = 200

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ReferenceRoute:
    """A route's name and its positions in order, (lat, lng) [deg]."""

    name: str
    places: tuple[Place, ...]


def read_route(content: bytes, file_name: str) -> ReferenceRoute:
    """Read the route of a file.

    Raises :class:`Invalid` with the error and its place in the file.
    """
    try:
        route = read_route_file(content)
    except UnreadableRoute as fault:
        raise Invalid.at("/importedData", str(fault)) from None
    shown = drop_faulty(route.name) or drop_faulty(file_name)
    places = tuple((w.position.lat, w.position.lng) for w in route.waypoints)
    return ReferenceRoute(shown[:_NAME_LENGTH], places)
