"""Advice on a limit that no route keeps: a higher limit, a later departure, both or neither."""

from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest

from app.engine.errors import LimitsTooTight, NoRoute
from app.engine.planner import plan_voyage
from app.engine.planning.context import PlanningContext
from app.engine.planning.limits import WAVE_HEIGHT
from app.engine.planning.relaxation import Relaxation, _advise, _Scale, explain_infeasible
from app.engine.request import Limits, Position
from app.engine.sea.atlas import SeaAtlas
from tests.unit.engine.sailing_builders import DEPARTS_AT
from tests.unit.engine.storms import make_crossing, make_wall

SCALE = _Scale(WAVE_HEIGHT, None)
HIGHER = Relaxation(5.5, None, cast(Any, None))


@pytest.mark.parametrize(
    ("relaxation", "departs_at", "advice"),
    [
        (
            None,
            None,
            "A higher limit alone does not help. Leaving up to 5 days later does not help either.",
        ),
        (None, DEPARTS_AT, "A higher limit alone does not help. Leaving on {} would do."),
        (
            HIGHER,
            None,
            "A limit of 5.5 m would do. Leaving up to 5 days later does not help.",
        ),
        (HIGHER, DEPARTS_AT, "A limit of 5.5 m would do. Leaving on {} would do too."),
    ],
)
def test_each_sentence_of_the_advice_says_whether_one_change_helps(
    relaxation: Relaxation | None, departs_at: Any, advice: str
) -> None:
    day = DEPARTS_AT.strftime("%a %-d %b %Y %H:%M UTC")
    assert _advise(SCALE, relaxation, departs_at) == advice.format(day)


@pytest.mark.atlas
@pytest.mark.parametrize("longest_h", [None, 214.0, 190.0])
def test_the_limit_advised_keeps_the_required_arrival_if_any_limit_does(
    sea: SeaAtlas, longest_h: float | None
) -> None:
    # 4 m waves on the direct way, 3 m on one that takes longer than 214 hours; none takes 190
    arrive_by = longest_h and DEPARTS_AT + timedelta(hours=longest_h)
    limits = Limits(wave_height_m=2.5, south_lat=25.0)
    asked = replace(make_crossing(), arrive_by=arrive_by, limits=limits)
    with pytest.raises(LimitsTooTight) as refused:
        plan_voyage(asked, sea, make_wall(38.0, 4.0, south_of_it_m=3.0))
    assert (refused.value.data["would_do"] > 3.8) is (longest_h == 214.0)
    assert ("later than required" in refused.value.detail) is (longest_h == 190.0)


@pytest.mark.atlas
def test_the_limit_advised_past_a_hard_edge_of_waves_is_near_the_lowest_that_does(
    sea: SeaAtlas,
) -> None:
    # 6 m waves north of 36 N, 1.5 m south of it; many a track drawn along the edge meets more
    weather, limits = make_wall(36.0, 6.0), Limits(wave_height_m=1.2, south_lat=27.0)
    asked = replace(make_crossing(), arrival=Position(37.0, -30.0), limits=limits)
    with pytest.raises(LimitsTooTight) as refused:
        plan_voyage(asked, sea, weather)
    advised_m = refused.value.data["would_do"]
    assert advised_m <= 1.8
    relaxed = replace(asked, limits=replace(limits, wave_height_m=advised_m))
    assert plan_voyage(relaxed, sea, weather).summary.max_wave_m <= advised_m


def test_a_voyage_whose_routes_all_enter_closed_areas_has_no_route() -> None:
    context = PlanningContext.of(make_crossing(), cast(Any, None), None)
    error = explain_infeasible(context, [], [])
    assert isinstance(error, NoRoute)
    assert error.detail == "Every route found enters a forbidden area."
