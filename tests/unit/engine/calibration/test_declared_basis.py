"""Declared consumptions are compared with an estimate at the same margins."""

import numpy as np
import pytest

from app.engine.calibration import as_reports
from app.engine.calibration.calibrating import compare_with_estimate
from app.engine.particulars import Basis, DeclaredPoint, Loading, PointSource
from app.engine.vessel import build_ship
from app.engine.vessel.foc import service_point
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
