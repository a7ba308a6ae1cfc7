"""Members made from the typical forecast error, for forecasts without an ensemble."""

import numpy as np
import pytest

from app.engine.ensemble.members import build_ensemble
from app.engine.ensemble.typical_error import MEMBER_COUNT, draw_climate, draw_deviations
from app.engine.spread import SpreadBasis
from app.engine.times import hours_since_epoch
from app.engine.weather import WeatherField
from tests.unit.engine.ensemble.builders import (
    REQUEST,
    make_context,
    make_route,
    make_sea,
    measure_spread,
)
from tests.unit.engine.sailing_builders import DEPARTS_AT
from tests.unit.engine.weather.seas import uniform_climatology

DEPARTS_H = hours_since_epoch(DEPARTS_AT)
SEA = make_sea()


def draws_at(hours: float, lats=(44.0,), lngs=(-30.0,), count: int = 400):
    """Deviations of many draws at positions, at a lead time."""
    lats, lngs = np.array(lats), np.array(lngs)
    times_h = np.full(lats.size, DEPARTS_H + hours)
    return draw_deviations(SEA, lats, lngs, times_h, count)


def waves_at(hours: float, lats=(44.0,), lngs=(-30.0,), count: int = 400):
    """Wave heights of many draws at positions, at a lead time; the forecast is 2 m."""
    met = SEA.sample(np.array(lats), np.array(lngs), DEPARTS_H + hours)
    rows = [row.apply(met) for row in draws_at(hours, lats, lngs, count)]
    return np.array([row.wave_height_m for row in rows]), rows


@pytest.mark.parametrize(("hours", "share"), [(24.0, 0.13), (120.0, 0.26), (216.0, 0.45)])
def test_half_of_the_published_variance_of_waves_is_amplitude(hours: float, share: float) -> None:
    heights, _ = waves_at(hours)
    assert heights.std() / heights.mean() == pytest.approx(0.5**0.5 * share, rel=0.12)
    assert heights.mean() == pytest.approx(2.0, rel=0.04)


def test_the_displacement_of_weather_systems_grows_with_the_lead_time() -> None:
    spreads = [
        np.std([row.rows[3, 0] for row in draws_at(hours)]) for hours in (0.0, 48.0, 120.0, 168.0)
    ]
    assert spreads == pytest.approx([0.3, 1.1, 2.8, 4.0], rel=0.2)


def test_beyond_the_forecast_the_spread_is_that_of_the_climate() -> None:
    heights, _ = waves_at(2000.0)
    assert heights.std() / heights.mean() == pytest.approx(0.52, rel=0.15)


def test_errors_are_correlated_nearby_and_not_far_away() -> None:
    heights, _ = waves_at(72.0, lats=(44.0, 44.5, 30.0), lngs=(-30.0, -30.5, -60.0))
    correlation = np.corrcoef(heights.T)
    assert correlation[0, 1] > 0.95
    assert abs(correlation[0, 2]) < 0.2


def test_errors_of_wind_and_waves_are_correlated() -> None:
    heights, rows = waves_at(96.0)
    winds = np.array([row.wind_speed_ms for row in rows])
    assert np.corrcoef(heights.ravel(), winds.ravel())[0, 1] > 0.95


def test_the_same_forecast_has_the_same_members_each_time() -> None:
    first, second = (waves_at(48.0, count=6)[0] for _ in range(2))
    assert (first == second).all()
    assert np.unique(first).size == 6


def test_the_spread_without_members_is_marked_and_centred_on_the_plan() -> None:
    context = make_context(REQUEST)
    route = make_route(context)
    found = measure_spread(context, route, build_ensemble(SEA, [], route.simulation))
    assert (found.basis, found.member_count) == (SpreadBasis.TYPICAL_ERROR, MEMBER_COUNT)
    assert found.climatology_pct == 0.0
    assert found.fuel_t.p10 < route.total_fuel_t < found.fuel_t.p90
    assert found.eta.p10 < route.simulation.time_at(-1) < found.eta.p90


def test_the_spread_grows_along_the_voyage_and_beyond_the_forecast() -> None:
    context = make_context(REQUEST)
    route = make_route(context)
    found = measure_spread(context, route, build_ensemble(SEA, [], route.simulation))
    widths = [point.fuel_t.p90 - point.fuel_t.p10 for point in found.fan[1:]]
    assert widths[-1] > 2.0 * widths[len(widths) // 3] > 0.0
    soon_over = make_sea(hours=1.0)
    context = make_context(REQUEST, soon_over)
    route = make_route(context)
    unknown = measure_spread(context, route, build_ensemble(soon_over, [], route.simulation))
    assert unknown.climatology_pct > 50.0


@pytest.mark.parametrize("draw", [draw_deviations, draw_climate])
def test_without_a_forecast_another_departure_has_the_same_draws(draw) -> None:
    field, track = WeatherField(uniform_climatology()), (np.array([44.0, 45.0]), np.full(2, -30.0))
    early, late = (
        draw(field, *track, DEPARTS_H + later_h + np.array([3.0, 9.0]), 4) for later_h in (0, 400)
    )
    for one, other in zip(early, late, strict=True):
        assert one.rows == pytest.approx(other.rows)
    assert np.ptp([each.rows[0, 0] for each in early]) > 0.1


@pytest.mark.parametrize("steadiness", [0.2, 0.5, 0.9, 1.0])
def test_directions_of_the_climate_are_as_steady_as_its_climatology(steadiness: float) -> None:
    field = WeatherField(uniform_climatology(steadiness=steadiness))
    place = np.array([44.0]), np.array([-30.0]), np.array([DEPARTS_H])
    turns_deg = [each.rows[2, 0] for each in draw_climate(field, *place, 800)]
    assert np.cos(np.radians(turns_deg)).mean() == pytest.approx(steadiness, abs=0.05)
    assert np.mean(turns_deg) == pytest.approx(0.0, abs=1e-9)
