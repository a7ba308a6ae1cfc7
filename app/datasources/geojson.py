"""Traversal of GeoJSON files (RFC 7946), which are not validated yet."""

from collections.abc import Iterator, Mapping
from typing import Any


def list_geometries(item: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the geometries of a feature or a bare geometry, those within collections in order."""
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
