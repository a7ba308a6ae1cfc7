"""What a search through the sea graph knows of each node, kept from one search to the next."""

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit
from app.engine.sea.search.potentials import CostToGo, clear_cost_to_go, make_cost_to_go


class NodeLabels(NamedTuple):
    """What a search knows of each node; all zeros before it, and swept to zeros after it.

    ``priority`` is FARTHEST less the cost to get there, 0 when not reached; ``edge`` is one
    more than the edge that leads there, 0 at a source; ``done`` is set once it has been
    left. The first so many of ``reached`` are the nodes to sweep. ``cost_to_go`` is what lies
    before nodes.
    """

    priority: NDArray[np.float64]
    edge: NDArray[np.int32]
    done: NDArray[np.bool_]
    reached: NDArray[np.int32]
    cost_to_go: CostToGo


#: A spare set of labels for each thread: to allot and clear millions anew for every
#: search takes longer than most searches.
_spare = threading.local()


def take_labels(nodes: int) -> NodeLabels:
    """Labels for so many nodes, all zeros; no other search has them until they are put back.

    A search that is broken off never puts its labels back, swept or not.
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


def put_back(labels: NodeLabels, reached: int) -> None:
    """Sweep labels that so many nodes have, for this thread's next search."""
    _sweep(labels, reached)
    _spare.labels = labels


@njit(cache=True)
def _sweep(labels, reached):  # type: ignore[no-untyped-def]
    for v in labels.reached[:reached]:
        labels.priority[v] = 0.0
        labels.edge[v] = 0
        labels.done[v] = False
    clear_cost_to_go(labels.cost_to_go)
