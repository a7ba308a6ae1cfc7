"""Routes as tables of values: GeoJSON and CSV."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from app.datasources.route_files.records import (
    FileWaypoint,
    RouteFile,
    RouteFormat,
    UnreadableRoute,
    Values,
    place,
    read_angle,
)

#: Names of columns and properties, in small letters without marks, by what they hold.
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "lat": ("lat", "latitude", "latdeg"),
    "lng": ("lng", "lon", "long", "longitude", "lngdeg", "londeg"),
    "id": ("id", "index", "number", "wp", "waypoint", "wpt"),
    "eta": ("eta", "time"),
    "etd": ("etd",),
    "speed": ("speedkn", "speed", "sog", "sogkn"),
    "geometry": ("leggeometry", "geometrytype"),
    "xtd": ("xtdm",),
    "radius": ("turnradiusnm", "radiusnm", "radius"),
    "passage": ("passage",),
}


def read_csv(text: str) -> RouteFile:
    """A table whose first line names the columns, lat and lng among them."""
    rows = _rows(text)
    _, header = next(rows)
    titles = [_plain(title) for title in header]
    at = {what: _find(titles, names) for what, names in _NAMES.items()}
    if at["lat"] is None or at["lng"] is None:
        raise UnreadableRoute(
            "The first line must name the columns, lat and lng among them.", line=1
        )
    values = Values()
    waypoints: list[FileWaypoint] = []
    for line, row in rows:
        if any(cell.strip() for cell in row):
            said = {w: row[i] for w, i in at.items() if i is not None and i < len(row)}
            waypoints.append(_read_row(said, line, len(waypoints) + 1, values))
    return RouteFile(RouteFormat.CSV, "", tuple(waypoints), tuple(values.faults))


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Rows, and the line each ends on."""
    separator = max(",;\t", key=text.splitlines()[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise UnreadableRoute(f"The row is not CSV: {error}.", reader.line_num) from None


def _plain(title: str) -> str:
    return re.sub(r"[^a-z0-9]", "", title.lower())


def _find(titles: list[str], known: Iterable[str]) -> int | None:
    return next((titles.index(name) for name in known if name in titles), None)


def _read_row(said: Mapping[str, str], line: int, number: int, values: Values) -> FileWaypoint:
    try:
        lat, lng = read_angle(said["lat"]), read_angle(said["lng"])
    except (ValueError, KeyError):
        words = f"Waypoint {number} has no position. Write 51.98 or 51 58.9 N."
        raise UnreadableRoute(words, line) from None
    return _build(lat, lng, said, line, number, values)


def _build(
    lat: float, lng: float, said: Mapping[str, str], line: int | None, number: int, values: Values
) -> FileWaypoint:
    return FileWaypoint(
        place(lat, lng, number, line),
        id=said.get("id", "").strip() or None,
        leg_geometry=values.geometry(said.get("geometry"), line, number),
        speed_kn=values.number("speed", said.get("speed"), line, number) or None,
        eta=values.time("eta", said.get("eta"), line, number),
        etd=values.time("etd", said.get("etd"), line, number),
        xtd_m=values.number("xtd_m", said.get("xtd"), line, number),
        turn_radius_nm=values.number("radius", said.get("radius"), line, number),
        passage=said.get("passage", "").strip() or None,
        line=line,
    )


def read_geojson(text: str) -> RouteFile:
    """The points of a GeoJSON in order; the line where there are no two points."""
    try:
        root = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableRoute("The JSON is broken.", getattr(error, "lineno", 1)) from None
    if not isinstance(root, dict):
        raise UnreadableRoute("The JSON is a list; a GeoJSON file is an object.")
    features = root.get("features") if root.get("type") == "FeatureCollection" else [root]
    if not isinstance(features, list):
        raise UnreadableRoute("The features of this GeoJSON are not a list.")
    items = [item for item in features if isinstance(item, dict)]
    drawn = [(_shape(item), _said(item)) for item in items]
    points = [
        (shape["coordinates"], said)
        for shape, said in drawn
        if shape.get("type") == "Point" and "coordinates" in shape
    ]
    if len(points) < 2:
        points = [(at, {}) for shape, _ in drawn for at in _line(shape)]
    values = Values()
    waypoints = tuple(_read_point(at, said, n, values) for n, (at, said) in enumerate(points, 1))
    return RouteFile(RouteFormat.GEOJSON, _name_of(items), waypoints, tuple(values.faults))


def _shape(item: Mapping[str, Any]) -> Mapping[str, Any]:
    shape = item.get("geometry") if item.get("type") == "Feature" else item
    return shape if isinstance(shape, dict) else {}


def _said(item: Mapping[str, Any]) -> dict[str, str]:
    """Properties of a feature as texts."""
    properties = item.get("properties")
    if not isinstance(properties, dict):
        return {}
    plain = {_plain(str(key)): str(value) for key, value in properties.items() if value is not None}
    return {
        what: plain[name] for what, names in _NAMES.items() for name in names[::-1] if name in plain
    }


def _line(shape: Mapping[str, Any]) -> list[Any]:
    coordinates = shape.get("coordinates")
    if not isinstance(coordinates, list):
        return []
    if shape.get("type") == "LineString":
        return coordinates
    if shape.get("type") == "MultiLineString":
        return [at for part in coordinates if isinstance(part, list) for at in part]
    return []


def _read_point(at: Any, said: Mapping[str, str], number: int, values: Values) -> FileWaypoint:
    try:
        lng, lat = float(at[0]), float(at[1])
    except (TypeError, ValueError, IndexError, KeyError, OverflowError):
        raise UnreadableRoute(f"Waypoint {number} is not a [longitude, latitude].") from None
    return _build(lat, lng, said, None, number, values)


def _name_of(items: Iterable[Mapping[str, Any]]) -> str:
    named = (item["properties"] for item in items if isinstance(item.get("properties"), dict))
    return next((str(own["name"]) for own in named if own.get("name")), "")
