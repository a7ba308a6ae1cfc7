"""Plans around a storm whose waves are above the limit on the shortest route."""

from dataclasses import replace
from datetime import timedelta
from functools import cache
from itertools import pairwise

import pytest

from app.engine.codes import AlternativeKind
from app.engine.departures.sweep import compare_departures
from app.engine.departures.window import DepartureWindow
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.request import Limits, Objective, VoyageRequest
from tests.unit.built_sea import open_atlas
from tests.unit.engine.sailing_builders import DEPARTS_AT
from tests.unit.engine.storms import make_crossing, make_storm

pytestmark = pytest.mark.atlas

STORM = make_storm()
LIMITED = replace(make_crossing(), limits=Limits(wave_height_m=5.0))


def within(hours: float, request: VoyageRequest = LIMITED) -> VoyageRequest:
    return replace(request, arrive_by=request.departs_at + timedelta(hours=hours))


@cache
def plan(request: VoyageRequest) -> RoutePlan:
    return plan_voyage(request, open_atlas(), STORM)


@pytest.mark.parametrize("objective", [Objective.FUEL, Objective.BALANCED])
def test_the_curve_begins_at_the_earliest_arrival_whatever_the_objective(
    objective: Objective,
) -> None:
    earliest_h = plan(replace(LIMITED, objective=Objective.TIME)).summary.duration_h
    found = plan(replace(LIMITED, objective=objective))
    assert found.front[0].duration_h == pytest.approx(earliest_h, rel=0.01)


def test_no_plan_burns_much_less_than_the_curve_says_for_its_arrival() -> None:
    point = plan(LIMITED).front[1]
    assert plan(within(point.duration_h)).summary.fuel_t > 0.95 * point.fuel_t


def test_a_baseline_that_breaks_the_limit_is_said_to() -> None:
    found = plan(within(240.0))
    (baseline,) = (a for a in found.alternatives if a.kind is AlternativeKind.BASELINE)
    assert baseline.summary.max_wave_m is not None
    assert baseline.summary.max_wave_m > 8.0
    assert baseline.faults == (
        f"it breaks the wave height limit with {baseline.summary.max_wave_m:.1f} m",
    )


def test_the_best_departure_is_found_though_coarse_searches_miss_one_side_of_the_storm() -> None:
    last = DEPARTS_AT + timedelta(hours=24)
    window = DepartureWindow(DEPARTS_AT + timedelta(hours=6), last, 3.0, within_h=240.0)
    best = compare_departures(LIMITED, window, open_atlas(), STORM).best
    assert best is not None
    assert best.figures is not None
    alone = plan(within(240.0, replace(LIMITED, departs_at=last)))
    assert best.figures.fuel_t <= 1.003 * alone.summary.fuel_t


def test_a_later_arrival_never_burns_more_where_the_sea_closes_before_it() -> None:
    fuel_t = [plan(within(hours)).summary.fuel_t for hours in (240.0, 242.0, 263.0)]
    assert all(later_t <= 1.002 * sooner_t for sooner_t, later_t in pairwise(fuel_t))


def test_tracks_on_both_sides_of_a_storm_are_compared_just_before_the_sea_closes() -> None:
    fuel_t = [plan(within(hours)).summary.fuel_t for hours in (240.4, 240.6, 240.8)]
    assert max(fuel_t) <= 1.005 * min(fuel_t)
