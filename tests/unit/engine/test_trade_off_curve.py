"""The trade-off curve: no route of a plan dominates one of its points."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.planning.trade_off_curve import select_front
from app.engine.request import Objective, Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from tests.unit.engine.sailing_builders import DEPARTS_AT
from tests.unit.engine.storms import make_crossing, make_rough_north

SEEDS = range(60)
#: From the Channel to New York, against the seas.
WESTBOUND = replace(
    make_crossing(),
    departure=Position(49.8, -6.5),
    arrival=Position(40.4, -73.8),
    speed_max_kn=14.0,
)
IN_TIME = replace(WESTBOUND, arrive_by=DEPARTS_AT + timedelta(hours=330))


def make_route(hours: float, fuel_t: float) -> SimulatedRoute:
    route = SimpleNamespace(simulation=SimpleNamespace(total_h=hours), total_fuel_t=fuel_t)
    return cast("SimulatedRoute", route)


def is_dominated(point: tuple[float, float], other: tuple[float, float]) -> bool:
    """Return whether another point is no worse in time and fuel, and better in one of them."""
    return point != other and other[0] <= point[0] and other[1] <= point[1]


def cost(route: SimulatedRoute) -> tuple[float, float]:
    return route.simulation.total_h, route.total_fuel_t


@pytest.mark.parametrize("seed", SEEDS)
def test_no_point_is_dominated_by_any_given_route(seed: int) -> None:
    random = np.random.default_rng(seed)
    routes = [make_route(*random.uniform((200.0, 300.0), (300.0, 500.0))) for _ in range(30)]
    price_t_per_h = random.uniform(0.0, 3.0)
    best = min(routes, key=lambda route: route.total_fuel_t + price_t_per_h * cost(route)[0])
    front = select_front(best, routes)
    assert any(route is best for route in front)
    assert 1 <= len(front) <= 9
    assert not any(is_dominated(cost(a), cost(b)) for a in front for b in routes)
    assert [cost(route) for route in front] == sorted(map(cost, front))


def test_of_many_points_the_ends_and_the_plan_are_kept() -> None:
    routes = [make_route(200.0 + n, 400.0 - n) for n in range(30)]
    front = select_front(routes[17], routes)
    assert len(front) == 9
    assert front[0] is routes[0]
    assert front[-1] is routes[-1]
    assert any(route is routes[17] for route in front)


def list_dominated(plan: RoutePlan) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """List points of the curve that a route of the same plan dominates, each with that route."""
    routes = [(a.summary.duration_h, a.summary.fuel_t) for a in plan.alternatives]
    routes.append((plan.summary.duration_h, plan.summary.fuel_t))
    points = [(point.duration_h, point.fuel_t) for point in plan.front]
    return [(p, r) for p in points for r in routes + points if is_dominated(p, r)]


@pytest.mark.atlas
@pytest.mark.parametrize("request_", [IN_TIME, replace(WESTBOUND, objective=Objective.TIME)])
def test_no_route_of_a_plan_dominates_a_point_of_its_curve(
    sea: SeaAtlas, request_: VoyageRequest
) -> None:
    plan = plan_voyage(request_, sea, make_rough_north())
    assert not list_dominated(plan)
