"""Approaches: the cheapest paths from a berth over a local chart to the sea graph."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Bools, Floats
from app.engine.compiled import njit
from app.engine.sea.chart import (
    IN_PASSAGE,
    REACHED,
    Chart,
    barrier_east,
    classify_cells,
    find_nearest_reached,
    get_centre,
    place_nodes,
)
from app.engine.sea.grid_dijkstra import grid_dijkstra, list_cells
from app.engine.sea.search.astar import SeaGraph
from app.engine.sea.search.barriers import do_segments_touch
from app.engine.sea.search.conditions import CoastData, Conditions
from app.engine.sea.search.leaving import find_exits
from app.engine.sea.search.sphere import distance_nm
from app.engine.sea.shoals import DEEP, UNKNOWN, find_least_steps
from app.engine.units import wrap_longitude

#: Charts tried in turn: half the height [deg] and cells per degree.
CHARTS: Final = ((0.15, 1200), (0.55, 600))
#: Greatest distance to the water for which the smaller chart suffices [nm].
_NEAR_NM: Final = 3.0
#: Most paths to the sea graph that are passed to the search.
_EXITS: Final = 16


@dataclass(frozen=True)
class Approach:
    """A place on the water and the paths from it to nodes of the sea graph.

    ``lats``/``lngs`` [deg] of path ``i`` lead from the place to node ``nodes[i]``; ``costs`` are
    in open-sea miles, ``depths`` are the least charted depths in steps of
    :mod:`app.engine.sea.shoals`. ``snap_nm`` is the distance of the place from the position
    requested. ``passages`` is the index, by node, of the passage that the last two steps of the
    path to the node follow, or its only step.
    """

    lat: float
    lng: float
    snap_nm: float
    nodes: NDArray[np.int32]
    costs: Floats
    depths: NDArray[np.uint8]
    paths: tuple[tuple[Floats, Floats], ...]
    passages: Mapping[int, int] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Return whether there is no path."""
        return self.nodes.size == 0

    def path_to(self, node: int) -> tuple[Floats, Floats]:
        """Return the path to one of the nodes, latitudes and longitudes [deg]."""
        return self.paths[int(np.flatnonzero(self.nodes == node)[0])]

    def keep_deep(self, steps: int) -> "Approach":
        """Keep the paths that are at least so deep."""
        deep = np.flatnonzero(self.depths >= steps)
        paths = tuple(self.paths[i] for i in deep.tolist())
        kept = self.nodes[deep], self.costs[deep], self.depths[deep]
        return Approach(self.lat, self.lng, self.snap_nm, *kept, paths)

    def extend_to_open_water(
        self,
        graph: SeaGraph,
        is_open: Bools,
        conditions: Conditions,
        within_nm: float,
        other: "Approach",
    ) -> "Approach":
        """Extend the paths to the nearest open water ``within_nm``, and drop those elsewhere.

        The nodes of the approach at the ``other`` end count as open water, so that no path leads
        out to sea and back between two ends in the same unproven water.
        """
        place, sources = (self.lat, self.lng), (self.nodes, self.costs)
        is_open = is_open.copy()
        is_open[other.nodes] = True
        exits = find_exits(graph, conditions, sources, is_open, place, within_nm)
        paths = []
        for first, last in pairwise(exits.starts.tolist()):
            on = exits.path[first:last]
            lats, lngs = self.path_to(on[0])
            paths.append(
                (
                    np.concatenate([lats, graph.lats[on[1:]]]),
                    np.concatenate([lngs, graph.lngs[on[1:]]]),
                )
            )
        depths = np.full(exits.nodes.size, UNKNOWN, dtype=np.uint8)
        known = self.lat, self.lng, self.snap_nm
        return Approach(*known, exits.nodes, exits.costs, depths, tuple(paths))

    def keep_met(self, near: "Approach", other: "Approach") -> "Approach":
        """Return the extended approach with the paths before, to nodes that the other leads to."""
        met = np.isin(near.nodes, other.nodes) & ~np.isin(near.nodes, self.nodes)
        return replace(
            self,
            nodes=np.concatenate([self.nodes, near.nodes[met]]),
            costs=np.concatenate([self.costs, near.costs[met]]),
            depths=np.concatenate([self.depths, near.depths[met]]),
            paths=(*self.paths, *(near.paths[i] for i in np.flatnonzero(met).tolist())),
        )

    def add_passage_path(
        self,
        node: int,
        cost: float,
        path: tuple[Floats, Floats],
        passage: int,
    ) -> "Approach":
        """Return the approach with a path whose last two steps follow a passage to a node of it.

        If there is a path to the node, the cheaper one is kept.
        """
        others = np.flatnonzero(self.nodes != node)
        if self.costs[self.nodes == node].min(initial=np.inf) <= cost:
            return self
        return replace(
            self,
            nodes=np.append(self.nodes[others], [node]).astype(np.int32),
            costs=np.append(self.costs[others], [cost]),
            depths=np.append(self.depths[others], [UNKNOWN]).astype(np.uint8),
            paths=(*(self.paths[i] for i in others.tolist()), path),
            passages={**self.passages, node: passage},
        )


def find_approach(
    waters: CoastData,
    chart: Chart,
    lat: float,
    lng: float,
    nodes: NDArray[np.int32],
    node_lats: Floats,
    node_lngs: Floats,
    barriers: Floats,
) -> Approach | None:
    """Find the paths on one chart from the water nearest to a position to some nodes.

    The cell of a node may extend into the chart though its centre lies outside: it is reached at
    the point of the chart's edge nearest to the centre. ``barriers``, (m, 4) lng, lat [deg], are
    not crossed, on the chart or beyond its edge. Return None if no node is reached.
    """
    joined = np.asarray(_are_joined(chart, node_lats, node_lngs, barriers), dtype=np.bool_)
    nodes, node_lats, node_lngs = nodes[joined], node_lats[joined], node_lngs[joined]
    node_rows, node_cols = place_nodes(chart, node_lats, node_lngs)
    state = classify_cells(chart, waters, node_rows, node_cols, barriers)
    start = find_nearest_reached(chart, state, lat, lng)
    if start[0] < 0:
        return None
    at_lat, at_lng = get_centre(chart, *start)
    if distance_nm(lat, lng, at_lat, at_lng) * chart.cells < 60.0 and _is_open(
        chart, state, lat, lng
    ):
        at_lat, at_lng = lat, lng
    is_in_passage = state[start] == IN_PASSAGE
    width = chart.cols + 2
    places = (node_rows + 1) * width + node_cols + 1
    at = (start[0] + 1) * width + start[1] + 1
    is_done, cost, step_from = grid_dijkstra(chart, state, at, places, _EXITS)
    reached = np.flatnonzero(is_done[places])
    best = reached[np.argsort(cost[places[reached]])][:_EXITS]
    if is_in_passage:
        at_lat, at_lng = float(node_lats[best[0]]), float(node_lngs[best[0]])
    cells, starts = list_cells(step_from, width, places[best])
    lats = chart.south + (cells // width - 0.5) / chart.cells
    lngs = np.asarray(wrap_longitude(chart.west + (cells % width - 0.5) / chart.cells))
    lats[starts[:-1]], lngs[starts[:-1]] = at_lat, at_lng
    lats[starts[1:] - 1], lngs[starts[1:] - 1] = node_lats[best], node_lngs[best]
    # if the place and a passage's end share a cell, the depth is that of the passage
    depths = np.where(places[best] == at, UNKNOWN, _measure_path_depths(waters, lats, lngs, starts))
    return Approach(
        at_lat,
        at_lng,
        float(distance_nm(lat, lng, at_lat, at_lng)),
        nodes[best].astype(np.int32),
        cost[places[best]].astype(np.float64),
        depths.astype(np.uint8),
        tuple(
            (lats[a:b], lngs[a:b])
            for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        ),
    )


@njit(cache=True)
def _are_joined(chart, lats, lngs, barriers):  # type: ignore[no-untyped-def]
    """Mask of nodes, (n,), that no barrier separates from the chart."""
    joined = np.ones(lats.size, dtype=np.bool_)
    for k in range(lats.size):
        x = (lngs[k] - chart.west - 0.5 * chart.cols / chart.cells + 180.0) % 360.0 - 180.0
        x += 0.5 * chart.cols / chart.cells
        y = lats[k] - chart.south
        edge_x = min(max(x, 0.0), chart.cols / chart.cells)
        edge_y = min(max(y, 0.0), chart.rows / chart.cells)
        for i in range(barriers.shape[0]):
            east = barrier_east(barriers[i], chart.west)
            if do_segments_touch(
                edge_x,
                edge_y,
                x,
                y,
                east,
                barriers[i, 1] - chart.south,
                east + barriers[i, 2] - barriers[i, 0],
                barriers[i, 3] - chart.south,
            ):
                joined[k] = False
                break
    return joined


def is_near_enough(approach: Approach) -> bool:
    """Return whether an approach on the smaller chart suffices."""
    return approach.snap_nm <= _NEAR_NM


def _is_open(chart: Chart, state: NDArray[np.uint8], lat: float, lng: float) -> bool:
    """Return whether the position lies in a cell that a ship can reach."""
    # the pole lies on the edge of the northernmost row
    row = min(int((lat - chart.south) * chart.cells), state.shape[0] - 1)
    col = int(((lng - chart.west) % 360.0) * chart.cells)
    return bool(state[row, col] == REACHED)


@njit(cache=True)
def _measure_path_depths(waters, lats, lngs, starts):  # type: ignore[no-untyped-def]
    """Return the least charted depth on each path, in steps of the shoal map."""
    least = np.full(starts.size - 1, UNKNOWN, dtype=np.uint8)
    for k in range(least.size):
        for i in range(starts[k], starts[k + 1] - 1):
            found = find_least_steps(
                waters.charted,
                waters.charted_blocks,
                lats[i],
                lngs[i],
                lats[i + 1],
                lngs[i + 1],
                0,
                DEEP,
            )
            least[k] = min(least[k], found)
    return least
