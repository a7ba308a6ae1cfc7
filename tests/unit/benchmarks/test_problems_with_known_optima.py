"""The analytic benchmark poses what its cases say."""

import numpy as np
import pytest
from scipy.optimize import minimize

from benchmarks.analytic import Result
from benchmarks.formula_media import _current_kn, read_formula


def test_the_currents_of_all_legs_count() -> None:
    legs_nm, currents_kn, arrival_h = np.array([200.0, 300.0, 250.0]), np.array([2.0, -2.5, 1]), 60
    # an independent optimiser finds the hours of each leg that burn least
    best = minimize(
        lambda hours: float((((legs_nm / hours) - currents_kn) ** 3 * hours).sum()),
        np.full(3, arrival_h / 3.0),
        constraints={"type": "eq", "fun": lambda hours: hours.sum() - arrival_h},
        bounds=[(8.0, 40.0)] * 3,
    )
    case = {
        "id": "three legs",
        "earth": "plane",
        "tolerance_pct": 0.3,
        "straight_legs_nm": legs_nm.tolist(),
        "along_track_current_kn": currents_kn.tolist(),
        "fuel_per_h": {"type": "power", "exponent": 3.0},
        "arrival_h": arrival_h,
        "expect": {"quantity": "fuel", "value": float(best.fun)},
    }
    assert Result(case).is_solved


@pytest.mark.parametrize(("arrival_h", "exists"), [(10.0, False), (40.0, True)])
def test_a_case_without_a_value_is_solved_where_nothing_is_found(
    arrival_h: float, exists: bool
) -> None:
    case = {
        "id": "too soon",
        "earth": "plane",
        "tolerance_pct": 0.3,
        "straight_legs_nm": [300.0],
        "fuel_per_h": {"type": "power", "exponent": 3.0},
        "arrival_h": arrival_h,
        "expect": {"feasible": False},
    }
    assert Result(case).is_solved is not exists


def test_a_gyre_is_as_wide_as_its_length() -> None:
    def current_at(x_nm: float, length_nm: float) -> tuple[float, float]:
        gyre = {"type": "double_gyre", "amplitude_kn": 3.0, "length_nm": length_nm}
        return _current_kn(read_formula({"current": gyre}), 0.0, x_nm, 0.0)

    assert current_at(25.0, 50.0) == pytest.approx((-3.0, 0.0))
    assert current_at(50.0, 50.0) == pytest.approx(current_at(1.0, 1.0), abs=1e-9)
