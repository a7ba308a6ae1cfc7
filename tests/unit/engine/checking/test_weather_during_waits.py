"""Weather above a limit during a wait counts as it does under way."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from app.engine.checking.weather import find_weather
from app.engine.formatting import format_time
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint, simulate_given_route
from app.engine.planning.limits import find_violation
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.report.passage_plan import write_summary
from app.engine.request import Limits, Position
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import DEPARTS_AT
from tests.unit.engine.storms import CALM_M, make_crossing, make_passing_storm

pytestmark = pytest.mark.atlas

HOUR = timedelta(hours=1)
LIMITS = Limits(wave_height_m=5.0)
#: The ship reaches this point after less than 24 h and leaves it after 80 h.
WAITS_AT = Position(42.5, -55.0)
#: Waves of 7 m everywhere after 54 h.
STORM: WeatherField = make_passing_storm(7.0, after_h=54.0)


@pytest.fixture(scope="module")
def context(sea: SeaAtlas) -> PlanningContext:
    return PlanningContext.of(replace(make_crossing(), limits=LIMITS), sea, STORM)


@pytest.fixture(scope="module")
def route(context: PlanningContext) -> SimulatedRoute:
    waypoints = [
        GivenWaypoint(Position(42.0, -60.0)),
        GivenWaypoint(WAITS_AT, speed_kn=12.0, leaves=DEPARTS_AT + 80 * HOUR),
        GivenWaypoint(Position(43.0, -50.0), speed_kn=12.0),
    ]
    return simulate_given_route(context, waypoints, "given")


def test_the_highest_waves_of_a_route_may_be_those_of_a_wait(
    context: PlanningContext, route: SimulatedRoute
) -> None:
    assert route.weather is not None
    assert route.weather.wave_height_m.max() < CALM_M + 0.5
    assert route.max_wave_m == pytest.approx(7.0, abs=0.1)
    assert write_summary(context, route).max_wave_m == route.max_wave_m


def test_a_check_finds_waves_above_the_limit_during_a_wait(
    context: PlanningContext, route: SimulatedRoute
) -> None:
    _climatology, found = find_weather(context, route)
    assert found.measured == route.max_wave_m
    assert found.position == pytest.approx(WAITS_AT, abs=1e-6)


def test_the_time_of_waves_during_a_wait_is_that_of_the_highest(
    context: PlanningContext, route: SimulatedRoute
) -> None:
    violation, (_climatology, found) = (
        find_violation(route, LIMITS),
        find_weather(context, route),
    )
    assert violation is not None
    assert abs(violation.time - (DEPARTS_AT + 54 * HOUR)) <= HOUR
    assert format_time(violation.time) in found.message
    assert route.simulation.time_at(violation.point) < DEPARTS_AT + 24 * HOUR


def test_seas_are_in_order_of_time(route: SimulatedRoute) -> None:
    seas = route.seas
    assert seas is not None
    assert np.all(np.diff(seas.hours) >= 0.0)
    assert seas.hours[-1] == route.simulation.total_h
