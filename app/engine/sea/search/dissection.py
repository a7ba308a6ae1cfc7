"""Elimination order of nodes with little fill-in, by nested dissection.

Nested dissection (George 1973, Nested dissection of a regular finite element mesh, SIAM
J. Numer. Anal. 10): the nodes on one side of a cut that have neighbours on the other separate the
graph into two parts, and rank above both. Cuts are planes through the globe, the best of several
directions, found in one sweep along each (as in Hamann and Strasser 2018, Graph bisection with
Pareto optimization, ACM JEA 23, but by counting instead of flows).
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Floats, Ints
from app.engine.compiled import njit

#: Number of directions of cuts, and of places tried along each.
_DIRECTIONS: Final = 25
_PLACES: Final = 1024
#: Least share of the nodes on either side of a cut, and largest part that is not cut.
_LEAST_SHARE: Final = 0.2
_SMALLEST_PART: Final = 8
#: Part number of separators' nodes and of those to be eliminated last.
_PARTED: Final = -1


def dissect(
    points: Floats,
    indptr: Ints,
    indices: NDArray[np.int32],
    last: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Return the nodes of a graph, shape (n,), in their elimination order.

    ``points``, shape (n, 3), are the nodes' unit vectors. The neighbours of node v are
    ``indices[indptr[v]:indptr[v + 1]]``, mutual. ``last`` are nodes to be eliminated after all
    others, in this order.
    """
    part = np.zeros(len(points), dtype=np.int32)
    part[last] = _PARTED
    order = np.concatenate([np.flatnonzero(part != _PARTED), last]).astype(np.int32)
    _dissect(points, indptr, indices, part, order, len(points) - len(last), _spread())
    return order


def _spread() -> Floats:
    """Return directions evenly distributed over half the globe, on a golden-ratio spiral."""
    turn = np.arange(_DIRECTIONS) + 0.5
    up = turn / _DIRECTIONS
    around = np.pi * (1.0 + 5.0**0.5) * turn
    level = np.sqrt(1.0 - up * up)
    return np.column_stack([level * np.cos(around), level * np.sin(around), up])


@njit(cache=True)
def _dissect(points, indptr, indices, part, order, size, directions):  # type: ignore[no-untyped-def]
    """Sort the first ``size`` nodes of ``order``, all of part 0, in place."""
    place = np.empty(part.size, dtype=np.int32)
    parts = 1
    waiting = [(0, size)]
    while len(waiting) > 0:
        first, end = waiting.pop()
        if end - first <= _SMALLEST_PART:
            continue
        nodes = order[first:end].copy()
        best = np.inf
        cut = -1
        chosen = 0
        for k in range(len(directions)):
            places = _place(points, nodes, directions[k], place)
            if places > 0:
                score, at = _find_cut(indptr, indices, part, nodes, place, places)
                if score < best:
                    best, cut, chosen = score, at, k
        if cut < 0:
            continue
        _place(points, nodes, directions[chosen], place)
        before, after = _split(indptr, indices, part, nodes, place, cut, parts, order[first:end])
        parts += 2
        waiting.append((first, first + before))
        waiting.append((first + before, first + after))


@njit(cache=True)
def _project(point, direction):  # type: ignore[no-untyped-def]
    return point[0] * direction[0] + point[1] * direction[1] + point[2] * direction[2]


@njit(cache=True)
def _place(points, nodes, direction, place):  # type: ignore[no-untyped-def]
    """Number the places of nodes along a direction; return the count, 0 if all are in one."""
    low, high = np.inf, -np.inf
    for v in nodes:
        along = _project(points[v], direction)
        low = min(low, along)
        high = max(high, along)
    if high - low < 1e-12:
        return 0
    places = min(_PLACES, 2 * nodes.size)
    scale = (places - 1e-6) / (high - low)
    for v in nodes:
        place[v] = int((_project(points[v], direction) - low) * scale)
    return places


@njit(cache=True)
def _find_cut(indptr, indices, part, nodes, place, places):  # type: ignore[no-untyped-def]
    """Find the best place of a part to cut before, and its score, the least the best.

    The score of a separator is the higher, the smaller the part that it splits off.
    """
    counts = np.zeros(places + 1, dtype=np.int64)
    crossing = np.zeros(places + 1, dtype=np.int64)
    mine = part[nodes[0]]
    for v in nodes:
        counts[place[v]] += 1
        far = place[v]
        for e in range(indptr[v], indptr[v + 1]):
            if part[indices[e]] == mine:
                far = max(far, place[indices[e]])
        crossing[place[v] + 1] += 1
        crossing[far + 1] -= 1
    best, cut = np.inf, -1
    behind = parting = 0
    for at in range(1, places):
        behind += counts[at - 1]
        parting += crossing[at]
        least = min(behind - parting, nodes.size - behind)
        if least >= _LEAST_SHARE * nodes.size and parting < best * np.sqrt(least):
            best, cut = parting / np.sqrt(least), at
    return best, cut


@njit(cache=True)
def _split(indptr, indices, part, nodes, place, cut, parts, order):  # type: ignore[no-untyped-def]
    """Write the nodes before a cut, those behind it and the separator, in this order.

    They become parts ``parts``, ``parts + 1`` and none. Return the starts of the second and third.
    """
    mine = part[nodes[0]]
    side = np.zeros(nodes.size, dtype=np.int8)
    for i in range(nodes.size):
        v = nodes[i]
        if place[v] >= cut:
            side[i] = 1
            continue
        for e in range(indptr[v], indptr[v + 1]):
            if part[indices[e]] == mine and place[indices[e]] >= cut:
                side[i] = 2
                break
    at = 0
    ends = (0, 0, 0)
    for k, named in enumerate((parts, parts + 1, _PARTED)):
        ends = (ends[1], ends[2], at)
        for i in range(nodes.size):
            if side[i] == k:
                order[at] = nodes[i]
                part[nodes[i]] = named
                at += 1
    return ends[1], ends[2]
