"""Contraction hierarchy of the sea graph: exact distances from few arcs.

Nodes are eliminated one by one in the order of :mod:`app.engine.sea.search.dissection`; the later
neighbours of each are joined by shortcuts. A cheapest path then ascends to its highest node and
descends from there (Geisberger, Sanders, Schultes and Vetter 2012, Exact routing in large road
networks using contraction hierarchies, Transp. Sci. 46; Dibbelt, Strasser and Wagner 2016,
Customizable contraction hierarchies, ACM JEA 21, for the order, the triangles and the removal of
superfluous arcs).

Nodes are numbered by rank, their index in that order, also in the graph that is searched, so that
near nodes are near in memory too.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Ints
from app.engine.compiled import njit

#: Hierarchies built at the same time; each needs some hundred megabytes.
_THREADS: Final = 2


class Hierarchy(NamedTuple):
    """Arcs from each node to higher ones, compressed by row, valid in both directions.

    All nodes that an upward path from rank v can reach are on the path from v by ``parent`` (n,)
    to the root, -1. Arcs of rank v are ``starts[v]:starts[v + 1]`` of ``heads`` (the higher rank)
    and ``weights`` (open-sea miles). ``doors`` (passages,) are the ranks of portal nodes, one for
    a passage, or -1: they have the highest ranks, and no shortcut leads through one, so that
    excluding one closes the passage.
    """

    parent: NDArray[np.int32]
    starts: NDArray[np.int32]
    heads: NDArray[np.int32]
    weights: NDArray[np.float32]
    doors: NDArray[np.int32]


def build_hierarchies(
    indptr: Ints,
    indices: NDArray[np.int32],
    metrics: Sequence[NDArray[np.float32]],
    doors: NDArray[np.int32],
) -> list[Hierarchy]:
    """Build a hierarchy for each set of weights of one graph, with one order and set of arcs.

    The graph's nodes are ranks, portal nodes the highest. Each edge exists in both directions;
    infinite weights are closed edges.
    """
    filled = _fill(indptr, indices)

    def build(weights: NDArray[np.float32]) -> Hierarchy:
        costs = _seed(filled[0], filled[1], indptr, indices, weights)
        starts, heads, parents = filled
        return _keep_needed(starts, heads, parents, costs, doors)

    with ThreadPoolExecutor(max_workers=_THREADS) as threads:
        return list(threads.map(build, metrics))


def _keep_needed(
    starts: Ints,
    heads: NDArray[np.int32],
    parents: NDArray[np.int32],
    costs: NDArray[np.float32],
    doors: NDArray[np.int32],
) -> Hierarchy:
    first_door = parents.size - int((doors >= 0).sum())
    _customise(starts, heads, costs, first_door)
    kept = costs <= _shorten(starts, heads, costs, first_door)
    kept &= np.isfinite(costs)
    return Hierarchy(
        parents,
        np.concatenate([[0], np.cumsum(kept)])[starts].astype(np.int32),
        heads[kept],
        costs[kept],
        doors,
    )


@njit(cache=True)
def _fill(indptr, indices):  # type: ignore[no-untyped-def]
    """Return the arcs to higher ranks after elimination, sorted, and each rank's parent, or -1.

    A node passes its arcs to the lowest of their heads, its parent (Liu 1990, The role of
    elimination trees in sparse factorization, SIAM J. Matrix Anal. Appl. 11).
    """
    count = indptr.size - 1
    starts = np.zeros(count + 1, dtype=np.int64)
    heads = np.empty(8 * count + 64, dtype=np.int32)
    parents = np.full(count, -1, dtype=np.int32)
    first_child = np.full(count, -1, dtype=np.int32)
    next_child = np.full(count, -1, dtype=np.int32)
    met = np.full(count, -1, dtype=np.int32)
    size = 0
    for v in range(count):
        met[v] = v
        while heads.size - size < count:
            heads = np.concatenate((heads, np.empty(heads.size, dtype=np.int32)))
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if u > v and met[u] != v:
                met[u] = v
                heads[size] = u
                size += 1
        child = first_child[v]
        while child >= 0:
            for u in heads[starts[child] : starts[child + 1]]:
                if met[u] != v:
                    met[u] = v
                    heads[size] = u
                    size += 1
            child = next_child[child]
        heads[starts[v] : size].sort()
        starts[v + 1] = size
        if size > starts[v]:
            parents[v] = heads[starts[v]]
            next_child[v] = first_child[parents[v]]
            first_child[parents[v]] = v
    return starts, heads[:size].copy(), parents


@njit(cache=True, nogil=True)
def _seed(starts, heads, indptr, indices, weights):  # type: ignore[no-untyped-def]
    """Return the costs of the arcs that are edges of the graph, infinite for the others."""
    costs = np.full(heads.size, np.inf, dtype=np.float32)
    arc = np.empty(indptr.size - 1, dtype=np.int64)
    for v in range(indptr.size - 1):
        for a in range(starts[v], starts[v + 1]):
            arc[heads[a]] = a
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if u > v:
                costs[arc[u]] = min(costs[arc[u]], weights[e])
    return costs


@njit(cache=True, nogil=True)
def _list_lower(starts, heads):  # type: ignore[no-untyped-def]
    """Return the arcs by their head: starts, tails, and arc numbers."""
    ends = np.zeros(starts.size + 1, dtype=np.int64)
    for u in heads:
        ends[u + 2] += 1
    ends = np.cumsum(ends)
    tails = np.empty(heads.size, dtype=np.int32)
    arcs = np.empty(heads.size, dtype=np.int32)
    for v in range(starts.size - 1):
        for a in range(starts[v], starts[v + 1]):
            u = heads[a]
            tails[ends[u + 1]] = v
            arcs[ends[u + 1]] = a
            ends[u + 1] += 1
    return ends, tails, arcs


@njit(cache=True, nogil=True)
def _customise(starts, heads, costs, first_door):  # type: ignore[no-untyped-def]
    """Lower each arc's cost to that of the best path over lower nodes except portal nodes."""
    ends, tails, arcs = _list_lower(starts, heads)
    arc = np.empty(starts.size, dtype=np.int32)
    for u in range(starts.size - 1):
        for a in range(starts[u], starts[u + 1]):
            arc[heads[a]] = a
        for i in range(ends[u], ends[u + 1]):
            v = tails[i]
            a = arcs[i]
            if v >= first_door or costs[a] == np.inf:
                continue
            for b in range(a + 1, starts[v + 1]):
                at = arc[heads[b]]
                costs[at] = min(costs[at], costs[a] + costs[b])


@njit(cache=True, nogil=True)
def _shorten(starts, heads, costs, first_door):  # type: ignore[no-untyped-def]
    """Return each arc's cost by the best path over any nodes except portal nodes.

    An arc that costs more is superfluous.
    """
    least = costs.copy()
    arc = np.full(starts.size, -1, dtype=np.int32)
    for v in range(starts.size - 2, -1, -1):
        for a in range(starts[v], starts[v + 1]):
            arc[heads[a]] = a
        for a in range(starts[v], starts[v + 1]):
            u = heads[a]
            if u >= first_door:
                break
            best = least[a]
            for b in range(starts[u], starts[u + 1]):
                other = arc[heads[b]]
                if other < 0:
                    continue
                if heads[b] < first_door:
                    best = min(best, least[b] + least[other])
                least[other] = min(least[other], best + least[b])
            least[a] = best
        for a in range(starts[v], starts[v + 1]):
            arc[heads[a]] = -1
    return least
