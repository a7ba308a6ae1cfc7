"""Shoals, banks and reefs of the world, read from the project's own data file.

``data/shoals.geojson`` is a GeoJSON FeatureCollection kept by hand: a Polygon is the outline,
drawn outwards, the properties are the fields of
:class:`app.engine.sea.shoal_areas.ShoalArea`.
"""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import shapely

from app.engine.request import Position
from app.engine.sea.passages import Quality
from app.engine.sea.shoal_areas import ShoalArea, ShoalKind

SHOALS_PATH: Final = Path(__file__).parent / "data" / "shoals.geojson"

_FIELDS: Final = frozenset({"id", "name", "kind", "least_depth_m", "source", "quality"})


class InvalidShoal(ValueError):
    """A shoal is invalid; the message names it."""


def load_shoal_areas(path: Path = SHOALS_PATH) -> tuple[ShoalArea, ...]:
    """Every shoal of the file, ordered by id.

    Raises
    ------
    InvalidShoal
        A field is missing, unknown or implausible, an outline is no simple ring, or two
        shoals share an id.
    """
    features = json.loads(path.read_text(encoding="utf-8"))["features"]
    areas = [_parse(feature, f"{path.name}, feature {n}") for n, feature in enumerate(features)]
    repeated = [id for id, count in Counter(area.id for area in areas).items() if count > 1]
    if repeated:
        raise InvalidShoal(f"{path.name}: shoals share the id {', '.join(sorted(repeated))}")
    return tuple(sorted(areas, key=lambda area: area.id))


def _parse(feature: Mapping[str, Any], place: str) -> ShoalArea:
    properties = dict(feature["properties"])
    place = f"{place} ({properties.get('id', 'no id')})"
    if wrong := _FIELDS ^ properties.keys():
        raise InvalidShoal(f"{place}: {', '.join(sorted(wrong))} missing or unknown")
    depth = properties["least_depth_m"]
    if isinstance(depth, bool) or not isinstance(depth, int | float) or not 0.0 < depth < 60.0:
        raise InvalidShoal(f"{place}: least_depth_m is {depth!r}, not metres of a shoal")
    if not str(properties["source"]).strip():
        raise InvalidShoal(f"{place}: source cannot be empty")
    try:
        properties["kind"] = ShoalKind(properties["kind"])
        properties["quality"] = Quality(properties["quality"])
    except ValueError as error:
        raise InvalidShoal(f"{place}: {error}") from error
    return ShoalArea(**properties, outline=_parse_outline(feature["geometry"], place))


def _parse_outline(geometry: Mapping[str, Any], place: str) -> tuple[Position, ...]:
    rings = geometry["coordinates"] if geometry["type"] == "Polygon" else []
    if len(rings) != 1 or not shapely.Polygon(rings[0]).is_valid:
        raise InvalidShoal(f"{place}: the outline is not a Polygon of one simple ring")
    outline = tuple(Position(lat=lat, lng=lng) for lng, lat in rings[0])
    if not all(abs(lat) <= 90.0 and -180.0 <= lng < 180.0 for lat, lng in outline):
        raise InvalidShoal(f"{place}: the outline leaves the map")
    return outline
