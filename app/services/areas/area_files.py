"""Import and export of areas as GeoJSON and KML files.

Of KML (OGC 07-147r2) only Polygon and MultiGeometry elements are read; features with other
shapes are named.
"""

import json
import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

import lxml.etree as etree
from shapely import to_geojson, unary_union

from app.datasources.geojson import list_geometries, list_polygons
from app.datasources.text_files import decode_text
from app.models import AreaLevel, AreaRecord, AreaType
from app.records.fields import find_instant
from app.records.instants import find_day
from app.records.texts import LINE_CONTROLS, drop_faulty
from app.services.areas.areas import describe
from app.services.areas.geojson import close_ring, parse_area, wrap_area
from app.services.errors import FieldError, Invalid

#: Largest number of areas in one file.
MOST_AREAS: Final = 200
#: Shapes of KML that enclose no area.
_NO_AREAS: Final = ("{*}Point", "{*}LineString", "{*}Model", "{*}Track")
#: xsd:gYear and xsd:gYearMonth.
_YEAR_OR_MONTH: Final = re.compile(r"([1-9][0-9]{3})(?:-(0[1-9]|1[0-2]))?")
_KML: Final = "http://www.opengis.net/kml/2.2"


class FileArea(NamedTuple):
    """An area in a file: fields of a constraint, with ``None`` for those that it does not state.

    ``geometry`` is GeoJSON; days are ISO dates.
    """

    name: str
    geometry: dict[str, Any]
    start_date: str | None = None
    end_date: str | None = None
    description: str | None = None
    type: str | None = None
    level: str | None = None
    vessel_type_codes: list[int] | None = None
    is_active: bool | None = None


class AreaFile(NamedTuple):
    """The areas of a file, and what it holds besides: names of features with kinds of shapes."""

    areas: list[FileArea]
    left_out: list[str]


class _Feature(NamedTuple):
    """A feature of a file: rings of its polygons, kinds of its other shapes, and properties."""

    polygons: list[Any]
    others: list[str]
    said: dict[str, Any]

    def name(self, default: str) -> str:
        """The name without characters that cannot be stored."""
        name = self.said.get("name")
        return (drop_faulty(name)[:200] if isinstance(name, str) else "") or default


def read_areas(content: bytes) -> AreaFile:
    """Read the areas of a GeoJSON or KML file, one for each feature with polygons.

    Raises :class:`Invalid` with the name of the faulty area, and the position of the error or the
    date that cannot be read.
    """
    text, _ = decode_text(content)
    is_xml = text.lstrip().startswith("<")
    features = list(_read_kml(content.lstrip()) if is_xml else _read_geojson(text))
    areas = [
        _build_area(feature, feature.name(f"Area {number}"))
        for number, feature in enumerate(features, 1)
        if feature.polygons
    ]
    if not areas:
        raise Invalid.at("/file", "The file holds no polygon.")
    if len(areas) > MOST_AREAS:
        raise Invalid.at("/file", f"{len(areas)} areas in one file; at most {MOST_AREAS}.")
    areas = [area._replace(geometry=_join_polygons(area)) for area in areas]
    left_out = [
        f"{feature.name(f'Feature {number}')} ({', '.join(feature.others) or 'no polygon'})"
        for number, feature in enumerate(features, 1)
        if feature.others or not feature.polygons
    ]
    return AreaFile(areas, left_out)


def _join_polygons(area: FileArea) -> dict[str, Any]:
    """Join the polygons of an area if they overlap or share an edge, which those of KML may.

    Raises :class:`Invalid` with the name of a faulty area.
    """
    try:
        return _join_if_needed(area.geometry)
    except Invalid as error:
        raise Invalid(
            [FieldError("/file", f"{area.name}: {fault.detail}") for fault in error.faults]
        ) from None


def _join_if_needed(geometry: dict[str, Any]) -> dict[str, Any]:
    try:
        parse_area(geometry)
    except Invalid:
        if geometry["type"] == "Polygon":
            raise
    else:
        return geometry
    parts = [{"type": "Polygon", "coordinates": rings} for rings in list_polygons(geometry)]
    joined: dict[str, Any] = json.loads(to_geojson(unary_union([*map(parse_area, parts)])))
    parse_area(joined)
    return joined


def _build_area(feature: _Feature, name: str) -> FileArea:
    said, polygons = feature.said, feature.polygons
    one = {"type": "Polygon", "coordinates": polygons[0]}
    many = {"type": "MultiPolygon", "coordinates": polygons}
    description = said.get("description")
    return FileArea(
        name=name,
        geometry=one if len(polygons) == 1 else many,
        start_date=_read_day(said.get("start_date"), f"{name}: the first day", is_last=False),
        end_date=_read_day(said.get("end_date"), f"{name}: the last day", is_last=True),
        description=(
            drop_faulty(description, LINE_CONTROLS)[:2000] if isinstance(description, str) else None
        ),
        **_read_own(said),
    )


def _read_day(written: Any, label: str, *, is_last: bool) -> str | None:
    """The ISO date of a date, or that in UTC of a date-time; raises :class:`Invalid` for others.

    Of a year or a month, which KML has too, it is the first or the last day.
    Without the date that is written, an area would be closed for ever.
    """
    written = written.strip() if isinstance(written, str) else written
    if written is None or written == "":
        return None
    if found := _YEAR_OR_MONTH.fullmatch(str(written)):
        year, month = int(found[1]), int(found[2] or (12 if is_last else 1))
        last_of_month = monthrange(year, month)[1]
        return date(year, month, last_of_month if is_last else 1).isoformat()
    instant = find_instant(written)
    day = instant.date() if instant else find_day(written)
    if day is None:
        right = "a date such as 2026-04-30 or a time such as 2026-04-30T12:00:00Z"
        raise Invalid.at("/file", f"{label} is “{drop_faulty(str(written))[:40]}”. Write {right}.")
    return day.isoformat()


def _read_own(said: dict[str, Any]) -> dict[str, Any]:
    """Further fields of an exported file; in other files these names mean other things."""
    own = {name: said.get(name) for name in ("type", "level", "is_active")}
    is_exported = own["type"] in [*AreaType] and own["level"] in [*AreaLevel]
    if not is_exported or not isinstance(own["is_active"], bool):
        return {}
    if own["level"] == AreaLevel.VESSEL_TYPE:
        codes = said.get("vessel_type_codes")
        own["vessel_type_codes"] = codes if isinstance(codes, list) else []
    return own


def _read_geojson(text: str) -> Iterator[_Feature]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise Invalid.at("/file", "The file is neither GeoJSON nor KML.") from None
    features = document.get("features") if isinstance(document, dict) else None
    for feature in features if isinstance(features, list) else [document]:
        feature = feature if isinstance(feature, dict) else {}
        polygons: list[Any] = []
        others: list[str] = []
        for geometry in list_geometries(feature):
            kind, coordinates = geometry.get("type"), geometry.get("coordinates")
            if kind == "MultiPolygon" and isinstance(coordinates, list) and coordinates:
                polygons += coordinates
            elif kind in ("Polygon", "MultiPolygon"):
                polygons.append(coordinates)
            else:
                others.append(drop_faulty(str(kind))[:40])
        said = feature.get("properties")
        yield _Feature(polygons, others, said if isinstance(said, dict) else {})


def _read_kml(content: bytes) -> Iterator[_Feature]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise Invalid.at("/file", f"The file is not sound XML: {error.msg}.") from None
    if root.getroottree().docinfo.doctype:
        raise Invalid.at("/file", "The file declares a document type; KML has none.")
    features = root.iter("{*}Placemark", "{*}GroundOverlay", "{*}NetworkLink")
    for number, feature in enumerate(features, 1):
        name = drop_faulty(feature.findtext("{*}name") or "")[:200] or f"Area {number}"
        polygons = [
            [_read_ring(ring, name) for ring in polygon.iterfind(".//{*}LinearRing")]
            for polygon in feature.iter("{*}Polygon")
        ]
        others = [etree.QName(shape).localname for shape in feature.iter(*_NO_AREAS)]
        yield _Feature(polygons, others, _read_said(feature))


def _read_said(feature: etree._Element) -> dict[str, Any]:
    """Properties of a KML feature, named as those of GeoJSON."""
    data = {
        each.get("name"): each.findtext("{*}value") or ""
        for each in feature.iterfind("{*}ExtendedData/{*}Data")
    }
    begin, end = _find_span(feature)
    return {
        "name": feature.findtext("{*}name"),
        "description": feature.findtext("{*}description"),
        "start_date": begin,
        "end_date": end,
        "type": data.get("type"),
        "level": data.get("level"),
        "is_active": {"true": True, "false": False}.get(data.get("is_active", "")),
        "vessel_type_codes": [
            int(code)
            for code in data.get("vessel_type_codes", "").split()
            if code.isdecimal() and len(code) < 10
        ],
    }


def _find_span(feature: etree._Element) -> tuple[str, str]:
    """Begin and end of a KML feature: its own, otherwise those of the nearest container."""
    for owner in (feature, *feature.iterancestors()):
        for tag, first, last in (("TimeSpan", "begin", "end"), ("TimeStamp", "when", "when")):
            time = owner.find(f"{{*}}{tag}")
            if time is not None:
                begin, end = (time.findtext(f"{{*}}{name}") or "" for name in (first, last))
                return begin, end
    return "", ""


def _read_ring(ring: etree._Element, name: str) -> list[list[float]]:
    """Positions of a ring of a named area, without heights."""
    positions = []
    for each in (ring.findtext("{*}coordinates") or "").split():
        try:
            positions.append([float(number) for number in each.split(",")[:2]])
        except ValueError:
            raise Invalid.at(
                "/file",
                f"{name}: “{drop_faulty(each)[:40]}” is no position. Write"
                " longitude,latitude in degrees, without a space after the comma.",
            ) from None
    coordinates: list[list[float]] = close_ring(positions)["coordinates"][0]
    return coordinates


def write_geojson(areas: Sequence[AreaRecord]) -> bytes:
    """Write areas as a FeatureCollection, within longitudes -180..180."""
    features = [
        {
            "type": "Feature",
            "id": str(area.id),
            "geometry": wrap_area(area.drawn),
            "properties": describe(area) | {"vessel_type_codes": area.vessel_type_codes},
        }
        for area in areas
    ]
    collection = {"type": "FeatureCollection", "features": features}
    return json.dumps(collection, ensure_ascii=False, indent=1).encode()


def write_kml(areas: Sequence[AreaRecord]) -> bytes:
    """Write areas as a KML document, within longitudes -180..180."""
    kml = etree.Element(f"{{{_KML}}}kml", nsmap={None: _KML})
    document = _add(kml, "Document")
    _add(document, "name", "Constraints")
    for area in areas:
        placemark = _add(document, "Placemark")
        _add(placemark, "name", area.name)
        _add(placemark, "visibility", "1" if area.is_active else "0")
        if area.description:
            _add(placemark, "description", area.description)
        if area.start_date or area.end_date:
            span = _add(placemark, "TimeSpan")
            if area.start_date:
                _add(span, "begin", area.start_date.isoformat())
            if area.end_date:
                _add(span, "end", area.end_date.isoformat())
        _add_own(placemark, area)
        _add_polygons(placemark, wrap_area(area.drawn))
    return bytes(etree.tostring(kml, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _add_own(placemark: etree._Element, area: AreaRecord) -> None:
    """Add what KML has no elements for."""
    own = {
        "type": area.type,
        "level": area.level,
        "vessel_type_codes": " ".join(map(str, area.vessel_type_codes or [])),
        "is_active": "true" if area.is_active else "false",
    }
    data = _add(placemark, "ExtendedData")
    for name, text in own.items():
        each = _add(data, "Data")
        each.set("name", name)
        _add(each, "value", text)


def _add_polygons(placemark: etree._Element, geometry: dict[str, Any]) -> None:
    is_one = geometry["type"] == "Polygon"
    parent = placemark if is_one else _add(placemark, "MultiGeometry")
    for rings in list_polygons(geometry):
        polygon = _add(parent, "Polygon")
        for index, ring in enumerate(rings):
            boundary = _add(polygon, "innerBoundaryIs" if index else "outerBoundaryIs")
            positions = " ".join(f"{lng},{lat}" for lng, lat, *_height in ring)
            _add(_add(boundary, "LinearRing"), "coordinates", positions)


def _add(parent: etree._Element, name: str, text: str | None = None) -> etree._Element:
    child = etree.SubElement(parent, f"{{{_KML}}}{name}")
    child.text = text
    return child
