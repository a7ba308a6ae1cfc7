"""Routes as tables of values: GeoJSON and CSV."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from app.datasources.geojson import list_geometries
from app.datasources.route_files.records import (
    FileLine,
    FileWaypoint,
    RouteFile,
    UnreadableRoute,
    Values,
    join_lines,
    place,
    read_angle,
)
from app.engine.request import Position

#: A point of a GeoJSON, and its properties.
_Point: TypeAlias = tuple[Position, Mapping[str, str]]

#: Names of columns and properties, in small letters without marks, by what they hold.
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "lat": ("lat", "latitude", "latdeg"),
    "lng": ("lng", "lon", "long", "longitude", "lngdeg", "londeg"),
    "id": ("id", "index", "number", "wp", "waypoint", "wpt"),
    "eta": ("eta", "time"),
    "etd": ("etd",),
    "speed": ("speedkn", "speed", "sog", "sogkn"),
    "stw": ("stwkn", "stw", "speedthroughwaterkn", "speedthroughwater"),
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
    return RouteFile("", tuple(waypoints), tuple(values.faults))


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
    return _build(place(lat, lng, number, line), said, line, number, values)


def _build(
    position: Position, said: Mapping[str, str], line: int | None, number: int, values: Values
) -> FileWaypoint:
    return FileWaypoint(
        position,
        id=said.get("id", "").strip() or None,
        leg_geometry=values.geometry(said.get("geometry"), line, number),
        speed_kn=values.number("speed", said.get("speed"), line, number) or None,
        stw_kn=values.number("stw", said.get("stw"), line, number) or None,
        eta=values.time("eta", said.get("eta"), line, number),
        etd=values.time("etd", said.get("etd"), line, number),
        xtd_m=values.number("xtd_m", said.get("xtd"), line, number),
        turn_radius_nm=values.number("radius", said.get("radius"), line, number),
        passage=said.get("passage", "").strip() or None,
        line=line,
    )


def read_geojson(text: str) -> RouteFile:
    """The line of a GeoJSON, without points beside it; the points in order where there is none.

    Points that repeat the line's vertices state the values of its waypoints.
    """
    items = _list_features(text)
    drawn = [(item, shape) for item in items for shape in list_geometries(item)]
    found = [(item, shape) for item, shape in drawn if shape.get("type") == "Point"]
    points: list[_Point] = [
        (_read_position(shape.get("coordinates"), number), _said(item))
        for number, (item, shape) in enumerate(found, 1)
    ]
    lines = [
        FileLine(_name_of([item]), _read_line(part))
        for item, shape in drawn
        for part in _list_lines(shape)
    ]
    values, name = Values(), _name_of(items)
    if lines:
        line = join_lines(lines)
        name, points = line.name, _attach(points, line, values)
    waypoints = tuple(_build(at, said, None, n, values) for n, (at, said) in enumerate(points, 1))
    return RouteFile(name, waypoints, tuple(values.faults))


def _list_features(text: str) -> list[dict[str, Any]]:
    try:
        root = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableRoute("The JSON is broken.", getattr(error, "lineno", 1)) from None
    if not isinstance(root, dict):
        raise UnreadableRoute("The JSON is a list; a GeoJSON file is an object.")
    features = root.get("features") if root.get("type") == "FeatureCollection" else [root]
    if not isinstance(features, list):
        raise UnreadableRoute("The features of this GeoJSON are not a list.")
    return [item for item in features if isinstance(item, dict)]


def _attach(points: list[_Point], line: FileLine, values: Values) -> list[_Point]:
    """The vertices of a line, with what points state that repeat them all."""
    vertices = [waypoint.position for waypoint in line.waypoints]
    if [at for at, _ in points] == vertices:
        return points
    if any(said.keys() - {"id"} for _, said in points):
        values.note("The points are not those of the line; their values are left out.", None, None)
    return [(at, {}) for at in vertices]


def _said(item: Mapping[str, Any]) -> dict[str, str]:
    """Properties of a feature as texts."""
    properties = item.get("properties")
    if not isinstance(properties, dict):
        return {}
    plain = {_plain(str(key)): str(value) for key, value in properties.items() if value is not None}
    return {
        what: plain[name] for what, names in _NAMES.items() for name in names[::-1] if name in plain
    }


def _list_lines(shape: Mapping[str, Any]) -> list[Any]:
    """The coordinates of a geometry's lines; those without any are left out."""
    coordinates = shape.get("coordinates")
    if shape.get("type") == "MultiLineString" and isinstance(coordinates, list):
        return [part for part in coordinates if part]
    return [coordinates] if shape.get("type") == "LineString" and coordinates else []


def _read_line(part: Any) -> list[FileWaypoint]:
    places = part if isinstance(part, list) else [part]
    return [FileWaypoint(_read_position(at, number)) for number, at in enumerate(places, 1)]


def _read_position(at: Any, number: int) -> Position:
    try:
        lng, lat = float(at[0]), float(at[1])
    except (TypeError, ValueError, IndexError, KeyError, OverflowError):
        raise UnreadableRoute(f"Waypoint {number} is not a [longitude, latitude].") from None
    return place(lat, lng, number)


def _name_of(items: Iterable[Mapping[str, Any]]) -> str:
    named = (item["properties"] for item in items if isinstance(item.get("properties"), dict))
    return next((str(own["name"]) for own in named if own.get("name")), "")
