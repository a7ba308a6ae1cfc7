"""Other ways round the world: each passage of the best way shut in turn."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray
from shapely.geometry import LineString
from shapely.geometry.base import BaseGeometry

from app.engine.area import Area
from app.engine.request import Position
from app.engine.sea.approach import Approach
from app.engine.sea.closures import (
    Closures,
    LatitudeLimits,
    build_closures,
    sort_areas,
)
from app.engine.sea.gates import CAPES
from app.engine.sea.labels import find_twins
from app.engine.sea.passages import Passage
from app.engine.sea.path import ShipSize
from app.engine.sea.restrictions import Restrictions, find_local, find_too_narrow
from app.engine.sea.routing import Router, Way
from app.engine.sea.search.sphere import distance_nm

#: A way dearer than this multiple of the best is no alternative.
_DEAREST: Final = 3.0
_MOST_TRIED: Final = 6
#: A place moved by less than this [nm] is the same: a few cells of a local chart.
_SAME_PLACE_NM: Final = 0.3
#: Ways whose costs differ by less than this [nm] are one way.
_ALIKE_NM: Final = 1.0


@dataclass(frozen=True)
class Trip:
    """One request to the sea: the ends, the ship and what is forbidden her.

    ``opens_local`` opens the passages without through traffic that neither end lies
    near: an upper river is entered by the lower one, a lagoon by its own channel.
    ``corridors`` are what stays open beyond a latitude limit that an end lies beyond.
    """

    passages: tuple[Passage, ...]
    restrictions: Restrictions
    gates: NDArray[np.float64]
    departure: Position
    arrival: Position
    start: Approach
    end: Approach
    ship: ShipSize
    areas: tuple[Area, ...]
    lat_limits: LatitudeLimits
    avoid: frozenset[str]
    opens_local: bool = False
    corridors: BaseGeometry | None = None

    def close(self, also: frozenset[str] = frozenset()) -> Closures:
        """What is shut, with ``also`` avoided too."""
        avoided = self.avoid | also
        closed = self._shut | [passage.id in avoided for passage in self.passages]
        lines = [cape.line for cape in CAPES if cape.id in avoided]
        return build_closures(
            closed,
            self.gates[closed | self.restrictions.is_scheme],
            lines,
            self.areas,
            *self._places,
            self.lat_limits,
            self.ship.least_depth_m,
            self.corridors,
        )

    def is_moved(self, place: Approach, found: Approach) -> bool:
        """Whether what bars the sea leaves an end no way out but from another place.

        Cells that a barrier runs through are shut, so a place beside one may move by some.
        """
        if distance_nm(place.lat, place.lng, found.lat, found.lng) > _SAME_PLACE_NM:
            return True
        line = LineString([(place.lng, place.lat), (found.lng, found.lat)])
        blocked, _ = sort_areas(self.areas, *self._places)
        return any(area.geometry.intersects(line) for area in blocked)

    @property
    def _places(self) -> tuple[Position, Position]:
        """Where the ship lies at either end: areas bind her there, not a position ashore."""
        start, end = self.start, self.end
        return Position(start.lat, start.lng), Position(end.lat, end.lng)

    @cached_property
    def _shut(self) -> NDArray[np.bool_]:
        """The passages that the ship may not use whatever is avoided."""
        shut = find_too_narrow(self.restrictions, self.ship)
        if not self.opens_local:
            shut |= find_local(self.restrictions, self.departure, self.arrival)
        return shut


def find_different_ways(
    router: Router, trip: Trip, best: Way, shut: Closures, most: int
) -> list[tuple[Way, Closures]]:
    """The best way and others that avoid one of its passages, the cheapest first.

    Two ways are the same when they lead by the same passages and capes, or cost the same
    to a mile, as when one steps round the end of a gate. What one of
    the ways found already avoids is not avoided once more.
    """
    if most == 1:
        return [(best, shut)]
    found = {frozenset(router.list_choices(best)): (best, shut)}
    tried = 0
    for choice in router.list_choices(best):
        if len(found) >= most or tried >= _MOST_TRIED:
            break
        if any(choice not in way.gates for way, _ in found.values()):
            continue
        tried += 1
        closures = trip.close(also=find_twins(choice))
        way = router.find_way(trip.start, trip.end, closures, _DEAREST * best.cost)
        if way is not None and not _is_alike(way, [other for other, _ in found.values()]):
            found.setdefault(frozenset(router.list_choices(way)), (way, closures))
    return sorted(found.values(), key=lambda item: item[0].cost)[:most]


def _is_alike(way: Way, others: list[Way]) -> bool:
    return any(abs(way.cost - other.cost) < _ALIKE_NM for other in others)
