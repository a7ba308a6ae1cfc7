"""Detection of a route file's format by content, and dispatch to its reader."""

from dataclasses import replace
from typing import Final

from app.datasources.route_files.records import RouteFile, UnreadableRoute
from app.datasources.route_files.tables import read_geojson, read_table
from app.datasources.route_files.xml_routes import read_xml
from app.datasources.text_files import decode_text
from app.records.charting import MOST_WAYPOINTS

#: Most faults of a file that are listed.
MOST_FAULTS: Final = 100
#: First bytes of an archive, a part of every archive that is XLSX, and the first bytes of XLS,
#: which the reader of tables refuses in words.
_ZIP: Final = b"PK\x03\x04"
_PART_OF_XLSX: Final = b"[Content_Types].xml"
_XLS: Final = b"\xd0\xcf\x11\xe0"


def read_route_file(content: bytes) -> RouteFile:
    """Read the route of a file.

    Raises :class:`UnreadableRoute` with the error, and the line if known, also for several routes.
    """
    route = _read(content)
    if len(route.waypoints) < 2:
        raise UnreadableRoute("This file holds no route of two or more waypoints.")
    if len(route.waypoints) > MOST_WAYPOINTS:
        raise UnreadableRoute(
            f"{len(route.waypoints)} waypoints; a route has up to {MOST_WAYPOINTS}."
        )
    return replace(route, faults=route.faults[:MOST_FAULTS])


def _read(content: bytes) -> RouteFile:
    text, _ = decode_text(content)
    head = text.lstrip()[:1]
    if not head:
        raise UnreadableRoute("This file is empty.")
    if head == "<":
        return read_xml(content)
    if content.startswith(_ZIP) and _PART_OF_XLSX not in content:
        raise UnreadableRoute("This is an archive. Unpack it, and send the route file in it.")
    if content.startswith((_ZIP, _XLS)):
        return read_table(content)
    if "\0" in text.partition("\n")[0]:
        raise UnreadableRoute("This is no text file. Choose RTZ, GPX, KML, GeoJSON, XLSX or CSV.")
    # a note may hold NUL, which tables are refused for
    return read_geojson(text) if head in "{[" else read_table(text.replace("\0", "").encode())
