"""Shoals, banks and reefs of the world, read from the project's own data file.

``data/shoals.geojson`` is a GeoJSON FeatureCollection kept by hand: a Polygon is the outline,
drawn outwards, the properties are the fields of
:class:`app.engine.sea.shoal_areas.ShoalArea`. Tests check the file.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from app.datasources.passages import read_line
from app.engine.sea.passages import Quality
from app.engine.sea.shoal_areas import ShoalArea, ShoalKind

SHOALS_PATH: Final = Path(__file__).parent / "data" / "shoals.geojson"


def load_shoal_areas(path: Path = SHOALS_PATH) -> tuple[ShoalArea, ...]:
    """Every shoal of the file, ordered by id."""
    features = json.loads(path.read_text(encoding="utf-8"))["features"]
    return tuple(sorted(map(_parse, features), key=lambda area: area.id))


def _parse(feature: Mapping[str, Any]) -> ShoalArea:
    properties = dict(feature["properties"])
    properties["kind"] = ShoalKind(properties["kind"])
    properties["quality"] = Quality(properties["quality"])
    return ShoalArea(**properties, outline=read_line(feature["geometry"]["coordinates"][0]))
