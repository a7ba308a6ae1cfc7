"""Passages joined beside their centre line, between its points.

The sea graph joins a passage at the points of its centre line only. A ship that starts beside the
line, ahead of the point where its path joins it, would double back to that point.
"""

from typing import Final

import numpy as np

from app.engine.constants import NAUTICAL_MILE_M
from app.engine.request import Position
from app.engine.sea.legs import measure_leg_gap_m
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.sea.search.conditions import CoastData, Conditions
from app.engine.sea.search.sphere import distance_nm, wrap
from app.engine.sea.string_pulling import NEAREST_M, Chain, find_unproven

#: Passages that ships may join anywhere; traffic lanes and straits are joined at their ends.
_JOINED_ANYWHERE: Final = (PassageKind.RIVER, PassageKind.APPROACH, PassageKind.CANAL)


def join_beside(
    waters: CoastData, conditions: Conditions, passages: tuple[Passage, ...], chain: Chain
) -> Chain:
    """Join the first passage of a chain abeam of the departure, and leave the last likewise.

    The chain is unchanged where the water between is not clear.
    """
    joined = _join(waters, conditions, passages, chain)
    return _reverse(_join(waters, conditions, passages, _reverse(joined)))


def _reverse(chain: Chain) -> Chain:
    return Chain(chain.lats[::-1], chain.lngs[::-1], chain.marks[::-1])


def _join(
    waters: CoastData, conditions: Conditions, passages: tuple[Passage, ...], chain: Chain
) -> Chain:
    along = np.flatnonzero(chain.marks != OPEN_SEA)
    if not along.size or along[0] == 0:
        return chain
    first, mark = int(along[0]), int(chain.marks[along[0]])
    passage = passages[mark]
    start = _place(chain, 0)
    share = _measure_share(start, _place(chain, first), _place(chain, first + 1))
    if passage.kind not in _JOINED_ANYWHERE or not 0.0 < share < 1.0:
        return chain
    abeam = _find_between(_place(chain, first), _place(chain, first + 1), share)
    off_m = float(distance_nm(*start, *abeam)) * NAUTICAL_MILE_M
    if off_m <= passage.half_width_m:
        return _start_with(chain, first, [start])
    approach = Chain(chain.lats[: first + 1], chain.lngs[: first + 1], chain.marks[:first])
    is_unproven = find_unproven(waters, conditions, approach).any()
    free = waters.trust() if is_unproven else waters
    is_clear = measure_leg_gap_m(free, conditions, start, abeam, NEAREST_M) >= NEAREST_M
    return _start_with(chain, first, [start, abeam]) if is_clear else chain


def _place(chain: Chain, point: int) -> Position:
    return Position(float(chain.lats[point]), float(chain.lngs[point]))


def _measure_share(place: Position, a: Position, b: Position) -> float:
    """Return the share of the way from a to b at which a place lies abeam."""
    scale = np.cos(np.radians(place.lat))
    x, y = wrap(b.lng - a.lng) * scale, b.lat - a.lat
    to_x, to_y = wrap(place.lng - a.lng) * scale, place.lat - a.lat
    return float((to_x * x + to_y * y) / max(x * x + y * y, 1e-18))


def _find_between(a: Position, b: Position, share: float) -> Position:
    lng = a.lng + share * wrap(b.lng - a.lng)
    return Position(a.lat + share * (b.lat - a.lat), wrap(lng))


def _start_with(chain: Chain, first: int, places: list[Position]) -> Chain:
    """Return a chain with the points up to ``first``, where a passage begins, replaced."""
    lats, lngs = np.array(places).T
    return Chain(
        np.concatenate([lats, chain.lats[first + 1 :]]),
        np.concatenate([lngs, chain.lngs[first + 1 :]]),
        np.concatenate(
            [np.full(len(places) - 1, OPEN_SEA, dtype=np.int16), chain.marks[first:]]
        ).astype(np.int16),
    )
