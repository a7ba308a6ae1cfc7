"""The bridges over the world's ship channels, read from the project's own data file.

``data/bridges.geojson`` is a GeoJSON FeatureCollection kept by hand: a LineString of two points
lies across the water, from shore to shore; the properties are the fields of
:class:`app.engine.sea.bridges.Bridge`, plus ``remarks`` for what a number cannot say. Tests check
the file.
"""

from operator import attrgetter
from pathlib import Path
from typing import Final

from app.datasources.features import read_features, read_line
from app.engine.sea.bridges import Bridge

BRIDGES_PATH: Final = Path(__file__).parent / "data" / "bridges.geojson"


def load_bridges(path: Path = BRIDGES_PATH) -> tuple[Bridge, ...]:
    """Read every bridge of the file, ordered by id."""
    bridges = (
        Bridge.of(fields | {"ends": read_line(line)}) for fields, line in read_features(path)
    )
    return tuple(sorted(bridges, key=attrgetter("id")))
