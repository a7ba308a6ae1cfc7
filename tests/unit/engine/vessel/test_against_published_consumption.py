"""Estimated fuel in service against owners' published figures."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.engine.particulars import Basis, Loading
from app.engine.vessel import build_ship, estimate_foc
from benchmarks.foc import find_basis, particulars_of, run, speed_exponent, summarize

CASES = json.loads(Path("tests/data/published_consumption.json").read_text())["vessels"]

Figures = dict[str, Any]


@pytest.fixture(scope="module")
def figures() -> Figures:
    return summarize(run(CASES))


def test_the_median_error_and_the_bias_are_small(figures: Figures) -> None:
    assert figures["median_abs_error_pct"] < 6.0
    assert abs(figures["bias_pct"]) < 3.0
    assert abs(figures["ballast_bias_pct"]) < 5.0


def test_the_errors_are_small_for_each_type_and_without_it(figures: Figures) -> None:
    for part in ("bias_by_type_pct", "bias_without_type_pct"):
        assert max(map(abs, figures[part].values())) < 6.0, figures[part]


def test_the_intervals_from_particulars_have_the_stated_coverage(figures: Figures) -> None:
    assert 85.0 <= figures["interval_coverage_pct"] <= 95.0


def test_two_declared_points_predict_the_third(figures: Figures) -> None:
    assert figures["third_median_abs_error_pct"] < 4.5


def test_a_stated_basis_takes_precedence_over_the_source() -> None:
    assert find_basis({}, {}) is Basis.SERVICE
    assert find_basis({"reliability": "builder claim"}, {}) is Basis.CALM
    assert find_basis({"reliability": "builder claim", "basis": "SERVICE"}, {}) is Basis.SERVICE
    assert find_basis({"basis": "SERVICE"}, {"basis": "CHARTER_PARTY"}) is Basis.CHARTER_PARTY


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_fuel_rises_with_a_power_of_speed_between_two_and_a_half_and_four(case: dict) -> None:
    particulars = particulars_of(case["vessel"])
    laden = Loading(particulars.draft_design_m, 0.0, particulars.dwt_t)
    assert 2.5 <= round(speed_exponent(build_ship(particulars, laden)), 2) <= 4.0


def test_the_estimate_is_a_point_of_its_own_curve() -> None:
    estimate = estimate_foc(particulars_of(CASES[0]["vessel"]))
    at_service = [p for p in estimate.curve if p.speed_kn == estimate.service_speed_kn]
    assert [p.foc_mt_per_day for p in at_service] == [estimate.foc_mt_per_day]
    assert estimate.sfoc_g_per_kwh * estimate.power_kw * 24e-6 == pytest.approx(
        estimate.foc_mt_per_day
    )
    assert all(p.power_kw > 0.0 for p in estimate.curve)
