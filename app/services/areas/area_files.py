"""Import and export of areas as GeoJSON and KML files.

Of KML (OGC 07-147r2) only Polygon and MultiGeometry elements are read; all other
elements are ignored.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

import lxml.etree as etree

from app.models import AreaRecord
from app.records.texts import LINE_CONTROLS, drop_faulty
from app.services.areas.geojson import close_ring, parse_area, wrap_area
from app.services.errors import FieldError, Invalid

#: Largest number of areas in one file.
MOST_AREAS: Final = 200
_KML: Final = "http://www.opengis.net/kml/2.2"


class FileArea(NamedTuple):
    """An area in a file: name, GeoJSON geometry, days and description."""

    name: str
    geometry: dict[str, Any]
    start_date: str | None = None
    end_date: str | None = None
    description: str | None = None


def read_areas(content: bytes) -> list[FileArea]:
    """The areas of a GeoJSON or KML file.

    Raises :class:`Invalid` with the name of the faulty area and the position of the error.
    """
    text = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    areas = list(_read_kml(content) if text[:1] == b"<" else _read_geojson(text))
    if not areas:
        raise Invalid.at("/file", "The file holds no polygon.")
    if len(areas) > MOST_AREAS:
        raise Invalid.at("/file", f"{len(areas)} areas in one file; at most {MOST_AREAS}.")
    for area in areas:
        _refuse_faulty(area)
    return areas


def _refuse_faulty(area: FileArea) -> None:
    try:
        parse_area(area.geometry)
    except Invalid as error:
        raise Invalid(
            [FieldError("/file", f"{area.name}: {fault.detail}") for fault in error.faults]
        ) from None


def _read_geojson(content: bytes) -> Iterator[FileArea]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise Invalid.at("/file", "The file is neither GeoJSON nor KML.") from None
    features = document.get("features") if isinstance(document, dict) else None
    for number, feature in enumerate(features if isinstance(features, list) else [document], 1):
        feature = feature if isinstance(feature, dict) else {}
        geometry = feature.get("geometry") if feature.get("type") == "Feature" else feature
        if isinstance(geometry, dict) and geometry.get("type") in {"Polygon", "MultiPolygon"}:
            said = feature.get("properties")
            yield _name_area(said if isinstance(said, dict) else {}, geometry, number)


def _name_area(said: dict[str, Any], geometry: dict[str, Any], number: int) -> FileArea:
    name, description = said.get("name"), said.get("description")
    return FileArea(
        name=(drop_faulty(name)[:200] if isinstance(name, str) else "") or f"Area {number}",
        geometry={"type": geometry["type"], "coordinates": geometry.get("coordinates")},
        start_date=_read_day(said.get("start_date")),
        end_date=_read_day(said.get("end_date")),
        description=(
            drop_faulty(description, LINE_CONTROLS)[:2000] if isinstance(description, str) else None
        ),
    )


def _read_day(text: Any) -> str | None:
    try:
        return date.fromisoformat(text).isoformat()
    except (TypeError, ValueError):
        return None


def _read_kml(content: bytes) -> Iterator[FileArea]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise Invalid.at("/file", f"The file is not sound XML: {error.msg}.") from None
    if root.getroottree().docinfo.doctype:
        raise Invalid.at("/file", "The file declares a document type; KML has none.")
    for number, placemark in enumerate(root.iter("{*}Placemark"), 1):
        polygons = [
            [_read_ring(ring) for ring in polygon.iterfind(".//{*}LinearRing")]
            for polygon in placemark.iter("{*}Polygon")
        ]
        if polygons:
            said = {
                "name": placemark.findtext("{*}name"),
                "description": placemark.findtext("{*}description"),
                "start_date": (placemark.findtext(".//{*}TimeSpan/{*}begin") or "")[:10],
                "end_date": (placemark.findtext(".//{*}TimeSpan/{*}end") or "")[:10],
            }
            one = {"type": "Polygon", "coordinates": polygons[0]}
            many = {"type": "MultiPolygon", "coordinates": polygons}
            yield _name_area(said, one if len(polygons) == 1 else many, number)


def _read_ring(ring: etree._Element) -> list[list[float]]:
    """Positions of a ring, without heights."""
    tuples = (ring.findtext("{*}coordinates") or "").split()
    try:
        positions = [[float(number) for number in each.split(",")[:2]] for each in tuples]
    except ValueError:
        raise Invalid.at("/file", "A ring's coordinates are not numbers.") from None
    coordinates: list[list[float]] = close_ring(positions)["coordinates"][0]
    return coordinates


def write_geojson(areas: Sequence[AreaRecord]) -> bytes:
    """Write areas as a FeatureCollection, within longitudes -180..180."""
    features = [
        {
            "type": "Feature",
            "id": str(area.id),
            "geometry": wrap_area(area.drawn),
            "properties": {
                "name": area.name,
                "type": area.type,
                "level": area.level,
                "start_date": area.start_date.isoformat() if area.start_date else None,
                "end_date": area.end_date.isoformat() if area.end_date else None,
                "is_active": area.is_active,
                "description": area.description,
            },
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
        if area.description:
            _add(placemark, "description", area.description)
        if area.start_date or area.end_date:
            span = _add(placemark, "TimeSpan")
            if area.start_date:
                _add(span, "begin", area.start_date.isoformat())
            if area.end_date:
                _add(span, "end", area.end_date.isoformat())
        _add_polygons(placemark, wrap_area(area.drawn))
    return bytes(etree.tostring(kml, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _add_polygons(placemark: etree._Element, geometry: dict[str, Any]) -> None:
    is_one = geometry["type"] == "Polygon"
    polygons = [geometry["coordinates"]] if is_one else geometry["coordinates"]
    parent = placemark if is_one else _add(placemark, "MultiGeometry")
    for rings in polygons:
        polygon = _add(parent, "Polygon")
        for index, ring in enumerate(rings):
            boundary = _add(polygon, "innerBoundaryIs" if index else "outerBoundaryIs")
            positions = " ".join(f"{lng},{lat}" for lng, lat, *_height in ring)
            _add(_add(boundary, "LinearRing"), "coordinates", positions)


def _add(parent: etree._Element, name: str, text: str | None = None) -> etree._Element:
    child = etree.SubElement(parent, f"{{{_KML}}}{name}")
    child.text = text
    return child
