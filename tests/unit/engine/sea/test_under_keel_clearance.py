"""A minimum under-keel clearance closes passages to ships that cannot keep it."""

from dataclasses import replace

import pytest

from app.datasources.passages import load_passages
from app.engine.sea.passage_limits import exceeded_limits
from app.engine.sea.path import ShipSize

PASSAGES = {passage.id: passage for passage in load_passages()}


@pytest.mark.parametrize("id", ["malacca-strait", "singapore-strait-raffles-eastbound"])
@pytest.mark.parametrize(("draft_m", "fits"), [(18.0, True), (19.5, True), (20.3, False)])
def test_the_straits_keep_three_and_a_half_metres(id: str, draft_m: float, fits: bool) -> None:
    ship = ShipSize(draft_m, breadth_m=60.0, loa_m=330.0, required_depth_m=draft_m + 2.0)
    assert (exceeded_limits(PASSAGES[id], ship) == {}) is fits


def test_a_rule_never_opens_a_passage_to_a_deeper_ship() -> None:
    for passage in PASSAGES.values():
        without = replace(passage, min_ukc_m=None).deepest_draft_m
        if passage.deepest_draft_m is not None and without is not None:
            assert passage.deepest_draft_m <= without
