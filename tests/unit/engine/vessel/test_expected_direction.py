"""Fuel at the expected angle off the bow against the mean over the directions of a climate."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.particulars import Loading, ShipParticulars
from app.engine.vessel import build_ship
from app.engine.vessel.kernels import fuel_rate
from app.engine.vessel.relative_sea import RelativeSea, find_calm_sea, find_expected_sea
from tests.unit.engine.vessel.ships import CAPESIZE, CONTAINER_SHIP

TURNS_DEG = np.arange(0.0, 360.0, 3.0)
SPEED_KN, HEIGHT_M, PERIOD_S, WIND_MS = 12.0, 3.0, 9.0, 10.0


def meet(from_deg: float, course_deg: float, steadiness: float) -> RelativeSea:
    """Return the sea expected on a course in waves and wind from one mean direction."""
    origin, course = (
        (math.sin(math.radians(deg)), math.cos(math.radians(deg))) for deg in (from_deg, course_deg)
    )
    wave_from = steadiness * origin[0], steadiness * origin[1]
    wind_ms = -WIND_MS * origin[0], -WIND_MS * origin[1]
    return find_expected_sea(course, HEIGHT_M, PERIOD_S, wave_from, wind_ms, math.inf)


def weigh_directions(steadiness: float) -> np.ndarray:
    """Return the shares of a von Mises distribution; Banerjee et al. (2005), eq. 4.4."""
    concentration = steadiness * (2.0 - steadiness**2) / (1.0 - steadiness**2)
    density = np.exp(concentration * (np.cos(np.radians(TURNS_DEG)) - 1.0))
    return density / density.sum()


@pytest.mark.parametrize("particulars", [CAPESIZE, CONTAINER_SHIP])
@pytest.mark.parametrize("steadiness", [0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("mean_from_deg", [0.0, 60.0, 90.0, 120.0, 180.0])
def test_it_is_within_five_per_cent_of_the_mean_over_all_directions(
    particulars: ShipParticulars, steadiness: float, mean_from_deg: float
) -> None:
    loading = Loading(particulars.draft_design_m, 0.0, particulars.dwt_t)
    ship = build_ship(particulars, loading).kernel_parameters

    def fuel(from_deg: float, steadiness: float = 1.0) -> float:
        return fuel_rate(ship, SPEED_KN, meet(from_deg, 0.0, steadiness))[2]

    fuels = np.array([fuel(mean_from_deg + turn) for turn in TURNS_DEG])
    mean = float(weigh_directions(steadiness) @ fuels)
    assert fuel(mean_from_deg, steadiness) == pytest.approx(mean, rel=0.05)
    if steadiness == 0.0 and mean_from_deg == 0.0:
        # what is gained by it
        assert fuel(mean_from_deg) > 1.10 * mean


@given(st.floats(0.0, 360.0), st.floats(0.0, 360.0), st.floats(0.0, 1.0))
def test_the_cosine_off_the_bow_is_multiplied_by_the_steadiness(
    from_deg: float, course_deg: float, steadiness: float
) -> None:
    sea = meet(from_deg, course_deg, steadiness)
    expected = steadiness * math.cos(math.radians(from_deg - course_deg))
    assert math.cos(math.radians(sea.off_bow_deg)) == pytest.approx(expected, abs=1e-9)
    assert sea.ahead_ms == pytest.approx(WIND_MS * expected, abs=1e-9)
    assert math.hypot(sea.ahead_ms, sea.abeam_ms) == pytest.approx(WIND_MS)


def test_unknown_waves_and_wind_count_as_none() -> None:
    loading = Loading(CAPESIZE.draft_design_m, 0.0, CAPESIZE.dwt_t)
    ship = build_ship(CAPESIZE, loading).kernel_parameters
    unknown = RelativeSea(math.nan, math.nan, math.nan, math.nan, math.nan, math.inf)
    assert fuel_rate(ship, SPEED_KN, unknown) == fuel_rate(ship, SPEED_KN, find_calm_sea(math.inf))
