"""Limits on waves and wind hold everywhere along a route, or the voyage is refused."""

from dataclasses import replace

import numpy as np

from app.engine.planning.limits import find_violation, within_limits
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Limits
from app.engine.weather import WeatherSamples
from tests.unit.engine.sailing_builders import make_sailing, make_track

SAILING = make_sailing(make_track((0.0, 0.0), (0.0, 1.0)))


def make_route(*, highest_wave_m: float = 2.0, wind_ms: float = 8.0) -> SimulatedRoute:
    points, nothing = SAILING.hours.size, np.zeros(SAILING.fuel_t.size)
    calm = np.zeros(points)
    waves = calm + 1.0
    waves[points // 2] = highest_wave_m
    weather = WeatherSamples(waves, calm, calm, calm + wind_ms, *(calm,) * 6)
    fuel_t = SAILING.fuel_t
    return SimulatedRoute(
        "direct", (), (), SAILING, nothing > 0, fuel_t, nothing, nothing, weather, fuel_t.sum()
    )


def test_a_route_within_its_limits_is_kept() -> None:
    route = make_route(highest_wave_m=3.0)
    assert within_limits([route], Limits(wave_height_m=3.0, wind_speed_ms=8.0)) == [route]


def test_one_wave_too_high_anywhere_breaks_the_limit() -> None:
    excess = find_violation(make_route(highest_wave_m=3.1), Limits(wave_height_m=3.0))
    assert excess is not None
    assert excess.point == SAILING.hours.size // 2


def test_a_route_over_the_limit_is_left_out_when_another_keeps_it() -> None:
    rough, calm = make_route(highest_wave_m=6.0), make_route()
    assert within_limits([rough, calm], Limits(wave_height_m=4.0)) == [calm]


def test_the_limit_broken_most_is_the_one_named() -> None:
    excess = find_violation(
        make_route(highest_wave_m=4.4, wind_ms=20.0),
        Limits(wave_height_m=4.0, wind_speed_ms=10.0),
    )
    assert excess is not None
    assert excess.limit == "wind"


def test_where_no_weather_is_known_no_limit_is_said_to_be_broken() -> None:
    route = replace(make_route(highest_wave_m=9.0), weather=None)
    assert find_violation(route, Limits(wave_height_m=1.0)) is None
