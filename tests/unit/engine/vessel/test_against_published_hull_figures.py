"""Ship formulas against the worked figures of their own papers and standards."""

import json
from pathlib import Path

import pytest

from app.engine.units import KNOT_MS
from app.engine.vessel.calm_water import form_factor
from app.engine.vessel.hull_form import HullForm
from app.engine.vessel.propeller import Propeller, operating_point
from app.engine.vessel.propulsion import propulsion_factors
from benchmarks.hull import Check, list_checks

CHECKS = list_checks(json.loads(Path("tests/data/published_hull_figures.json").read_text()))

#: The ship of Holtrop and Mennen's worked example (1982), last page.
HOLTROP_SHIP = HullForm(
    length_waterline_m=205.0,
    length_perpendiculars_m=200.0,
    breadth_m=32.0,
    draft_fore_m=10.0,
    draft_aft_m=10.0,
    volume_m3=37_500.0,
    midship_coefficient=0.98,
    waterplane_coefficient=0.75,
    lcb_pct=-0.75,
    bulb_area_m2=20.0,
    bulb_centre_m=4.0,
    transom_area_m2=16.0,
    appendage_area_m2=50.0,
    appendage_factor=1.5,
    stern_coefficient=10.0,
)


def of_kind(kind: str) -> list[Check]:
    found = [check for check in CHECKS if check.kind == kind]
    assert found, f"no {kind} figures"
    return found


@pytest.mark.parametrize("check", of_kind("total"), ids=lambda c: c.name)
def test_holtrops_example_comes_out_in_total(check: Check) -> None:
    assert check.error_pct < 0.1


@pytest.mark.parametrize("check", of_kind("component"), ids=lambda c: c.name)
def test_holtrops_example_comes_out_in_each_component(check: Check) -> None:
    assert check.error_pct < 0.5


@pytest.mark.parametrize("check", of_kind("formula"), ids=lambda c: c.name)
def test_each_formula_gives_its_worked_figure(check: Check) -> None:
    assert check.error_pct < 0.5


def test_the_1984_form_factor_of_holtrops_ship_is_a_little_above_that_of_1982() -> None:
    assert form_factor(HOLTROP_SHIP, 1982) == pytest.approx(1.156, abs=0.001)
    assert 1.15 < form_factor(HOLTROP_SHIP, 1984) < 1.20


def test_the_1984_wake_and_thrust_deduction_stay_near_the_example_of_1982() -> None:
    # The 1982 example prints w 0.2584, t 0.1747, eta_R 0.9931; the re-analysis of
    # 1984 has other coefficients and the same eta_R.
    found = propulsion_factors(HOLTROP_SHIP, 25.0 * KNOT_MS, 8.0, 0.7393, 1.136)
    assert found.wake_fraction == pytest.approx(0.2584, abs=0.03)
    assert found.thrust_deduction == pytest.approx(0.1747, abs=0.03)
    assert found.relative_rotative_efficiency == pytest.approx(0.9931, abs=0.0005)


def test_the_b_series_gives_the_open_water_efficiency_of_holtrops_example() -> None:
    # Thrust of the example's resistance and thrust deduction, wake as printed:
    # open-water efficiency 0.6461, by 1.5 %, since the example corrects for the
    # blades' Reynolds number and roughness.
    speed_ms = 25.0 * KNOT_MS
    thrust_n = 1_793_260.0 / (1.0 - 0.1747)
    loading = thrust_n / (1025.0 * 8.0**2 * (speed_ms * (1.0 - 0.2584)) ** 2)
    point = operating_point(Propeller(8.0, 1.136 * 8.0, 0.7393, 4), loading)
    assert point.efficiency == pytest.approx(0.6461, rel=0.015)
