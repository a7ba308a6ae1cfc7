"""Alternative paths, each with one passage or one side of land of the best path closed."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeAlias

from shapely.geometry import LineString
from shapely.geometry.base import BaseGeometry

from app.engine.area import Area
from app.engine.arrays import Bools, Floats
from app.engine.geodesy.shapes import intersects
from app.engine.request import Limits, Position
from app.engine.sea.approach import Approach
from app.engine.sea.bridges import Bridge
from app.engine.sea.bypasses import CentreLines
from app.engine.sea.gates import CAPES
from app.engine.sea.labels import list_same_named
from app.engine.sea.passage_limits import (
    PassageLimits,
    find_closed_local,
    find_limiting,
    find_too_small,
    list_too_small,
)
from app.engine.sea.passages import Passage
from app.engine.sea.path import ShipSize
from app.engine.sea.route_restrictions import (
    RouteRestrictions,
    build_restrictions,
    sort_areas,
)
from app.engine.sea.routing import GraphPath, Router
from app.engine.sea.search.barriers import LaneLines
from app.engine.sea.search.sphere import distance_nm
from app.engine.sea.sides import SIDES

#: Greatest cost of an alternative over that of the best path: of one that avoids a passage, which
#: may be closed or cost tolls; a cape, which is open to all; and a side of land, where only the
#: weather can make the other side better.
_MAX_COST_RATIO: Final = 3.0
_MAX_CAPE_COST_RATIO: Final = 1.3
_MAX_SIDE_COST_RATIO: Final = 1.06
_MOST_TRIED: Final = 6
#: Greatest distance of equal positions [nm]: a few cells of a local chart.
_SAME_PLACE_NM: Final = 0.3
#: Greatest difference of the costs of equal paths [nm].
_ALIKE_NM: Final = 1.0


@dataclass(frozen=True)
class PathRequest:
    """A request for paths: the ends, the ship, and the restrictions.

    ``opens_local`` also opens passages without through traffic that are not near an end, for
    ports on an upper river or in a lagoon. ``extends_approaches`` seeks approaches on the wide
    chart too, for ends near banks, whose nearest nodes are shallow, and along the channels that an
    end lies in. ``corridors`` remain open beyond a latitude limit if an end lies beyond it.
    """

    centre_lines: CentreLines
    bridges: tuple[Bridge, ...]
    passage_limits: PassageLimits
    gates: Floats
    lanes: LaneLines
    departure: Position
    arrival: Position
    start: Approach
    end: Approach
    ship: ShipSize
    areas: tuple[Area, ...]
    limits: Limits
    avoid: frozenset[str]
    opens_local: bool = False
    extends_approaches: bool = False
    corridors: BaseGeometry | None = None

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All passages."""
        return self.centre_lines.passages

    def open_further(self) -> "PathRequest":
        """Return the request with local passages and extended approaches."""
        return replace(self, opens_local=True, extends_approaches=True)

    def close(self, also: frozenset[str] = frozenset()) -> RouteRestrictions:
        """Return the restrictions of this voyage, with the choices ``also`` closed too."""
        avoided = self.avoid | also
        closed = self._blocked | [passage.id in avoided for passage in self.passages]
        lines = [cape.line for cape in CAPES if cape.id in avoided]
        lines += [side.line for side in SIDES if side.name in avoided]
        lines += [bridge.line for bridge in list_too_small(self.bridges, self.ship)]
        return build_restrictions(
            closed,
            self.gates[closed | self.passage_limits.is_scheme],
            self.lanes,
            lines,
            self.areas,
            *self._places,
            self.limits,
            self.ship.least_depth_m,
            self.corridors,
            self.centre_lines,
        )

    def is_moved(self, place: Approach, found: Approach) -> bool:
        """Return whether barriers moved an end of the voyage to another place.

        Cells that a barrier crosses are closed, so a place next to one may move by a few cells.
        """
        if distance_nm(place.lat, place.lng, found.lat, found.lng) > _SAME_PLACE_NM:
            return True
        line = LineString([(place.lng, place.lat), (found.lng, found.lat)])
        blocked, _ = sort_areas(self.areas, *self._places)
        return any(intersects(area.geometry, line) for area in blocked)

    def list_limiting(self, *ends: Position) -> list[Passage]:
        """List the passages that lead to one of some ends and are too small for the ship."""
        return find_limiting(self.passages, self.ship, ends)

    def list_reaches_nm(self, within_nm: float, own_nm: float) -> list[float]:
        """List the distances to which unproven water is used from both ends [nm].

        Where a passage that is too small for the ship leads to an end, it is at most ``own_nm``.
        """
        return [
            own_nm if within_nm > own_nm and self.list_limiting(end) else within_nm
            for end in (self.departure, self.arrival)
        ]

    @property
    def _places(self) -> tuple[Position, Position]:
        """Positions of the ship at both ends; areas apply there, not at a position ashore."""
        start, end = self.start, self.end
        return Position(start.lat, start.lng), Position(end.lat, end.lng)

    @cached_property
    def _blocked(self) -> Bools:
        """Mask of the passages closed to the ship, without those that the request avoids."""
        blocked = find_too_small(self.passage_limits, self.ship)
        if not self.opens_local:
            blocked |= find_closed_local(self.passage_limits, self.departure, self.arrival)
        return blocked


#: A request that has a path, the path, and the restrictions of its search.
FoundPath: TypeAlias = tuple[PathRequest, GraphPath, RouteRestrictions]


def find_alternative_paths(
    router: Router,
    request: PathRequest,
    best: GraphPath,
    restrictions: RouteRestrictions,
    most: int,
) -> list[tuple[GraphPath, RouteRestrictions]]:
    """Return the best path and others that avoid one of its choices, the cheapest first.

    Two paths are equal if they have the same choices, or if their costs differ by less than a mile,
    as of a path around the end of a gate. A choice that some path already avoids is not tried
    again.
    """
    if most == 1:
        return [(best, restrictions)]
    found = {frozenset(router.list_choices(best)): (best, restrictions)}
    tried = 0
    for choice in router.list_choices(best):
        if len(found) >= most or tried >= _MOST_TRIED:
            break
        if any(choice not in path.gates | path.sides for path, _ in found.values()):
            continue
        tried += 1
        further = request.close(also=list_same_named(choice))
        limit = _max_cost_ratio(choice) * best.cost
        path = router.find_path(request.start, request.end, further, limit)
        if path is not None and not _is_alike(path, [other for other, _ in found.values()]):
            found.setdefault(frozenset(router.list_choices(path)), (path, further))
    return sorted(found.values(), key=lambda item: item[0].cost)[:most]


def _max_cost_ratio(choice: str) -> float:
    """Return the greatest cost of a path that avoids a choice, over that of the best path."""
    if any(choice == side.name for side in SIDES):
        return _MAX_SIDE_COST_RATIO
    if any(choice == cape.id for cape in CAPES):
        return _MAX_CAPE_COST_RATIO
    return _MAX_COST_RATIO


def _is_alike(path: GraphPath, others: list[GraphPath]) -> bool:
    return any(abs(path.cost - other.cost) < _ALIKE_NM for other in others)
