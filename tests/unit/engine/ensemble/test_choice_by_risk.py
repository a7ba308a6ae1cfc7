"""Choice of a route by its costs in the members, and the tracks that are best in some."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from app.engine.ensemble.choice import (
    RouteResults,
    choose_by_risk,
    find_best_tracks,
    find_largest_offset,
    simulate_in_members,
)
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Objective, Risk
from app.engine.times import hours_since_epoch
from tests.unit.engine.ensemble.builders import (
    IN_TIME,
    REQUEST,
    make_context,
    make_members,
    make_route,
    make_sea,
    with_limits,
)
from tests.unit.engine.sailing_builders import DEPARTS_AT

CONTEXT = make_context()
PLANNED = make_route(CONTEXT)


def make_results(
    *costs: float, highest_m: float = 1.0, limit_m: float | None = None
) -> RouteResults:
    """Results of a route that arrives in time with given fuel in each member."""
    request = REQUEST if limit_m is None else with_limits(REQUEST, wave_height_m=limit_m)
    weather = SimpleNamespace(wave_height_m=np.array([highest_m]), wind_speed_ms=np.array([5.0]))
    simulations = tuple(
        SimpleNamespace(
            member=SimpleNamespace(number=number),
            simulation=SimpleNamespace(total_h=100.0),
            total_fuel_t=cost,
            weather=weather,
        )
        for number, cost in enumerate(costs, 1)
    )
    route = cast(SimulatedRoute, replace(PLANNED))
    return RouteResults(make_context(request), route, cast(Any, simulations), len(simulations), 0.0)


CONSTANT, VARIABLE = make_results(*[100.0] * 10), make_results(*[95.0] * 8, 120.0, 130.0)


@pytest.mark.parametrize(
    ("risk", "chosen"), [(Risk.EXPECTED, CONSTANT), (Risk.P90, CONSTANT), (Risk.WORST, CONSTANT)]
)
def test_a_route_of_constant_cost_is_chosen_over_a_variable_one_of_equal_mean(
    risk: Risk, chosen: RouteResults
) -> None:
    assert choose_by_risk([VARIABLE, CONSTANT], risk) is chosen.route


def test_a_variable_route_of_lower_mean_is_chosen_by_the_mean_but_not_by_the_worst() -> None:
    cheaper = make_results(*[90.0] * 9, 130.0)
    assert choose_by_risk([cheaper, CONSTANT], Risk.EXPECTED) is cheaper.route
    assert choose_by_risk([cheaper, CONSTANT], Risk.WORST) is CONSTANT.route


def test_hours_of_waiting_count_as_they_do_in_the_plan() -> None:
    """A ship that waits four days in mid-ocean burns the least fuel, but is not the best."""
    waits_h = np.full(PLANNED.simulation.track.distance_nm.size, -np.inf)
    waits_h[waits_h.size // 2] = hours_since_epoch(DEPARTS_AT) + PLANNED.simulation.total_h + 48.0
    waiting = make_route(CONTEXT, 11.8, not_before_h=waits_h)
    assert waiting.total_fuel_t < PLANNED.total_fuel_t
    results = simulate_in_members(CONTEXT, [waiting, PLANNED], make_members(make_sea()))
    assert choose_by_risk(results, Risk.EXPECTED) is PLANNED
    assert CONTEXT.cost_basis.sort([waiting, PLANNED])[0] is PLANNED


def test_fewer_breaches_of_limits_count_before_fuel() -> None:
    cheap = make_results(*[80.0] * 10, highest_m=7.0, limit_m=6.0)
    costly = make_results(*[100.0] * 10, highest_m=5.0, limit_m=6.0)
    assert (cheap.breaches, costly.breaches) == (10, 0)
    assert choose_by_risk([cheap, costly], Risk.EXPECTED) is costly.route


def test_a_breach_in_one_of_ten_members_counts_for_the_worst_only() -> None:
    cheap = make_results(*[80.0] * 10, highest_m=7.0, limit_m=6.0)
    calm = SimpleNamespace(wave_height_m=np.array([5.0]), wind_speed_ms=np.array([5.0]))
    for simulated in cheap.simulations[1:]:
        cast(Any, simulated).weather = calm
    costly = make_results(*[120.0] * 10, highest_m=5.0, limit_m=6.0)
    assert (cheap.breaches, costly.breaches) == (1, 0)
    assert choose_by_risk([cheap, costly], Risk.EXPECTED) is cheap.route
    assert choose_by_risk([cheap, costly], Risk.P90) is cheap.route
    assert choose_by_risk([cheap, costly], Risk.WORST) is costly.route


def test_a_route_planned_to_be_in_time_comes_before_a_late_one_that_keeps_limits() -> None:
    slow, fast = make_route(CONTEXT), make_route(CONTEXT, 13.5)
    request = replace(
        with_limits(REQUEST, wave_height_m=6.0),
        arrive_by=DEPARTS_AT + timedelta(hours=slow.simulation.total_h - 5.0),
    )
    late, punctual = (
        replace(
            make_results(*[fuel_t] * 10, highest_m=wave_m),
            route=route,
            context=make_context(request),
        )
        for fuel_t, wave_m, route in ((80.0, 5.0, slow), (100.0, 7.0, fast))
    )
    for risk in Risk:
        assert choose_by_risk([late, punctual], risk) is fast


def test_an_hour_late_costs_the_fuel_of_an_hour_at_service_speed() -> None:
    context = make_context(IN_TIME)
    route = make_route(context, speed_kn=11.5)
    calm, rough = simulate_in_members(
        context, [route], make_members(make_sea(), make_sea(9.0, 24.0))
    )[0].simulations
    (each,) = simulate_in_members(context, [route], make_members(make_sea(), make_sea(9.0, 24.0)))
    late_h = rough.simulation.total_h - 120.0
    assert calm.simulation.total_h <= 120.01
    assert late_h > 1.0
    service_t_per_h = context.ship.performance(14.3).fuel_t_per_h
    assert each.costs[2] == pytest.approx(rough.total_fuel_t + late_h * service_t_per_h)


def test_the_cost_is_hours_if_the_earliest_arrival_is_the_objective() -> None:
    context = make_context(replace(REQUEST, objective=Objective.TIME))
    (each,) = simulate_in_members(context, [make_route(context)], make_members(make_sea()))
    assert each.costs[1] == each.simulations[0].simulation.total_h


def test_each_of_two_distant_tracks_has_its_share_of_the_members() -> None:
    north = make_route(CONTEXT, points=((40.0, -60.0), (46.0, -45.0), (44.0, -30.0)))
    routes = [make_results(90.0, 100.0, 100.0, 90.0), make_results(95.0, 80.0, 90.0, 95.0)]
    routes = [replace(routes[0], route=PLANNED), replace(routes[1], route=north)]
    planned, other = find_best_tracks(PLANNED, routes)
    assert (planned.label, planned.share, planned.widest_nm) == ("as planned", 0.5, 0.0)
    assert other.share == 0.5
    assert other.widest_nm == pytest.approx(-236.0, abs=20.0)
    assert "north" in other.label
    assert "north" in find_largest_offset(PLANNED, north).description


def test_tracks_close_to_each_other_count_as_one() -> None:
    nearby = make_route(CONTEXT, points=((40.0, -60.0), (42.1, -45.0), (44.0, -30.0)))
    assert abs(find_largest_offset(PLANNED, nearby).distance_nm) < 15.0
    routes = [replace(make_results(90.0), route=PLANNED), replace(make_results(80.0), route=nearby)]
    (only,) = find_best_tracks(PLANNED, routes)
    assert only.share == 1.0
