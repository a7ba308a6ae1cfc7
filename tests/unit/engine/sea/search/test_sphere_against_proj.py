"""Kernels of great circles and rhumb lines, against the ellipsoid of PROJ."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.geodesy import (
    great_circle_distance_nm,
    interpolate_great_circle,
    interpolate_rhumb,
)
from app.engine.geodesy.longitudes import wrap
from app.engine.sea.search.sphere import (
    angle_between,
    distance_nm,
    from_isometric,
    isometric,
    on_great_circle,
    on_rhumb,
    to_vector,
)

lats = st.floats(-78.0, 78.0)
lngs = st.floats(-180.0, 179.99)
reach = st.floats(-25.0, 25.0)


@settings(deadline=None)
@given(lats, lngs, lats, lngs)
def test_distances_are_within_half_a_percent_of_the_geodesic(
    lat0: float, lng0: float, lat1: float, lng1: float
) -> None:
    geodesic = float(great_circle_distance_nm(lat0, lng0, lat1, lng1))
    assert distance_nm(lat0, lng0, lat1, lng1) == pytest.approx(geodesic, rel=6e-3, abs=1e-6)


@settings(deadline=None)
@given(lats, lngs, reach, reach, st.floats(0.0, 1.0))
def test_points_of_a_great_circle_lie_on_the_geodesic(
    lat: float, lng: float, north: float, east: float, fraction: float
) -> None:
    end = max(-78.0, min(78.0, lat + north)), lng + east
    a, b = to_vector(lat, lng), to_vector(*end)
    found = on_great_circle(a, b, angle_between(a, b), fraction)
    nearest = interpolate_great_circle(lat, lng, *end, np.linspace(0.0, 1.0, 4001))
    assert great_circle_distance_nm(*nearest, *found).min() < 0.6


@settings(deadline=None)
@given(lats, lngs, reach, reach, st.floats(0.0, 1.0))
def test_points_of_a_rhumb_line_lie_on_the_loxodrome(
    lat: float, lng: float, north: float, east: float, fraction: float
) -> None:
    end = max(-78.0, min(78.0, lat + north)), lng + east
    found = on_rhumb(lat, lng, end[0], wrap(end[1] - lng), fraction)
    exact = interpolate_rhumb(lat, lng, *end, np.linspace(0.0, 1.0, 4001))
    assert great_circle_distance_nm(*exact, *found).min() < 0.6


@settings(deadline=None)
@given(st.floats(-89.0, 89.0))
def test_isometric_latitude_has_an_inverse(lat: float) -> None:
    assert from_isometric(isometric(lat)) == pytest.approx(lat, abs=1e-9)


def test_isometric_latitude_is_finite_at_the_poles() -> None:
    assert np.isfinite(isometric(90.0))
    assert np.isfinite(isometric(-90.0))
