"""Shortest ways through the sea graph: Dijkstra for landmarks, A* for voyages.

A* with landmark bounds: Goldberg and Harrelson (2005), Computing the shortest
path: A* search meets graph theory, SODA '05.
"""

from typing import Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.engine.search.barriers import is_barred
from app.engine.search.conditions import get_price

#: Marks in ``SeaGraph.passages``: an edge of the open sea; and, at or below
#: ``WRONG_WAY``, passage ``WRONG_WAY - value`` against its direction.
OPEN_SEA: Final = -1
WRONG_WAY: Final = -2


class SeaGraph(NamedTuple):
    """Nodes and directed edges, compressed by row.

    Edges of node v are ``indptr[v]:indptr[v + 1]`` of ``indices`` (where to),
    ``weights`` (open-sea miles) and ``passages`` (index of the passage, or one of
    the marks above). ``lats`` and ``lngs`` [deg] are the nodes'.
    """

    lats: NDArray[np.float64]
    lngs: NDArray[np.float64]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    weights: NDArray[np.float32]
    passages: NDArray[np.int16]


@njit(cache=True)
def push(keys, nodes, size, key, node):  # type: ignore[no-untyped-def]
    """Put an item into a binary heap of ``size`` items; there must be room."""
    i = size
    while i > 0:
        up = (i - 1) >> 1
        if keys[up] <= key:
            break
        keys[i] = keys[up]
        nodes[i] = nodes[up]
        i = up
    keys[i] = key
    nodes[i] = node


@njit(cache=True)
def pop(keys, nodes, size):  # type: ignore[no-untyped-def]
    """Move the last item to the root and sift it down; the caller has read the root."""
    key = keys[size - 1]
    node = nodes[size - 1]
    size -= 1
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[i] = keys[child]
        nodes[i] = nodes[child]
        i = child
    keys[i] = key
    nodes[i] = node


@njit(cache=True)
def grow(keys, nodes):  # type: ignore[no-untyped-def]
    """A heap's arrays, twice as long."""
    more_keys = np.empty(2 * keys.size, dtype=keys.dtype)
    more_nodes = np.empty(2 * nodes.size, dtype=nodes.dtype)
    more_keys[: keys.size] = keys
    more_nodes[: nodes.size] = nodes
    return more_keys, more_nodes


@njit(cache=True)
def compute_distances(indptr, indices, weights, source):  # type: ignore[no-untyped-def]
    """Distance from one node to all others, (n,) float32, infinite where there is no way."""
    dist = np.full(indptr.size - 1, np.inf, dtype=np.float32)
    keys = np.empty(1024, dtype=np.float32)
    nodes = np.empty(1024, dtype=np.int32)
    dist[source] = 0.0
    push(keys, nodes, 0, np.float32(0.0), source)
    size = 1
    while size > 0:
        key = keys[0]
        v = nodes[0]
        pop(keys, nodes, size)
        size -= 1
        if key > dist[v]:
            continue
        for e in range(indptr[v], indptr[v + 1]):
            w = indices[e]
            reached = key + weights[e]
            if reached < dist[w]:
                dist[w] = reached
                if size == keys.size:
                    keys, nodes = grow(keys, nodes)
                push(keys, nodes, size, reached, w)
                size += 1
    return dist


@njit(cache=True)
def _bound(bounds, node, low, high, used):  # type: ignore[no-untyped-def]
    """Lower bound of the way from a node to the nearest target, by the landmarks used."""
    best = np.float32(0.0)
    for k in used:
        at = bounds[node, k]
        best = max(best, low[k] - at, at - high[k])
    return best


@njit(cache=True)
def find_way(graph, bounds, used, closed, conditions, sources, source_costs, targets, target_costs):  # type: ignore[no-untyped-def]
    """Cheapest way from any source to any target.

    Parameters
    ----------
    graph, conditions
        :class:`SeaGraph`; :class:`~app.engine.search.conditions.Conditions`.
    bounds
        (n, k) float32, distance from landmark k to each node.
    used
        Indices of the landmarks to bound with.
    closed
        (passages,) bool: passages that may not be used.
    sources, source_costs, targets, target_costs
        Nodes and the cost of getting to or from them.

    Returns
    -------
    Nodes from source to target, the edges between them, and the cost; empty
    arrays and infinity when there is no way.
    """
    n = graph.indptr.size - 1
    dist = np.full(n, np.inf, dtype=np.float64)
    via = np.full(n, -1, dtype=np.int64)
    before = np.full(n, -1, dtype=np.int32)
    done = np.zeros(n, dtype=np.bool_)
    low = np.empty(bounds.shape[1], dtype=np.float32)
    high = np.empty(bounds.shape[1], dtype=np.float32)
    for k in range(bounds.shape[1]):
        low[k] = np.inf
        high[k] = -np.inf
        for t in targets:
            low[k] = min(low[k], bounds[t, k])
            high[k] = max(high[k], bounds[t, k])
    keys = np.empty(4096, dtype=np.float64)
    nodes = np.empty(4096, dtype=np.int32)
    size = 0
    for i in range(sources.size):
        if source_costs[i] < dist[sources[i]]:
            dist[sources[i]] = source_costs[i]
            if size == keys.size:
                keys, nodes = grow(keys, nodes)
            push(
                keys,
                nodes,
                size,
                source_costs[i] + _bound(bounds, sources[i], low, high, used),
                sources[i],
            )
            size += 1
    best = np.inf
    best_node = -1
    while size > 0:
        key = keys[0]
        v = nodes[0]
        pop(keys, nodes, size)
        size -= 1
        if key >= best:
            break
        if done[v]:
            continue
        done[v] = True
        for i in range(targets.size):
            if targets[i] == v and dist[v] + target_costs[i] < best:
                best = dist[v] + target_costs[i]
                best_node = v
        for e in range(graph.indptr[v], graph.indptr[v + 1]):
            w = graph.indices[e]
            if done[w]:
                continue
            passage = graph.passages[e]
            if passage <= WRONG_WAY or (passage >= 0 and closed[passage]):
                continue
            weight = np.float64(graph.weights[e])
            if passage == OPEN_SEA:
                weight *= get_price(
                    conditions.prices, (graph.lats[v] + graph.lats[w]) / 2.0, graph.lngs[w]
                )
            reached = dist[v] + weight
            if reached >= dist[w]:
                continue
            if is_barred(
                conditions.segments,
                conditions.is_gate,
                conditions.starts,
                graph.lats[v],
                graph.lngs[v],
                graph.lats[w],
                graph.lngs[w],
                passage == OPEN_SEA,
            ):
                continue
            dist[w] = reached
            via[w] = e
            before[w] = v
            if size == keys.size:
                keys, nodes = grow(keys, nodes)
            push(keys, nodes, size, reached + _bound(bounds, w, low, high, used), w)
            size += 1
    return _trace(before, via, best_node, best)


@njit(cache=True)
def _trace(before, via, last, cost):  # type: ignore[no-untyped-def]
    if last < 0:
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64), np.inf
    count = 1
    v = last
    while before[v] >= 0:
        v = before[v]
        count += 1
    way = np.empty(count, dtype=np.int32)
    edges = np.empty(count - 1, dtype=np.int64)
    v = last
    for i in range(count - 1, -1, -1):
        way[i] = v
        if i > 0:
            edges[i - 1] = via[v]
            v = before[v]
    return way, edges, cost
