"""The demo's ships report figures of their own model, a few per cent off the plan's."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from statistics import fmean

import pytest
from demo_data import FLEET
from demo_telemetry import HIDDEN_RESISTANCE, SPEED_SHARE, DemoShip, find_sea

from app.engine.particulars import AS_ESTIMATED
from app.engine.vessel import build_ship

FROM = datetime(2025, 1, 2, 6, tzinfo=UTC)
INSTANTS = [FROM + timedelta(hours=27 * step) for step in range(300)]


@pytest.mark.parametrize("number", range(len(FLEET)))
def test_actual_fuel_is_a_few_per_cent_off_what_the_model_has_for_the_same_sea(
    number: int,
) -> None:
    demo = DemoShip(FLEET[number], number)
    plain = build_ship(replace(demo.particulars, response=AS_ESTIMATED), demo.loading)
    ratios = []
    for instant in INSTANTS:
        record = demo.report(instant, (46.0, -30.0), 260.0)
        met = find_sea(instant, 46.0, number)
        expected = plain.performance(record["speed"], course_deg=260.0, weather=met)
        ratios.append(record["fuelConsumption"] / (24.0 * expected.fuel_t_per_h))
    assert fmean(ratios) == pytest.approx(HIDDEN_RESISTANCE[number], abs=0.06)
    assert 0.02 < max(abs(ratio / fmean(ratios) - 1.0) for ratio in ratios) < 0.4


@pytest.mark.parametrize("number", range(len(FLEET)))
def test_what_is_reported_belongs_together(number: int) -> None:
    demo = DemoShip(FLEET[number], number)
    service_kn = demo.particulars.service_speed_kn
    for instant in INSTANTS[::7]:
        record = demo.report(instant, (46.0, -30.0), 260.0)
        assert record["speed"] <= 1.05 * SPEED_SHARE * service_kn
        assert 10.0 < record["engineLoad"] <= 100.0
        sfoc = record["fuelConsumption"] / 24.0 / record["mePower"] * 1e6
        assert 140.0 < sfoc < 240.0
        assert 0.0 <= record["windSpeed"] < 30.0


def test_the_same_hour_is_reported_the_same_each_time() -> None:
    first, second = (DemoShip(FLEET[0], 0).report(FROM, (40.0, -20.0), 250.0) for _ in range(2))
    assert first == second


def test_winter_is_rougher_than_summer_and_the_north_than_the_trades() -> None:
    def mean_height(month: int, lat: float) -> float:
        hours = (datetime(2025, month, 1, tzinfo=UTC) + timedelta(hours=3 * n) for n in range(240))
        return fmean(find_sea(hour, lat, 0).wave_height_m for hour in hours)

    assert mean_height(1, 50.0) > 1.4 * mean_height(7, 50.0)
    assert mean_height(1, 50.0) > 1.4 * mean_height(1, 15.0)
    assert mean_height(7, -45.0) > mean_height(1, -45.0)
