"""The forecast covers a share of the time, under way and waiting."""

from dataclasses import replace

import numpy as np
import pytest

from app.engine.arrays import Floats
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.weather import WeatherSamples
from tests.unit.engine.ensemble.builders import make_context, make_route


def make_samples(weight: Floats) -> WeatherSamples:
    """Return a calm with a weight of the forecast in each sample."""
    return WeatherSamples(*(np.zeros(weight.size),) * 7, weight, weight, weight)


def make_waiting_route(waited_h: float) -> SimulatedRoute:
    """Return a route forecast until a wait before its last segment; each segment takes 0.2 h."""
    route = make_route(make_context())
    count = route.fuel_t.size
    waits_h = np.zeros(count)
    waits_h[-1] = waited_h
    hours = np.append(0.0, np.cumsum(0.2 + waits_h))
    covered = np.ones(count)
    covered[-1] = 0.0
    return replace(
        route,
        simulation=replace(route.simulation, hours=hours, waited_h=waits_h),
        weather=make_samples(np.append(covered, 0.0)),
        weather_at_middles=make_samples(covered),
    )


def test_a_wait_is_covered_for_the_part_before_the_end_of_the_forecast() -> None:
    route = make_waiting_route(12.0)
    waiting = make_samples(np.repeat([1.0, 0.0], 13))
    route = replace(route, weather_at_waits=((route.fuel_t.size - 1, waiting),))
    covered_h = 0.2 * (route.fuel_t.size - 1) + 6.0
    expected_pct = 100.0 * covered_h / route.simulation.total_h
    assert route.forecast_coverage_pct == pytest.approx(expected_pct)


def test_a_customary_wait_counts_with_the_segment_after_it() -> None:
    route = make_waiting_route(12.0)
    expected_pct = 20.0 * (route.fuel_t.size - 1) / route.simulation.total_h
    assert route.forecast_coverage_pct == pytest.approx(expected_pct)


def test_a_forecast_of_the_whole_voyage_covers_all_of_it() -> None:
    route = make_waiting_route(12.0)
    everywhere = make_samples(np.ones(route.fuel_t.size))
    waiting = make_samples(np.ones(26))
    route = replace(
        route,
        weather_at_middles=everywhere,
        weather_at_waits=((route.fuel_t.size - 1, waiting),),
    )
    assert route.forecast_coverage_pct == 100.0


def test_without_weather_nothing_is_covered() -> None:
    route = replace(make_waiting_route(0.0), weather=None, weather_at_middles=None)
    assert route.forecast_coverage_pct == 0.0
