"""Open-sea tracks moved off islets that they would pass closely.

The distance from land that prices a mile is that of cells of two miles, for which an islet at some
cables is as far as one at a mile. Where there is room, a track is therefore moved aside.
"""

from collections.abc import Iterator
from math import cos, hypot, radians
from typing import Final

import numpy as np

from app.engine.constants import EARTH_RADIUS_NM, NAUTICAL_MILE_M
from app.engine.geodesy.longitudes import wrap
from app.engine.request import Position
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.sea.search.chords import compute_chord_cost, draw_chord, is_chord_clear, price_chord
from app.engine.sea.search.conditions import CoastData, Conditions
from app.engine.sea.search.sphere import distance_nm, on_arc
from app.engine.sea.string_pulling import Chain, find_unproven

#: Distance from land sought in open water [m].
_CLEARANCE_M: Final = 0.5 * NAUTICAL_MILE_M
#: Greatest extra cost of it at one place [nm].
_MOST_EXTRA_NM: Final = 1.0
#: Distances from the track that are tried [nm].
_ASIDE_NM: Final = tuple(0.25 * n for n in range(1, 9))
#: Length of the parts of a track that are tested [nm], and the least of a track that is moved.
_PART_NM: Final = 1.0
_SHORTEST_NM: Final = 4.0


def keep_off_islets(waters: CoastData, conditions: Conditions, chain: Chain) -> Chain:
    """Return a chain whose open-sea steps over proven water keep half a mile off where they can."""
    is_open = (chain.marks == OPEN_SEA) & ~find_unproven(waters, conditions, chain)
    places, marks = [Position(*chain.points[0])], []
    for point, mark, may_move in zip(chain.points[1:], chain.marks, is_open, strict=True):
        end = Position(*point)
        aside = _step_aside(waters, conditions, places[-1], end) if may_move else None
        places += [end] if aside is None else [aside, end]
        marks += [mark] if aside is None else [mark, mark]
    lats, lngs = np.array(places).T
    return Chain(lats, lngs, np.array(marks, dtype=chain.marks.dtype))


def _step_aside(
    waters: CoastData, conditions: Conditions, a: Position, b: Position
) -> Position | None:
    """Find the place nearest to a track by which it keeps off; None if it does, or cannot."""
    if distance_nm(*a, *b) < _SHORTEST_NM or is_chord_clear(
        waters, conditions, *a, *b, _CLEARANCE_M
    ):
        return None
    chord = draw_chord(*a, *b)
    limit = price_chord(waters, conditions, chord, np.inf) + _MOST_EXTRA_NM
    for place in _list_places(waters, conditions, a, b):
        first = compute_chord_cost(waters, conditions, *a, *place, _CLEARANCE_M, limit)
        if first + compute_chord_cost(waters, conditions, *place, *b, _CLEARANCE_M, limit) <= limit:
            return place
    return None


def _list_places(
    waters: CoastData, conditions: Conditions, a: Position, b: Position
) -> Iterator[Position]:
    """List places abeam of the middle of the part of a track that is too near to land."""
    one, tangent, angle, _ = draw_chord(*a, *b)
    count = int(angle * EARTH_RADIUS_NM / _PART_NM) + 1
    points = [Position(*on_arc(one, tangent, angle * n / count)) for n in range(count + 1)]
    near = [
        n
        for n in range(count)
        if not is_chord_clear(waters, conditions, *points[n], *points[n + 1], _CLEARANCE_M)
    ]
    if not near:
        return
    before, after = points[near[0]], points[near[-1] + 1]
    lat, lng = (before.lat + after.lat) / 2.0, before.lng + wrap(after.lng - before.lng) / 2.0
    scale = cos(radians(lat))
    north, east = b.lat - a.lat, wrap(b.lng - a.lng) * scale
    for aside_nm in _ASIDE_NM:
        aside = aside_nm / 60.0 / hypot(north, east)
        for side in (aside, -aside):
            yield Position(lat - side * east, wrap(lng + side * north / scale))
