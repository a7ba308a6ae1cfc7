"""Estimated fuel in service against owners' published figures."""

import json
from pathlib import Path
from statistics import median

import pytest

from app.engine.particulars import Loading
from app.engine.vessel import build_ship, estimate_foc
from benchmarks.foc import particulars_of, run, speed_exponent

CASES = json.loads(Path("tests/data/published_consumption.json").read_text())["vessels"]


def test_the_median_error_and_the_bias_are_small() -> None:
    _, found = run(CASES)
    assert median(map(abs, found["scored"])) < 9.0
    assert abs(median(found["scored"])) < 4.0


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_fuel_rises_with_a_power_of_speed_between_two_and_a_half_and_four(case: dict) -> None:
    particulars = particulars_of(case["vessel"])
    laden = Loading(particulars.draft_design_m, 0.0, particulars.dwt_t)
    assert 2.5 <= speed_exponent(build_ship(particulars, laden)) <= 4.0


def test_the_estimate_is_a_point_of_its_own_curve() -> None:
    estimate = estimate_foc(particulars_of(CASES[0]["vessel"]))
    at_service = [p for p in estimate.curve if p.speed_kn == estimate.service_speed_kn]
    assert [p.foc_mt_per_day for p in at_service] == [estimate.foc_mt_per_day]
    assert estimate.sfoc_g_per_kwh * estimate.power_kw * 24e-6 == pytest.approx(
        estimate.foc_mt_per_day
    )
    assert all(p.power_kw > 0.0 for p in estimate.curve)
