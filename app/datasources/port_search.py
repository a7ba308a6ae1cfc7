"""Port search by UN/LOCODE, name in Latin letters, words or country."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, reduce
from operator import and_
from typing import Any, Final, TypeVar

from app.datasources.place_names import expand, fold, is_one_letter_off, squash
from app.datasources.ports import Port, UnknownPort, get_port, list_ports, names_in_index, own_names

_Row = TypeVar("_Row", bound=tuple[Any, ...])

#: How a name fits, best first: the code, the whole name, its beginning, its words, words with
#: the country or of several names.
_CODE, _WHOLE, _BEGINNING, _WORDS, _ELSEWHERE = range(5)

#: What a name other than the port's own costs, in classes of harbour size: a larger port that
#: is also called so comes before the smaller port of that name, one of the same size after it.
_OTHER_NAME_COST: Final = 1

#: What countries are called besides their name and the code of their UN/LOCODEs, by that code.
_ALSO_CALLED: Final = {"GB": "UK", "US": "USA", "AE": "UAE"}
#: Letters from which on a misspelt name is guessed.
_SHORTEST_GUESSED: Final = 4


def search_ports(query: str, limit: int = 20) -> list[Port]:
    """Ports that every word of ``query`` begins a word of, best first.

    Case, accents, spaces and common abbreviations do not count. The port of an exact
    UN/LOCODE or index number comes first, then ports called exactly this, then those whose
    names begin with it, then those whose names hold its words, last those that match by
    several names or by country. The word for harbour may be left out: Dover is Dover Harbor.
    Among equals the larger harbour leads, then one with a UN/LOCODE, then one with known depths.
    """
    folded = fold(query)
    if not folded:
        return []
    index = _index(list_ports())
    best: dict[str, tuple[int, int]] = {}
    for port_id, fit, cost in _find(index, folded, query):
        best[port_id] = min((fit, cost), best.get(port_id, (fit, cost)))
    ports = index.ports
    ranked = sorted(best, key=lambda port_id: (*best[port_id], *_importance(ports[port_id])))
    return [ports[port_id] for port_id in ranked[:limit]]


def find_similar_ports(query: str, limit: int = 20) -> list[Port]:
    """Ports with a name of which one letter is missing, added, replaced or exchanged.

    Largest first. For names that :func:`search_ports` does not find; short names are too alike to
    be guessed.
    """
    wanted = _squash(query)
    if len(wanted) < _SHORTEST_GUESSED:
        return []
    index = _index(list_ports())
    found = {
        port_id: index.ports[port_id]
        for name, port_id, _ in index.names
        if is_one_letter_off(name, wanted)
    }
    ranked = sorted(found.values(), key=lambda port: (port.size, *_importance(port)))
    return ranked[:limit]


def _importance(port: Port) -> tuple[bool, bool, str, str]:
    """Key that sorts the more important of two ports first."""
    has_depths = port.max_draft_m is not None or port.cargo_pier_depth_m is not None
    return port.locode is None, not has_depths, port.name, port.id


def find_sole_port(name: str) -> Port | None:
    """Find the only port with a UN/LOCODE, id or name; ``None`` if there are several or none.

    A country may follow after a comma, by name or code: Santos, BR. A port's first name is its
    own unless a larger port is called so too. A country's name stands for none of another
    country: Spain is not Port of Spain.
    """
    with suppress(UnknownPort):
        return get_port(name)
    place, country = _split_country(name)
    found = [port for port in search_ports(name) if country in (None, port.country)]
    called = [port for port in found if _is_called(port, place)]
    first = [port for port in called if _squash(port.name) == _squash(place)]
    if len(first) == 1 and first[0].size <= min(port.size for port in called):
        return first[0]
    fitting = called or found
    return fitting[0] if len(fitting) == 1 else None


def _split_country(name: str) -> tuple[str, str | None]:
    """Return a place and the country after its last comma, if there is one."""
    place, _, after = name.rpartition(",")
    if not place:
        return name, None
    for country, codes in _codes_of_countries(list_ports()).items():
        if after.strip().upper() in codes or _squash(after) == _squash(country):
            return place, country
    return name, None


@cache
def _codes_of_countries(ports: tuple[Port, ...]) -> Mapping[str, tuple[str, ...]]:
    """Short names of countries by name: the code that most of their UN/LOCODEs begin with."""
    starts: dict[str, Counter[str]] = defaultdict(Counter)
    for port in ports:
        starts[port.country].update(code[:2] for code in port.locodes)
    usual = {country: [code for code, _ in c.most_common(1)] for country, c in starts.items()}
    return {
        country: (*codes, *(_ALSO_CALLED[code] for code in codes if code in _ALSO_CALLED))
        for country, codes in usual.items()
    }


def find_other_name(port: Port, query: str) -> str | None:
    """The name that a port is found by, where its first is not what is typed.

    ``None`` too where it is found by its code, by several names or by its country.
    """
    wanted = expand(fold(query))

    def fits(name: str) -> bool:
        words = expand(fold(name))
        return squash(words).startswith(squash(wanted)) or _hold(words.split(), wanted.split())

    found = next(filter(fits, _names(port)), None)
    return None if found == port.name else found


def _is_called(port: Port, name: str) -> bool:
    wanted = _squash(name)
    if wanted in _countries(list_ports()) and wanted != _squash(port.country):
        return False
    return any(_squash(other) == wanted for other in _names(port))


@cache
def _countries(ports: tuple[Port, ...]) -> frozenset[str]:
    return frozenset(_squash(port.country) for port in ports)


def _squash(name: str) -> str:
    return squash(expand(fold(name)))


def _names(port: Port) -> Iterator[str]:
    yield from names_in_index(port)
    yield from port.other_names


@dataclass(frozen=True, slots=True)
class _Index:
    """Names and words of all ports, sorted, each with its ports.

    ``names`` holds (squashed name, port, 1 for another name than its own); ``words`` maps a
    word to ports that have it in a name or as their country, by name or code; ``name_words``
    the words by name.
    """

    ports: dict[str, Port]
    names: list[tuple[str, str, int]]
    words: list[tuple[str, str]]
    name_words: dict[str, list[tuple[tuple[str, ...], int]]]


@cache
def _index(ports: tuple[Port, ...]) -> _Index:
    names: list[tuple[str, str, int]] = []
    words: set[tuple[str, str]] = set()
    name_words: dict[str, list[tuple[tuple[str, ...], int]]] = defaultdict(list)
    codes = _codes_of_countries(ports)
    for port in ports:
        own = {expand(fold(name)) for name in own_names(port)}
        for name in dict.fromkeys(expand(fold(name)) for name in _names(port)):
            is_other = int(name not in own)
            parts = tuple(name.split())
            names.append((squash(name), port.id, is_other))
            name_words[port.id].append((parts, is_other))
            words.update((word, port.id) for word in parts)
        country = fold(" ".join([port.country, *codes[port.country]]))
        words.update((word, port.id) for word in country.split())
    return _Index({port.id: port for port in ports}, sorted(names), sorted(words), name_words)


def _find(index: _Index, folded: str, query: str) -> Iterator[tuple[str, int, int]]:
    """Each match as the port's id, how it fits, and what it costs."""
    with suppress(UnknownPort):
        yield get_port(query).id, _CODE, 0
    # "st" may be typed on to "Stavanger" as well as to "St Petersburg"
    for wanted in {folded, expand(folded)}:
        yield from _find_names(index, squash(wanted))
        yield from _find_words(index, tuple(wanted.split()))


def _find_names(index: _Index, wanted: str) -> Iterator[tuple[str, int, int]]:
    for name, port_id, is_other in _beginning_with(index.names, wanted):
        fit = _WHOLE if name == wanted else _BEGINNING
        yield port_id, fit, _cost(index.ports[port_id], is_other)


def _find_words(index: _Index, wanted: tuple[str, ...]) -> Iterator[tuple[str, int, int]]:
    found = ({port_id for _, port_id in _beginning_with(index.words, word)} for word in wanted)
    for port_id in reduce(and_, found):
        port = index.ports[port_id]
        fits = [is_other for words, is_other in index.name_words[port_id] if _hold(words, wanted)]
        if fits:
            yield port_id, _WORDS, _cost(port, min(fits))
        else:
            yield port_id, _ELSEWHERE, port.size


def _hold(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether every word wanted begins one of the words."""
    return all(any(word.startswith(part) for word in words) for part in wanted)


def _cost(port: Port, is_other: int) -> int:
    """Classes of size, a port's own name ahead of another within each."""
    return 2 * (port.size + _OTHER_NAME_COST * is_other) + is_other


def _beginning_with(rows: list[_Row], start: str) -> Iterator[_Row]:
    """The rows, sorted by their first text, whose text begins with ``start``."""
    at = bisect_left(rows, start, key=lambda row: row[0])
    while at < len(rows) and rows[at][0].startswith(start):
        yield rows[at]
        at += 1
