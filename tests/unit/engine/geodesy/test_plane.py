"""Projection of points on lines in the plane."""

import numpy as np

from app.engine.geodesy.plane import project_on_segments


def test_the_nearest_point_of_a_segment_lies_between_its_ends() -> None:
    x, y = np.array([-1.0, 3.0, 3.0, 5.0]), np.array([2.0, 2.0, 1.0, 1.0])
    gaps, shares = project_on_segments(x, y)
    np.testing.assert_allclose(gaps, [2.0, np.hypot(3.0, 1.0), np.hypot(3.0, 1.0)])
    np.testing.assert_allclose(shares, [0.25, 1.0, 0.0])


def test_a_segment_without_length_is_a_point() -> None:
    gaps, shares = project_on_segments(np.array([3.0, 3.0]), np.array([4.0, 4.0]))
    assert (gaps[0], shares[0]) == (5.0, 0.0)
