"""Routes as tables of values: GeoJSON, CSV and XLSX."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, TypeAlias

import cf_units

from app.datasources.geojson import list_geometries
from app.datasources.headers import find_unit, name_of, without_zone
from app.datasources.noon_reports.mapping import is_convertible
from app.datasources.noon_reports.numbers import (
    has_decimal_comma,
    point_decimals,
)
from app.datasources.noon_reports.position_columns import (
    LABELS,
    PositionColumns,
    PositionRefused,
    TextRow,
    find_title,
    write_cell,
)
from app.datasources.noon_reports.sheets import Cell, HeaderMissing, Sheet, SheetRefused, read_sheet
from app.datasources.route_files.records import (
    FileLine,
    FileWaypoint,
    RouteFile,
    UnreadableRoute,
    Values,
    join_lines,
    place,
)
from app.datasources.route_files.time_columns import read_times
from app.engine.request import Position
from app.records.noon_report import BY_NAME

#: A point of a GeoJSON, and its properties.
_Point: TypeAlias = tuple[Position, Mapping[str, str]]

#: Names of columns and properties, in small letters without marks, by what they hold.
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("id", "index", "number", "wp", "waypoint", "wpt", "wpno", "wptno"),
    "eta": ("eta", "etautc", "etagmt", "time", "timeutc", "timegmt"),
    "etd": ("etd", "etdutc", "etdgmt"),
    "speed": ("speedkn", "speed", "sog", "sogkn"),
    "stw": ("stwkn", "stw", "speedthroughwaterkn", "speedthroughwater"),
    "geometry": ("leggeometry", "geometrytype", "sailrlgc"),
    "xtd": ("xtdm",),
    "radius": ("turnradiusnm", "radiusnm", "radius", "turnradnm"),
    "passage": ("passage",),
}
_TIMES: Final = ("eta", "etd")
#: Fields of noon reports whose headers name the speeds of a route too, and words before them.
_SPEEDS: Final = {
    "speed": BY_NAME["speedOverGround"],
    "stw": BY_NAME["speedThroughWater"],
}
_ORDERED: Final = re.compile(r"^(plan(ned)?|order(ed)?|leg|target|required)_")
#: Words for the ship's own time, which :func:`read_times` refuses.
_LOCAL: Final = re.compile(r"\b(local|lt|ship'?s?)( time)?\b", re.IGNORECASE)
#: Words of columns that a reader may have meant for times and speeds.
_LIKE_TIME: Final = re.compile(
    r"(^|_)(eta|etd)(_|$)|^(date|time|arrival|departure)(_(date|time|utc|gmt|local|lt))*$"
)
_LIKE_SPEED: Final = re.compile(r"(^|_)(speeds?|spd|sog|stw|velocity)(_|$)")
_NUMBERS: Final = frozenset({"speed", "stw", "xtd", "radius"})
#: A cell that a table leaves without a value.
_NO_VALUE: Final = re.compile(r"\s*\*+\s*")
#: Units in brackets in which values are read whether or not they are named.
_IMPLIED_UNIT: Final = re.compile(r"[\[(]\s*(?:deg(?:rees?)?|°|kn|kts?|knots?)\s*[\])]")
#: Largest size of a workbook [bytes]: a request waits for it. 5000 waypoints take half.
_MOST_UNPACKED: Final = 6_000_000
_WRITTEN: Final = {"lat": "51.98 or 51 58.9 N", "lng": "4.12 or 4 07.2 E"}
_NO_HEADER: Final = "The first line must name the columns, lat and lng among them."


class _RouteHeaders:
    """The headers that name a column of a route."""

    def __contains__(self, header: object) -> bool:
        known = any(_plain(str(header)) in names for names in _NAMES.values())
        return known or find_title(str(header)) is not None


def read_table(content: bytes) -> RouteFile:
    """A table of CSV or XLSX below a line that names the columns, lat and lng among them."""
    sheet = _open(content)
    at = _find_columns(sheet.headers)
    rows = [(line, [_write(cell) for cell in row])
            for line, row in sheet.rows if any(str(cell).strip() for cell in row)]  # fmt: skip
    positions = _find_positions(sheet.headers, rows, at)
    columns = {w: [(n, row[i] if i < len(row) else "") for n, row in rows] for w, i in at.items()}
    values = Values()
    times = {
        what: read_times(what, sheet.headers[at[what]], columns[what], values)
        for what in _TIMES
        if what in at
    }
    _note_columns_left_out(sheet.headers, at, values)
    is_comma = has_decimal_comma(cell for _, row in sheet.rows for cell in row)
    texts = {
        what: _point_numbers(what, column, is_comma)
        for what, column in columns.items()
        if what not in _TIMES
    }
    units = {what: find_unit(sheet.headers[at[what]]) for what in _SPEEDS if what in at}
    waypoints = tuple(
        _in_knots(
            _build(
                _place(positions, row, number, line),
                {what: column[number - 1] for what, column in texts.items()},
                {what: column[number - 1] for what, column in times.items()},
                line,
                number,
                values,
            ),
            units,
        )
        for number, (line, row) in enumerate(rows, 1)
    )
    return RouteFile("", waypoints, tuple(values.faults))


def _open(content: bytes) -> Sheet:
    try:
        return read_sheet(content, _RouteHeaders(), most_unpacked=_MOST_UNPACKED)
    except HeaderMissing:
        raise UnreadableRoute(_NO_HEADER, 1) from None
    except SheetRefused as error:
        raise UnreadableRoute(str(error)) from None


def _find_columns(headers: Sequence[str]) -> dict[str, int]:
    """The columns other than those of positions, by what they hold."""
    titles = [_plain(_LOCAL.sub(" ", without_zone(header))) for header in headers]
    found = {what: _find(titles, names) for what, names in _NAMES.items()}
    for what in _SPEEDS:
        if found[what] is None:
            own = (at for at, header in enumerate(headers) if _is_speed(what, header))
            found[what] = next(own, None)
    return {what: column for what, column in found.items() if column is not None}


def _is_speed(what: str, header: str) -> bool:
    """Return whether a header names a speed as in noon reports, in no unit but one of speed."""
    name, unit = _ORDERED.sub("", name_of(header)), find_unit(header)
    field = _SPEEDS[what]
    return field.is_named(name) and (unit is None or is_convertible(unit, field))


def _note_columns_left_out(
    headers: Sequence[str], found: Mapping[str, int], values: Values
) -> None:
    """Note columns that look like times where none are read, and the same of speeds."""
    wanted = [
        (_LIKE_TIME, _TIMES, "Times are read from ETA and ETD"),
        (_LIKE_SPEED, _SPEEDS, "Speeds are read from Speed and STW, in kn, km/h or m/s"),
    ]
    for pattern, kinds, what_is_read in wanted:
        if not found.keys() & {*kinds}:
            for header in headers:
                if pattern.search(name_of(header)):
                    detail = f"The column {header[:40]!r} is left out. {what_is_read}."
                    values.note(detail, 1, None)


def _in_knots(waypoint: FileWaypoint, units: Mapping[str, str | None]) -> FileWaypoint:
    """Convert the speeds of a waypoint from the units of their columns."""
    return replace(
        waypoint,
        speed_kn=_to_knots(waypoint.speed_kn, units.get("speed")),
        stw_kn=_to_knots(waypoint.stw_kn, units.get("stw")),
    )


def _to_knots(speed: float | None, unit: str | None) -> float | None:
    if speed is None or unit is None or unit == "knot":
        return speed
    return float(cf_units.Unit(unit).convert(speed, "knot"))


def _find_positions(
    headers: Sequence[str], rows: Sequence[TextRow], taken: Mapping[str, int]
) -> PositionColumns:
    try:
        positions = PositionColumns(headers, rows, taken=taken.values())
    except PositionRefused as refused:
        raise UnreadableRoute(str(refused)) from None
    if not positions.has_both:
        raise UnreadableRoute(_NO_HEADER, 1)
    return positions


def _write(cell: Cell) -> str:
    """A cell as text, without signs for no value."""
    text = write_cell(cell)
    return "" if _NO_VALUE.fullmatch(text) else text


def _plain(title: str) -> str:
    """A title in small letters without marks, and without a unit that its name implies."""
    return re.sub(r"[^a-z0-9]", "", _IMPLIED_UNIT.sub("", title.lower()))


def _find(titles: list[str], known: Iterable[str]) -> int | None:
    return next((titles.index(name) for name in known if name in titles), None)


def _point_numbers(what: str, column: Sequence[tuple[int, str]], is_comma: bool) -> list[str]:
    """The texts of a column, with decimal points where it holds numbers."""
    texts = [text for _, text in column]
    if what not in _NUMBERS:
        return texts
    return [point_decimals(text.strip(), decimal_comma=is_comma) for text in texts]


def _place(positions: PositionColumns, row: Sequence[str], number: int, line: int) -> Position:
    try:
        lat, lng = (positions.read(at, row, f" for waypoint {number}") for at in ("lat", "lng"))
    except PositionRefused as refused:
        raise UnreadableRoute(str(refused), line) from None
    if lat is None or lng is None:
        side = "lat" if lat is None else "lng"
        written = " ".join(row[at] for at in positions.find(side) if at < len(row)).strip()
        what = f"the {LABELS[side]} {written[:40]!r}" if written else f"no {LABELS[side]}"
        raise UnreadableRoute(f"Waypoint {number} has {what}. Write {_WRITTEN[side]}.", line)
    return place(lat, lng, number, line)


def _build(
    position: Position,
    said: Mapping[str, str],
    times: Mapping[str, datetime | None],
    line: int | None,
    number: int,
    values: Values,
) -> FileWaypoint:
    return FileWaypoint(
        position,
        id=said.get("id", "").strip() or None,
        leg_geometry=values.geometry(said.get("geometry"), line, number),
        speed_kn=values.number("speed", said.get("speed"), line, number) or None,
        stw_kn=values.number("stw", said.get("stw"), line, number) or None,
        eta=times.get("eta"),
        etd=times.get("etd"),
        xtd_m=values.number("xtd_m", said.get("xtd"), line, number),
        turn_radius_nm=values.number("radius", said.get("radius"), line, number),
        passage=said.get("passage", "").strip() or None,
        line=line,
    )


def read_geojson(text: str) -> RouteFile:
    """Return the line of a GeoJSON, without other points; if it has none, the points in order.

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
    waypoints = tuple(
        _build(at, said, {w: values.time(w, said.get(w), None, n) for w in _TIMES}, None, n, values)
        for n, (at, said) in enumerate(points, 1)
    )
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
