"""Names of routes: by Suez, by Lombok, north of Scotland."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import count, pairwise
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import KDTree

from app.engine.arrays import Floats
from app.engine.constants import EARTH_RADIUS_NM
from app.engine.geodesy import unit_vectors
from app.engine.sea.path import PassageUse, SeaPath
from app.engine.sea.sides import list_sides
from app.engine.units import wrap_longitude

#: Names of the passages that decide long voyages: always mentioned.
_TURNING_POINTS: Final = {
    "suez-canal": "by Suez",
    "panama-canal": "by Panama",
    "panama-canal-neopanamax": "by Panama",
    "cape-of-good-hope": "by the Cape of Good Hope",
    "cape-horn": "by Cape Horn",
    "magellan": "by Magellan",
    "vilkitsky": "by the Northern Sea Route",
    "kiel-canal": "by Kiel",
}
#: Names of straits that are a choice, the most important first: one is mentioned if none of the
#: passages above is.
_STRAITS: Final = {
    "malacca-strait": "by Malacca",
    "sunda": "by Sunda",
    "lombok": "by Lombok",
    "torres": "by Torres",
    "bass-strait": "by Bass Strait",
    "cape-leeuwin": "south of Australia",
    "belle-isle": "by Belle Isle",
    "windward-passage": "by the Windward Passage",
    "mona-passage": "by the Mona Passage",
    "florida-straits": "by the Florida Straits",
    "yucatan-channel": "by the Yucatan Channel",
    "tsugaru": "by Tsugaru",
    "la-perouse": "by La Perouse",
    "osumi": "by Osumi",
    "unimak-pass": "by Unimak",
    "great-belt": "by the Great Belt",
    "corinth-canal": "by Corinth",
    "messina": "by Messina",
    "bonifacio": "by Bonifacio",
    "north-cape": "by the North Cape",
}
_OPEN_SEA: Final = "direct"
#: Greatest distance between tracks that are one route [nm]; and that if one of them has no passage
#: or side of land that the other does not have.
_SAME_ROUTE_NM: Final = 15.0
_SAME_WATER_NM: Final = 40.0
_SPACING_NM: Final = 5.0


def name_route(uses: Sequence[PassageUse]) -> str:
    """Name a route by its most important passages, in sailing order: "by Panama and Suez"."""
    return _join_route_labels(_list_main_phrases(uses)) or _OPEN_SEA


def _list_main_phrases(uses: Sequence[PassageUse]) -> list[str]:
    """List the phrases that name a route, in sailing order."""
    turning = [_TURNING_POINTS[use.id] for use in uses if use.id in _TURNING_POINTS]
    present = {use.id for use in uses}
    strait = [words for id, words in _STRAITS.items() if id in present][:1]
    return list(dict.fromkeys(turning)) or strait


def list_same_named(id: str) -> frozenset[str]:
    """List the passages with the same name as one, as the locks of Panama; itself included."""
    words = _TURNING_POINTS.get(id)
    return frozenset([id, *(twin for twin, other in _TURNING_POINTS.items() if other == words)])


def _join_route_labels(phrases: Sequence[str]) -> str:
    """Join phrases: "by Suez and Sunda", "by Suez, north of Scotland"."""
    by = [phrase.removeprefix("by ") for phrase in phrases if phrase.startswith("by ")]
    sides = [phrase for phrase in phrases if not phrase.startswith("by ")]
    led = "by " + " and ".join(filter(None, [", ".join(by[:-1]), by[-1]])) if by else ""
    return ", ".join(filter(None, [led, *sides]))


def drop_same_routes(paths: Sequence[SeaPath]) -> list[SeaPath]:
    """Drop the paths that follow a cheaper one of the same label.

    A path around the end of a gate, or on the other side of a lane, is not a different route.
    """
    kept: list[SeaPath] = []
    for path in paths:
        alike = (other for other in kept if other.label == path.label)
        if not any(_follows(path, other) for other in alike):
            kept.append(path)
    return kept


def name_distinctly(paths: Sequence[SeaPath]) -> tuple[SeaPath, ...]:
    """Return the paths with distinct labels.

    The first path of a label keeps it. The others are named by the passages that the first does
    not use, the least common first, or by the side on which they pass its passages.
    """
    phrases = [_list_phrases(path) for path in paths]
    users = Counter(phrase for of_path in phrases for phrase in of_path)
    named: list[SeaPath] = []
    firsts: dict[str, int] = {}
    for n, path in enumerate(paths):
        first = firsts.setdefault(path.label, n)
        taken = {other.label for other in named}
        label = path.label
        if label == _OPEN_SEA:
            first = 0
        if first != n:
            own = [phrase for phrase in phrases[n] if phrase not in phrases[first]]
            own.sort(key=users.__getitem__)
            label = _name_alternative(path, paths[first], own, taken)
        named.append(replace(path, label=label))
    return tuple(named)


def _list_phrases(path: SeaPath) -> list[str]:
    """List the phrases that may name a path: sides of land, then passages in order."""
    known = _TURNING_POINTS | _STRAITS
    phrases = [known.get(use.id, f"by {_shorten(use.name)}") for use in path.uses]
    sides = [side.name for side in list_sides(path.lats, path.lngs)]
    return list(dict.fromkeys([*sides, *phrases]))


def _shorten(name: str) -> str:
    """Return the water of a lane: Øresund, of "Øresund, northern entrance, southbound lane"."""
    return name.partition(",")[0] if name.endswith(" lane") else name


def _name_alternative(path: SeaPath, first: SeaPath, own: Sequence[str], taken: set[str]) -> str:
    """Return a distinct label for a path that shares that of ``first``."""
    for most in range(1, len(own) + 1):
        label = _join_in_order(path, own[:most])
        if label not in taken:
            return label
    given = [] if path.label == _OPEN_SEA else [path.label]
    side = _find_side(path, first)
    if side is not None and (label := _join_route_labels([*given, side])) not in taken:
        return label
    numbered = (_join_route_labels([*given, f"route {number}"]) for number in count(2))
    return next(label for label in numbered if label not in taken)


def _join_in_order(path: SeaPath, added: Sequence[str]) -> str:
    """Join the phrases that name a path and added ones, in sailing order, sides of land last."""
    wanted = {*_list_main_phrases(path.uses), *added}
    return _join_route_labels([phrase for phrase in _list_phrases(path) if phrase in wanted])


def _find_side(path: SeaPath, first: SeaPath) -> str | None:
    """Return the side on which a path passes a passage of ``first``, or their farthest points."""
    if path.lats.size == 0 or first.lats.size == 0:
        return None
    lats, lngs = _densify(path)
    tree = KDTree(unit_vectors(lats, lngs))
    ids = {use.id for use in path.uses}
    for missed in (use for use in first.uses if use.id not in ids):
        middle = (missed.first + missed.last) // 2
        at = np.array([first.lats[middle]]), np.array([first.lngs[middle]])
        apart, nearest = tree.query(unit_vectors(*at)[0])
        if apart * EARTH_RADIUS_NM > _SAME_WATER_NM:
            return f"{_name_side(lats[nearest], lngs[nearest], *at)} of {missed.name}"
    there = _densify(first)
    apart, nearest = tree.query(unit_vectors(*there))
    most = int(np.argmax(apart))
    here = nearest[most]
    return f"farther {_name_side(lats[here], lngs[here], there[0][most], there[1][most])}"


def _name_side(lat: float, lng: float, from_lat: ArrayLike, from_lng: ArrayLike) -> str:
    """Return the side of a place on which another lies: "north", "east", "south" or "west"."""
    north = lat - float(np.squeeze(from_lat))
    turned = wrap_longitude(lng - float(np.squeeze(from_lng)))
    east = turned * np.cos(np.radians(lat))
    if abs(north) >= abs(east):
        return "north" if north > 0.0 else "south"
    return "east" if east > 0.0 else "west"


def _follows(path: SeaPath, other: SeaPath) -> bool:
    """Return whether a path is so near to a cheaper one that they are one route."""
    if path.lats.size == 0 or other.lats.size == 0:
        return False
    adds = set(_list_phrases(path)) - set(_list_phrases(other))
    within_nm = _SAME_ROUTE_NM if adds else _SAME_WATER_NM
    one, two = unit_vectors(*_densify(path)), unit_vectors(*_densify(other))
    apart = max(KDTree(one).query(two)[0].max(), KDTree(two).query(one)[0].max())
    return bool(apart * EARTH_RADIUS_NM <= within_nm)


def _densify(path: SeaPath) -> tuple[Floats, Floats]:
    """Return positions [deg] along a path, on great circles."""
    vectors = unit_vectors(path.lats, path.lngs)
    points = [vectors[:1]]
    for a, b in pairwise(vectors):
        steps = max(1, int(np.linalg.norm(b - a) * EARTH_RADIUS_NM / _SPACING_NM))
        share = (np.arange(steps) + 1.0)[:, None] / steps
        chord = a + share * (b - a)
        points.append(chord / np.linalg.norm(chord, axis=1, keepdims=True))
    x, y, z = np.concatenate(points).T
    return np.degrees(np.arcsin(np.clip(z, -1.0, 1.0))), np.degrees(np.arctan2(y, x))
