"""Mouths of passages: the water off their ends, and the waters that they join."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Bools, Ints
from app.engine.sea.graph import label_components
from app.engine.sea.passages import Passage
from app.engine.sea.proving import CLASSES, list_class_steps, open_along
from app.engine.sea.search.astar import OPEN_SEA, SeaGraph
from app.engine.sea.search.conditions import NO_CONDITIONS
from app.engine.sea.search.leaving import find_exits
from app.engine.sea.shoals import SHOAL_MARGIN_CELLS, STEPS_PER_M, UNKNOWN, count_steps

#: Greatest length of a passage's mouth [nm].
_REACH_NM: Final = 20.0
#: Depth that the deepest ship of a passage needs outside it: a fifth more than its draught, and at
#: least so much more for squat at sea speed and under-keel clearance [m]; or the last value [m] if
#: no limit is known.
DEPTH_PER_DRAFT: Final = 1.2
_UNDER_DRAFT_M: Final = 3.0
_DEEP_SHIP_M: Final = 25.0
#: Fewest nodes of an open water.
_SMALLEST_OPEN_WATER: Final = 400


def open_mouths(
    graph: SeaGraph,
    passages: Sequence[Passage],
    firsts: Ints,
    proven: NDArray[np.uint8],
) -> None:
    """Open the shortest path from each passage's end to open water, in place.

    Ships that use the passage need it; the passage's own limits still apply inside. If water open
    to the deepest ships is near, the path to it is opened.
    """
    steps = list_class_steps()
    pools = [_find_open_waters(graph, least) for least in steps]
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
    firsts: Ints,
    component: NDArray[np.int32],
    proven: NDArray[np.uint8],
) -> None:
    """Open the shortest path from each passage's end to the water of its deepest ships, in place.

    That water is the largest of its sea that such ships can use, passages included. If there is
    no path at the depth that they need, lighter ships are tried, a metre at a time. ``component``
    numbers the nodes by connected water.
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


def _list_used(graph: SeaGraph, needs: Sequence[int], steps: int) -> Bools:
    """Mask of the edges that ships with a required depth can use."""
    is_wide_enough = np.append(np.array(needs) >= steps, [True])
    return np.asarray(
        (graph.depths >= steps) & is_wide_enough[np.maximum(graph.passages, OPEN_SEA)]
    )


def _count_class_limit(steps: int) -> int:
    """Return the greatest required depth of the class of a ship, in steps."""
    limits = [int(each.deeper_than_m * STEPS_PER_M) for each in CLASSES]
    return next((limit for limit in limits if steps <= limit), UNKNOWN)


def _count_deepest(passage: Passage) -> int:
    """Return the depth that the deepest ship of a passage needs outside it, in steps."""
    depth_m = passage.depth_m or _DEEP_SHIP_M
    if passage.max_draft_m is not None:
        draft_m = passage.max_draft_m
        depth_m = max(draft_m * DEPTH_PER_DRAFT, draft_m + _UNDER_DRAFT_M)
    return count_steps(depth_m)


def list_mouths(passages: Sequence[Passage], firsts: Ints) -> list[tuple[int, int]]:
    """List the nodes at which passages join the sea, each with the index of its passage."""
    mouths = []
    for index, passage in enumerate(passages):
        mouths.append((int(firsts[index]), index))
        if passage.through_traffic:
            mouths.append((int(firsts[index + 1]) - 1, index))
    return mouths


def rate_nodes(graph: SeaGraph, component: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Count the depth classes with proven water from each node to the main water of its sea.

    ``component`` numbers the nodes by connected water.
    """
    rating = np.zeros(graph.lats.size, dtype=np.uint8)
    for number, steps in enumerate(list_class_steps(), start=1):
        rating[find_widest(graph, component, graph.depths >= steps)] = number
    return rating


def find_widest(graph: SeaGraph, component: NDArray[np.int32], is_used: Bools) -> Bools:
    """Mask of the nodes that the edges used join to the largest water of their sea."""
    labels = label_components(graph, is_used)
    # labels are in order of size, so that the least in a sea is that of its largest water
    widest = np.full(int(component.max()) + 1, labels.size, dtype=np.int32)
    np.minimum.at(widest, component, labels)
    return np.asarray(labels == widest[component], dtype=np.bool_)


def _find_open_waters(graph: SeaGraph, steps: int) -> Bools:
    """Mask of the nodes of open waters of some size, for ships with a required depth."""
    is_used = (graph.passages == OPEN_SEA) & (graph.depths >= steps)
    labels = label_components(graph, is_used)
    return np.asarray(np.bincount(labels)[labels] >= _SMALLEST_OPEN_WATER, dtype=np.bool_)


def _find_path_out(
    graph: SeaGraph, node: int, is_open: Bools, steps: int
) -> NDArray[np.int32] | None:
    """Find the path from a node to the nearest open one at a depth; None if none is near."""
    source = np.array([node], dtype=np.int32), np.zeros(1)
    place = float(graph.lats[node]), float(graph.lngs[node])
    conditions = NO_CONDITIONS._replace(depth_steps=steps)
    exits = find_exits(graph, conditions, source, is_open, place, _REACH_NM)
    return exits.path[: exits.starts[1]] if exits.nodes.size else None
