"""Shoals, banks and reefs of the world, read from the project's own data file.

``data/shoals.geojson`` is a GeoJSON FeatureCollection kept by hand: a Polygon is the outline,
drawn outwards, the properties are the fields of
:class:`app.engine.sea.shoal_areas.ShoalArea`. Tests check the file.
"""

from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from app.datasources.features import read_features, read_line
from app.engine.sea.passages import Quality
from app.engine.sea.shoal_areas import ShoalArea, ShoalKind

SHOALS_PATH: Final = Path(__file__).parent / "data" / "shoals.geojson"


def load_shoal_areas(path: Path = SHOALS_PATH) -> tuple[ShoalArea, ...]:
    """Every shoal of the file, ordered by id."""
    areas = (_parse(fields, rings) for fields, rings in read_features(path))
    return tuple(sorted(areas, key=attrgetter("id")))


def _parse(fields: dict[str, Any], rings: Any) -> ShoalArea:
    kinds = {"kind": ShoalKind(fields["kind"]), "quality": Quality(fields["quality"])}
    return ShoalArea(**{**fields, **kinds}, outline=read_line(rings[0]))
