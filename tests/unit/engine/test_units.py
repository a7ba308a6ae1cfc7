"""Angles wrapped into their ranges."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.engine.units import direction_difference, wrap_direction, wrap_longitude

angles = st.floats(-1e4, 1e4)


@given(angle=angles)
@example(angle=-1e-14)
def test_a_direction_lies_from_0_to_below_360(angle: float) -> None:
    wrapped = wrap_direction(angle)
    assert 0.0 <= wrapped < 360.0
    assert np.cos(np.radians(wrapped)) == pytest.approx(np.cos(np.radians(angle)), abs=1e-9)


@given(angle=angles)
@example(angle=np.nextafter(-180.0, -np.inf))
def test_a_longitude_lies_from_minus_180_to_below_180(angle: float) -> None:
    wrapped = wrap_longitude(np.array([angle]))
    assert -180.0 <= wrapped[0] < 180.0
    assert np.sin(np.radians(wrapped)) == pytest.approx(np.sin(np.radians(angle)), abs=1e-9)


@given(a=angles, b=angles)
def test_a_difference_of_directions_is_the_turn_from_one_to_the_other(a: float, b: float) -> None:
    turn = direction_difference(a, b)
    assert -180.0 <= turn < 180.0
    assert np.cos(np.radians(b + turn)) == pytest.approx(np.cos(np.radians(a)), abs=1e-9)
