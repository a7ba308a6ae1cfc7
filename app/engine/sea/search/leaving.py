"""Paths from unproven water to the nearest open water."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Bools, Floats, Ints
from app.engine.compiled import njit
from app.engine.sea.search.astar import FARTHEST, OPEN_SEA, SeaGraph, is_edge_barred
from app.engine.sea.search.barriers import ANY_COSINE
from app.engine.sea.search.conditions import Conditions
from app.engine.sea.search.heap import grow, pop, push
from app.engine.sea.search.sphere import distance_nm

#: Greatest excess of a path's length over the shortest: share, and miles.
_LONGER_SHARE: Final = 0.25
_LONGER_NM: Final = 3.0
#: Price of a mile of unproven water beyond the first open water.
_PRICE_BEYOND: Final = 2.0
#: Most paths returned.
_MOST_EXITS: Final = 24


class Exits(NamedTuple):
    """Nodes where open water begins, nearest first, the cost of each and the nodes on its path.

    Path ``i`` is ``path[starts[i]:starts[i + 1]]``, from a source to ``nodes[i]``.
    """

    nodes: NDArray[np.int32]
    costs: Floats
    path: NDArray[np.int32]
    starts: Ints


def find_exits(
    graph: SeaGraph,
    conditions: Conditions,
    sources: tuple[NDArray[np.int32], Floats],
    is_open: Bools,
    place: tuple[float, float],
    within_nm: float,
) -> Exits:
    """Find the paths from some nodes to the nearest open ones, over water charted deep enough.

    Edges of passages are not followed, because their mouths are open water. Paths go on from an
    exit over unproven water, at a price, because open water beyond may be far from it over open
    water. Only nodes within ``within_nm`` of ``place`` [deg] are considered. Dijkstra (1959).
    """
    priority = np.zeros(graph.lats.size)
    before = np.zeros(graph.lats.size, dtype=np.int32)
    found = _find_exits(graph, conditions, *sources, is_open, place, within_nm, priority, before)
    nodes, costs = found
    paths = [_trace(before, int(node)) for node in nodes]
    first_open = [int(path[np.argmax(is_open[path])]) for path in paths]
    costs += (_PRICE_BEYOND - 1.0) * (priority[first_open] - priority[nodes])
    starts = np.cumsum([0, *(path.size for path in paths)])
    path = np.concatenate(paths) if paths else np.empty(0, dtype=np.int32)
    return Exits(nodes, costs, path, starts)


def _trace(before: NDArray[np.int32], node: int) -> NDArray[np.int32]:
    """Return the nodes from a source to a node; ``before`` is one more than the previous node."""
    path = [node]
    while before[path[-1]] > 0:
        path.append(int(before[path[-1]]) - 1)
    return np.array(path[::-1], dtype=np.int32)


@njit(cache=True)
def _find_exits(  # type: ignore[no-untyped-def]
    graph, conditions, sources, source_costs, is_open, place, within_nm, priority, before
):
    keys = np.empty(1024, dtype=np.float64)
    nodes = np.empty(1024, dtype=np.int32)
    exits = np.empty(_MOST_EXITS, dtype=np.int32)
    costs = np.empty(_MOST_EXITS)
    size = 0
    count = 0
    for i in range(sources.size):
        v = sources[i]
        if FARTHEST - source_costs[i] > priority[v]:
            priority[v] = FARTHEST - source_costs[i]
            before[v] = 0
            if size == keys.size:
                keys, nodes = grow(keys, nodes)
            push(keys, nodes, size, source_costs[i], v)
            size += 1
    longest = np.inf
    while size > 0 and keys[0] <= longest and count < _MOST_EXITS:
        v = nodes[0]
        gone = keys[0]
        pop(keys, nodes, size)
        size -= 1
        if gone > FARTHEST - priority[v]:
            continue
        if is_open[v]:
            if count == 0:
                longest = gone * (1.0 + _LONGER_SHARE) + _LONGER_NM
            exits[count] = v
            costs[count] = gone
            count += 1
        for e in range(graph.indptr[v], graph.indptr[v + 1]):
            w = graph.indices[e]
            if graph.passages[e] != OPEN_SEA or graph.charted[e] < conditions.depth_steps:
                continue
            # the open edges of an exit are left to the search that starts there
            if is_open[v] and graph.depths[e] >= conditions.depth_steps:
                continue
            cost = gone + graph.weights[e]
            # the path may be followed back, so that its direction across lanes is not known here
            if FARTHEST - cost <= priority[w] or is_edge_barred(
                graph, conditions, v, e, ANY_COSINE
            ):
                continue
            if distance_nm(place[0], place[1], graph.lats[w], graph.lngs[w]) > within_nm:
                continue
            priority[w] = FARTHEST - cost
            before[w] = v + 1
            if size == keys.size:
                keys, nodes = grow(keys, nodes)
            push(keys, nodes, size, cost, w)
            size += 1
    return exits[:count], costs[:count]
