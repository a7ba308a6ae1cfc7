"""Fairways that share water, and the one after which a route is named.

Fairways to neighbouring ports share their first stretch from the sea, where the search may follow
any of their centre lines. A route to New York that follows a part of the line to Newark does not
lead to Newark: it is named after the fairway that contains most of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from app.engine.arrays import Floats, split_columns
from app.engine.constants import DEGREE_M, NAUTICAL_MILE_M
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.path import PassageUse
from app.engine.sea.string_pulling import Chain
from app.engine.units import wrap_longitude

#: Greatest distance between centre lines of the same water [m].
_ONE_WATER_M: Final = 0.75 * NAUTICAL_MILE_M
_FAIRWAYS: Final = (PassageKind.RIVER, PassageKind.APPROACH)


@dataclass(frozen=True)
class Fairways:
    """Rivers and approaches by id; ``bounds`` are their least and greatest latitude, (n, 2)."""

    by_id: dict[str, Passage]
    bounds: Floats

    @classmethod
    def of(cls, passages: Sequence[Passage]) -> "Fairways":
        """Return the fairways among passages."""
        by_id = {passage.id: passage for passage in passages if passage.kind in _FAIRWAYS}
        lats = [[point.lat for point in passage.centre_line] for passage in by_id.values()]
        margin = _ONE_WATER_M / DEGREE_M
        bounds = [(min(each) - margin, max(each) + margin) for each in lats]
        return cls(by_id, np.array(bounds, dtype=np.float64).reshape(-1, 2))


def name_uses(uses: Sequence[PassageUse], chain: Chain, known: Fairways) -> list[PassageUse]:
    """Return the uses, with fairways named after the one that contains most of the chain.

    Of several it is the one of whose line the chain follows the greater part.
    """
    fairways = known.by_id
    followed = [use for use in uses if use.line is not None and use.id in fairways]
    holders = {use: _find_holders(chain, use, known) for use in followed}

    def rank(id_: str, use: PassageUse) -> tuple[float, float, bool]:
        held = sum(_measure(chain, other) for other in followed if id_ in holders[other])
        share = held / _length(*split_columns(fairways[id_].centre_line))
        return round(held, 3), round(share, 2), id_ == use.id

    def name(use: PassageUse) -> PassageUse:
        best = max(holders[use], key=lambda id_: rank(id_, use))
        return use if best == use.id else replace(use, id=best, name=fairways[best].name)

    named = [name(use) if use in holders else use for use in uses]
    crossed = {use.id for use in named if use.line is not None}
    return [use for use in named if use.line is not None or use.id not in crossed]


def _find_holders(chain: Chain, use: PassageUse, known: Fairways) -> list[str]:
    """List the ids of the fairways along whose centre lines a stretch of a chain leads.

    Its points, and the middles between them, all lie near the line.
    """
    steps = slice(use.first, use.last + 1)
    lats, lngs = chain.lats[steps], chain.lngs[steps]
    near = (known.bounds[:, 0] <= lats.min()) & (known.bounds[:, 1] >= lats.max())
    unwrapped = np.unwrap(lngs, period=360.0)
    points = [np.concatenate([at, 0.5 * (at[:-1] + at[1:])]) for at in (lats, unwrapped)]
    return [
        id_
        for (id_, fairway), is_near in zip(known.by_id.items(), near.tolist(), strict=True)
        if id_ == use.id or (is_near and fairway.distances_m(*points).max() <= _ONE_WATER_M)
    ]


def _measure(chain: Chain, use: PassageUse) -> float:
    steps = slice(use.first, use.last + 1)
    return _length(chain.lats[steps], chain.lngs[steps])


def _length(lats: Floats, lngs: Floats) -> float:
    """Return the length of a line [deg of latitude]."""
    east = wrap_longitude(np.diff(lngs))
    return float(np.hypot(np.diff(lats), east * np.cos(np.radians(lats[:-1]))).sum())
