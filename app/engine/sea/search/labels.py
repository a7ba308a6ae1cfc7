"""Node labels of a search through the sea graph, reused from one search to the next."""

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Bools, Floats
from app.engine.compiled import njit
from app.engine.sea.search.potentials import CostToGo, clear_cost_to_go, make_cost_to_go


class NodeLabels(NamedTuple):
    """Labels of the nodes; all zeros before a search, and cleared to zeros after it.

    ``priority`` is FARTHEST less the cost to get there, 0 if not reached; ``edge`` is one more
    than the edge that leads there, 0 at a source; ``done`` marks settled nodes. ``reached`` begins
    with the nodes to clear. ``cost_to_go`` is the cost from nodes to the targets.
    """

    priority: Floats
    edge: NDArray[np.int32]
    done: Bools
    reached: NDArray[np.int32]
    cost_to_go: CostToGo


#: A spare set of labels for each thread, because allocating and clearing millions of them takes
#: longer than most searches.
_spare = threading.local()


def take_labels(nodes: int) -> NodeLabels:
    """Return labels of all nodes, all zeros, for exclusive use until they are released.

    A search that is interrupted does not release its labels.
    """
    labels: NodeLabels | None = getattr(_spare, "labels", None)
    _spare.labels = None
    if labels is not None and labels.priority.size == nodes:
        return labels
    return NodeLabels(
        priority=np.zeros(nodes),
        edge=np.zeros(nodes, dtype=np.int32),
        done=np.zeros(nodes, dtype=np.bool_),
        reached=np.zeros(nodes, dtype=np.int32),
        cost_to_go=make_cost_to_go(nodes),
    )


def release_labels(labels: NodeLabels, reached: int) -> None:
    """Clear the labels of the nodes reached, and keep them for this thread's next search."""
    _clear(labels, reached)
    _spare.labels = labels


@njit(cache=True)
def _clear(labels, reached):  # type: ignore[no-untyped-def]
    for v in labels.reached[:reached]:
        labels.priority[v] = 0.0
        labels.edge[v] = 0
        labels.done[v] = False
    clear_cost_to_go(labels.cost_to_go)
