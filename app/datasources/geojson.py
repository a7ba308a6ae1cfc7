"""Traversal of GeoJSON (RFC 7946)."""

from collections.abc import Iterator, Mapping
from typing import Any


def list_geometries(item: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the geometries of a feature or a bare geometry, those within collections in order.

    The content of a file need not be valid.
    """
    pending = [item.get("geometry") if item.get("type") == "Feature" else item]
    while pending:
        geometry = pending.pop()
        if not isinstance(geometry, dict):
            continue
        parts = geometry.get("geometries")
        if geometry.get("type") == "GeometryCollection" and isinstance(parts, list):
            pending += reversed(parts)
        else:
            yield geometry


def list_polygons(geometry: Mapping[str, Any]) -> list[Any]:
    """List the polygons, each a list of rings, of a valid Polygon or MultiPolygon."""
    coordinates: list[Any] = geometry["coordinates"]
    return [coordinates] if geometry["type"] == "Polygon" else coordinates


def list_positions(geometry: Mapping[str, Any]) -> list[Any]:
    """List the positions of a valid Polygon or MultiPolygon; some may have a height."""
    return [position for rings in list_polygons(geometry) for ring in rings for position in ring]
