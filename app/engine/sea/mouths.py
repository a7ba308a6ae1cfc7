"""Where passages meet the sea: the water off their ends, and which waters they join."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.sea.graph import label_components
from app.engine.sea.passages import Passage
from app.engine.sea.proving import CLASSES, list_class_steps, open_along
from app.engine.sea.search.astar import OPEN_SEA, SeaGraph
from app.engine.sea.search.conditions import NO_CONDITIONS
from app.engine.sea.search.leaving import find_exits
from app.engine.sea.shoals import SHOAL_MARGIN_CELLS, STEPS_PER_M, UNKNOWN, count_steps

#: Farther off than this [nm] the sea is no passage's mouth: its line should be longer.
REACH_NM: Final = 20.0
#: Water that the deepest ship of a passage needs outside it: a fifth more than its draught, and
#: at least so much more for squat at sea speed and the margin under the keel [m]; or the last
#: figure [m] where no limit is known.
DEPTH_PER_DRAFT: Final = 1.2
_UNDER_DRAFT_M: Final = 3.0
_DEEP_SHIP_M: Final = 25.0
#: Open waters of fewer nodes are pools that lead nowhere.
_SMALLEST_POOL: Final = 400


def open_mouths(
    graph: SeaGraph,
    passages: Sequence[Passage],
    firsts: NDArray[np.int64],
    proven: NDArray[np.uint8],
) -> None:
    """Open the shortest path from each passage's end to open water, in place.

    Ships that take the passage lie there; its own limits still bind them inside. The path
    to water that is open to the deepest ships is taken, where there is one near.
    """
    steps = list_class_steps()
    pools = [_find_pools(graph, least) for least in steps]
    limits = [*(int(each.deeper_than_m * STEPS_PER_M) for each in CLASSES[1:]), UNKNOWN]
    tries = list(zip(pools, steps, limits, strict=True))[::-1]
    for node, index in list_mouths(passages, firsts):
        deepest = (pools[-1], _count_deepest(passages[index]), UNKNOWN)
        for pool, least, opened in [deepest, *tries]:
            path = _find_path_out(graph, node, pool, least)
            if path is not None:
                open_along(proven, graph.lats[path], graph.lngs[path], opened, SHOAL_MARGIN_CELLS)
                break


def join_mouths(
    graph: SeaGraph,
    passages: Sequence[Passage],
    firsts: NDArray[np.int64],
    component: NDArray[np.int32],
    proven: NDArray[np.uint8],
) -> None:
    """Open the shortest path from each passage's end to the water of its deepest ships, in place.

    That is the widest water of its sea, passages included, that such ships have. An end that
    no path leads from at the depth that they need is tried for lighter ships, a metre at a time.
    ``component`` says which nodes any water joins.
    """
    needs = [_count_deepest(passage) for passage in passages]
    is_apart = dict.fromkeys(list_mouths(passages, firsts), True)
    for depth_m in range(max(needs) // STEPS_PER_M, int(CLASSES[0].deeper_than_m), -1):
        steps = depth_m * STEPS_PER_M
        asked = [(n, i) for (n, i), apart in is_apart.items() if apart and needs[i] >= steps]
        is_wide = find_widest(graph, component, _list_used(graph, needs, steps))
        for node, index in asked:
            path = _find_path_out(graph, node, is_wide, steps)
            if path is not None:
                is_apart[node, index] = False
                opened = _count_class_limit(steps)
                open_along(proven, graph.lats[path], graph.lngs[path], opened, SHOAL_MARGIN_CELLS)


def _list_used(graph: SeaGraph, needs: Sequence[int], steps: int) -> NDArray[np.bool_]:
    """The edges that ships use which need so many steps of depth."""
    is_wide_enough = np.append(np.array(needs) >= steps, [True])
    return np.asarray(
        (graph.depths >= steps) & is_wide_enough[np.maximum(graph.passages, OPEN_SEA)]
    )


def _count_class_limit(steps: int) -> int:
    """The greatest depth that ships of one class with such a ship may need, in steps."""
    limits = [int(each.deeper_than_m * STEPS_PER_M) for each in CLASSES]
    return next((limit for limit in limits if steps <= limit), UNKNOWN)


def _count_deepest(passage: Passage) -> int:
    """The depth that the deepest ship of a passage needs outside it, in steps."""
    depth_m = passage.depth_m or _DEEP_SHIP_M
    if passage.max_draft_m is not None:
        draft_m = passage.max_draft_m
        depth_m = max(draft_m * DEPTH_PER_DRAFT, draft_m + _UNDER_DRAFT_M)
    return count_steps(depth_m)


def list_mouths(passages: Sequence[Passage], firsts: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The nodes at which passages meet the sea, each with the index of its passage."""
    mouths = []
    for index, passage in enumerate(passages):
        mouths.append((int(firsts[index]), index))
        if passage.through_traffic:
            mouths.append((int(firsts[index + 1]) - 1, index))
    return mouths


def rate_nodes(graph: SeaGraph, component: NDArray[np.int32]) -> NDArray[np.uint8]:
    """How many of the classes of ships have proven water from each node to its ocean or closed sea.

    ``component`` numbers the waters: nodes that any water joins share a number.
    """
    rating = np.zeros(graph.lats.size, dtype=np.uint8)
    for number, steps in enumerate(list_class_steps(), start=1):
        rating[find_widest(graph, component, graph.depths >= steps)] = number
    return rating


def find_widest(
    graph: SeaGraph, component: NDArray[np.int32], is_used: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """The nodes that edges in use join to the widest water in their sea."""
    labels = label_components(graph, is_used)
    # labels go by falling size: the least in a sea is that of its widest water
    widest = np.full(int(component.max()) + 1, labels.size, dtype=np.int32)
    np.minimum.at(widest, component, labels)
    return np.asarray(labels == widest[component], dtype=np.bool_)


def _find_pools(graph: SeaGraph, steps: int) -> NDArray[np.bool_]:
    """Nodes of open waters of some size, for ships that need so many steps of depth."""
    is_used = (graph.passages == OPEN_SEA) & (graph.depths >= steps)
    labels = label_components(graph, is_used)
    return np.asarray(np.bincount(labels)[labels] >= _SMALLEST_POOL, dtype=np.bool_)


def _find_path_out(
    graph: SeaGraph, node: int, is_open: NDArray[np.bool_], steps: int
) -> NDArray[np.int32] | None:
    """The nodes from one to the nearest open one, as deep as that; None where none is near."""
    source = np.array([node], dtype=np.int32), np.zeros(1)
    place = float(graph.lats[node]), float(graph.lngs[node])
    conditions = NO_CONDITIONS._replace(depth_steps=steps)
    exits = find_exits(graph, conditions, source, is_open, place, REACH_NM)
    return exits.path[: exits.starts[1]] if exits.nodes.size else None
