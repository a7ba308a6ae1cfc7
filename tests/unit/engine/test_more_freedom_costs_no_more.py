"""A limit never improves a plan, a later arrival never burns more, a faster ship is never later.

Asked of whole plans across the Bay of Biscay's mouth, through seeded storms.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from cachetools import cached

from app.engine.errors import LimitsTooTight
from app.engine.planner import plan_voyage
from app.engine.request import Limits, Objective, Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from tests.unit.engine.sailing_builders import DEPARTS_AT
from tests.unit.engine.storms import make_crossing, make_storms

pytestmark = pytest.mark.atlas

#: What the search's tolerance and rounding may make of no difference, as a share and in hours.
SAME_SHARE, SAME_H = 1.002, 0.1
SEED = 0
ARRIVE_BY = DEPARTS_AT + timedelta(hours=84)
VOYAGE = replace(
    make_crossing(),
    departure=Position(48.5, -8.0),
    arrival=Position(41.0, -27.0),
    arrive_by=ARRIVE_BY,
    under_way=True,
)


@cached({}, key=lambda _sea, *asked: asked)
def measure(sea: SeaAtlas, request: VoyageRequest) -> tuple[float, float]:
    """Return the hours late and the fuel [t] of a plan, or the hours; infinite without a plan."""
    try:
        summary = plan_voyage(request, sea, make_storms(SEED, 8)).summary
    except LimitsTooTight:
        return float("inf"), float("inf")
    if request.arrive_by is None:
        return 0.0, summary.duration_h
    late_h = (summary.eta - request.arrive_by) / timedelta(hours=1)
    return (late_h if late_h > SAME_H else 0.0), summary.fuel_t


def assert_never_worse(costs: Sequence[tuple[float, float]]) -> None:
    """Assert that costs do not rise along plans of which each has fewer limits than the last."""
    for bound, free in pairwise(costs):
        assert free[0] <= bound[0] + SAME_H
        assert free[0] < bound[0] or free[1] <= SAME_SHARE * bound[1]


def test_a_limit_never_improves_a_plan(sea: SeaAtlas) -> None:
    limits = (Limits(wave_height_m=height_m) for height_m in (3.5, 5.0, None))
    assert_never_worse([measure(sea, replace(VOYAGE, limits=each)) for each in limits])


def test_a_later_arrival_never_burns_more(sea: SeaAtlas) -> None:
    asked = (ARRIVE_BY + timedelta(hours=hours) for hours in (-8.0, 0.0, 8.0))
    assert_never_worse([measure(sea, replace(VOYAGE, arrive_by=by)) for by in asked])


def test_a_faster_ship_is_never_later(sea: SeaAtlas) -> None:
    soonest = replace(VOYAGE, arrive_by=None, objective=Objective.TIME)
    speeds_kn = (12.0, 13.0, 14.5)
    assert_never_worse(
        [measure(sea, replace(soonest, speed_max_kn=speed_kn)) for speed_kn in speeds_kn]
    )
