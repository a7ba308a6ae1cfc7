"""Every passage leads, at both ends, to the water that the ships it admits may use."""

from collections.abc import Iterable, Iterator
from math import inf

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from app.engine.arrays import Bools
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.mouths import list_mouths
from app.engine.sea.passages import Passage
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.sea.shoals import count_steps

pytestmark = pytest.mark.atlas

#: A ship of the Great Lakes stands for those of passages without a known limit [m].
LAKER_M = 8.0
#: Waters of fewer nodes lead nowhere; the Great Lakes have more.
LEAST_NODES = 2000

#: Charted with less than the ship needs outside the entrance, by the grid or the list of shoals,
#: where the dredged channel is not held.
CHARTED_TOO_SHALLOW = frozenset(
    {
        "amazon",
        "bissau",
        "calcasieu",
        "cape-fear",
        "charleston",
        "galveston",
        "karnaphuli",
        "sabine-neches",
        "santarem",
        "sao-marcos",
        "tampa",
        "yangon",
    }
)
#: Entered from inner waters that are not held; left by the shortest way as a berth is.
IN_INNER_WATERS = frozenset({"burke-channel", "kirke"})


def get_draft_m(passage: Passage) -> float:
    """The deepest ship of a passage, or a ship of the Great Lakes [m]."""
    if passage.deepest_draft_m is not None:
        return passage.deepest_draft_m
    return min(LAKER_M, passage.depth_m or LAKER_M)


def find_wide_water(sea: SeaAtlas, drafts_m: Iterable[float]) -> Iterator[tuple[float, Bools]]:
    """For each draught, the deepest first, the nodes from which water leads on for such a ship."""
    limits_m = np.array([p.deepest_draft_m or p.depth_m or inf for p in sea.passages] + [inf])
    edge_limits_m = limits_m[np.maximum(sea.graph.passages, OPEN_SEA)]
    start = np.repeat(np.arange(sea.graph.lats.size), np.diff(sea.graph.indptr))
    labels, was_open = np.arange(sea.graph.lats.size), np.zeros(start.size, dtype=np.bool_)
    for draft_m in sorted(drafts_m, reverse=True):
        is_open = (sea.graph.depths >= count_steps(draft_m)) & (edge_limits_m >= draft_m)
        opened, was_open = is_open & ~was_open, is_open
        ends = labels[start[opened]], labels[sea.graph.indices[opened]]
        size = labels.max() + 1
        joined = coo_array((np.ones(ends[0].size, dtype=np.bool_), ends), shape=(size, size))
        labels = connected_components(joined, directed=False)[1][labels]
        yield draft_m, np.bincount(labels)[labels] >= LEAST_NODES


@pytest.fixture(scope="module")
def cut_off(sea: SeaAtlas) -> set[Passage]:
    """The passages with an end from which no water leads on for a ship at their limit."""
    counts = [len(passage.centre_line) for passage in sea.passages]
    firsts = sea.graph.lats.size - sum(counts) + np.concatenate([[0], np.cumsum(counts)])
    ends: dict[float, list[tuple[int, Passage]]] = {}
    for node, index in list_mouths(sea.passages, firsts):
        passage = sea.passages[index]
        ends.setdefault(get_draft_m(passage), []).append((sea.harbours.nodes[node], passage))
    return {
        passage
        for draft_m, is_wide in find_wide_water(sea, ends)
        for node, passage in ends[draft_m]
        if not is_wide[node]
    }


def test_a_ship_that_a_passage_admits_is_led_to_open_water_at_both_ends(
    cut_off: set[Passage],
) -> None:
    assert {passage.id for passage in cut_off if passage.through_traffic} == set()


def test_a_ship_that_a_fairway_admits_is_led_to_the_sea(cut_off: set[Passage]) -> None:
    assert {passage.id for passage in cut_off if not passage.through_traffic} <= (
        CHARTED_TOO_SHALLOW | IN_INNER_WATERS
    )
