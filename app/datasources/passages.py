"""The named narrow waters of the world, read from the project's own data files.

Each file under ``data/passages`` is a GeoJSON FeatureCollection of one region,
kept by hand: a LineString is the centre line, the properties are the fields of
:class:`app.engine.sea.passages.Passage` in the same units, plus ``remarks`` for
what a number cannot say. ``null`` is written where no source is known. Tests check the files.
"""

from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from app.datasources.features import read_features, read_line
from app.engine.sea.passages import Passage

#: Where the files of the regions lie.
PASSAGES_DIR: Final = Path(__file__).parent / "data" / "passages"


def load_passages(directory: Path = PASSAGES_DIR) -> tuple[Passage, ...]:
    """Read every passage of the ``*.geojson`` files in ``directory``, ordered by id."""
    passages = (
        _parse(fields, line)
        for file in sorted(directory.glob("*.geojson"))
        for fields, line in read_features(file)
    )
    return tuple(sorted(passages, key=attrgetter("id")))


def _parse(fields: Mapping[str, Any], line: Any) -> Passage:
    gate = fields.get("gate")
    lines = {"centre_line": read_line(line), "gate": None if gate is None else read_line(gate)}
    return Passage.of({**fields, **lines})
