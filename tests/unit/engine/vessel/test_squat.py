"""Squat by Barrass's formulas, and the speed of a given squat."""

import numpy as np
import pytest

from app.engine.vessel.squat import squat_m, squat_speed_kn


def test_a_full_tanker_at_ten_knots_squats_by_barrass() -> None:
    # Barrass and Derrett 2012, chapter 42: CB V^2 / 100 in open water, CB V^2 / 50 confined
    assert squat_m(10.0, 0.8) == pytest.approx(0.8)
    assert squat_m(10.0, 0.8, is_confined=True) == pytest.approx(1.6)


@pytest.mark.parametrize("is_confined", [False, True])
def test_the_speed_for_a_squat_is_the_speed_that_gives_it(is_confined: bool) -> None:
    left_m = np.array([0.2, 0.5, 1.7])
    speeds_kn = squat_speed_kn(left_m, 0.83, is_confined=is_confined)
    assert squat_m(speeds_kn, 0.83, is_confined=is_confined) == pytest.approx(left_m)


def test_the_speed_is_zero_without_clearance() -> None:
    assert squat_speed_kn(-0.4, 0.83) == 0.0
