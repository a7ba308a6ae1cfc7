"""Comparison of a given route with a plan, and its best speeds."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from app.engine.facts import ExtraCost
from app.engine.planner import plan_voyage
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_comparison import compare_with_planned, find_best_speeds
from app.engine.planning.given_route import (
    GivenWaypoint,
    build_given_waypoints,
    simulate_given_route,
)
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.report.explanation import explain_extra
from app.engine.request import Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.vessel import build_ship
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import DEPARTS_AT
from tests.unit.engine.storms import make_crossing, make_storms

pytestmark = pytest.mark.atlas

REQUEST: VoyageRequest = replace(
    make_crossing(),
    departure=Position(48.5, -8.0),
    arrival=Position(41.0, -27.0),
    arrive_by=DEPARTS_AT + timedelta(hours=84),
    under_way=True,
)
#: South of the direct line by some 200 nm.
DETOUR = (Position(48.5, -8.0), Position(42.0, -14.0), Position(41.0, -27.0))


@pytest.fixture(scope="module", params=["storms", "no weather"])
def context(request: pytest.FixtureRequest, sea: SeaAtlas) -> PlanningContext:
    weather: WeatherField | None = make_storms(5, 8) if request.param == "storms" else None
    return PlanningContext(REQUEST, sea, weather, build_ship(REQUEST.ship, REQUEST.loading))


@pytest.fixture(scope="module")
def planned(context: PlanningContext) -> SimulatedRoute:
    plan = plan_voyage(context.request, context.sea, context.weather)
    return simulate_given_route(context, build_given_waypoints(plan.waypoints), "plan")


def sail(context: PlanningContext, *speeds_kn: float) -> SimulatedRoute:
    waypoints: Sequence[GivenWaypoint] = [
        GivenWaypoint(place, speed_kn=speed_kn)
        for place, speed_kn in zip(DETOUR, (speeds_kn[0], *speeds_kn), strict=True)
    ]
    return simulate_given_route(context, waypoints, "given")


def add_up(extra: ExtraCost) -> float:
    return extra.track_t + extra.speed_t + extra.arrival_t


def test_the_route_of_the_plan_has_no_extra_cost(
    context: PlanningContext, planned: SimulatedRoute
) -> None:
    extra = compare_with_planned(context, planned, planned).extra
    assert (extra.fuel_t, extra.duration_h, extra.distance_nm) == (0.0, 0.0, 0.0)
    assert extra.speed_t == pytest.approx(0.0, abs=0.005 * planned.total_fuel_t)


def test_the_extra_cost_of_a_longer_track_is_that_of_the_track(
    context: PlanningContext, planned: SimulatedRoute
) -> None:
    given = sail(context, 12.0, 12.0)
    compared = compare_with_planned(context, given, planned)
    extra = compared.extra
    assert extra.distance_nm > 50.0
    assert extra.track_t > 0.0
    assert extra.fuel_t == pytest.approx(add_up(extra))
    assert extra.fuel_t == pytest.approx(given.total_fuel_t - planned.total_fuel_t)


def test_best_speeds_arrive_in_time_and_burn_less_than_uneven_ones(
    context: PlanningContext,
) -> None:
    given = sail(context, 14.0, 9.0)
    best = find_best_speeds(context, given, given.simulation.total_h)
    assert best.simulation.total_h <= given.simulation.total_h + 0.01
    assert best.total_fuel_t < 0.99 * given.total_fuel_t


def test_a_later_arrival_than_the_plans_has_a_negative_cost(
    context: PlanningContext, planned: SimulatedRoute
) -> None:
    extra = compare_with_planned(context, sail(context, 9.0, 9.0), planned).extra
    assert extra.duration_h > 0.0
    assert extra.arrival_t < 0.0


def test_an_extra_cost_is_explained_with_figures_that_add_up() -> None:
    extra = ExtraCost(120.0, 3.0, 12.3, 8.1, 1.0, 5.2, -1.0)
    assert explain_extra(extra) == (
        "The route burns 12.3 mt more than the plan and arrives 3.0 hours later: 8.1 mt more by its"
        " track (120 nm longer, 1.0 mt of it by shallower water); 5.2 mt more by its speeds;"
        " 1.0 mt less by its time of arrival."
    )
    same = ExtraCost(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert (
        explain_extra(same) == "The route burns as much as the plan and arrives at the same time."
    )


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (
            ExtraCost(-12.0, 0.0, -0.5, -0.5, 0.3, 0.0, 0.0),
            "0.5 mt less by its track (12 nm shorter)",
        ),
        (ExtraCost(0.0, 0.0, 0.5, 0.5, 0.8, 0.0, 0.0), "0.5 mt more by its track"),
        (ExtraCost(0.0, 0.0, 0.1, 0.04, 0.0, 0.04, 0.02), "arrives at the same time"),
    ],
)
def test_depth_is_a_part_of_the_tracks_fuel_and_small_causes_are_not_listed(
    extra: ExtraCost, words: str
) -> None:
    assert explain_extra(extra).endswith(f"{words}.")
