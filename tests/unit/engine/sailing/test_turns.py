"""Turns fit on their legs, within cross-track distances and the ship's turning ability."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.constants import NAUTICAL_MILE_M
from app.engine.request import Position
from app.engine.sailing.turns import Turn, plan_turns, tangent_nm
from app.engine.sea.path import Leg
from app.engine.vessel import TurningAbility
from tests.unit.engine.sailing_builders import make_leg

ABILITY = TurningAbility(usual_radius_nm=0.5, least_radius_nm=0.2, length_nm=0.12)


def make_legs(*positions: tuple[float, float], xtd_m: float = 1852.0) -> list[Leg]:
    points = [Position(*position) for position in positions]
    return [replace(make_leg(a, b), xtd_m=xtd_m) for a, b in pairwise(points)]


def test_the_wheel_is_put_over_a_ships_length_before_the_arc() -> None:
    (turn,) = plan_turns(make_legs((0.0, 0.0), (0.0, 1.0), (-1.0, 1.0)), ABILITY)
    assert turn == Turn(pytest.approx(90.0), 0.5, pytest.approx(0.5 + 0.12))


def test_a_turn_to_port_is_negative() -> None:
    (turn,) = plan_turns(make_legs((0.0, 0.0), (0.0, 1.0), (1.0, 1.0)), ABILITY)
    assert turn.course_change_deg == pytest.approx(-90.0)


def test_a_short_leg_is_shared_by_its_two_turns() -> None:
    mile = 1.0 / 60.0
    legs = make_legs((0.0, 0.0), (0.0, 1.0), (-0.5 * mile, 1.0), (-0.5 * mile, 2.0))
    first, second = plan_turns(legs, ABILITY)
    assert first.radius_nm == second.radius_nm == pytest.approx(0.25, abs=0.002)


def test_an_arc_stays_within_a_small_cross_track_distance() -> None:
    (turn,) = plan_turns(make_legs((0.0, 0.0), (0.0, 1.0), (-1.0, 1.0), xtd_m=100.0), ABILITY)
    assert turn.radius_nm * (math.sqrt(2.0) - 1.0) * NAUTICAL_MILE_M == pytest.approx(
        100.0, abs=0.1
    )


def test_legs_on_a_straight_line_have_the_usual_radius() -> None:
    mile = 1.0 / 60.0
    turns = plan_turns(make_legs((0.0, 0.0), (0.0, 0.01 * mile), (0.0, 0.02 * mile)), ABILITY)
    assert [turn.radius_nm for turn in turns] == [0.5]


def test_an_arc_within_a_metre_of_its_waypoint_needs_no_clear_water() -> None:
    legs = make_legs((0.0, 0.0), (0.0, 1.0), (0.0001, 2.0), xtd_m=0.0)
    assert [turn.radius_nm for turn in plan_turns(legs, ABILITY)] == [0.5]


@given(
    st.lists(
        st.tuples(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5)), min_size=3, max_size=8, unique=True
    ),
    st.floats(25.0, 1852.0),
)
def test_turns_fit_on_their_legs_and_within_cross_track_distances(
    positions: list[tuple[float, float]], xtd_m: float
) -> None:
    legs = make_legs(*positions, xtd_m=xtd_m)
    if min(leg.distance_nm for leg in legs) < 0.01:
        return
    turns = plan_turns(legs, ABILITY)
    used = [0.0, *(tangent_nm(t.radius_nm, t.course_change_deg) for t in turns), 0.0]
    for leg, ends in zip(legs, pairwise(used), strict=True):
        assert sum(ends) <= leg.distance_nm * 1.000001
    for turn in turns:
        half = math.radians(min(abs(turn.course_change_deg), 179.0)) / 2.0
        inside_m = turn.radius_nm * (1.0 / math.cos(half) - 1.0) * NAUTICAL_MILE_M
        assert inside_m <= xtd_m * 1.000001
        assert 0.0 < turn.radius_nm <= ABILITY.usual_radius_nm
