"""Islands and rocks that the coastline lacks, read from the project's own data file.

``data/islands.csv`` is kept by hand: each line is a circle around a rock, an islet or a small
group, wide enough for the uncertainty of its position. Tests check the file.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.engine.request import Position
from app.engine.sea.passages import Quality

ISLANDS_PATH: Final = Path(__file__).parent / "data" / "islands.csv"


@dataclass(frozen=True, slots=True)
class Island:
    """An island as a circle: its centre and radius [m]."""

    name: str
    centre: Position
    radius_m: float
    source: str
    quality: Quality


def load_islands(path: Path = ISLANDS_PATH) -> tuple[Island, ...]:
    """Every island of the file, in its order."""
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(map(_parse, csv.DictReader(file)))


def _parse(row: Mapping[str, str]) -> Island:
    return Island(
        name=row["name"],
        centre=Position(float(row["lat"]), float(row["lng"])),
        radius_m=float(row["radius_m"]),
        source=row["source"],
        quality=Quality(row["quality"]),
    )
