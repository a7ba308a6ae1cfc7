from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from app.engine.codes import WarningCode
from app.engine.weather import Group, WeatherField, WeatherRun
from app.services.weather.weather_age import warn_of_stale_forecast
from tests.unit.engine.weather.seas import uniform_climatology

NOW = datetime(2026, 11, 23, 6, tzinfo=UTC)


@dataclass(frozen=True)
class Plan:
    """As much of a plan as warnings need."""

    warnings: tuple = ()


def field(*ages_h):
    """A field of forecasts so many hours old: of wind, and of waves."""
    layers = uniform_climatology().layers
    groups = zip((Group.WIND, Group.WAVE), ages_h, strict=False)
    forecasts = tuple(
        WeatherRun(f"run-{group}", {group: layers[group]}, NOW - timedelta(hours=age))
        for group, age in groups
    )
    return WeatherField(uniform_climatology(), forecasts)


def warnings(weather, departs_in_h=12.0):
    departs_at = NOW + timedelta(hours=departs_in_h)
    return warn_of_stale_forecast(Plan(), weather, departs_at, NOW).warnings


def test_a_stale_forecast_is_said_with_its_age():
    (warning,) = warnings(field(31, 31))
    assert warning.code == WarningCode.STALE_FORECAST
    assert warning.detail == (
        "The forecast of 21 November 2026 23:00 UTC was 31 h old when the voyage was planned."
        " Newer ones have been published since."
        " Plan again when a newer forecast is in the store."
    )


@pytest.mark.parametrize("weather", [field(7, 7), field(24, 24), field(), None])
def test_a_recent_forecast_and_none_at_all_are_not_stale(weather):
    assert warnings(weather) == ()


def test_the_older_of_two_forecasts_counts():
    assert len(warnings(field(6, 40))) == 1


def test_a_past_voyage_uses_the_age_of_the_forecast_at_its_departure():
    assert warnings(field(100, 100), departs_in_h=-90) == ()
    (warning,) = warnings(field(100, 100), departs_in_h=-60)
    assert "was 40 h old at the departure" in warning.detail


def test_other_warnings_stay():
    from dataclasses import replace

    before = Plan(("other",))
    after = warn_of_stale_forecast(before, field(31, 31), NOW, NOW)
    assert after == replace(before, warnings=("other", *after.warnings[1:]))
    assert len(after.warnings) == 2
