"""Properties of every leg on earth."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.engine.geodesy import (
    great_circle_course_deg,
    great_circle_destination,
    great_circle_distance_nm,
    interpolate_leg,
    leg_distance_nm,
    rhumb_course_deg,
    rhumb_courses_along,
    rhumb_distance_nm,
    sample_leg,
)
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position
from app.engine.units import direction_difference

sea_latitudes = st.floats(-85.0, 85.0)
longitudes = st.floats(-180.0, 179.999)
positions = st.builds(Position, sea_latitudes, longitudes)
geometries = st.sampled_from(LegGeometry)


@given(positions, positions)
def test_a_leg_is_as_long_in_the_opposite_direction(a: Position, b: Position) -> None:
    for distance in (great_circle_distance_nm, rhumb_distance_nm):
        there, back = float(distance(*a, *b)), float(distance(*b, *a))
        assert abs(there - back) < 1e-6


@given(positions, positions, st.integers(-1, 1))
def test_multiples_of_360_degrees_of_longitude_change_nothing(
    a: Position, b: Position, turns: int
) -> None:
    turned = Position(b.lat, b.lng + 360.0 * turns)
    for distance in (great_circle_distance_nm, rhumb_distance_nm):
        assert abs(float(distance(*a, *turned)) - float(distance(*a, *b))) < 1e-6


@given(positions, positions)
def test_a_rhumb_line_is_never_shorter_than_the_great_circle(a: Position, b: Position) -> None:
    assert float(rhumb_distance_nm(*a, *b)) >= float(great_circle_distance_nm(*a, *b)) - 1e-6


@given(positions, positions)
def test_course_and_distance_lead_to_the_other_end(a: Position, b: Position) -> None:
    distance = great_circle_distance_nm(*a, *b)
    lat, lng = great_circle_destination(*a, great_circle_course_deg(*a, *b), distance)
    assert float(great_circle_distance_nm(lat, lng, *b)) < 1e-6


@given(positions, positions, geometries)
def test_a_leg_halved_is_half_as_long(a: Position, b: Position, geometry: LegGeometry) -> None:
    lats, lngs = interpolate_leg(a, b, geometry, [0.5])
    middle = Position(float(lats[0]), float(lngs[0]))
    half, whole = leg_distance_nm(a, middle, geometry), leg_distance_nm(a, b, geometry)
    # The latitude of a leg along a parallel is constant only within rounding.
    assert abs(2.0 * half - whole) < 1e-4


@given(positions, positions)
def test_a_rhumb_line_keeps_its_course(a: Position, b: Position) -> None:
    if float(rhumb_distance_nm(*a, *b)) < 1.0:
        return
    lats, lngs = interpolate_leg(a, b, LegGeometry.RHUMB, np.linspace(0.0, 1.0, 5))
    courses = rhumb_courses_along(lats, lngs)
    each = rhumb_course_deg(lats[:-1], lngs[:-1], lats[1:], lngs[1:])
    assert np.all(np.abs(direction_difference(courses, each)) < 1e-9)
    assert np.all(np.abs(direction_difference(courses, rhumb_course_deg(*a, *b))) < 1e-4)


@given(positions, positions, geometries, st.floats(20.0, 500.0))
def test_samples_begin_and_end_with_the_leg_and_are_never_too_far_apart(
    a: Position, b: Position, geometry: LegGeometry, step_nm: float
) -> None:
    lats, lngs = sample_leg(a, b, geometry, step_nm)
    assert float(great_circle_distance_nm(*a, lats[0], lngs[0])) < 1e-6
    assert float(great_circle_distance_nm(*b, lats[-1], lngs[-1])) < 1e-6
    gaps = great_circle_distance_nm(lats[:-1], lngs[:-1], lats[1:], lngs[1:])
    assert np.all(gaps <= step_nm + 1e-3)
    assert np.all((lngs >= -180.0) & (lngs < 180.0))
