"""Cheapest paths over the sea graph between two places."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from shapely.geometry import MultiPolygon

from app.engine.arrays import Floats, split_columns
from app.engine.sea.approach import Approach
from app.engine.sea.bypasses import CentreLines, bypass_areas
from app.engine.sea.following import join_following
from app.engine.sea.gates import CAPES
from app.engine.sea.islets import keep_off_islets
from app.engine.sea.joining import join_beside
from app.engine.sea.labels import name_route
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.path import Leg, PassageUse, SeaPath
from app.engine.sea.proving import count_classes
from app.engine.sea.route_restrictions import RouteRestrictions
from app.engine.sea.search.astar import FARTHEST, OPEN_SEA, SeaGraph, find_cheapest_path
from app.engine.sea.search.chords import leads_against_lane
from app.engine.sea.search.conditions import CoastData, Conditions
from app.engine.sea.search.hierarchy import Hierarchy
from app.engine.sea.shared_water import Fairways, name_uses
from app.engine.sea.sides import list_sides
from app.engine.sea.string_pulling import (
    Chain,
    assemble_chain,
    find_crossings,
    find_runs,
    pull_chain,
)

#: Most rounds of joining passages off their line, each of which string pulling improves.
_MOST_JOININGS: Final = 3
#: Price of a mile of unproven water where every path crosses some.
UNPROVEN_PRICE: Final = 50.0
_CHOICES: Final = (PassageKind.CANAL, PassageKind.STRAIT)
_CHANNELS: Final = (PassageKind.CANAL, PassageKind.RIVER, PassageKind.APPROACH)


@dataclass(frozen=True)
class GraphPath:
    """A chain of nodes and edges of the sea graph, its cost [open-sea nm], and its conditions."""

    chain: Chain
    cost: float
    router: "Router"
    conditions: Conditions

    @cached_property
    def pulled(self) -> Chain:
        """The chain after string pulling, with its passages joined off their lines."""
        router, conditions = self.router, self.conditions
        chain = pull_chain(router.waters, conditions, self.chain)
        for _ in range(_MOST_JOININGS):
            joined = join_beside(router.waters, conditions, router.passages, router.gates, chain)
            joined = join_following(router.waters, conditions, router.passages, joined)
            if np.array_equal(joined.lats, chain.lats) and np.array_equal(joined.lngs, chain.lngs):
                break
            chain = pull_chain(router.waters, conditions, joined)
        return keep_off_islets(router.waters, conditions, chain)

    @cached_property
    def gates(self) -> frozenset[str]:
        """Ids of the passages and capes along the path."""
        return frozenset(use.id for use in self.router.list_uses(self.chain))

    @cached_property
    def sides(self) -> frozenset[str]:
        """Names of the sides of land along the path that can be closed."""
        passed = list_sides(self.chain.lats, self.chain.lngs)
        return frozenset(side.name for side in passed if side.can_close)


@dataclass(frozen=True)
class Router:
    """The sea graph with its hierarchies and passages."""

    graph: SeaGraph
    hierarchies: tuple[Hierarchy, ...]
    passages: tuple[Passage, ...]
    gates: Floats
    waters: CoastData

    @cached_property
    def fairways(self) -> Fairways:
        """Passages whose centre lines may share water."""
        return Fairways.of(self.passages)

    @cached_property
    def centre_lines(self) -> CentreLines:
        """The passages by their centre lines."""
        return CentreLines(self.passages)

    def trust(self, steps: int, price: float) -> "Router":
        """Return the router with unproven water open, at a price, for a required depth in steps."""
        graph = self.graph
        is_unproven = (graph.depths < steps) & (graph.charted >= steps)
        weights = np.where(is_unproven, price * graph.weights, graph.weights)
        weights = weights.astype(graph.weights.dtype)
        weights.setflags(write=False)  # as the atlas's own, for which the kernels are compiled
        graph = graph._replace(weights=weights, depths=graph.charted)
        return replace(self, graph=graph, hierarchies=self.hierarchies[:1])

    def find_path(
        self,
        start: Approach,
        end: Approach,
        restrictions: RouteRestrictions,
        limit: float = FARTHEST,
    ) -> GraphPath | None:
        """Find the cheapest path; None if none costs less than ``limit``.

        An area that a passage bypasses is closed if the path joins or leaves the passage too near.
        """
        path = self._find_along_lanes(start, end, restrictions, limit)
        while path is not None and restrictions.bypassed:
            _, unpassed = self._bypass(path, restrictions)
            closed = restrictions.close_bypassed(unpassed)
            if len(closed.bypassed) == len(restrictions.bypassed):
                break
            restrictions = closed
            path = self._find_along_lanes(start, end, restrictions, limit)
        return path

    def _find_along_lanes(
        self, start: Approach, end: Approach, restrictions: RouteRestrictions, limit: float
    ) -> GraphPath | None:
        """Find the cheapest path, and not against the direction of a lane.

        The points of lanes join cells of the sea graph, so that lanes are ignored until a path
        proves to lead against one. If all paths do, the cheapest is returned.
        """
        conditions = restrictions.conditions
        ignoring = replace(restrictions, conditions=conditions.ignore_lanes())
        path = self._search(start, end, ignoring, limit)
        if path is None or not _is_against_lane(path.chain, conditions):
            return path and replace(path, conditions=conditions)
        if not _is_against_lane(path.pulled, conditions):
            return path
        found = self._search(start, end, restrictions, limit)
        return path if found is None and limit == FARTHEST else found

    def _search(
        self,
        start: Approach,
        end: Approach,
        restrictions: RouteRestrictions,
        limit: float,
    ) -> GraphPath | None:
        """Find the cheapest path, with lanes as the conditions say."""
        classes = count_classes(restrictions.conditions.depth_steps)
        nodes, edges, cost = find_cheapest_path(
            self.graph,
            self.hierarchies[min(classes, len(self.hierarchies) - 1)],
            restrictions.closed,
            restrictions.conditions,
            (start.nodes, start.costs),
            (end.nodes, end.costs),
            limit,
            is_exact=not restrictions.is_polar,
        )
        if nodes.size == 0:
            return None
        chain = assemble_chain(self.graph, start, end, nodes, edges)
        return GraphPath(chain, float(cost), self, restrictions.conditions)

    def list_uses(self, chain: Chain) -> list[PassageUse]:
        """List the passages and capes along a chain, in order."""
        uses = [
            PassageUse(passage.id, passage.name, first, last, line=passage.name)
            for index, first, last in find_runs(chain.marks.tolist())
            for passage in (self.passages[index],)
        ]
        known = {use.id for use in uses}
        for index, step in enumerate(find_crossings(chain.lats, chain.lngs, self.gates).tolist()):
            passage = self.passages[index]
            if step >= 0 and passage.id not in known and not self._is_channel(chain.marks[step]):
                uses.append(PassageUse(passage.id, passage.name, step, step + 1))
        lines = np.array([cape.line for cape in CAPES])
        for cape, step in zip(
            CAPES, find_crossings(chain.lats, chain.lngs, lines).tolist(), strict=True
        ):
            if step >= 0:
                uses.append(PassageUse(cape.id, cape.name, step, step + 1))
        return sorted(uses, key=lambda use: (use.first, use.last))

    def list_leg_uses(self, legs: Sequence[Leg]) -> tuple[PassageUse, ...]:
        """List the passages and capes along legs, in order; vertices are those of the legs."""
        lats, lngs = split_columns([legs[0].start, *(leg.end for leg in legs)])
        numbers = {passage.name: number for number, passage in enumerate(self.passages)}
        marks = [numbers.get(leg.passage or "", OPEN_SEA) for leg in legs]
        chain = Chain(lats, lngs, np.array(marks, dtype=np.int16))
        return tuple(name_uses(self.list_uses(chain), chain, self.fairways))

    def _is_channel(self, mark: int) -> bool:
        """Return whether a step follows a canal, river or approach, which gates do not close."""
        return mark != OPEN_SEA and self.passages[mark].kind in _CHANNELS

    def list_choices(self, path: GraphPath) -> list[str]:
        """List what an alternative can avoid: passages and capes by id, then sides by name."""
        kinds = {passage.id: passage.kind for passage in self.passages}
        capes = {cape.id for cape in CAPES}
        gates = sorted(
            (id for id in path.gates if id in capes or kinds.get(id) in _CHOICES),
            key=lambda id: (kinds.get(id) is not PassageKind.CANAL, id not in capes, id),
        )
        return [*gates, *sorted(path.sides)]

    def pull(self, path: GraphPath, restrictions: RouteRestrictions) -> SeaPath:
        """Apply string pulling to a path, then measure and name it."""
        chain, _ = self._bypass(path, restrictions)
        # a path that nothing else exists for may lead against a lane, and so may its legs
        is_against = _is_against_lane(chain, restrictions.conditions)
        uses = name_uses(self.list_uses(chain), chain, self.fairways)
        return SeaPath(
            chain.lats,
            chain.lngs,
            chain.marks,
            chain.length_nm,
            path.cost,
            tuple(uses),
            name_route(uses),
            path.conditions if is_against else restrictions.conditions,
        )

    def measure_nm(self, path: GraphPath, restrictions: RouteRestrictions) -> float:
        """Measure a path after string pulling [nm]."""
        return self._bypass(path, restrictions)[0].length_nm

    def _bypass(
        self, path: GraphPath, restrictions: RouteRestrictions
    ) -> tuple[Chain, list[MultiPolygon]]:
        """Pull a path around areas in passages; return it with the areas it cannot bypass."""
        if not restrictions.bypassed:
            return path.pulled, []
        areas = restrictions.areas
        return bypass_areas(self.waters, path.conditions, self.passages, areas, path.pulled)


def _is_against_lane(chain: Chain, conditions: Conditions) -> bool:
    """Return whether a chain crosses a lane against its direction in the open sea."""
    is_open = chain.marks == OPEN_SEA
    return bool(leads_against_lane(conditions, chain.lats, chain.lngs, is_open))
