"""Detection of enclosed targets without a search of the whole ocean."""

import numpy as np
import pytest

from app.engine.sea.search.astar import OPEN_SEA, WRONG_WAY, SeaGraph, are_enclosed
from app.engine.sea.search.conditions import NO_CONDITIONS
from tests.unit.engine.opened import opened

#: The depth of the way from node 1 to node 2, in steps; the others are deeper.
SILL = 40
NODES = 4


def make_row(mark: int, back: int) -> SeaGraph:
    """Four nodes in a row; the steps between the middle two, out and back, have a mark each."""
    ends = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]
    marks = [OPEN_SEA, OPEN_SEA, mark, back, OPEN_SEA, OPEN_SEA]
    depths = np.array([80, 80, SILL, SILL, 80, 80], dtype=np.uint8)
    starts = np.searchsorted([a for a, _ in ends], np.arange(NODES + 1))
    return SeaGraph(
        np.zeros(NODES),
        np.arange(NODES, dtype=np.float64),
        starts.astype(np.int64),
        np.array([b for _, b in ends], dtype=np.int32),
        np.ones(len(ends), dtype=np.float32),
        np.array(marks, dtype=np.int16),
        depths,
        depths,
    )


@pytest.mark.parametrize(
    ("marks", "closed", "need", "walled_in"),
    [
        ((OPEN_SEA, OPEN_SEA), False, SILL, False),
        ((OPEN_SEA, OPEN_SEA), False, SILL + 1, True),
        ((0, 0), False, SILL, False),
        ((0, 0), True, SILL, True),
        ((0, WRONG_WAY), False, SILL, False),
        ((0, WRONG_WAY), True, SILL, True),
    ],
    ids=["open", "too shallow", "by a passage", "shut", "one way", "one way, shut"],
)
def test_only_a_sill_or_a_closed_passage_encloses_targets(
    marks: tuple[int, int], closed: bool, need: int, walled_in: bool
) -> None:
    reached = np.array([1.0, 0.0, 0.0, 0.0])
    found = are_enclosed(
        opened(make_row(*marks)),
        np.array([closed]),
        NO_CONDITIONS._replace(depth_steps=need),
        reached,
        np.array([3], dtype=np.int32),
    )
    assert found is walled_in
