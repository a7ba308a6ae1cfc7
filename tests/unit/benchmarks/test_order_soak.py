"""A slice of the soak of random orders: no valid order breaks the planning."""

import pytest

from app.engine.sea.atlas import SeaAtlas
from benchmarks.order_soak import soak
from tests.unit.engine.weather.seas import uniform_climatology

pytestmark = pytest.mark.atlas

#: Orders of this seed that broke once, and their neighbours: a limit of nothing, a reference
#: route of one place, one single speed.
SEED, FIRST, COUNT = 2, 18, 4


def test_random_valid_orders_are_planned_or_refused_in_words(sea: SeaAtlas) -> None:
    outcomes = [outcome for outcome, _ in soak(SEED, FIRST, COUNT, sea, uniform_climatology())]
    assert [outcome.trace for outcome in outcomes if outcome.code == "INTERNAL"] == []
    assert "COMPLETED" in {outcome.code for outcome in outcomes}
