"""Crossings of barriers, against GEOS."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.request import Position
from app.engine.sea.gates import list_lane_lines
from app.engine.sea.passages import Passage, PassageKind
from app.engine.sea.search.barriers import (
    ANY_COSINE,
    SEARCH_COSINE,
    LaneLines,
    build_barriers,
    is_barred,
    is_barrier_near,
    list_ring_edges,
)
from app.engine.sea.search.conditions import NO_CONDITIONS

NOTHING = np.empty((0, 4))
NORTHWARD = Position(0.0, 0.0), Position(0.34, 0.0)
GATE = Position(0.1, -0.1), Position(0.1, 0.1)
#: To 0.1 m: what lies nearer than rounding may count as crossed or not.
degrees = st.integers(-3_000_000, 3_000_000).map(lambda millionths: millionths / 1e6)
points = st.tuples(degrees, degrees)
lines_of = st.tuples(points, points).filter(lambda ends: math.dist(*ends) > 1e-3)


def barred(gates: np.ndarray, a: tuple[float, float], b: tuple[float, float]) -> bool:
    barriers = build_barriers(NOTHING, gates)
    return bool(is_barred(*barriers, a[1], a[0], b[1], b[0], True, SEARCH_COSINE))


@settings(deadline=None)
@given(st.lists(lines_of, min_size=1, max_size=4), lines_of)
def test_a_line_is_barred_when_it_crosses_a_barrier(
    gates: list[tuple[tuple[float, float], tuple[float, float]]],
    run: tuple[tuple[float, float], tuple[float, float]],
) -> None:
    a, b = run
    line = shapely.linestrings([a, b])
    lines = [shapely.linestrings(gate) for gate in gates]
    gap = min(float(shapely.distance(line, gate)) for gate in lines)
    found = barred(np.array(gates).reshape(-1, 4), a, b)
    if gap > 1e-9:
        assert not found
    elif any(shapely.crosses(line, gate) for gate in lines):
        assert found


@pytest.mark.parametrize("shift", [0.0, 360.0, -360.0])
def test_a_barrier_at_the_antimeridian_is_crossed_from_either_side(shift: float) -> None:
    gate = np.array([[180.0, -1.0, 180.0, 1.0]])
    assert barred(gate, (179.5, 0.0), (-179.5 + shift, 0.1))
    assert barred(gate, (-179.5, 0.0), (179.5 + shift, 0.1))


def test_without_barriers_every_line_is_free() -> None:
    assert not barred(NOTHING, (0.0, 0.0), (1.0, 1.0))


def test_gates_apply_only_on_request() -> None:
    barriers = build_barriers(NOTHING, np.array([[0.0, -1.0, 0.0, 1.0]]))
    assert is_barred(*barriers, 0.0, -1.0, 0.0, 1.0, True, SEARCH_COSINE)
    assert not is_barred(*barriers, 0.0, -1.0, 0.0, 1.0, False, SEARCH_COSINE)


def test_holes_of_an_area_are_edges_too() -> None:
    ring = shapely.box(0, 0, 4, 4).difference(shapely.box(1, 1, 3, 3))
    assert len(list_ring_edges(shapely.get_rings(ring))) == 8


def test_a_barrier_is_near_within_half_a_degree_and_not_beyond_two() -> None:
    barriers = build_barriers(NOTHING, np.array([[10.0, 10.0, 10.1, 10.1]]))
    assert is_barrier_near(barriers.segments, barriers.starts, 10.4, 9.8)
    assert not is_barrier_near(barriers.segments, barriers.starts, 12.0, 10.0)


def test_gates_are_shortened_and_areas_are_not() -> None:
    area, gate = np.array([[0.0, -1.0, 0.0, 1.0]]), np.array([[2.0, -1.0, 2.0, 1.0]])
    conditions = NO_CONDITIONS._replace(**build_barriers(area, gate)._asdict()).shorten_gates(0.01)
    barriers = conditions[:3]
    for lat, is_near_the_end in ((0.995, True), (0.985, False), (-0.995, True)):
        assert is_barred(*barriers, lat, -0.1, lat, 0.1, True, SEARCH_COSINE)
        is_open = not is_barred(*barriers, lat, 1.9, lat, 2.1, True, SEARCH_COSINE)
        assert is_open == is_near_the_end


@pytest.mark.parametrize(
    ("course_deg", "is_crossed"),
    [(0, True), (45, True), (90, True), (107, True), (109, False), (135, False), (180, False),
     (-90, True), (-107, True), (-109, False)],
)  # fmt: skip
@pytest.mark.parametrize("lane_deg", [0.0, 70.0, 225.0])
def test_a_lane_is_crossed_with_the_traffic_or_nearly_at_right_angles(
    lane_deg: float, course_deg: float, is_crossed: bool
) -> None:
    def step(lat: float, lng: float, towards_deg: float) -> tuple[float, float]:
        north, east = math.cos(math.radians(towards_deg)), math.sin(math.radians(towards_deg))
        return lat + 0.1 * north, lng + 0.1 * east / math.cos(math.radians(lat))

    centre = (50.0, 1.0)
    (lat0, lng0), (lat1, lng1) = (step(*centre, lane_deg + turn) for turn in (180.0, 0.0))
    barriers = build_barriers(NOTHING, NOTHING, LaneLines(np.array([[lng0, lat0, lng1, lat1]])))
    ends = (step(*centre, lane_deg + course_deg + turn) for turn in (180.0, 0.0))
    line = [value for end in ends for value in end]
    assert bool(is_barred(*barriers, *line, True, SEARCH_COSINE)) != is_crossed
    assert not is_barred(*barriers, *line, False, SEARCH_COSINE)


@pytest.mark.parametrize(("course_deg", "is_barred_there"), [(180.0, True), (90.0, False)])
def test_a_track_beside_a_centre_line_may_cross_the_water_of_a_lane_but_not_lead_against_it(
    course_deg: float, is_barred_there: bool
) -> None:
    lane = Passage("lane", "Lane", PassageKind.LANE, NORTHWARD, 1_500.0, one_way=True, gate=GATE)
    barriers = build_barriers(NOTHING, NOTHING, list_lane_lines([lane]))
    north, east = math.cos(math.radians(course_deg)), math.sin(math.radians(course_deg))
    # half a mile to port of the line, for twenty miles or across it
    line = 0.17 - 0.17 * north, 0.008 - 0.17 * east, 0.17 + 0.17 * north, 0.008 + 0.17 * east
    assert bool(is_barred(*barriers, *line, True, SEARCH_COSINE)) == is_barred_there
    assert not is_barred(*barriers, *line, False, SEARCH_COSINE)
    assert not is_barred(*barriers, *line, True, ANY_COSINE)
