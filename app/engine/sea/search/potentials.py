"""How far it is from any node to the targets, asked of a contraction hierarchy as needed.

The distances are those of a sea with nothing shut but doors: no voyage has less before it,
and most have just that (Strasser and Zeitz 2021, A fast and tight heuristic for A* in road
networks, SEA 2021).
"""

from typing import Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

#: Added to the distances in ``Ahead.miles``.
_KNOWN: Final = 1.0


class Ahead(NamedTuple):
    """Miles ahead of each rank; all zeros before a search, and swept to zeros after it.

    ``miles`` is one more than the distance, 0 where it hasn't been asked for. The first
    ``noted[0]`` of ``asked`` are the ranks to sweep.
    """

    miles: NDArray[np.float64]
    asked: NDArray[np.int32]
    noted: NDArray[np.int64]


def make_ahead(nodes: int) -> Ahead:
    """Nothing asked for yet."""
    return Ahead(np.zeros(nodes), np.zeros(nodes, np.int32), np.zeros(1, np.int64))


@njit(cache=True)
def look_back(hierarchy, closed, targets, target_costs, ahead):  # type: ignore[no-untyped-def]
    """Begin with the ranks above the targets; ``closed`` (passages,) shuts their doors."""
    miles = ahead.miles
    first_door = miles.size - np.sum(hierarchy.doors >= 0)
    for door in range(first_door, miles.size):
        _rise(hierarchy, ahead, door)
    for i in range(targets.size):
        v = targets[i]
        _rise(hierarchy, ahead, v)
        miles[v] = min(miles[v], target_costs[i] + _KNOWN)
    ahead.asked[: ahead.noted[0]].sort()
    ranks = ahead.asked[: ahead.noted[0] - (miles.size - first_door)]
    for v in ranks:
        if miles[v] < np.inf:
            for a in range(hierarchy.starts[v], hierarchy.starts[v + 1]):
                u = hierarchy.heads[a]
                miles[u] = min(miles[u], miles[v] + hierarchy.weights[a])
    _pass_doors(hierarchy, closed, first_door, miles)
    for v in ranks[::-1]:
        _descend(hierarchy, miles, v)


@njit(cache=True)
def _pass_doors(hierarchy, closed, first_door, miles):  # type: ignore[no-untyped-def]
    """Settle the doors, which a way may pass in any order; those shut are never reached."""
    is_open = np.ones(miles.size - first_door, dtype=np.bool_)
    for k in range(closed.size):
        if closed[k] and hierarchy.doors[k] >= 0:
            is_open[hierarchy.doors[k] - first_door] = False
            miles[hierarchy.doors[k]] = np.inf
    for _ in range(is_open.size):
        for v in range(first_door, miles.size):
            for a in range(hierarchy.starts[v], hierarchy.starts[v + 1]):
                u = hierarchy.heads[a]
                if is_open[v - first_door] and is_open[u - first_door]:
                    miles[u] = min(miles[u], miles[v] + hierarchy.weights[a])
                    miles[v] = min(miles[v], miles[u] + hierarchy.weights[a])


@njit(cache=True)
def get_ahead(hierarchy, ahead, v):  # type: ignore[no-untyped-def]
    """Distance from a rank to the nearest target [open-sea miles]; infinite without a way."""
    if ahead.miles[v] == 0.0:
        first = ahead.noted[0]
        _rise(hierarchy, ahead, v)
        for u in ahead.asked[first : ahead.noted[0]][::-1]:
            _descend(hierarchy, ahead.miles, u)
    return ahead.miles[v] - _KNOWN


@njit(cache=True)
def sweep_ahead(ahead):  # type: ignore[no-untyped-def]
    """Forget all that was asked for."""
    for v in ahead.asked[: ahead.noted[0]]:
        ahead.miles[v] = 0.0
    ahead.noted[0] = 0


@njit(cache=True)
def _rise(hierarchy, ahead, v):  # type: ignore[no-untyped-def]
    """Note a rank and all above it that aren't noted yet, the lowest first."""
    count = ahead.noted[0]
    while v >= 0 and ahead.miles[v] == 0.0:
        ahead.miles[v] = np.inf
        ahead.asked[count] = v
        count += 1
        v = hierarchy.parent[v]
    ahead.noted[0] = count


@njit(cache=True)
def _descend(hierarchy, miles, v):  # type: ignore[no-untyped-def]
    """Settle a rank all of whose higher neighbours are settled.

    Four arcs at a time, which needn't wait for one another.
    """
    heads, weights = hierarchy.heads, hierarchy.weights
    first, end = hierarchy.starts[v], hierarchy.starts[v + 1]
    last = end - (end - first) % 4
    best0 = best1 = best2 = best3 = miles[v]
    for a in range(first, last, 4):
        best0 = min(best0, weights[a] + miles[heads[a]])
        best1 = min(best1, weights[a + 1] + miles[heads[a + 1]])
        best2 = min(best2, weights[a + 2] + miles[heads[a + 2]])
        best3 = min(best3, weights[a + 3] + miles[heads[a + 3]])
    for a in range(last, end):
        best0 = min(best0, weights[a] + miles[heads[a]])
    miles[v] = min(min(best0, best1), min(best2, best3))
