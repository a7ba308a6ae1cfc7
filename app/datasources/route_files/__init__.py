"""Routes from files of any make: RTZ 1.0 to 1.2, GPX, KML, GeoJSON and CSV, known by content.

A file comes from anywhere: XML with a document type is refused whole, so that no entity is ever
resolved, and nothing is fetched. What is wrong is said with its line.
"""

from app.datasources.route_files.reading import read_route_file
from app.datasources.route_files.records import (
    FileFault,
    FileWaypoint,
    RouteFile,
    RouteFormat,
    UnreadableRoute,
)

__all__ = [
    "FileFault",
    "FileWaypoint",
    "RouteFile",
    "RouteFormat",
    "UnreadableRoute",
    "read_route_file",
]
