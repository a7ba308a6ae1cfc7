"""Fuel at the expected angle off the bow against the mean over the directions of a climate."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.particulars import Loading, ShipParticulars
from app.engine.vessel import build_ship
from app.engine.vessel.kernels import expected_from_deg, fuel_rate, off_bow_deg
from tests.unit.engine.vessel.ships import CAPESIZE, CONTAINER_SHIP

TURNS_DEG = np.arange(0.0, 360.0, 3.0)
SPEED_KN, HEIGHT_M, PERIOD_S, WIND_MS = 12.0, 3.0, 9.0, 10.0


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

    def fuel(from_deg: float) -> float:
        sea = HEIGHT_M, PERIOD_S, from_deg, WIND_MS, from_deg, math.inf
        return fuel_rate(ship, SPEED_KN, 0.0, *sea)[2]

    fuels = np.array([fuel(mean_from_deg + turn) for turn in TURNS_DEG])
    mean = float(weigh_directions(steadiness) @ fuels)
    assert fuel(expected_from_deg(mean_from_deg, 0.0, steadiness)) == pytest.approx(mean, rel=0.05)
    if steadiness == 0.0 and mean_from_deg == 0.0:
        # what is gained by it
        assert fuel(mean_from_deg) > 1.10 * mean


@given(st.floats(0.0, 360.0), st.floats(0.0, 360.0), st.floats(0.0, 1.0))
def test_the_cosine_off_the_bow_is_multiplied_by_the_steadiness(
    from_deg: float, course_deg: float, steadiness: float
) -> None:
    found = off_bow_deg(expected_from_deg(from_deg, course_deg, steadiness), course_deg)
    expected = steadiness * math.cos(math.radians(from_deg - course_deg))
    assert math.cos(math.radians(found)) == pytest.approx(expected, abs=1e-9)
