"""Cheapest paths through the sea graph by A* (Hart, Nilsson and Raphael 1968)."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Bools, Floats, Ints
from app.engine.compiled import njit, njit_borrowing
from app.engine.sea.search.barriers import ANY_COSINE, is_barred
from app.engine.sea.search.conditions import Conditions, get_price
from app.engine.sea.search.heap import grow, pop, push
from app.engine.sea.search.hierarchy import Hierarchy
from app.engine.sea.search.labels import release_labels, take_labels
from app.engine.sea.search.potentials import get_cost_to_go, settle_cost_to_go
from app.engine.sea.search.sphere import distance_nm

#: Marks in ``SeaGraph.passages``: an edge of the open sea; and, at or below
#: ``WRONG_WAY``, passage ``WRONG_WAY - value`` against its direction.
OPEN_SEA: Final = -1
WRONG_WAY: Final = -2


class SeaGraph(NamedTuple):
    """Nodes and directed edges, compressed by row.

    Edges of node v are ``indptr[v]:indptr[v + 1]`` of ``indices`` (where to),
    ``weights`` (open-sea miles), ``passages`` (index of the passage, or one of
    the marks above), ``depths`` (the greatest depth that a ship may need, in steps of
    :mod:`app.engine.sea.shoals`) and ``charted`` (least charted depth, whether the water is
    proven or not). ``lats`` and ``lngs`` [deg] are the nodes'.
    """

    lats: Floats
    lngs: Floats
    indptr: Ints
    indices: NDArray[np.int32]
    weights: NDArray[np.float32]
    passages: NDArray[np.int16]
    depths: NDArray[np.uint8]
    charted: NDArray[np.uint8]


#: A cost above all costs [open-sea miles].
FARTHEST: Final = 1e7
#: Settled nodes after which a search checks that the targets are not enclosed.
_PATIENCE: Final = 30_000


def find_cheapest_path(
    graph: SeaGraph,
    hierarchy: Hierarchy,
    closed: Bools,
    conditions: Conditions,
    sources: tuple[NDArray[np.int32], Floats],
    targets: tuple[NDArray[np.int32], Floats],
    limit: float = FARTHEST,
    *,
    is_exact: bool = True,
) -> tuple[NDArray[np.int32], Ints, float]:
    """Find the cheapest path from any source to any target.

    ``hierarchy`` has distances with no more closures than on this voyage; unless it is valid
    (``is_exact``), great circles bound the search. ``closed``, shape (passages,), marks passages
    that may not be used, ``conditions`` are the graph's barriers and prices. ``sources`` and
    ``targets`` are nodes, with the cost to get to or from each; ``limit`` is the greatest cost of
    a path.

    Return the nodes from source to target, the edges between them, and the cost; empty arrays and
    infinity if there is no path.
    """
    labels = take_labels(graph.lats.size)
    last, cost, reached = _search(
        graph,
        hierarchy,
        is_exact,
        closed,
        conditions,
        labels,
        *sources,
        *targets,
        limit,
    )
    nodes, edges = _trace(graph, labels, last)
    release_labels(labels, reached)
    return nodes, edges, float(cost) if last >= 0 else np.inf


@njit_borrowing(cache=True)
def _bound(graph, hierarchy, is_exact, cost_to_go, node, aim):  # type: ignore[no-untyped-def]
    """Return a lower bound of the cost from a node to the nearest target.

    By the hierarchy, or by the great circle to ``aim``: latitude, longitude and radius of a circle
    around the targets.
    """
    if is_exact:
        return get_cost_to_go(hierarchy, cost_to_go, node)
    away = distance_nm(graph.lats[node], graph.lngs[node], aim[0], aim[1])
    return max(0.0, away - aim[2])


@njit(cache=True)
def _encircle(graph, targets):  # type: ignore[no-untyped-def]
    """Return latitude, longitude and radius [nm] of a circle around nodes."""
    lat = graph.lats[targets[0]]
    lng = graph.lngs[targets[0]]
    radius = 0.0
    for t in targets:
        radius = max(radius, distance_nm(lat, lng, graph.lats[t], graph.lngs[t]))
    return lat, lng, radius


@njit(cache=True)
def _search(  # type: ignore[no-untyped-def]
    graph,
    hierarchy,
    is_exact,
    closed,
    conditions,
    labels,
    sources,
    source_costs,
    targets,
    target_costs,
    limit,
):
    """Fill in the labels; return the last node of the cheapest path, its cost and the node count.

    The last node is -1 if there is no path; the count is that of the nodes reached.
    """
    aim = _encircle(graph, targets)
    if is_exact:
        settle_cost_to_go(hierarchy, closed, targets, target_costs, labels.cost_to_go)
    keys = np.empty(4096, dtype=np.float64)
    nodes = np.empty(4096, dtype=np.int32)
    priority, edge, done = labels.priority, labels.edge, labels.done
    size = 0
    reached = 0
    left = 0
    for i in range(sources.size):
        v = sources[i]
        if FARTHEST - source_costs[i] > priority[v]:
            if priority[v] == 0.0:
                labels.reached[reached] = v
                reached += 1
            priority[v] = FARTHEST - source_costs[i]
            to_go = _bound(graph, hierarchy, is_exact, labels.cost_to_go, v, aim)
            push(keys, nodes, size, source_costs[i] + to_go, v)
            size += 1
    best = limit
    last = -1
    while size > 0 and keys[0] < best:
        v = nodes[0]
        pop(keys, nodes, size)
        size -= 1
        if done[v]:
            continue
        done[v] = True
        left += 1
        if left == _PATIENCE and are_enclosed(graph, closed, conditions, priority, targets):
            break
        gone = FARTHEST - priority[v]
        for i in range(targets.size):
            if targets[i] == v and gone + target_costs[i] < best:
                best = gone + target_costs[i]
                last = v
        for e in range(graph.indptr[v], graph.indptr[v + 1]):
            w = graph.indices[e]
            known = priority[w]
            if priority[v] - graph.weights[e] <= known or done[w]:
                continue
            weight = _weigh(graph, closed, conditions, v, e)
            if priority[v] - weight <= known or is_edge_barred(
                graph, conditions, v, e, conditions.lane_cosine
            ):
                continue
            if known == 0.0:
                labels.reached[reached] = w
                reached += 1
            priority[w] = priority[v] - weight
            edge[w] = e + 1
            if size == keys.size:
                keys, nodes = grow(keys, nodes)
            to_go = _bound(graph, hierarchy, is_exact, labels.cost_to_go, w, aim)
            push(keys, nodes, size, gone + weight + to_go, w)
            size += 1
    return last, best, reached


@njit(cache=True)
def are_enclosed(graph, closed, conditions, priority, targets):  # type: ignore[no-untyped-def]
    """Return whether no node that a search has reached is connected to the targets.

    A closed bay has few nodes, but the ocean, through all of which a search would go, has a
    million. Directions of edges are ignored.
    """
    seen = np.zeros(priority.size, dtype=np.bool_)
    waiting = np.empty(priority.size, dtype=np.int32)
    count = 0
    for v in targets:
        if not seen[v]:
            seen[v] = True
            waiting[count] = v
            count += 1
    at = 0
    while at < count:
        v = waiting[at]
        at += 1
        if priority[v] > 0.0:
            return False
        for e in range(graph.indptr[v], graph.indptr[v + 1]):
            w = graph.indices[e]
            if seen[w] or graph.depths[e] < conditions.depth_steps:
                continue
            passage = graph.passages[e]
            if passage <= WRONG_WAY:
                passage = WRONG_WAY - passage
            if (passage >= 0 and closed[passage]) or is_edge_barred(
                graph, conditions, v, e, ANY_COSINE
            ):
                continue
            seen[w] = True
            waiting[count] = w
            count += 1
    return True


@njit_borrowing(cache=True)
def _weigh(graph, closed, conditions, v, e):  # type: ignore[no-untyped-def]
    """Return the cost of an edge, infinite over shoals, in closed passages and against lanes."""
    if graph.depths[e] < conditions.depth_steps:
        return np.inf
    passage = graph.passages[e]
    if passage <= WRONG_WAY or (passage >= 0 and closed[passage]):
        return np.inf
    weight = np.float64(graph.weights[e])
    if conditions.prices.shape[0] == 0:
        return weight
    w = graph.indices[e]
    middle = (graph.lats[v] + graph.lats[w]) / 2.0
    price = get_price(conditions.prices, middle, graph.lngs[w])
    if passage == OPEN_SEA:
        return weight * price
    # the weight includes waits and slow steaming, which are no miles inside an area
    miles = distance_nm(graph.lats[v], graph.lngs[v], graph.lats[w], graph.lngs[w])
    return weight + (price - 1.0) * miles


@njit_borrowing(cache=True)
def is_edge_barred(graph, conditions, v, e, least_cosine):  # type: ignore[no-untyped-def]
    """Return whether an edge crosses a barrier; centre lines ignore the gates of other passages.

    ``least_cosine`` is that of ``is_barred``.
    """
    w = graph.indices[e]
    return is_barred(
        conditions.segments,
        conditions.kinds,
        conditions.starts,
        graph.lats[v],
        graph.lngs[v],
        graph.lats[w],
        graph.lngs[w],
        graph.passages[e] == OPEN_SEA,
        least_cosine,
    )


@njit(cache=True)
def _trace(graph, labels, last):  # type: ignore[no-untyped-def]
    """Return nodes and edges of the path to the last node; empty if there is none."""
    path = np.empty(1024, dtype=np.int32)
    edges = np.empty(1024, dtype=np.int64)
    count = 0
    v = last
    while v >= 0:
        if count == path.size:
            edges, path = grow(edges, path)
        path[count] = v
        edges[count] = labels.edge[v] - 1
        count += 1
        v = _step_back(graph, labels, v)
    return path[:count][::-1].copy(), edges[: max(0, count - 1)][::-1].copy()


@njit_borrowing(cache=True)
def _step_back(graph, labels, v):  # type: ignore[no-untyped-def]
    """Return the previous node, whose edge leads here, or -1 at a source."""
    if labels.edge[v] == 0:
        return -1
    return np.searchsorted(graph.indptr, labels.edge[v] - 1, side="right") - 1
