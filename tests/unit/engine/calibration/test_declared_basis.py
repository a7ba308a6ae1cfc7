"""Declared consumptions are compared with an estimate at the same margins."""

from dataclasses import replace

import numpy as np
import pytest

from app.engine.calibration.calibrating import compare_with_estimate
from app.engine.calibration.declared import as_reports, find_implausible_points, fit_declared
from app.engine.particulars import (
    Basis,
    DeclaredPoint,
    Loading,
    PointSource,
    ShipParticulars,
    ShipType,
)
from app.engine.vessel import build_ship
from app.engine.vessel.foc import beaufort_weather, service_point, service_weather
from app.engine.vessel.loaded_ship import FOULING
from tests.unit.engine.vessel.ships import CAPESIZE

SPEED_KN = 13.5


def apart(fuel_t_per_day: float, basis: Basis | None, source: PointSource) -> float:
    """Return the logarithm of declared consumption over the estimate."""
    point = DeclaredPoint(SPEED_KN, fuel_t_per_day, source, basis=basis)
    return float(np.mean(compare_with_estimate(CAPESIZE, as_reports([point], CAPESIZE))))


def calm_t_per_day() -> float:
    loading = Loading(CAPESIZE.draft_design_m, 0.0, CAPESIZE.dwt_t)
    return 24.0 * build_ship(CAPESIZE, loading).performance(SPEED_KN).fuel_t_per_h


def service_t_per_day() -> float:
    loading = Loading(CAPESIZE.draft_design_m, 0.0, CAPESIZE.dwt_t)
    return service_point(build_ship(CAPESIZE, loading), SPEED_KN).foc_mt_per_day


@pytest.mark.parametrize("source", list(PointSource))
def test_a_calm_consumption_is_that_of_a_clean_hull_in_a_calm_sea(source: PointSource) -> None:
    assert apart(calm_t_per_day() / FOULING, Basis.CALM, source) == pytest.approx(0.0, abs=0.02)


def test_a_service_consumption_includes_fouling_and_the_weather_of_service() -> None:
    assert apart(service_t_per_day(), Basis.SERVICE, PointSource.OWNER) == pytest.approx(
        0.0, abs=0.02
    )


def test_a_warranted_consumption_lies_between_calm_and_service() -> None:
    found = [apart(50.0, basis, PointSource.OWNER) for basis in Basis]
    calm, service, warranted = found
    assert service < warranted < calm


def test_without_a_basis_the_source_decides_whether_the_hull_is_clean() -> None:
    trial, owner = (apart(50.0, None, s) for s in (PointSource.SEA_TRIAL, PointSource.OWNER))
    assert trial - owner == pytest.approx(np.log(FOULING), abs=0.01)


def fuel_at_beaufort(ship: ShipParticulars, speed_kn: float, beaufort: float) -> float:
    """Return the mean consumption from all directions in the sea of a Beaufort force [t/day]."""
    model = build_ship(ship, Loading(ship.draft_design_m, 0.0, ship.dwt_t))
    met = [beaufort_weather(beaufort, side) for side in (22.5, 67.5, 112.5, 157.5)]
    return 24.0 * float(np.mean([model.performance(speed_kn, weather=w).fuel_t_per_h for w in met]))


@pytest.mark.parametrize("factor", [1.0, 1.1])
@pytest.mark.parametrize("beaufort", [4.0, 6.0, 7.0])
def test_a_ship_fitted_to_declared_points_burns_what_they_declare(
    beaufort: float, factor: float
) -> None:
    speeds = (11.0, 12.5, 14.0)
    declared = [factor * fuel_at_beaufort(CAPESIZE, speed, beaufort) for speed in speeds]
    points = tuple(
        DeclaredPoint(speed, fuel, beaufort=beaufort, basis=Basis.CHARTER_PARTY)
        for speed, fuel in zip(speeds, declared, strict=True)
    )
    fitted = replace(CAPESIZE, response=fit_declared(CAPESIZE, points))
    found = [fuel_at_beaufort(fitted, speed, beaufort) for speed in speeds]
    assert found == pytest.approx(declared, rel=0.05)


COASTER = ShipParticulars(
    ShipType.GENERAL_CARGO, 3_000.0, 88.0, 84.0, 12.5, 7.0, 5.2, 5.4, 12.0, auxiliary_t_per_day=1.0
)


@pytest.mark.parametrize("basis", [None, Basis.CHARTER_PARTY])
def test_a_short_ship_has_the_wind_of_the_row_that_it_declares(basis: Basis | None) -> None:
    report = as_reports([DeclaredPoint(11.0, 4.0, beaufort=5.0, basis=basis)], COASTER)
    assert report.wind_speed_ms == pytest.approx(9.35)
    assert report.wave_height_m == pytest.approx(2.0)


def test_a_short_ship_has_the_lower_sea_of_its_service() -> None:
    report = as_reports([DeclaredPoint(11.0, 4.0, basis=Basis.SERVICE)], COASTER)
    assert report.wave_height_m == pytest.approx(service_weather(84.0, 0.0).wave_height_m)
    assert report.wave_height_m[0] < 1.0


@pytest.mark.parametrize("auxiliary_t_per_day", [1.0, None])
def test_the_usual_consumption_named_for_an_implausible_one_includes_auxiliaries(
    auxiliary_t_per_day: float | None,
) -> None:
    ship = replace(COASTER, auxiliary_t_per_day=auxiliary_t_per_day)
    main = fuel_at_beaufort(ship, 11.0, 4.0)
    usual = main / 0.92 if auxiliary_t_per_day is None else main + auxiliary_t_per_day
    point = DeclaredPoint(11.0, 0.5, beaufort=4.0, with_auxiliaries=True)
    ((_, found),) = find_implausible_points(ship, [point])
    named = float(found.detail.split(" about ")[1].split(" mt/day")[0])
    assert named == pytest.approx(usual, rel=0.01)
