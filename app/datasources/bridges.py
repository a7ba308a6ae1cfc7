"""The bridges over the world's ship channels, read from the project's own data file.

``data/bridges.geojson`` is a GeoJSON FeatureCollection kept by hand: a LineString of two points
lies across the water, from shore to shore; the properties are the fields of
:class:`app.engine.sea.bridges.Bridge`, plus ``remarks`` for what a number cannot say. Tests check
the file.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from app.datasources.passages import read_line
from app.engine.sea.bridges import Bridge

BRIDGES_PATH: Final = Path(__file__).parent / "data" / "bridges.geojson"


def load_bridges(path: Path = BRIDGES_PATH) -> tuple[Bridge, ...]:
    """Read every bridge of the file, ordered by id."""
    features = json.loads(path.read_text(encoding="utf-8"))["features"]
    return tuple(sorted(map(_parse, features), key=lambda bridge: bridge.id))


def _parse(feature: Mapping[str, Any]) -> Bridge:
    fields = dict(feature["properties"])
    fields.pop("remarks", None)
    return Bridge.of(fields | {"ends": read_line(feature["geometry"]["coordinates"])})
