"""Stated standard errors of fuel, and the evidence for it."""

from dataclasses import replace

import numpy as np

from app.engine.calibration.calibrating import calibrate
from app.engine.calibration.declared import fit_declared
from app.engine.particulars import DeclaredPoint
from app.engine.vessel import estimate_foc, fuel_standard_error, stated_fuel_error
from benchmarks.synthetic_reports import list_particulars, make_ship

CAPESIZE = list_particulars()[0]


def test_from_particulars_alone_the_error_is_that_of_the_estimate() -> None:
    assert stated_fuel_error(CAPESIZE) == fuel_standard_error(CAPESIZE)
    assert CAPESIZE.response.rests_on == "particulars only"


def test_declared_points_reduce_the_error() -> None:
    speed = CAPESIZE.service_speed_kn
    foc = estimate_foc(CAPESIZE).foc_mt_per_day
    points = tuple(DeclaredPoint(share * speed, share**3 * foc) for share in (0.85, 1.0))
    declared = replace(CAPESIZE, response=fit_declared(CAPESIZE, points))
    assert stated_fuel_error(declared) < fuel_standard_error(CAPESIZE)
    assert declared.response.rests_on == "declared speed and consumption"


def test_ten_reports_give_a_wide_error_and_a_year_a_narrow_one_with_coverage() -> None:
    known = make_ship(CAPESIZE, 3, with_faults=False)
    few = calibrate(CAPESIZE, known.reports.take(slice(0, 10))).response()
    year = calibrate(CAPESIZE, known.reports).response()
    assert few.standard_error is not None
    assert year.standard_error is not None
    assert year.standard_error < 0.07 < few.standard_error + 0.02
    assert year.standard_error < few.standard_error
    days = np.unique(known.reports.days).size
    assert 0.9 * days < int(year.rests_on.split()[0]) <= days
