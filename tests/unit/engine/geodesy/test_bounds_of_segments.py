"""Bounds of segments: a filter before areas are compared with each of them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Polygon, box

from app.engine.geodesy.shapes import do_bounds_overlap, measure_bounds, segments_within

# close together, at 0 and at 180 degrees, so that many areas just touch the bounds of a segment
lats = st.integers(-6, 6).map(lambda halves: halves / 2.0)
lngs = lats | lats.map(lambda lng: lng - math.copysign(180.0, lng))
segments = st.lists(st.tuples(lats, lngs, lats, lngs), min_size=1, max_size=4)


def list_bounds(degrees: st.SearchStrategy[float]) -> st.SearchStrategy[list[float]]:
    return st.lists(degrees, min_size=2, max_size=2, unique=True).map(sorted)


@given(segments, list_bounds(lats), list_bounds(lngs), st.sampled_from([0.0, 0.5, 1.0]))
def test_no_area_near_a_segment_is_left_out(
    ends: list[tuple[float, float, float, float]],
    parallels: list[float],
    meridians: list[float],
    within_deg: float,
) -> None:
    (south, north), (west, east) = parallels, meridians
    columns = np.array(ends).T
    area = box(west, south, east, north)
    if segments_within(area, *columns, within_deg).any():
        assert do_bounds_overlap(area.bounds, measure_bounds(*columns, within_deg))


@pytest.mark.parametrize(
    ("lng0", "lng1", "area"),
    [(0.0, 1.0, box(1.4, -0.1, 2.0, 0.1)), (179.0, 179.8, box(-180.0, -1.0, -179.9, 1.0))],
    ids=["within the margin", "within the margin across 180 degrees"],
)
def test_an_area_within_the_margin_is_kept(lng0: float, lng1: float, area: Polygon) -> None:
    segment = np.zeros(1), np.array([lng0]), np.zeros(1), np.array([lng1])
    assert segments_within(area, *segment, 0.5).all()
    assert do_bounds_overlap(area.bounds, measure_bounds(*segment, 0.5))


@pytest.mark.parametrize("area", [box(-70, 60, -50, 62), box(30, 41, 40, 45), box(-9, 53, 0, 54)])
def test_an_area_far_from_all_segments_is_left_out(area: Polygon) -> None:
    south_of_ireland = np.array([[50.0, -10.0, 51.0, -5.0], [51.0, -5.0, 52.9, 1.0]]).T
    assert not do_bounds_overlap(area.bounds, measure_bounds(*south_of_ireland, 0.02))


def test_without_segments_nothing_is_near() -> None:
    nothing = np.empty((4, 0))
    assert not do_bounds_overlap((-180.0, -90.0, 180.0, 90.0), measure_bounds(*nothing))
