"""Other ways round the world: each passage of the best way shut in turn."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from app.engine.errors import CanalLimit, DraftTooDeep
from app.engine.sea.approach import Approach
from app.engine.sea.closures import (
    Closures,
    LocalPassages,
    build_closures,
    exceeded_limits,
    shut_local_passages,
)
from app.engine.sea.gates import CAPES
from app.engine.sea.passages import Passage
from app.engine.sea.path import ShipSize
from app.engine.sea.routing import Router, Way, find_twins
from app.engine.voyage import Area, Position

#: A way dearer than this multiple of the best is no alternative.
_DEAREST: Final = 3.0
_MOST_TRIED: Final = 6


@dataclass(frozen=True)
class Trip:
    """One request to the sea: the ends, the ship and what is forbidden her."""

    passages: tuple[Passage, ...]
    local: LocalPassages
    gates: NDArray[np.float64]
    departure: Position
    arrival: Position
    start: Approach
    end: Approach
    ship: ShipSize
    areas: tuple[Area, ...]
    north_lat_limit: float | None
    avoid: frozenset[str]

    def close(
        self, also: frozenset[str] = frozenset(), ignore: tuple[str, ...] | None = ()
    ) -> Closures:
        """What is shut, with ``also`` avoided too.

        ``ignore`` names particulars whose limits are waived; None waives all.
        """
        avoided = self.avoid | also
        closed = self._local.copy()
        for index, passage in enumerate(self.passages):
            exceeded = exceeded_limits(passage, self.ship)
            waived = ignore is None or set(exceeded) <= set(ignore)
            closed[index] |= (bool(exceeded) and not waived) or passage.id in avoided
        lines = [cape.line for cape in CAPES if cape.id in avoided]
        return build_closures(
            closed,
            self.gates,
            lines,
            self.areas,
            # areas bind the ship, which is where the water is, not a position ashore
            Position(self.start.lat, self.start.lng),
            Position(self.end.lat, self.end.lng),
            self.north_lat_limit,
        )

    @cached_property
    def _local(self) -> NDArray[np.bool_]:
        return shut_local_passages(self.local, len(self.passages), self.departure, self.arrival)


def find_different_ways(
    router: Router, trip: Trip, best: Way, most: int
) -> list[tuple[Way, Closures]]:
    """The best way and others that avoid one of its passages, the cheapest first.

    Two ways are the same when they lead by the same passages and capes. What one of
    the ways found already avoids is not avoided once more.
    """
    found = {frozenset(router.list_choices(best)): (best, trip.close())}
    tried = 0
    for choice in router.list_choices(best):
        if len(found) >= most or tried >= _MOST_TRIED:
            break
        if any(choice not in way.gates for way, _ in found.values()):
            continue
        tried += 1
        closures = trip.close(also=find_twins(choice))
        way = router.find_way(trip.start, trip.end, closures, _DEAREST * best.cost)
        if way is not None:
            found.setdefault(frozenset(router.list_choices(way)), (way, closures))
    return sorted(found.values(), key=lambda item: item[0].cost)[:most]


def raise_limit(
    error: type[CanalLimit] | type[DraftTooDeep], passages: list[Passage], ship: ShipSize
) -> NoReturn:
    """Raise the error for the passages that a way would need, naming the narrowest."""
    facts = [
        {"id": p.id, "name": p.name, "particular": name, "ship": size, "limit": limit}
        for p in passages
        for name, (size, limit) in exceeded_limits(p, ship).items()
    ]
    worst = min(facts, key=lambda fact: float(str(fact["limit"])) / float(str(fact["ship"])))
    raise error(
        f"The only way leads through {worst['name']}, which takes at most "
        f"{worst['limit']:g} m {_WORDS[str(worst['particular'])]}; "
        f"this ship has {worst['ship']:g} m.",
        passages=facts,
    )


_WORDS: Final = {
    "draft_m": "draught",
    "depth_m": "depth needed",
    "breadth_m": "breadth",
    "loa_m": "length",
    "air_draft_m": "air draught",
}
