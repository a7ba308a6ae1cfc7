"""The sea atlas: coast, depth and paths over the world's navigable water."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import attrgetter
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np
import shapely
from cachetools import LRUCache, cachedmethod
from numpy.typing import ArrayLike, NDArray

from app.engine.area import Area
from app.engine.arrays import Bools, Floats
from app.engine.errors import PortOnLand
from app.engine.formatting import format_position
from app.engine.request import Limits, Position, TrackKind
from app.engine.sea.alternatives import FoundPath, PathRequest, find_alternative_paths
from app.engine.sea.approach import Approach
from app.engine.sea.bridges import Bridge
from app.engine.sea.channel_approach import add_channel_paths
from app.engine.sea.coast import is_land
from app.engine.sea.corridors import find_corridors
from app.engine.sea.depth import mark_deep_stages
from app.engine.sea.gates import list_lane_lines
from app.engine.sea.harbours import Harbours
from app.engine.sea.infeasible import raise_disconnected, raise_infeasible
from app.engine.sea.labels import drop_same_routes, name_distinctly
from app.engine.sea.lane_joining import LaneJoiner, LanePieces, list_lane_pieces
from app.engine.sea.legs import build_legs
from app.engine.sea.mouths import find_widest
from app.engine.sea.passage_index import PassageIndex
from app.engine.sea.passage_limits import PassageLimits, stack_limits
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg, SeaPath, ShipSize, Snap
from app.engine.sea.proving import count_classes
from app.engine.sea.quadtree import SeaCells
from app.engine.sea.route_restrictions import RouteRestrictions, list_latitude_limits
from app.engine.sea.routing import UNPROVEN_PRICE, GraphPath, Router
from app.engine.sea.search.astar import OPEN_SEA, SeaGraph
from app.engine.sea.search.barriers import LaneLines
from app.engine.sea.search.conditions import CoastData
from app.engine.sea.search.hierarchy import Hierarchy
from app.engine.sea.search.sphere import distance_nm
from app.engine.sea.shoals import read_charted_depth
from app.engine.sea.store import open_stored, pick_hierarchies

#: Greatest distance from an end of the voyage to which unproven water is used [nm]; and that where
#: no route exists otherwise, except for the deepest ships.
_OWN_WATERS_NM: Final = 25.0
_INNER_WATERS_NM: Final = 150.0
#: Greatest required depth of ships that use unproven water so far [m], less than that of a laden
#: tanker of 200,000 t.
_DEEPEST_BY_INNER_WATERS_M: Final = 18.0
#: Greatest distance of a port from the sea [nm].
_PORT_TO_SEA_NM: Final = 30.0
#: Number of ships whose open nodes are cached.
_CACHE_SIZE: Final = 32
_NO_LIMITS: Final = Limits()


def _name_ship(_atlas: "SeaAtlas", restrictions: RouteRestrictions) -> Hashable:
    return restrictions.conditions.depth_steps, restrictions.closed.tobytes()


@dataclass(frozen=True)
class SeaAtlas:
    """The world's navigable water, memory-mapped and shared between processes.

    Built by ``app.datasources.build_atlas`` and opened with :meth:`open`. ``identity`` names the
    version of the data for provenance, ``sources`` are those of coast and depths.
    """

    identity: str
    passages: tuple[Passage, ...]
    bridges: tuple[Bridge, ...]
    waters: CoastData
    harbours: Harbours
    graph: SeaGraph
    component: NDArray[np.int32]
    gates: Floats
    rating: NDArray[np.uint8]
    hierarchies: tuple[Hierarchy, ...]
    depths: NDArray[np.int16]
    passage_limits: PassageLimits
    sources: tuple[str, ...] = ()
    _open: LRUCache[Hashable, Any] = field(default_factory=partial(LRUCache, _CACHE_SIZE))
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def open(cls, folder: Path) -> "SeaAtlas":
        """Map an atlas folder into memory.

        Raise :class:`DataMissing` if the folder has no atlas of this program's format.
        """
        stored = open_stored(folder)
        arrays, passages = stored.arrays, stored.passages

        def pick(prefix: str, fields: Sequence[str]) -> list[NDArray[Any]]:
            return [arrays[prefix + name] for name in fields]

        waters = CoastData(*pick("", CoastData._fields))
        graph = SeaGraph(*pick("graph_", SeaGraph._fields))
        return cls(
            identity=stored.inputs,
            passages=passages,
            bridges=stored.bridges,
            waters=waters,
            harbours=Harbours(
                waters=waters,
                cells=SeaCells(*pick("cell_", SeaCells._fields)),
                nodes=arrays["nodes"],
                lats=graph.lats,
                lngs=graph.lngs,
                component=arrays["component"],
                sea_sizes=arrays["sea_sizes"],
            ),
            graph=graph,
            component=arrays["component"],
            gates=arrays["gates"],
            rating=arrays["rating"],
            hierarchies=pick_hierarchies(arrays),
            depths=arrays["depths"],
            passage_limits=stack_limits(passages),
            sources=stored.sources,
        )

    def is_water(self, lat: float, lng: float) -> bool:
        """Return whether a point is water by the full-resolution coast, or in a passage."""
        if not is_land(self.waters, lat, lng):
            return True
        return bool(self.passage_index.find_containing(Position(lat, lng)))

    def depth_m(self, lats: ArrayLike, lngs: ArrayLike) -> Floats:
        """Return the charted depth [m], broadcast.

        Inshore, where the grid is unreliable, it is the least charted in the cell of the shoal map,
        as by a finer grid, at most its greatest value; NaN where none is charted.
        """
        w = self.waters
        return read_charted_depth(self.depths, w.charted, w.field, lats, lngs)

    def mark_deep_stages(self, lats: Floats, lngs: Floats, depth_m: float) -> Bools:
        """Mark the stages of a lattice that are nowhere shallower; as in :mod:`.depth`."""
        return mark_deep_stages(self.depths, lats, lngs, depth_m)

    def find_water(self, position: Position, within_nm: float = _PORT_TO_SEA_NM) -> Snap:
        """Find the navigable water nearest to a position: itself if it is joined to a sea.

        Raise :class:`PortOnLand` if there is no sea within ``within_nm``.
        """
        found = self._find_sea(position, within_nm)
        return Snap(Position(found.lat, found.lng), found.snap_nm)

    def find_paths(
        self,
        departure: Position,
        arrival: Position,
        *,
        ship: ShipSize,
        areas: Sequence[Area] = (),
        limits: Limits = _NO_LIMITS,
        avoid_passages: frozenset[str] = frozenset(),
        most: int = 4,
    ) -> tuple[SeaPath, ...]:
        """Return paths from departure to arrival by different passages, the cheapest first.

        Areas with rule REPORTED are ignored. Of the captain's limits those of latitude count; from
        75 N the polar passages are open. Passages with the ids ``avoid_passages`` are not used. At
        most ``most`` paths are returned.

        Raise :class:`PortOnLand`, :class:`EndInsideArea`, :class:`NoRoute`, :class:`CanalLimit` or
        :class:`DraftTooDeep`; see :mod:`app.engine.errors`.
        """
        request = self._build_request(departure, arrival, ship, areas, limits, avoid_passages)
        best = self._find_allowed(request)
        if best is None:
            finders = self._find_allowed, self._find_any
            raise_infeasible(*finders, request.open_further(), self.waters)
        found = find_alternative_paths(self.router, *self._keep_latitude_limits(*best), most)
        pulled = [self.router.pull(path, restrictions) for path, restrictions in found]
        return name_distinctly(drop_same_routes(pulled))

    def find_cheapest_path(
        self,
        departure: Position,
        arrival: Position,
        *,
        ship: ShipSize,
        areas: Sequence[Area] = (),
        limits: Limits = _NO_LIMITS,
        proves_water: bool = False,
    ) -> SeaPath | None:
        """Return the cheapest path without what few voyages need, or None; as ``find_paths``.

        Local passages and unproven water farther from the ends are left out. If it
        ``proves_water``, unproven water counts as proven.
        """
        request = self._build_request(departure, arrival, ship, areas, limits, frozenset())
        restrictions = request.close()
        if proves_water:
            found = self._find_best(request, restrictions, None, unproven_price=1.0)
        else:
            found = self._find_best(request, restrictions, is_exact=False)
        return None if found is None else self.router.pull(found[1], restrictions)

    def build_legs(self, path: SeaPath, track: TrackKind) -> tuple[Leg, ...]:
        """Build the final legs of a path, each checked against the full-resolution coast."""
        path = self.passage_index.mark_lane_legs(path)
        return build_legs(self.waters, path.conditions, self.depths, self.passages, path, track)

    @cached_property
    def passage_index(self) -> PassageIndex:
        """Index of the passages by their water."""
        return PassageIndex(self.passages)

    @cached_property
    def router(self) -> Router:
        """Router over the sea graph."""
        return Router(self.graph, self.hierarchies, self.passages, self.gates, self.waters)

    @cached_property
    def _lane_lines(self) -> LaneLines:
        """Lines of the lanes of traffic separation schemes."""
        return list_lane_lines(self.passages)

    @cached_property
    def _lane_pieces(self) -> LanePieces:
        """Pieces of the lanes of traffic separation schemes."""
        return list_lane_pieces(self.passages, self.harbours.passage_nodes)

    def _find_sea(self, position: Position, within_nm: float = _PORT_TO_SEA_NM) -> Approach:
        """Find the approach to a position, as ``find_water`` does."""
        found = self.harbours.find_approach(position)
        if found is None or found.snap_nm > within_nm:
            raise PortOnLand(
                f"No navigable water within {within_nm:g} nm of {format_position(*position)}; "
                "rivers and lakes that no known passage joins to the sea do not count.",
                lat=position.lat,
                lng=position.lng,
                within_nm=within_nm,
            )
        return found

    def _build_request(
        self,
        departure: Position,
        arrival: Position,
        ship: ShipSize,
        areas: Sequence[Area],
        limits: Limits,
        avoid: frozenset[str],
    ) -> PathRequest:
        start, end = self._find_sea(departure), self._find_sea(arrival)
        joined = int(self.component[start.nodes[0]]), int(self.component[end.nodes[0]])
        if joined[0] != joined[1]:
            raise_disconnected(*joined)
        return PathRequest(
            self.router.centre_lines,
            self.bridges,
            self.passage_limits,
            self.gates,
            self._lane_lines,
            departure,
            arrival,
            start,
            end,
            ship,
            tuple(areas),
            limits,
            avoid,
        )

    def _find_allowed(self, request: PathRequest) -> FoundPath | None:
        """Return the cheapest path, the request it answers, and its restrictions, or None.

        What few voyages need is opened one by one: local passages, unproven water farther from the
        ends, and approaches on the wide chart and along channels.
        """
        ends, restrictions = (request.departure, request.arrival), request.close()
        best = self._find_best(request, restrictions, is_exact=False)
        best = best or self._find_best(request, restrictions)
        if best is None:
            request = replace(request, opens_local=True)
            restrictions = request.close()
            best = self._find_best(request, restrictions)
        if best is None and request.ship.least_depth_m <= _DEEPEST_BY_INNER_WATERS_M:
            best = self._find_best(request, restrictions, _INNER_WATERS_NM)
            is_near = distance_nm(*ends[0], *ends[1]) < _INNER_WATERS_NM
            if best is None and is_near and not request.list_limiting(*ends):
                best = self._find_best(request, restrictions, None)
        if best is None:
            best = self._find_best(request.open_further(), restrictions)
        return None if best is None else (*best, restrictions)

    def _find_best(
        self,
        request: PathRequest,
        restrictions: RouteRestrictions,
        within_nm: float | None = _OWN_WATERS_NM,
        *,
        is_exact: bool = True,
        unproven_price: float = UNPROVEN_PRICE,
    ) -> tuple[PathRequest, GraphPath] | None:
        """Return the cheapest path, and the request with approaches that cross no barrier.

        Unproven water is used only ``within_nm`` of the ends, ``_OWN_WATERS_NM`` of an end to which
        a passage leads that is too small for the ship; if it is None, anywhere, where a mile of it
        costs ``unproven_price``, by default so much that as little as possible is used. If
        ``is_exact``, the approaches extend to water that is joined to the ocean for this ship, else
        for its class.
        """
        start = self._find_end(request, request.departure, request.start, restrictions)
        end = self._find_end(request, request.arrival, request.end, restrictions)
        if start is None or end is None:
            return None
        router, steps = self.router, restrictions.conditions.depth_steps
        start, end = start.keep_deep(steps), end.keep_deep(steps)
        if within_nm is not None:
            is_open = (
                self._find_open(restrictions) if is_exact else self.rating >= count_classes(steps)
            )
            reaches_nm = request.list_reaches_nm(within_nm, _OWN_WATERS_NM)
            out, back = (
                near.extend_to_open_water(
                    self.graph, is_open, restrictions.conditions, reach_nm, other
                )
                for near, other, reach_nm in zip(
                    (start, end), (end, start), reaches_nm, strict=True
                )
            )
            start, end = out.keep_met(start, back), back.keep_met(end, out)
        else:
            router = router.trust(steps, unproven_price)
        if request.extends_approaches:
            start, end = (
                add_channel_paths(
                    approach, self.passage_index, self.harbours.passage_nodes, restrictions
                )
                for approach in (start, end)
            )
        if start.is_empty or end.is_empty:
            return None
        path = router.find_path(start, end, restrictions)
        if path is None:
            return None
        if within_nm is not None:
            joiner = LaneJoiner(self._lane_pieces, router, restrictions, _OWN_WATERS_NM)
            start, end, path = joiner.shorten(start, end, path)
        return replace(request, start=start, end=end), path

    def _find_end(
        self, request: PathRequest, end: Position, place: Approach, restrictions: RouteRestrictions
    ) -> Approach | None:
        """Return an approach to an end that crosses no barrier; None if none begins at its place.

        The wide chart leads to no port whose passage is too small for the ship, and on its larger
        cells the place may be another.
        """
        lines = restrictions.conditions.closed_lines
        is_extended = request.extends_approaches and not request.list_limiting(end)
        for is_wide in (True, False) if is_extended else (False,):
            found = self.harbours.find_approach(end, lines, is_wide=is_wide)
            if found is not None and not request.is_moved(place, found):
                return found
        return None

    def _keep_latitude_limits(
        self, request: PathRequest, path: GraphPath, restrictions: RouteRestrictions
    ) -> FoundPath:
        """Close the water beyond a latitude limit except where the path must cross it."""
        limits = list_latitude_limits(request.limits)
        crossed = [limit for limit in limits if limit.exempts(request.departure, request.arrival)]
        if not crossed:
            return request, path, restrictions
        pulled = self.router.pull(path, restrictions)
        corridors = [find_corridors(pulled, limit.lat, limit.side) for limit in crossed]
        if None in corridors:
            return request, path, restrictions
        limited = replace(request, corridors=shapely.union_all(corridors))
        further = limited.close()
        found = self._find_best(limited, further)
        return (request, path, restrictions) if found is None else (*found, further)

    @cachedmethod(attrgetter("_open"), key=_name_ship, lock=attrgetter("_lock"))
    def _find_open(self, restrictions: RouteRestrictions) -> Bools:
        """Mask of the nodes from which water proven for the ship leads to the ocean; cached."""
        is_used = (self.graph.depths >= restrictions.conditions.depth_steps) & ~np.append(
            restrictions.closed, [False]
        )[np.maximum(self.graph.passages, OPEN_SEA)]
        return find_widest(self.graph, self.component, is_used)

    def _find_any(self, request: PathRequest) -> GraphPath | None:
        found = self._find_best(request, request.close(), None)
        return None if found is None else found[1]
