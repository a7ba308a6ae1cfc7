"""Passages joined off their centre line, between its points.

The sea graph joins a passage at the points of its centre line only. A path that comes from abeam
of the line, ahead of the point where it joins it, would double back there.
"""

from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.constants import NAUTICAL_MILE_M
from app.engine.geodesy.longitudes import wrap
from app.engine.request import Position
from app.engine.sea.leg_room import measure_leg_gap_m
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.sea.search.conditions import CoastData, Conditions
from app.engine.sea.search.sphere import distance_nm
from app.engine.sea.string_pulling import (
    NEAREST_M,
    Chain,
    find_crossings,
    find_runs,
    find_unproven,
)


def join_beside(
    waters: CoastData,
    conditions: Conditions,
    passages: tuple[Passage, ...],
    gates: Floats,
    chain: Chain,
) -> Chain:
    """Join each passage of a chain abeam of the point before it, and leave it likewise.

    ``gates``, (m, 4) lng, lat [deg], are those of the passages. A passage is joined as before where
    the water between is not clear.
    """
    for _ in range(2):  # the second time from the arrival
        for mark, first, last in reversed(find_runs(chain.marks.tolist())):
            is_joined = first > 0 and chain.marks[first - 1] == OPEN_SEA
            if is_joined and passages[mark].is_joined_beside:
                found = _find_abeam(chain, first, last)
                if found is not None and not _is_beyond_gate(
                    passages[mark], gates[mark], chain, first, *found
                ):
                    chain = _join(waters, conditions, passages[mark], chain, first, *found)
        chain, conditions = _reverse(chain), conditions.reverse_lanes()
    return chain


def _reverse(chain: Chain) -> Chain:
    return Chain(chain.lats[::-1].copy(), chain.lngs[::-1].copy(), chain.marks[::-1].copy())


def _place(chain: Chain, point: int) -> Position:
    return Position(float(chain.lats[point]), float(chain.lngs[point]))


def _find_abeam(chain: Chain, first: int, last: int) -> tuple[int, Position] | None:
    """Find the place on a passage abeam of the point before it, and the chain's point before that.

    The passage leads from point ``first`` to ``last``. None if the place is its first point, where
    the chain joins it already, or beyond its last one.
    """
    before = _place(chain, first - 1)
    for point in range(first, last):
        a, b = _place(chain, point), _place(chain, point + 1)
        share = measure_share(before, a, b)
        if share < 1.0:
            if share <= 0.0 and point == first:
                return None
            return point, find_between_in_plane(a, b, max(share, 0.0))
    return None


def _is_beyond_gate(
    passage: Passage,
    gate: Floats,
    chain: Chain,
    first: int,
    point: int,
    abeam: Position,
) -> bool:
    """Return whether a place on a strait, after ``point`` of the chain, lies beyond its gate."""
    if passage.kind is not PassageKind.STRAIT:
        return False
    lats = np.append(chain.lats[first : point + 1], abeam.lat)
    lngs = np.append(chain.lngs[first : point + 1], abeam.lng)
    return bool(find_crossings(lats, lngs, gate[np.newaxis])[0] >= 0)


def _join(
    waters: CoastData,
    conditions: Conditions,
    passage: Passage,
    chain: Chain,
    first: int,
    point: int,
    abeam: Position,
) -> Chain:
    """Join a passage at a place after ``point`` instead of at ``first``, if the way is clear."""
    before = _place(chain, first - 1)
    off_m = float(distance_nm(*before, *abeam)) * NAUTICAL_MILE_M
    if off_m <= passage.half_width_m:
        return _replace(chain, first, point, [])
    leg = Chain(chain.lats[first - 1 : first + 1], chain.lngs[first - 1 : first + 1], _OPEN)
    is_unproven = find_unproven(waters, conditions, leg).any()
    free = waters.trust() if is_unproven else waters
    is_clear = measure_leg_gap_m(free, conditions, before, abeam, NEAREST_M) >= NEAREST_M
    return _replace(chain, first, point, [abeam]) if is_clear else chain


#: The step of an open-sea leg.
_OPEN: Final = np.array([OPEN_SEA], dtype=np.int16)


def measure_share(place: Position, a: Position, b: Position) -> float:
    """Return the share of the track from a to b at which a place lies abeam."""
    scale = np.cos(np.radians(place.lat))
    x, y = wrap(b.lng - a.lng) * scale, b.lat - a.lat
    to_x, to_y = wrap(place.lng - a.lng) * scale, place.lat - a.lat
    return float((to_x * x + to_y * y) / max(x * x + y * y, 1e-18))


def find_between_in_plane(a: Position, b: Position, share: float) -> Position:
    """Return the place at a share of a short track from a to b, straight in degrees."""
    lng = a.lng + share * wrap(b.lng - a.lng)
    return Position(a.lat + share * (b.lat - a.lat), wrap(lng))


def _replace(chain: Chain, first: int, point: int, places: list[Position]) -> Chain:
    """Return a chain with its points ``first`` to ``point`` replaced by at most one place."""
    lats, lngs = np.array(places, dtype=np.float64).reshape(-1, 2).T
    return Chain(
        np.concatenate([chain.lats[:first], lats, chain.lats[point + 1 :]]),
        np.concatenate([chain.lngs[:first], lngs, chain.lngs[point + 1 :]]),
        np.concatenate([chain.marks[: first - 1], _OPEN[: len(places)], chain.marks[point:]]),
    )
