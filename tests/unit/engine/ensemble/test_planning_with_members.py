"""Voyages planned with the members of a forecast: best tracks, decision point, choice by risk."""

from dataclasses import replace
from functools import cache

import pytest

from app.engine.codes import WarningCode
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.report.explanation import explain
from app.engine.request import Limits, Risk, VoyageRequest
from app.engine.spread import SpreadBasis
from tests.unit.built_sea import open_atlas
from tests.unit.engine.storms import make_crossing, make_storm

pytestmark = pytest.mark.atlas

REQUEST = replace(make_crossing(), speed_min_kn=12.0)
#: Wave heights [m] of the members: a reason to leave the great circle in some of them only.
HEIGHTS_M = (2.0, 5.0, 9.0, 12.0)


@cache
def plan(request: VoyageRequest) -> RoutePlan:
    members = tuple(enumerate(map(make_storm, HEIGHTS_M)))
    return plan_voyage(request, open_atlas(), make_storm(9.0), members=members)


def test_a_plan_lists_the_tracks_that_are_best_in_members() -> None:
    spread = plan(REQUEST).spread
    assert spread is not None
    assert (spread.basis, spread.member_count) == (SpreadBasis.MEMBERS, len(HEIGHTS_M))
    assert spread.tracks[0].label == "as planned"
    assert sum(track.share for track in spread.tracks) == pytest.approx(1.0)
    fuel_t = [outcome.fuel_t for outcome in spread.outcomes]
    assert spread.fuel_t.p10 == pytest.approx(min(fuel_t), rel=0.01)


def test_the_decision_point_is_a_waypoint_of_the_plan() -> None:
    found = plan(REQUEST)
    assert found.spread is not None
    decision, compared = found.spread.decision, found.spread.tracks[1:]
    assert (decision is not None) == bool(compared)
    if decision is not None:
        waypoint = found.waypoints[decision.waypoint_index]
        assert decision.position.lat == pytest.approx(waypoint.position.lat, abs=0.01)
        assert decision.time == waypoint.eta
        assert "planned track" in decision.sides


def test_a_plan_chosen_by_the_worst_member_is_no_worse_there_than_one_by_the_forecast() -> None:
    by_forecast, by_worst = (
        max(outcome.fuel_t for outcome in found.spread.outcomes)
        for found in (plan(REQUEST), plan(replace(REQUEST, risk=Risk.WORST)))
        if found.spread
    )
    assert by_worst <= by_forecast * (1.0 + 1e-9)


def test_without_a_risk_members_change_nothing_but_the_spread() -> None:
    alone = plan_voyage(REQUEST, open_atlas(), make_storm(9.0))
    assert replace(plan(REQUEST), spread=None) == replace(alone, spread=None)


def test_a_plan_that_burns_more_to_keep_a_limit_in_members_says_so() -> None:
    request = replace(REQUEST, limits=Limits(wave_height_m=7.0), risk=Risk.EXPECTED)
    members = tuple(enumerate(map(make_storm, (9.0, 12.0, 13.0, 15.0)), 1))
    found = plan_voyage(request, open_atlas(), make_storm(9.0), members=members)
    (warning,) = [each for each in found.warnings if each.code is WarningCode.LIMITS_COST_FUEL]
    assert found.spread is not None
    assert f"{sum(each.fuel_t for each in found.spread.outcomes) / 4:.1f} instead of" in (
        warning.detail
    )
    assert "with a probability of 0.75. The plan exceeds the wave limit" in warning.detail
    assert warning.detail in explain(found, request)
