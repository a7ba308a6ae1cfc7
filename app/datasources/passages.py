"""The named narrow waters of the world, read from the project's own data files.

Each file under ``data/passages`` is a GeoJSON FeatureCollection of one region,
kept by hand: a LineString is the centre line, the properties are the fields of
:class:`app.engine.sea.passages.Passage` in the same units, plus ``remarks`` for
what a number cannot say. ``null`` is written where no source is known. Tests check the files.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from app.engine.request import Position
from app.engine.sea.passages import Passage

#: Where the files of the regions lie.
PASSAGES_DIR: Final = Path(__file__).parent / "data" / "passages"


def load_passages(directory: Path = PASSAGES_DIR) -> tuple[Passage, ...]:
    """Read every passage of the ``*.geojson`` files in ``directory``, ordered by id."""
    features = [
        feature
        for file in sorted(directory.glob("*.geojson"))
        for feature in json.loads(file.read_text(encoding="utf-8"))["features"]
    ]
    return tuple(sorted(map(_parse, features), key=lambda passage: passage.id))


def _parse(feature: Mapping[str, Any]) -> Passage:
    fields = dict(feature["properties"])
    fields.pop("remarks", None)
    if fields.get("gate") is not None:
        fields["gate"] = read_line(fields["gate"])
    return Passage.of(fields | {"centre_line": read_line(feature["geometry"]["coordinates"])})


def read_line(coordinates: Sequence[Sequence[float]]) -> tuple[Position, ...]:
    """Read the points of a GeoJSON line, which have the longitude first."""
    return tuple(Position(lat=lat, lng=lng) for lng, lat in coordinates)
