"""The sea atlas: where water is, how deep, and the paths over it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

from app.engine.area import Area
from app.engine.errors import PortOnLand
from app.engine.formatting import format_position
from app.engine.request import Position, TrackKind
from app.engine.sea.alternatives import PathRequest, find_alternative_paths
from app.engine.sea.coast import is_land
from app.engine.sea.corridors import find_corridors
from app.engine.sea.depth import interpolate_depth, mark_deep_stages
from app.engine.sea.harbours import Harbours
from app.engine.sea.labels import drop_same_routes, name_distinctly
from app.engine.sea.legs import lay_legs
from app.engine.sea.mouths import find_widest
from app.engine.sea.passage_index import PassageIndex
from app.engine.sea.passage_limits import PassageLimits, find_limiting, stack_limits
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg, SeaPath, ShipSize, Snap
from app.engine.sea.proving import count_classes
from app.engine.sea.quadtree import SeaCells
from app.engine.sea.refusal import raise_disconnected, raise_refusal
from app.engine.sea.route_restrictions import LatitudeLimits, RouteRestrictions
from app.engine.sea.routing import GraphPath, Router
from app.engine.sea.search.astar import OPEN_SEA, SeaGraph
from app.engine.sea.search.conditions import CoastData, Conditions
from app.engine.sea.search.hierarchy import Hierarchy
from app.engine.sea.search.sphere import distance_nm
from app.engine.sea.store import open_arrays, pick_hierarchies, read_sources

#: Unproven water is left within this distance of an end that lies in it [nm]; where its inner
#: waters are longer, within the other, but for the deepest ships: no master takes one so far by
#: water of unknown depth.
OWN_WATERS_NM: Final = 25.0
INNER_WATERS_NM: Final = 150.0
#: What the ships need at most that are taken so far [m]: less than a laden tanker of 200,000 t.
DEEPEST_BY_INNER_WATERS_M: Final = 18.0
#: For how many ships the nodes that are open are remembered.
_REMEMBERED: Final = 32


@dataclass(frozen=True)
class SeaAtlas:
    """The world's navigable water, memory-mapped and shared between processes.

    Made by ``app.datasources.build_atlas``; open it with :meth:`open`.
    ``identity`` names the version of the data for provenance, ``sources`` where coast and
    depths come from.
    """

    identity: str
    passages: tuple[Passage, ...]
    waters: CoastData
    harbours: Harbours
    graph: SeaGraph
    component: NDArray[np.int32]
    gates: NDArray[np.float64]
    rating: NDArray[np.uint8]
    hierarchies: tuple[Hierarchy, ...]
    depths: NDArray[np.int16]
    passage_limits: PassageLimits
    sources: tuple[str, ...] = ()
    _open: dict[tuple[int, bytes], NDArray[np.bool_]] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path) -> "SeaAtlas":
        """Map an atlas folder into memory.

        Raises
        ------
        DataMissing
            No atlas of this program's format is there.
        """
        arrays, passages, identity = open_arrays(folder)

        def pick(prefix: str, fields: Sequence[str]) -> list[NDArray[Any]]:
            return [arrays[prefix + name] for name in fields]

        waters = CoastData(*pick("", CoastData._fields))
        graph = SeaGraph(*pick("graph_", SeaGraph._fields))
        return cls(
            identity=identity,
            passages=passages,
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
            sources=read_sources(folder),
        )

    def is_water(self, lat: float, lng: float) -> bool:
        """Return whether a point is water by the full-resolution coast, or in a passage."""
        w = self.waters
        if not is_land(w.inside, w.shore, w.edges, w.edge_starts, lat, lng):
            return True
        return self.find_passage(lat, lng) is not None

    def find_passage(self, lat: float, lng: float, margin_m: float = 0.0) -> Passage | None:
        """The passage whose vouched water, or ``margin_m`` around it, holds a point."""
        for passage in self.passages:
            if passage.distance_m(lat, lng) <= passage.half_width_m + margin_m:
                return passage
        return None

    def depth_m(self, lats: ArrayLike, lngs: ArrayLike) -> NDArray[np.float64]:
        """Charted depth [m], broadcast; nan inshore, where the grid can't be trusted."""
        return interpolate_depth(self.depths, self.waters.field, lats, lngs)

    def mark_deep_stages(
        self, lats: NDArray[np.float64], lngs: NDArray[np.float64], depth_m: float
    ) -> NDArray[np.bool_]:
        """Mark the stages of a lattice that are nowhere shallower; as in :mod:`.depth`."""
        return mark_deep_stages(self.depths, lats, lngs, depth_m)

    def find_water(self, position: Position, within_nm: float = 30.0) -> Snap:
        """The water to use for a position: itself when afloat and joined to a sea.

        Raises
        ------
        PortOnLand
            No sea within ``within_nm``.
        """
        found = self.harbours.find_approach(position)
        if found is None or found.snap_nm > within_nm:
            raise PortOnLand(
                f"No navigable water within {within_nm:g} nm of "
                f"{format_position(*position)}; "
                "rivers and lakes that no known passage joins to the sea do not count.",
                lat=position.lat,
                lng=position.lng,
                within_nm=within_nm,
            )
        return Snap(Position(found.lat, found.lng), found.snap_nm)

    def find_paths(
        self,
        departure: Position,
        arrival: Position,
        *,
        ship: ShipSize,
        areas: Sequence[Area] = (),
        north_lat_limit: float | None = None,
        south_lat_limit: float | None = None,
        avoid_passages: frozenset[str] = frozenset(),
        most: int = 4,
    ) -> tuple[SeaPath, ...]:
        """Return paths from departure to arrival by different passages, the cheapest first.

        Parameters
        ----------
        departure, arrival
            Places on or near the water.
        ship
            What has to fit through.
        areas
            Areas in force; those with rule REPORTED are of no account.
        north_lat_limit
            The captain's northernmost latitude [deg]; from 75 on the polar
            passages are open.
        south_lat_limit
            The captain's southernmost latitude [deg].
        avoid_passages
            Ids of passages not to be used.
        most
            How many paths to return at most.

        Raises
        ------
        PortOnLand, EndInsideArea, NoRoute, CanalLimit, DraftTooDeep
            See :mod:`app.engine.errors`.
        """
        lat_limits = LatitudeLimits(north_lat_limit, south_lat_limit)
        request = self._build_request(departure, arrival, ship, areas, lat_limits, avoid_passages)
        restrictions = request.close()
        best = self._find_best(request, restrictions, is_exact=False) or self._find_best(
            request, restrictions
        )
        if best is None:
            request = replace(request, opens_local=True)
            restrictions = request.close()
            best = self._find_best(request, restrictions)
        if best is None and self._may_trust_inner_waters(request):
            best = self._find_best(request, restrictions, INNER_WATERS_NM)
            if best is None and distance_nm(*departure, *arrival) < INNER_WATERS_NM:
                best = self._find_best(request, restrictions, None)
        if best is None:
            raise_refusal(self._find_any, request, self.waters, self.depths)
        found = find_alternative_paths(
            self.router, *self._hold_latitude_limits(*best, restrictions), most
        )
        pulled = [self.router.pull(path, restrictions) for path, restrictions in found]
        return name_distinctly(drop_same_routes(pulled))

    def lay_legs(
        self, path: SeaPath, track: TrackKind, *, conditions: Conditions | None = None
    ) -> tuple[Leg, ...]:
        """The path's final legs, each checked against the full-resolution coast."""
        return lay_legs(
            self.waters, conditions or path.conditions, self.depths, self.passages, path, track
        )

    def warm_up(self) -> None:
        """Compile every kernel that answers need, or read it from numba's cache."""
        ship = ShipSize(draft_m=5.0, breadth_m=15.0, loa_m=90.0)
        for path in self.find_paths(Position(36.0, -6.5), Position(35.9, -2.0), ship=ship):
            self.lay_legs(path, TrackKind.GREAT_CIRCLE)
        self.depth_m(0.0, 0.0)
        self.is_water(0.0, 0.0)

    @cached_property
    def passage_index(self) -> PassageIndex:
        """The passages by the water that they vouch for."""
        return PassageIndex(self.passages)

    @cached_property
    def router(self) -> Router:
        """The graph as the search sees it."""
        return Router(self.graph, self.hierarchies, self.passages, self.gates, self.waters)

    def _build_request(
        self,
        departure: Position,
        arrival: Position,
        ship: ShipSize,
        areas: Sequence[Area],
        lat_limits: LatitudeLimits,
        avoid: frozenset[str],
    ) -> PathRequest:
        self.find_water(departure)
        self.find_water(arrival)
        start, end = self.harbours.find_approach(departure), self.harbours.find_approach(arrival)
        if start is None or end is None:
            raise AssertionError("find_water has found both")
        joined = int(self.component[start.nodes[0]]), int(self.component[end.nodes[0]])
        if joined[0] != joined[1]:
            raise_disconnected(*joined)
        return PathRequest(
            self.passages,
            self.passage_limits,
            self.gates,
            departure,
            arrival,
            start,
            end,
            ship,
            tuple(areas),
            lat_limits,
            avoid,
        )

    def _find_best(
        self,
        request: PathRequest,
        restrictions: RouteRestrictions,
        within_nm: float | None = OWN_WATERS_NM,
        *,
        is_exact: bool = True,
    ) -> tuple[PathRequest, GraphPath] | None:
        """Return the cheapest path, and the request with approaches that cross no barrier.

        Unproven water is left ``within_nm`` of the ends; where that is None it is crossed
        wherever it must be, and as little as may be. Exactly, it is left for water that is
        joined to the ocean for this very ship, not only for its class.
        """
        ends = [
            self.harbours.find_approach(end, restrictions.conditions.segments)
            for end in (request.departure, request.arrival)
        ]
        start, end = (
            approach and approach.keep_deep(restrictions.conditions.depth_steps)
            for approach in ends
        )
        if start is None or end is None:
            return None
        if request.is_moved(request.start, start) or request.is_moved(request.end, end):
            return None
        router = self.router
        if within_nm is not None:
            steps = restrictions.conditions.depth_steps
            is_open = (
                self._find_open(restrictions) if is_exact else self.rating >= count_classes(steps)
            )
            start, end = (
                approach.leave_unproven(self.graph, is_open, restrictions.conditions, within_nm)
                for approach in (start, end)
            )
            if start is None or end is None:
                return None
        else:
            router = router.trust(restrictions.conditions.depth_steps)
        path = router.find_path(start, end, restrictions)
        return None if path is None else (replace(request, start=start, end=end), path)

    def _may_trust_inner_waters(self, request: PathRequest) -> bool:
        """Return whether a ship may go far by unproven water.

        No deep ship may, and none that is too large for the passage by which its port is reached.
        """
        is_light = request.ship.least_depth_m <= DEEPEST_BY_INNER_WATERS_M
        ends = request.departure, request.arrival
        return is_light and not find_limiting(self.passages, request.ship, ends)

    def _hold_latitude_limits(
        self, request: PathRequest, path: GraphPath, restrictions: RouteRestrictions
    ) -> tuple[PathRequest, GraphPath, RouteRestrictions]:
        """Close the water beyond a latitude limit except where the path has to cross it."""
        limits = request.lat_limits.list()
        crossed = [limit for limit in limits if limit.exempts(request.departure, request.arrival)]
        if not crossed:
            return request, path, restrictions
        pulled = self.router.pull(path, restrictions)
        corridors = [find_corridors(pulled, limit.lat, limit.side) for limit in crossed]
        if None in corridors:
            return request, path, restrictions
        held = replace(request, corridors=shapely.union_all(corridors))
        further = held.close()
        found = self._find_best(held, further)
        return (request, path, restrictions) if found is None else (*found, further)

    def _find_open(self, restrictions: RouteRestrictions) -> NDArray[np.bool_]:
        """The nodes from which water proven for the ship leads to the ocean; remembered."""
        steps, closed = restrictions.conditions.depth_steps, restrictions.closed
        key = steps, closed.tobytes()
        if key not in self._open:
            if len(self._open) >= _REMEMBERED:
                self._open.clear()
            is_used = (self.graph.depths >= steps) & ~np.append(closed, [False])[
                np.maximum(self.graph.passages, OPEN_SEA)
            ]
            self._open[key] = find_widest(self.graph, self.component, is_used)
        return self._open[key]

    def _find_any(self, request: PathRequest) -> GraphPath | None:
        found = self._find_best(request, request.close(), None)
        return None if found is None else found[1]
