"""Alternative paths: each passage of the best path closed in turn."""

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
from app.engine.sea.gates import CAPES
from app.engine.sea.labels import find_twins
from app.engine.sea.passage_limits import PassageLimits, find_local, find_too_narrow
from app.engine.sea.passages import Passage
from app.engine.sea.path import ShipSize
from app.engine.sea.route_restrictions import (
    LatitudeLimits,
    RouteRestrictions,
    build_restrictions,
    sort_areas,
)
from app.engine.sea.routing import GraphPath, Router
from app.engine.sea.search.sphere import distance_nm

#: A path dearer than this multiple of the best is no alternative.
_DEAREST: Final = 3.0
_MOST_TRIED: Final = 6
#: A place moved by less than this [nm] is the same: a few cells of a local chart.
_SAME_PLACE_NM: Final = 0.3
#: Paths whose costs differ by less than this [nm] count as one.
_ALIKE_NM: Final = 1.0


@dataclass(frozen=True)
class PathRequest:
    """A request for paths: the ends, the ship, and what is closed to the ship.

    ``opens_local`` opens the passages without through traffic that neither end lies
    near: an upper river is entered by the lower one, a lagoon by its own channel.
    ``corridors`` are what stays open beyond a latitude limit that an end lies beyond.
    """

    passages: tuple[Passage, ...]
    passage_limits: PassageLimits
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

    def close(self, also: frozenset[str] = frozenset()) -> RouteRestrictions:
        """Return what is closed on this voyage, with ``also`` avoided too."""
        avoided = self.avoid | also
        closed = self._blocked | [passage.id in avoided for passage in self.passages]
        lines = [cape.line for cape in CAPES if cape.id in avoided]
        return build_restrictions(
            closed,
            self.gates[closed | self.passage_limits.is_scheme],
            lines,
            self.areas,
            *self._places,
            self.lat_limits,
            self.ship.least_depth_m,
            self.corridors,
        )

    def is_moved(self, place: Approach, found: Approach) -> bool:
        """Return whether barriers leave an end an approach only from another place.

        Cells that a barrier crosses are closed, so a place next to one may move by a few.
        """
        if distance_nm(place.lat, place.lng, found.lat, found.lng) > _SAME_PLACE_NM:
            return True
        line = LineString([(place.lng, place.lat), (found.lng, found.lat)])
        blocked, _ = sort_areas(self.areas, *self._places)
        return any(area.geometry.intersects(line) for area in blocked)

    @property
    def _places(self) -> tuple[Position, Position]:
        """The ship's position at either end; areas apply there, not at a position ashore."""
        start, end = self.start, self.end
        return Position(start.lat, start.lng), Position(end.lat, end.lng)

    @cached_property
    def _blocked(self) -> NDArray[np.bool_]:
        """The passages closed to the ship whatever the request avoids."""
        blocked = find_too_narrow(self.passage_limits, self.ship)
        if not self.opens_local:
            blocked |= find_local(self.passage_limits, self.departure, self.arrival)
        return blocked


def find_alternative_paths(
    router: Router,
    request: PathRequest,
    best: GraphPath,
    restrictions: RouteRestrictions,
    most: int,
) -> list[tuple[GraphPath, RouteRestrictions]]:
    """Return the best path and others that avoid one of its passages, the cheapest first.

    Two paths are the same when they take the same passages and capes, or their costs agree
    to a mile, as when one steps round the end of a gate. A passage that a path found
    already avoids is not tried again.
    """
    if most == 1:
        return [(best, restrictions)]
    found = {frozenset(router.list_choices(best)): (best, restrictions)}
    tried = 0
    for choice in router.list_choices(best):
        if len(found) >= most or tried >= _MOST_TRIED:
            break
        if any(choice not in path.gates for path, _ in found.values()):
            continue
        tried += 1
        further = request.close(also=find_twins(choice))
        path = router.find_path(request.start, request.end, further, _DEAREST * best.cost)
        if path is not None and not _is_alike(path, [other for other, _ in found.values()]):
            found.setdefault(frozenset(router.list_choices(path)), (path, further))
    return sorted(found.values(), key=lambda item: item[0].cost)[:most]


def _is_alike(path: GraphPath, others: list[GraphPath]) -> bool:
    return any(abs(path.cost - other.cost) < _ALIKE_NM for other in others)
