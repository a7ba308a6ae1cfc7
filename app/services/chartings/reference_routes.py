"""Reference routes from files: RTZ, GPX, GeoJSON and CSV, recognised by content.

Read only as waypoints in order. A file comes from anywhere, so XML with a
document type is refused whole: no entity is ever resolved.
"""

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lxml import etree

from app.engine.units import wrap_longitude
from app.records.charting import MOST_WAYPOINTS
from app.records.texts import drop_faulty
from app.services.errors import FieldError, Invalid

#: Characters of a route's name that are kept.
_NAME_LENGTH: Final = 200

_LAT_COLUMNS: Final = ("lat", "latitude", "lat_deg")
_LNG_COLUMNS: Final = ("lng", "lon", "long", "longitude", "lng_deg", "lon_deg")
_ANGLE: Final = re.compile(
    r"(?P<deg>\d{1,3})[\s°-]+(?P<min>\d{1,2}(\.\d+)?)?\s*['′]?\s*(?P<side>[NSEW])", re.IGNORECASE
)

Place = tuple[float, float]


class _Unreadable(Exception):
    """Reason why a file holds no route, worded for its sender."""


@dataclass(frozen=True, slots=True)
class ReferenceRoute:
    """A route's name and its places in order, (lat, lng) [deg]."""

    name: str
    places: tuple[Place, ...]


def read_route(content: bytes, file_name: str) -> ReferenceRoute:
    """Read a file's first route.

    Raises :class:`Invalid` with what is wrong, and where in the file.
    """
    try:
        name, places = _read(content)
        places = [_checked(place, number) for number, place in enumerate(places, start=1)]
        if len(places) < 2:
            raise _Unreadable("This file holds no route of two or more waypoints.")
        if len(places) > MOST_WAYPOINTS:
            raise _Unreadable(f"{len(places)} waypoints; a reference route has up to 5000.")
    except _Unreadable as fault:
        raise Invalid([FieldError("/importedData", str(fault))]) from None
    shown = drop_faulty(name) or drop_faulty(file_name)
    return ReferenceRoute(shown[:_NAME_LENGTH], tuple(places))


def _read(content: bytes) -> tuple[str, list[Place]]:
    head = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if not head:
        raise _Unreadable("This file is empty.")
    if head == b"<":
        return _read_xml(content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _Unreadable("This is not a text file. Choose RTZ, GPX, CSV or GeoJSON.") from None
    return _read_geojson(text) if head in b"{[" else ("", list(_read_csv(text)))


def _checked(place: Place, number: int) -> Place:
    lat, lng = place
    if not (math.isfinite(lat) and math.isfinite(lng) and abs(lat) <= 90 and -180 <= lng <= 360):
        raise _Unreadable(f"Waypoint {number} lies at {lat:g}, {lng:g}, which is not on the globe.")
    return lat, lng if -180 <= lng < 180 else float(wrap_longitude(lng))


def _read_xml(content: bytes) -> tuple[str, list[Place]]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(content.strip(), parser)
    except etree.XMLSyntaxError as error:
        place = f" at line {error.lineno}" if error.lineno else ""
        raise _Unreadable(f"The XML is broken{place}.") from None
    if root.getroottree().docinfo.doctype:
        raise _Unreadable("XML with a document type is not read. Export the route again.")
    kind = etree.QName(root).localname
    if kind == "route":
        return _read_rtz(root)
    if kind == "gpx":
        return _read_gpx(root)
    raise _Unreadable(f"XML of kind “{kind}” is neither RTZ nor GPX.")


def _read_rtz(root: etree._Element) -> tuple[str, list[Place]]:
    info = next(root.iterchildren("{*}routeInfo"), None)
    name = "" if info is None else info.get("routeName", "")
    positions = (point.find("{*}position") for point in root.iterfind("{*}waypoints/{*}waypoint"))
    return name, list(_attributes(positions))


def _read_gpx(root: etree._Element) -> tuple[str, list[Place]]:
    """The first route; the first track where there is no route."""
    for path, points in (("{*}rte", "{*}rtept"), ("{*}trk", "{*}trkseg/{*}trkpt")):
        found = root.find(path)
        if found is not None:
            return found.findtext("{*}name") or "", list(_attributes(found.iterfind(points)))
    raise _Unreadable("This GPX file holds neither a route nor a track.")


def _attributes(points: Iterable[etree._Element | None]) -> Iterator[Place]:
    for number, point in enumerate(points, start=1):
        try:
            if point is None:
                raise ValueError("no position")
            yield float(point.get("lat", "")), float(point.get("lon", ""))
        except ValueError:
            raise _Unreadable(f"Waypoint {number} has no position (lat, lon).") from None


def _read_geojson(text: str) -> tuple[str, list[Place]]:
    """Its points in order; the line where there are no two points."""
    try:
        root = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise _Unreadable(f"The JSON is broken at line {line}.") from None
    if not isinstance(root, dict):
        raise _Unreadable("This JSON is no GeoJSON: it is a list.")
    features = root.get("features") if root.get("type") == "FeatureCollection" else [root]
    if not isinstance(features, list):
        raise _Unreadable("The features of this GeoJSON are no list.")
    items = [item for item in features if isinstance(item, dict)]
    geometries = [item.get("geometry") if item.get("type") == "Feature" else item for item in items]
    shapes = [shape for shape in geometries if isinstance(shape, dict)]
    points = [s.get("coordinates") for s in shapes if s.get("type") == "Point"]
    places = points if len(points) > 1 else [p for shape in shapes for p in _line(shape)]
    return _name_of(items), [_lat_lng(place, i) for i, place in enumerate(places, start=1)]


def _line(shape: Mapping[str, Any]) -> list[Any]:
    coordinates = shape.get("coordinates")
    if not isinstance(coordinates, list):
        return []
    if shape.get("type") == "LineString":
        return coordinates
    if shape.get("type") == "MultiLineString":
        return [place for part in coordinates if isinstance(part, list) for place in part]
    return []


def _name_of(items: Iterable[Mapping[str, Any]]) -> str:
    named = (item["properties"] for item in items if isinstance(item.get("properties"), dict))
    return next((str(own["name"]) for own in named if own.get("name")), "")


def _lat_lng(place: Any, number: int) -> Place:
    try:
        lng, lat = float(place[0]), float(place[1])
    except (TypeError, ValueError, IndexError, KeyError, OverflowError):
        raise _Unreadable(f"Waypoint {number} is no [longitude, latitude].") from None
    return lat, lng


def _read_csv(text: str) -> Iterator[Place]:
    rows = _rows(text)
    _, header = next(rows)
    titles = [title.strip().lower() for title in header]
    lat_at, lng_at = _column(titles, _LAT_COLUMNS), _column(titles, _LNG_COLUMNS)
    if lat_at is None or lng_at is None:
        raise _Unreadable("The first line must name the columns, lat and lng among them.")
    for line, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        try:
            yield _angle(row[lat_at]), _angle(row[lng_at])
        except (ValueError, IndexError):
            words = f"Line {line} has no position. Write 51.98 or 51 58.9 N."
            raise _Unreadable(words) from None


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Rows, and the line each ends on."""
    separator = max(",;\t", key=text.splitlines()[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise _Unreadable(f"Line {reader.line_num + 1} is not CSV: {error}.") from None


def _column(titles: list[str], known: Iterable[str]) -> int | None:
    return next((titles.index(name) for name in known if name in titles), None)


def _angle(text: str) -> float:
    """Degrees from "51.98" or "51 58.9 N"; raises ValueError for what is neither."""
    match = _ANGLE.fullmatch(text.strip())
    if match is None:
        return float(text)
    minutes = float(match["min"] or 0)
    if minutes >= 60:
        raise ValueError("sixty minutes are a degree")
    value = int(match["deg"]) + minutes / 60
    return -value if match["side"].upper() in "SW" else value
