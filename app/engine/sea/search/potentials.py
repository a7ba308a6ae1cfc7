"""Cost to go: the distance from any node to the targets, from a contraction hierarchy.

Distances are computed as needed, with only portal nodes closed: lower bounds for every voyage, and
exact for most (Strasser and Zeitz 2021, A fast and tight heuristic for A* in road networks, SEA
2021).
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Floats, Ints
from app.engine.compiled import njit, njit_borrowing

#: Added to the distances in ``CostToGo.miles``.
_KNOWN: Final = 1.0


class CostToGo(NamedTuple):
    """Miles to go from each rank; all zeros before a search, and cleared to zeros after it.

    ``miles`` is one more than the distance, 0 where it has not been computed. The first
    ``noted[0]`` of ``asked`` are the ranks to clear.
    """

    miles: Floats
    asked: NDArray[np.int32]
    noted: Ints


def make_cost_to_go(nodes: int) -> CostToGo:
    """Return a cost to go without computed values."""
    return CostToGo(np.zeros(nodes), np.zeros(nodes, np.int32), np.zeros(1, np.int64))


@njit(cache=True)
def settle_cost_to_go(hierarchy, closed, targets, target_costs, cost_to_go):  # type: ignore[no-untyped-def]
    """Compute the ranks above the targets; ``closed`` (passages,) closes their portal nodes."""
    miles = cost_to_go.miles
    first_door = miles.size - np.sum(hierarchy.doors >= 0)
    for door in range(first_door, miles.size):
        _rise(hierarchy, cost_to_go, door)
    for i in range(targets.size):
        v = targets[i]
        _rise(hierarchy, cost_to_go, v)
        miles[v] = min(miles[v], target_costs[i] + _KNOWN)
    cost_to_go.asked[: cost_to_go.noted[0]].sort()
    ranks = cost_to_go.asked[: cost_to_go.noted[0] - (miles.size - first_door)]
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
    """Settle the portal nodes, which a path may pass in any order; closed ones are infinite."""
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


@njit_borrowing(cache=True)
def get_cost_to_go(hierarchy, cost_to_go, v):  # type: ignore[no-untyped-def]
    """Return the miles from a rank to the nearest target; infinite without a path."""
    if cost_to_go.miles[v] == 0.0:
        first = cost_to_go.noted[0]
        _rise(hierarchy, cost_to_go, v)
        for u in cost_to_go.asked[first : cost_to_go.noted[0]][::-1]:
            _descend(hierarchy, cost_to_go.miles, u)
    return cost_to_go.miles[v] - _KNOWN


@njit_borrowing(cache=True)
def clear_cost_to_go(cost_to_go):  # type: ignore[no-untyped-def]
    """Clear all that has been computed."""
    for v in cost_to_go.asked[: cost_to_go.noted[0]]:
        cost_to_go.miles[v] = 0.0
    cost_to_go.noted[0] = 0


@njit_borrowing(cache=True)
def _rise(hierarchy, cost_to_go, v):  # type: ignore[no-untyped-def]
    """Note a rank and all ranks above it that are not noted yet, the lowest first."""
    count = cost_to_go.noted[0]
    while v >= 0 and cost_to_go.miles[v] == 0.0:
        cost_to_go.miles[v] = np.inf
        cost_to_go.asked[count] = v
        count += 1
        v = hierarchy.parent[v]
    cost_to_go.noted[0] = count


@njit_borrowing(cache=True)
def _descend(hierarchy, miles, v):  # type: ignore[no-untyped-def]
    """Settle a rank all of whose higher neighbours are settled.

    Four independent minima run faster in the processor's pipeline.
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
