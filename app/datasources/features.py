"""Features of the project's own GeoJSON files, which are kept by hand."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from app.engine.request import Position


def read_features(path: Path) -> Iterator[tuple[dict[str, Any], Any]]:
    """Read the properties and coordinates of each feature of a FeatureCollection.

    ``remarks`` are for readers of the file and left out.
    """
    for feature in json.loads(path.read_text(encoding="utf-8"))["features"]:
        fields = dict(feature["properties"])
        fields.pop("remarks", None)
        yield fields, feature["geometry"]["coordinates"]


def read_line(coordinates: Sequence[Sequence[float]]) -> tuple[Position, ...]:
    """Read the points of a GeoJSON line, which have the longitude first."""
    return tuple(Position(lat=lat, lng=lng) for lng, lat in coordinates)
