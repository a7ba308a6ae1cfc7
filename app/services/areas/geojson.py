"""Parsing of clients' GeoJSON polygons: validation, and splitting at the antimeridian.

Positions are (longitude, latitude) [deg]; longitudes from -180 to 360 are
accepted. Of two directions between two vertices the shorter is meant, if need be
across the antimeridian; an edge that could mean either is refused. A ring over
all 360 degrees of longitude is a band round the globe.
"""

import math
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import shapely
from shapely import MultiPolygon, Polygon, affinity, box, is_valid_reason, unary_union
from shapely.geometry import mapping
from shapely.geometry.base import BaseGeometry

from app.datasources.geojson import list_positions
from app.engine.arrays import Floats
from app.engine.formatting import format_position
from app.engine.geodesy.shapes import repeat_around
from app.engine.units import wrap_longitude
from app.services.errors import Invalid

MOST_VERTICES: Final = 10_000
WIDEST_DEG: Final = 180.0
#: Longest edge across the antimeridian: a longer one may be meant to lead the other way round.
_LONGEST_ACROSS_DEG: Final = 90.0
#: Decimals of longitudes that are shifted by 360 degrees.
_DECIMALS: Final = 9
#: Width of a band round the globe.
_ROUND_DEG: Final = 360.0
#: Least area of the convex hull [deg²]; corners in one line have a smaller one by rounding.
_LEAST_HULL_DEG2: Final = 1e-9

#: Members of a geometry object; RFC 7946, 3.1.6, 3.1.7 and 5.
_MEMBERS: Final = frozenset({"type", "coordinates", "bbox"})

#: Other kinds of GeoJSON objects, each with what to send instead.
_OTHER_KINDS: Final[Mapping[str, str]] = {
    "Feature": "Send the Feature's geometry.",
    "FeatureCollection": "Send the geometry of each of its Features.",
    "GeometryCollection": "Send each of its polygons.",
    **dict.fromkeys(("Point", "MultiPoint", "LineString", "MultiLineString"), ""),
}

Ring: TypeAlias = Floats

_PLACE = re.compile(r"^(?P<what>[^\[]+)\[(?P<lng>\S+) (?P<lat>\S+)\]$")


def parse_area(geometry: Any, pointer: str = "") -> MultiPolygon:
    """Read a GeoJSON Polygon or MultiPolygon.

    The result lies within -180..180, split at the antimeridian.

    Raises :class:`Invalid` with a pointer below ``pointer``.
    """
    polygons = list(_read_polygons(geometry, pointer))
    vertices = sum(len(ring) for rings, _ in polygons for ring in rings)
    if vertices > MOST_VERTICES:
        raise Invalid.at(
            f"{pointer}/coordinates", f"{vertices:,} vertices; at most {MOST_VERTICES:,}."
        )
    parts = [part for rings, place in polygons for part in _split(_build(rings, place))]
    joined = MultiPolygon(parts)
    _refuse_invalid(joined, f"{pointer}/coordinates")
    return joined


def wrap_area(drawn: dict[str, Any]) -> dict[str, Any]:
    """Return a valid geometry within -180..180: as drawn, or split at the antimeridian."""
    if all(lng <= 180.0 for lng, *_ in list_positions(drawn)):
        return drawn
    split = shapely.transform(parse_area(drawn), lambda places: places.round(_DECIMALS))
    wrapped: dict[str, Any] = mapping(split)
    return wrapped


def describe_other_kind(kind: Any, remedy: str | None = None) -> str:
    """Return the error of a GeoJSON object that is no polygon, with what to send instead."""
    detail = "Must be a GeoJSON Polygon or MultiPolygon"
    if not isinstance(kind, str) or kind not in _OTHER_KINDS:
        return f"{detail}."
    return f"{detail}, not a {kind}. {remedy or _OTHER_KINDS[kind]}".rstrip()


def close_ring(positions: list[Any]) -> dict[str, Any]:
    """Convert a list of positions to a closed GeoJSON Polygon."""
    closed = positions if positions[:1] == positions[-1:] else [*positions, *positions[:1]]
    return {"type": "Polygon", "coordinates": [closed]}


def _read_polygons(geometry: Any, pointer: str) -> Iterator[tuple[list[Ring], str]]:
    """The rings of each polygon with continuous longitudes, and the polygon's pointer."""
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if kind not in ("Polygon", "MultiPolygon"):
        raise Invalid.at(f"{pointer}/type", describe_other_kind(kind))
    for member in geometry.keys() - _MEMBERS:
        # mainly the obsolete "crs", with which the same numbers would be other positions
        raise Invalid.at(f"{pointer}/{member}", f"A polygon has no member {member!r} here.")
    place = f"{pointer}/coordinates"
    coordinates = geometry.get("coordinates")
    if kind == "Polygon":
        yield _read_rings(coordinates, place), place
        return
    for index, rings in enumerate(_read_list(coordinates, place)):
        yield _read_rings(rings, f"{place}/{index}"), f"{place}/{index}"


def _read_rings(rings: Any, pointer: str) -> list[Ring]:
    shell, *holes = [
        _unwrap(_read_ring(ring, f"{pointer}/{index}"), f"{pointer}/{index}")
        for index, ring in enumerate(_read_list(rings, pointer))
    ]
    return [shell, *(_align_hole(hole, shell) for hole in holes)]


def _read_list(value: Any, pointer: str) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise Invalid.at(pointer, "Must be a list that is not empty.")
    return value


def _read_ring(ring: Any, pointer: str) -> Ring:
    positions = _read_plain(ring)
    if positions is None:
        positions = _read_each(ring, pointer)
    (first_lng, first_lat), (last_lng, last_lat) = positions[0], positions[-1]
    if first_lat != last_lat or (first_lng - last_lng) % 360.0 != 0.0:
        raise Invalid.at(pointer, "The ring is not closed: its last position must be its first.")
    if len(positions) < 4:
        raise Invalid.at(pointer, "A ring needs at least four positions, the last as the first.")
    return positions


def _read_plain(ring: Any) -> Ring | None:
    """Read a valid ring of pairs of numbers at once; ``None`` for any other ring.

    Reading thousands of positions one by one takes a hundred times as long.
    """
    try:
        if not all(type(number) in (float, int) for position in ring for number in position):
            return None
        positions = np.array(ring, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    if positions.ndim != 2 or positions.shape[1] != 2:
        return None
    lng, lat = positions.T
    is_good = np.all((lng >= -180) & (lng <= 360) & (lat >= -90) & (lat <= 90))
    return positions if is_good else None


def _read_each(ring: Any, pointer: str) -> Ring:
    """Read a ring position by position; raises a pointer to the first faulty one."""
    positions = [
        _read_position(position, f"{pointer}/{index}")
        for index, position in enumerate(_read_list(ring, pointer))
    ]
    return np.array(positions)


def _read_position(position: Any, pointer: str) -> tuple[float, float]:
    numbers = position if isinstance(position, list) and 2 <= len(position) <= 3 else []
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int | float):
            numbers = []
    if not numbers or not all(abs(number) <= sys.float_info.max for number in numbers):
        raise Invalid.at(pointer, "Must be [longitude, latitude], two finite numbers.")
    lng, lat = float(numbers[0]), float(numbers[1])
    if not -180 <= lng <= 360:
        raise Invalid.at(f"{pointer}/0", f"Longitude {lng:g} is outside -180 to 360.")
    if not -90 <= lat <= 90:
        question = " Are latitude and longitude exchanged?" if -90 <= lng <= 90 else ""
        raise Invalid.at(f"{pointer}/1", f"Latitude {lat:g} is outside -90 to 90.{question}")
    return lng, lat


def _unwrap(ring: Ring, pointer: str) -> Ring:
    """Make longitudes continuous across the antimeridian, or from end to end of a band."""
    lng = np.unwrap(ring[:, 0], period=360.0)
    if np.ptp(lng) == 0.0 or not _is_closed(lng):
        lng = _unwrap_band(ring[:, 0])
    if not _is_closed(lng):
        raise Invalid.at(
            pointer,
            "The ring goes round a pole. Draw the band from longitude -180 to 180, with the pole's"
            " latitude as its other edge.",
        )
    _refuse_ambiguous(ring[:, 0], lng, pointer)
    width_deg = np.ptp(lng)
    if width_deg > WIDEST_DEG and width_deg != _ROUND_DEG:
        raise Invalid.at(
            pointer,
            f"The ring is {width_deg:.0f} degrees wide; at most {WIDEST_DEG:.0f}, or a band of all"
            f" {_ROUND_DEG:.0f}. Split it.",
        )
    return np.column_stack((lng, ring[:, 1]))


def _refuse_ambiguous(sent: Ring, meant: Ring, pointer: str) -> None:
    """Refuse long edges that are shorter across the antimeridian than as they were sent."""
    edges_deg = np.abs(np.diff(meant))
    is_across = np.abs(np.diff(sent)) > edges_deg + 1.0
    for edge in np.flatnonzero(is_across & (edges_deg > _LONGEST_ACROSS_DEG)).tolist():
        raise Invalid.at(
            f"{pointer}/{edge + 1}",
            f"The edge from longitude {sent[edge]:g} to {sent[edge + 1]:g} could lead round the"
            " globe in either direction. Put a vertex between them.",
        )


def _is_closed(lng: Ring) -> bool:
    return bool(abs(lng[-1] - lng[0]) < 1.0)


def _unwrap_band(lng: Ring) -> Ring:
    """Make longitudes continuous, where an edge of 360 degrees leads round the globe."""
    steps, sent = np.diff(np.unwrap(lng, period=360.0)), np.diff(lng)
    steps = np.where(np.abs(sent) == _ROUND_DEG, sent, steps)
    return np.asarray(lng[0] + np.append(0.0, np.cumsum(steps)))


def _align_hole(hole: Ring, shell: Ring) -> Ring:
    """Shift a hole by multiples of 360 degrees to its shell."""
    # the middles of the extents, which do not depend on where vertices are dense
    middle, wanted = ((ring[:, 0].min() + ring[:, 0].max()) / 2.0 for ring in (hole, shell))
    shifted: Ring = hole + np.array([360.0 * np.round((wanted - middle) / 360.0), 0.0])
    return shifted


def _build(rings: list[Ring], pointer: str) -> BaseGeometry:
    shell, *holes = rings
    if holes and np.ptp(shell[:, 0]) == _ROUND_DEG:
        return _build_band(shell, holes, pointer)
    polygon = Polygon(shell, holes)
    _refuse_invalid(polygon, pointer)
    return polygon


def _build_band(shell: Ring, holes: list[Ring], pointer: str) -> BaseGeometry:
    """Build a band round the globe. Its ends are no edges, so that a hole may lie across them."""
    band = _build([shell], pointer)
    around = repeat_around(band)
    for hole in holes:
        gap = _build([hole], pointer)
        if not around.covers(gap):
            raise Invalid.at(pointer, "A hole of the band reaches beyond its edge.")
        band = band.difference(repeat_around(gap))
    _refuse_invalid(band, pointer)
    return band


def _refuse_invalid(geometry: BaseGeometry, pointer: str) -> None:
    # rounding makes corners in one line a sliver, or lets their edges cross
    encloses = geometry.convex_hull.area > _LEAST_HULL_DEG2
    if geometry.is_valid and encloses:
        return
    found = _PLACE.match(is_valid_reason(geometry))
    if found is None or not encloses:
        raise Invalid.at(pointer, "The polygon encloses no area.")
    what = found["what"].strip().capitalize()
    place = format_position(float(found["lat"]), float(wrap_longitude(float(found["lng"]))))
    remedy = " Change the outline so that no edges cross." if "intersection" in what else ""
    raise Invalid.at(pointer, f"{what} at {place}.{remedy}")


def _split(polygon: BaseGeometry) -> Iterator[Polygon]:
    """Split a polygon at the antimeridian, and shift the parts to -180..180."""
    west, _, east, _ = polygon.bounds
    pieces: list[Polygon] = []
    for turn in range(math.floor((west + 180) / 360), math.ceil((east + 180) / 360)):
        window = box(360 * turn - 180, -90, 360 * turn + 180, 90)
        part = affinity.translate(polygon.intersection(window), xoff=-360 * turn)
        pieces += [piece for piece in _pieces(part) if piece.area > 0]
    # a band's ends meet where it was cut, so that its pieces share an edge
    yield from _pieces(unary_union(pieces)) if east - west == _ROUND_DEG else pieces


def _pieces(geometry: BaseGeometry) -> Iterator[Polygon]:
    for piece in getattr(geometry, "geoms", [geometry]):
        if isinstance(piece, Polygon) and not piece.is_empty:
            yield piece
