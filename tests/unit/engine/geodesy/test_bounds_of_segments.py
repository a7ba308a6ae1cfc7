"""Bounds of segments: a filter before areas are compared with each of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Polygon, box

from app.engine.geodesy.shapes import do_bounds_overlap, measure_bounds, segments_within

lats = st.floats(-89.0, 89.0)
lngs = st.floats(-180.0, 180.0) | st.sampled_from([-180.0, -179.99, 179.99, 180.0])
segments = st.lists(st.tuples(lats, lngs, lats, lngs), min_size=1, max_size=4)
corners = st.tuples(lats, lngs)


@given(segments, corners, corners, st.sampled_from([0.0, 0.02, 1.0]))
def test_no_area_near_a_segment_is_left_out(
    ends: list[tuple[float, float, float, float]],
    one: tuple[float, float],
    other: tuple[float, float],
    within_deg: float,
) -> None:
    (south, north), (west, east) = map(sorted, zip(one, other, strict=True))
    columns = np.array(ends).T
    area = box(west, south, east, north)
    if segments_within(area, *columns, within_deg).any():
        assert do_bounds_overlap(area.bounds, measure_bounds(*columns, within_deg))


@pytest.mark.parametrize("area", [box(-70, 60, -50, 62), box(30, 41, 40, 45), box(-9, 53, 0, 54)])
def test_an_area_far_from_all_segments_is_left_out(area: Polygon) -> None:
    south_of_ireland = np.array([[50.0, -10.0, 51.0, -5.0], [51.0, -5.0, 52.9, 1.0]]).T
    assert not do_bounds_overlap(area.bounds, measure_bounds(*south_of_ireland, 0.02))


def test_without_segments_nothing_is_near() -> None:
    nothing = np.empty((4, 0))
    assert not do_bounds_overlap((-180.0, -90.0, 180.0, 90.0), measure_bounds(*nothing))
