"""Fairways that share water, and the one after which a route is named.

Fairways to neighbouring ports share their first stretch from the sea, where the search may follow
any of their centre lines. A route to New York that follows a part of the line to Newark does not
lead to Newark: it is named after the fairway that contains most of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.constants import DEGREE_M, NAUTICAL_MILE_M
from app.engine.geodesy.plane import project_on_segments
from app.engine.request import Position
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
        share = held / _line(fairways[id_].centre_line).length
        return round(held, 3), round(share, 2), id_ == use.id

    def name(use: PassageUse) -> PassageUse:
        best = max(holders[use], key=lambda id_: rank(id_, use))
        return use if best == use.id else replace(use, id=best, name=fairways[best].name)

    named = [name(use) if use in holders else use for use in uses]
    crossed = {use.id for use in named if use.line is not None}
    return [use for use in named if use.line is not None or use.id not in crossed]


def _find_holders(chain: Chain, use: PassageUse, known: Fairways) -> list[str]:
    """List the ids of the fairways along whose centre lines a stretch of a chain leads."""
    steps = slice(use.first, use.last + 1)
    lats, lngs = chain.lats[steps], chain.lngs[steps]
    near = (known.bounds[:, 0] <= lats.min()) & (known.bounds[:, 1] >= lats.max())
    return [
        id_
        for id_, is_near in zip(known.by_id, near.tolist(), strict=True)
        if id_ == use.id or (is_near and _line(known.by_id[id_].centre_line).holds(lats, lngs))
    ]


def _measure(chain: Chain, use: PassageUse) -> float:
    steps = slice(use.first, use.last + 1)
    return _length(chain.lats[steps], chain.lngs[steps])


def _length(lats: Floats, lngs: Floats) -> float:
    """Return the length of a line [deg of latitude]."""
    east = wrap_longitude(np.diff(lngs))
    return float(np.hypot(np.diff(lats), east * np.cos(np.radians(lats[:-1]))).sum())


@dataclass(frozen=True, slots=True)
class _Line:
    """A centre line [deg]."""

    lats: Floats
    lngs: Floats
    length: float

    def holds(self, lats: Floats, lngs: Floats) -> bool:
        """Return whether points, and the middles between them, all lie near the line."""
        scale = float(np.cos(np.radians(lats[0]))) * DEGREE_M
        line_x, x = (np.asarray(wrap_longitude(at - self.lngs[0])) for at in (self.lngs, lngs))
        line_x, x, line_y, y = line_x * scale, x * scale, self.lats * DEGREE_M, lats * DEGREE_M
        x = np.concatenate([x, 0.5 * (x[:-1] + x[1:])])
        y = np.concatenate([y, 0.5 * (y[:-1] + y[1:])])
        gaps_m, _ = project_on_segments(line_x - x[:, None], line_y - y[:, None])
        return bool(gaps_m.min(axis=1).max() <= _ONE_WATER_M)


@lru_cache(maxsize=1024)
def _line(centre_line: tuple[Position, ...]) -> _Line:
    lats, lngs = np.array(centre_line, dtype=np.float64).T
    return _Line(lats, lngs, _length(lats, lngs))
