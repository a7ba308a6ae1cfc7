"""Every passage leads, at both ends, to the water that the ships it admits may use."""

from collections.abc import Iterator
from math import inf

import numpy as np
import pytest
from numpy.typing import NDArray

from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.graph import label_components
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


def list_cut_off(sea: SeaAtlas, *, through: bool) -> Iterator[Passage]:
    """The passages with an end from which no water leads on for a ship at their limit."""
    counts = [len(passage.centre_line) for passage in sea.passages]
    firsts = sea.graph.lats.size - sum(counts) + np.concatenate([[0], np.cumsum(counts)])
    limits_m = [p.deepest_draft_m or p.depth_m or inf for p in sea.passages]
    wide: dict[float, NDArray[np.bool_]] = {}
    for node, index in list_mouths(sea.passages, firsts):
        passage = sea.passages[index]
        if passage.through_traffic is not through:
            continue
        draft_m = get_draft_m(passage)
        if draft_m not in wide:
            admits = np.append(np.array(limits_m) >= draft_m, [True])
            is_used = (sea.graph.depths >= count_steps(draft_m)) & admits[
                np.maximum(sea.graph.passages, OPEN_SEA)
            ]
            labels = label_components(sea.graph, is_used)
            wide[draft_m] = np.bincount(labels)[labels] >= LEAST_NODES
        if not wide[draft_m][sea.harbours.nodes[node]]:
            yield passage


def test_a_ship_that_a_passage_admits_is_led_to_open_water_at_both_ends(sea: SeaAtlas) -> None:
    assert {passage.id for passage in list_cut_off(sea, through=True)} == set()


def test_a_ship_that_a_fairway_admits_is_led_to_the_sea(sea: SeaAtlas) -> None:
    assert {passage.id for passage in list_cut_off(sea, through=False)} <= (
        CHARTED_TOO_SHALLOW | IN_INNER_WATERS
    )
