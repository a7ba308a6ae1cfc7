"""Violations of limits of waves and wind along a route."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from app.engine.planning.context import PlanningContext
from app.engine.planning.limits import WIND_SPEED, find_violation, within_limits
from app.engine.planning.relaxation import find_nearest
from app.engine.planning.simulated_route import RouteGeometry, SimulatedRoute
from app.engine.request import Limits
from app.engine.sea.search.conditions import NO_CONDITIONS
from app.engine.weather import WeatherSamples
from tests.unit.engine.sailing_builders import make_simulation, make_track
from tests.unit.engine.storms import make_crossing

SIMULATION = make_simulation(make_track((0.0, 0.0), (0.0, 1.0)))


def make_route(*, highest_wave_m: float = 2.0, wind_ms: float = 8.0) -> SimulatedRoute:
    points, nothing = SIMULATION.hours.size, np.zeros(SIMULATION.fuel_t.size)
    calm = np.zeros(points)
    waves = calm + 1.0
    waves[points // 2] = highest_wave_m
    weather = WeatherSamples(waves, calm, calm, calm + wind_ms, *(calm,) * 6)
    fuel_t, track = SIMULATION.fuel_t, SIMULATION.track
    geometry = RouteGeometry(
        "direct", (), (), track, nothing, nothing, nothing > 0, NO_CONDITIONS.prices
    )
    between = WeatherSamples(nothing + 1.0, nothing, nothing, nothing + wind_ms, *(nothing,) * 6)
    return SimulatedRoute(
        geometry, SIMULATION, nothing > 0, fuel_t, nothing, weather, fuel_t.sum(), between
    )


def test_a_route_within_its_limits_is_kept() -> None:
    route = make_route(highest_wave_m=3.0)
    assert within_limits([route], Limits(wave_height_m=3.0, wind_speed_ms=8.0)) == [route]


def test_a_single_wave_above_the_limit_breaks_it() -> None:
    excess = find_violation(make_route(highest_wave_m=3.1), Limits(wave_height_m=3.0))
    assert excess is not None
    assert excess.point == SIMULATION.hours.size // 2


def test_only_routes_that_keep_the_limits_are_returned() -> None:
    rough, calm = make_route(highest_wave_m=6.0), make_route()
    assert within_limits([rough, calm], Limits(wave_height_m=4.0)) == [calm]


def test_the_violation_returned_is_the_worst() -> None:
    excess = find_violation(
        make_route(highest_wave_m=4.4, wind_ms=20.0),
        Limits(wave_height_m=4.0, wind_speed_ms=10.0),
    )
    assert excess is not None
    assert excess.limit is WIND_SPEED


def test_without_weather_no_limit_is_broken() -> None:
    route = replace(make_route(highest_wave_m=9.0), weather=None)
    assert find_violation(route, Limits(wave_height_m=1.0)) is None


@pytest.mark.parametrize(
    ("wave_m", "is_cheap_nearest"), [(3.264, True), (3.22, True), (3.18, False)]
)
def test_a_dearer_route_is_the_nearest_only_if_it_needs_a_lower_limit(
    wave_m: float, is_cheap_nearest: bool
) -> None:
    request = replace(make_crossing(), limits=Limits(wave_height_m=2.9))
    context = PlanningContext.of(request, cast(Any, None), None)
    cheap = make_route(highest_wave_m=3.265)
    dear = make_route(highest_wave_m=wave_m)
    dear = replace(dear, fuel_t=2.0 * dear.fuel_t)
    nearest = find_nearest(context, [dear, cheap])
    assert nearest is not None
    assert (nearest[0] is cheap) is is_cheap_nearest
