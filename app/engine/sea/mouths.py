"""Where passages meet the sea: the water off their ends, and which waters they join."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.sea.graph import label_components
from app.engine.sea.passages import Passage
from app.engine.sea.proving import CLASSES, list_class_steps, open_along
from app.engine.sea.shoals import SHOAL_MARGIN_CELLS, STEPS_PER_M, UNKNOWN
from app.engine.search.astar import OPEN_SEA, SeaGraph
from app.engine.search.conditions import NO_CONDITIONS
from app.engine.search.leaving import find_exits

#: Farther off than this [nm] the sea is no passage's mouth: its line should be longer.
REACH_NM: Final = 20.0
#: Open waters of fewer nodes are pools that lead nowhere.
_SMALLEST_POOL: Final = 400


def open_mouths(
    graph: SeaGraph,
    passages: Sequence[Passage],
    firsts: NDArray[np.int64],
    proven: NDArray[np.uint8],
) -> None:
    """Open the shortest way from each passage's end to open water, in place.

    Ships that take the passage lie there; its own limits still bind them inside. The way
    to water that is open to the deepest ships is taken, where there is one near.
    """
    pools = [_find_pools(graph, steps, graph.passages == OPEN_SEA) for steps in list_class_steps()]
    limits = [int(each.deeper_than_m * STEPS_PER_M) for each in CLASSES[1:]]
    for node, _ in list_mouths(passages, firsts):
        for pool, steps in zip(reversed(pools), [UNKNOWN, *reversed(limits)], strict=True):
            way = _find_way_out(graph, node, pool)
            if way is not None:
                open_along(proven, graph.lats[way], graph.lngs[way], steps, SHOAL_MARGIN_CELLS)
                break


def list_mouths(passages: Sequence[Passage], firsts: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The nodes at which passages meet the sea, each with the index of its passage."""
    mouths = []
    for index, passage in enumerate(passages):
        mouths.append((int(firsts[index]), index))
        if passage.through_traffic:
            mouths.append((int(firsts[index + 1]) - 1, index))
    return mouths


def rate_nodes(graph: SeaGraph) -> NDArray[np.uint8]:
    """How many of the classes of ships have proven water from each node to the world ocean."""
    rating = np.zeros(graph.lats.size, dtype=np.uint8)
    for number, steps in enumerate(list_class_steps(), start=1):
        rating[label_components(graph, graph.depths >= steps) == 0] = number
    return rating


def _find_pools(graph: SeaGraph, steps: int, is_used: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Nodes of open waters of some size, for ships that need so many steps of depth."""
    labels = label_components(graph, is_used & (graph.depths >= steps))
    return np.asarray(np.bincount(labels)[labels] >= _SMALLEST_POOL)


def _find_way_out(
    graph: SeaGraph, node: int, is_open: NDArray[np.bool_]
) -> NDArray[np.int32] | None:
    """The nodes from one to the nearest open one; None where none is near."""
    source = np.array([node], dtype=np.int32), np.zeros(1)
    place = float(graph.lats[node]), float(graph.lngs[node])
    exits = find_exits(graph, NO_CONDITIONS, source, is_open, place, REACH_NM)
    return exits.way[: exits.starts[1]] if exits.nodes.size else None
