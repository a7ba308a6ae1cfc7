"""Islands and rocks that the coastline lacks, read from the project's own data file.

``data/islands.csv`` is kept by hand: each line is a circle around a rock, an islet or a small
group, wide enough for the uncertainty of its position.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.engine.constants import NAUTICAL_MILE_M
from app.engine.geodesy import great_circle_distance_nm
from app.engine.request import Position
from app.engine.sea.passages import Quality

ISLANDS_PATH: Final = Path(__file__).parent / "data" / "islands.csv"

_FIELDS: Final = ("name", "lat", "lng", "radius_m", "source", "quality")
#: Radius of the widest circle; a larger island needs an outline [m].
_WIDEST_M: Final = 8000.0


@dataclass(frozen=True, slots=True)
class Island:
    """An island as a circle: its centre and radius [m]."""

    name: str
    centre: Position
    radius_m: float
    source: str
    quality: Quality


class InvalidIsland(ValueError):
    """An island is invalid; the message names it."""


def load_islands(path: Path = ISLANDS_PATH) -> tuple[Island, ...]:
    """Every island of the file, in its order.

    Raises
    ------
    InvalidIsland
        A field is missing, unknown or implausible, or two circles overlap: where two rings
        of a coastline overlap is water.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if tuple(rows.fieldnames or ()) != _FIELDS:
            raise InvalidIsland(f"{path.name}: the columns are not {', '.join(_FIELDS)}")
        islands = [_parse(row, f"{path.name}, line {rows.line_num}") for row in rows]
    _refuse_overlaps(islands, path.name)
    return tuple(islands)


def _parse(row: Mapping[str, str], place: str) -> Island:
    place = f"{place} ({row['name']})"
    if len(row) != len(_FIELDS) or not all(map(str.strip, (value or "" for value in row.values()))):
        raise InvalidIsland(f"{place}: each of {', '.join(_FIELDS)} needs one value")
    try:
        lat, lng, radius_m = (float(row[name]) for name in ("lat", "lng", "radius_m"))
        quality = Quality(row["quality"])
    except ValueError as error:
        raise InvalidIsland(f"{place}: {error}") from error
    if not 0.0 < radius_m <= _WIDEST_M:
        raise InvalidIsland(f"{place}: radius_m is {radius_m:g}, not up to {_WIDEST_M:g}")
    if not (abs(lat) < 85.0 and abs(lng) < 180.0):
        raise InvalidIsland(f"{place}: {lat:g}, {lng:g} is no position of an island")
    return Island(row["name"], Position(lat, lng), radius_m, row["source"], quality)


def _refuse_overlaps(islands: Sequence[Island], file: str) -> None:
    if not islands:
        return
    centres = np.array([island.centre for island in islands])
    radii_m = np.array([island.radius_m for island in islands])
    first, second = np.triu_indices(len(islands), 1)
    apart_m = great_circle_distance_nm(*centres[first].T, *centres[second].T) * NAUTICAL_MILE_M
    for pair in np.flatnonzero(apart_m <= radii_m[first] + radii_m[second]):
        names = f"{islands[first[pair]].name} and {islands[second[pair]].name}"
        raise InvalidIsland(f"{file}: the circles of {names} overlap")
