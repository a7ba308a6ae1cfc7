"""A route chosen by the members' distribution, and the tracks that are best in members."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from app.engine.ensemble.choice import MemberResults, choose_by_risk, find_best_tracks, sail_routes
from app.engine.ensemble.offset import measure_widest_nm, name_side
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Objective, Risk
from tests.unit.engine.ensemble.builders import (
    IN_TIME,
    REQUEST,
    make_context,
    make_members,
    make_route,
    make_sea,
    with_limits,
)

CONTEXT = make_context()
PLANNED = make_route(CONTEXT)


def sailed(*costs: float, highest_m: float = 1.0, limit_m: float | None = None) -> MemberResults:
    """A route whose cost in each member is given, as its fuel in time."""
    request = REQUEST if limit_m is None else with_limits(REQUEST, wave_height_m=limit_m)
    weather = SimpleNamespace(wave_height_m=np.array([highest_m]), wind_speed_ms=np.array([5.0]))
    sailings = tuple(
        SimpleNamespace(
            member=SimpleNamespace(number=number),
            total_h=100.0,
            total_fuel_t=cost,
            weather=weather,
        )
        for number, cost in enumerate(costs, 1)
    )
    route = cast(SimulatedRoute, replace(PLANNED))
    return MemberResults(make_context(request), route, cast(Any, sailings), len(sailings))


STEADY, GAMBLE = sailed(*[100.0] * 10), sailed(*[95.0] * 8, 120.0, 130.0)


@pytest.mark.parametrize(
    ("risk", "chosen"), [(Risk.EXPECTED, STEADY), (Risk.P90, STEADY), (Risk.WORST, STEADY)]
)
def test_a_steady_route_beats_a_gamble_that_costs_as_much(
    risk: Risk, chosen: MemberResults
) -> None:
    assert choose_by_risk([GAMBLE, STEADY], risk) is chosen.route


def test_the_mean_takes_a_gamble_that_pays_and_the_worst_does_not() -> None:
    pays = sailed(*[90.0] * 9, 130.0)
    assert choose_by_risk([pays, STEADY], Risk.EXPECTED) is pays.route
    assert choose_by_risk([pays, STEADY], Risk.WORST) is STEADY.route


def test_breaking_limits_in_fewer_members_comes_before_fuel() -> None:
    cheap = sailed(*[80.0] * 10, highest_m=7.0, limit_m=6.0)
    dear = sailed(*[100.0] * 10, highest_m=5.0, limit_m=6.0)
    assert (cheap.breaches, dear.breaches) == (10, 0)
    assert choose_by_risk([cheap, dear], Risk.EXPECTED) is dear.route


def test_a_limit_that_one_member_in_ten_breaks_is_worth_a_detour_only_to_the_worst() -> None:
    cheap = sailed(*[80.0] * 10, highest_m=7.0, limit_m=6.0)
    calm = SimpleNamespace(wave_height_m=np.array([5.0]), wind_speed_ms=np.array([5.0]))
    for sailing in cheap.sailings[1:]:
        cast(Any, sailing).weather = calm
    dear = sailed(*[120.0] * 10, highest_m=5.0, limit_m=6.0)
    assert (cheap.breaches, dear.breaches) == (1, 0)
    assert choose_by_risk([cheap, dear], Risk.EXPECTED) is cheap.route
    assert choose_by_risk([cheap, dear], Risk.P90) is cheap.route
    assert choose_by_risk([cheap, dear], Risk.WORST) is dear.route


def test_hours_late_cost_as_much_as_at_service_speed() -> None:
    context = make_context(IN_TIME)
    route = make_route(context, speed_kn=11.5)
    calm, rough = sail_routes(
        context, [route], make_members(make_sea(), make_sea(9.0, 24.0)), lambda: None
    )[0].sailings
    (each,) = sail_routes(
        context, [route], make_members(make_sea(), make_sea(9.0, 24.0)), lambda: None
    )
    late_h = rough.total_h - 120.0
    assert calm.total_h <= 120.01
    assert late_h > 1.0
    service_t_per_h = context.ship.performance(14.3).fuel_t_per_h
    assert each.costs[2] == pytest.approx(rough.total_fuel_t + late_h * service_t_per_h)


def test_for_the_earliest_arrival_hours_are_the_cost() -> None:
    context = make_context(replace(REQUEST, objective=Objective.TIME))
    (each,) = sail_routes(context, [make_route(context)], make_members(make_sea()), lambda: None)
    assert each.costs[1] == each.sailings[0].total_h


def test_tracks_far_apart_share_the_members_between_them() -> None:
    north = make_route(CONTEXT, points=((40.0, -60.0), (46.0, -45.0), (44.0, -30.0)))
    routes = [sailed(90.0, 100.0, 100.0, 90.0), sailed(95.0, 80.0, 90.0, 95.0)]
    routes = [replace(routes[0], route=PLANNED), replace(routes[1], route=north)]
    planned, other = find_best_tracks(PLANNED, routes)
    assert (planned.label, planned.share, planned.widest_nm) == ("as planned", 0.5, 0.0)
    assert other.share == 0.5
    assert other.widest_nm == pytest.approx(-236.0, abs=20.0)
    assert "north" in other.label
    assert "north" in name_side(PLANNED, north)


def test_tracks_that_lie_together_count_as_one() -> None:
    beside = make_route(CONTEXT, points=((40.0, -60.0), (42.1, -45.0), (44.0, -30.0)))
    assert abs(measure_widest_nm(PLANNED, beside)) < 15.0
    routes = [replace(sailed(90.0), route=PLANNED), replace(sailed(80.0), route=beside)]
    (only,) = find_best_tracks(PLANNED, routes)
    assert only.share == 1.0
