"""A limit that only keeps the search off a storm improves no plan."""

from dataclasses import replace

import pytest

from app.engine.request import Limits
from app.engine.sea.atlas import SeaAtlas
from benchmarks.atlas import open_climatology
from benchmarks.storm_properties import Voyages
from benchmarks.storm_weather import make_storms
from benchmarks.storms import STORMS, list_requests

pytestmark = pytest.mark.atlas


@pytest.mark.parametrize(("seed", "number"), [(3, 4)])
def test_a_plan_that_may_go_through_a_storm_is_no_worse_than_one_that_may_not(
    sea: SeaAtlas, seed: int, number: int
) -> None:
    climatology = open_climatology()
    _, request = [*list_requests(number + 1, seed)][number]
    weather = make_storms(1000 * seed + number, request.departs_at, climatology, days=40, **STORMS)
    voyages = Voyages(request, sea, weather)
    free = voyages.cost(replace(request, limits=Limits()))
    bound = voyages.cost(replace(request, limits=Limits(wave_height_m=7.0)))
    assert free is not None
    assert bound is not None
    assert free[0] <= bound[0]
    assert free[1] <= 1.001 * bound[1]
