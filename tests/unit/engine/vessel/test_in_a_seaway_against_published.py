"""Performance in a seaway against published values, and in following seas."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.particulars import Loading, ShipParticulars
from app.engine.vessel import SeaRisk, build_ship, seaway_risks
from app.engine.vessel.hull_form import ballast_draft_m
from app.engine.vessel.seaway import irregular_wave_resistance_n
from app.engine.vessel.wind import wind_coefficient
from app.engine.vessel.wind_data import (
    CONTAINER_LADEN,
    LNG_PRISMATIC,
    TANKER_BALLAST,
    TANKER_LADEN,
    DataSet,
    fit,
)
from benchmarks.seaway import (
    CASES,
    Case,
    alarm_shares,
    grown_sea,
    speed_loss_pct,
    standard_weather_factor,
    weather_factor,
)
from tests.unit.engine.vessel.ships import laden, relative_sea, ships, weather

BY_NAME = {case.name: case for case in CASES}


@pytest.mark.parametrize("name", ["handysize", "kamsarmax", "capesize", "aframax", "VLCC"])
def test_the_weather_factor_of_full_ships_is_that_of_the_standard_curves(name: str) -> None:
    standard = standard_weather_factor(BY_NAME[name].particulars)
    assert weather_factor(BY_NAME[name].laden) == pytest.approx(standard, abs=0.055)


@pytest.mark.parametrize("name", ["3,600 TEU", "8,400 TEU"])
def test_container_ships_lose_less_than_the_standard_curve_and_less_than_bulk_carriers(
    name: str,
) -> None:
    factor = weather_factor(BY_NAME[name].laden)
    assert weather_factor(BY_NAME["kamsarmax"].laden) < factor < 0.94


@pytest.mark.parametrize(
    "data", [TANKER_LADEN, TANKER_BALLAST, CONTAINER_LADEN, LNG_PRISMATIC], ids=lambda d: d.name
)
def test_wind_coefficients_are_those_of_the_data_sets(data: DataSet) -> None:
    fitted = fit(data)
    for angle, coefficient in zip(data.angles_deg, data.coefficients, strict=True):
        if abs(angle - 90.0) > 20.0:
            assert wind_coefficient(fitted, float(angle)) == pytest.approx(coefficient, abs=0.09)
    assert wind_coefficient(fitted, 0.0) == pytest.approx(data.coefficients[0], abs=0.03)


def test_the_wind_coefficients_of_a_tanker_depend_on_its_loading() -> None:
    tanker = BY_NAME["VLCC"].particulars
    light = build_ship(tanker, Loading(ballast_draft_m(tanker), 0.0, 0.0))
    assert wind_coefficient(light.wind, 30.0) == pytest.approx(0.45, abs=0.03)
    assert wind_coefficient(laden(tanker).wind, 30.0) == pytest.approx(0.73, abs=0.03)


@given(ships(), st.floats(0.3, 1.0))
@settings(max_examples=20, deadline=None)
def test_waves_from_any_direction_cause_no_thrust(
    particulars: ShipParticulars, share: float
) -> None:
    ship = laden(particulars)
    speed_ms = share * particulars.service_speed_kn * 0.5144
    for period_s in (5.0, 9.0, 14.0):
        for from_deg in (0.0, 60.0, 120.0, 150.0, 180.0):
            sea = 1.0, period_s, from_deg
            assert irregular_wave_resistance_n(ship.wave_hull, speed_ms, *sea) >= 0.0


@given(ships(), st.floats(135.0, 180.0), st.floats(5.0, 16.0), st.floats(0.0, 25.0))
@settings(max_examples=25, deadline=None)
def test_higher_seas_from_astern_never_save_fuel_nor_gain_speed(
    particulars: ShipParticulars, from_deg: float, period_s: float, wind_ms: float
) -> None:
    ship, speed_kn = laden(particulars), particulars.service_speed_kn
    fuel, kept = [], []
    for height_m in (0.0, 1.0, 2.0, 4.0, 6.0, 8.0, 11.0):
        met = weather(height_m, from_deg, wave_period_s=period_s, wind_speed_ms=wind_ms)
        fuel.append(ship.performance(speed_kn, weather=met).fuel_t_per_h)
        kept.append(ship.attainable_speed_kn(speed_kn, relative_sea(met, math.inf)))
    assert np.all(np.diff(fuel) >= -1e-9)
    assert np.all(np.diff(kept) <= 0.006)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_speed_loss_in_developed_following_seas_increases_with_their_height(
    case: Case,
) -> None:
    ship = case.laden
    losses = []
    for beaufort in (5, 6, 7, 8):
        sea = grown_sea(beaufort, 180.0)
        waves = weather(sea.wave_height_m, 180.0, wave_period_s=sea.wave_period_s)
        losses.append(speed_loss_pct(ship, waves))
    assert losses[0] > 0.2
    assert np.all(np.diff(losses) > 0.0)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_waves_of_a_metre_are_no_risk_on_any_heading(case: Case) -> None:
    for draft_share in (0.6, 1.0):
        draft_m = draft_share * case.particulars.draft_design_m
        ship = build_ship(case.particulars, Loading(draft_m, 0.0, 0.0))
        assert max(alarm_shares(ship, 1.0).values()) == 0.0
        swells = [
            seaway_risks(ship.seakeeping_parameters, speed_kn, 0.0, 1.0, period_s, off_bow)
            for period_s in np.arange(5.0, 19.0, 1.0)
            for off_bow in np.arange(0.0, 181.0, 10.0)
            for speed_kn in (10.0, case.particulars.service_speed_kn)
        ]
        assert not any(swells)


@pytest.mark.parametrize("name", ["handysize", "kamsarmax", "aframax", "3,600 TEU"])
def test_a_ship_at_the_least_ballast_draught_slams_in_six_metres(name: str) -> None:
    # MARPOL Annex I, 18.3: 2.0 + 0.02 L amidships, trimmed at most 0.015 L by the stern
    particulars = BY_NAME[name].particulars
    length_m = particulars.lbp_m
    light = build_ship(particulars, Loading(2.0 + 0.02 * length_m, 0.015 * length_m, 0.0))
    assert alarm_shares(light, 6.0)[SeaRisk.SLAMMING] > 10.0
    assert alarm_shares(light, 3.0)[SeaRisk.SLAMMING] == 0.0
    assert alarm_shares(laden(particulars), 6.0)[SeaRisk.SLAMMING] == 0.0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_motions_limit_the_speed_before_power_does(case: Case) -> None:
    strong = case.laden
    for off_bow in (0.0, 45.0):
        met = weather(12.0, off_bow, wave_period_s=4.3 * math.sqrt(12.0))
        assert strong.voluntary_speed_kn(0.0, met) < 0.85 * case.particulars.service_speed_kn
