"""Waits of a simulation, and legs split at them."""

from datetime import timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.area import Area
from app.engine.request import Position
from app.engine.sailing.simulation import Simulation, simulate_track
from app.engine.sailing.track import build_track
from app.engine.sailing.waiting import copy_waits, format_wait_end, list_waits, split_legs
from app.engine.times import hours_since_epoch
from tests.unit.engine.sailing_builders import (
    DEPARTS_AT,
    make_area,
    make_canal,
    make_leg,
    make_ship,
)

POINTS = [Position(40.0, -30.0), Position(40.0, -28.0), Position(41.0, -26.0)]
LEGS = [make_leg(a, b) for a, b in pairwise(POINTS)]
TRACK = build_track(LEGS, {})
SHIP = make_ship()


def simulate_with_waits(*waits: tuple[int, float]) -> Simulation:
    """Simulate with earliest hours of departure from points of the track."""
    not_before_h = np.full(TRACK.distance_nm.size, -np.inf)
    for point, hours in waits:
        not_before_h[point] = hours_since_epoch(DEPARTS_AT) + hours
    return simulate_track(TRACK, 12.0, ship=SHIP, departs_at=DEPARTS_AT, not_before_h=not_before_h)


@given(points=st.sets(st.integers(1, TRACK.distance_nm.size - 1), min_size=1, max_size=4))
def test_legs_split_at_waits_are_the_same_route(points: set[int]) -> None:
    simulation = simulate_with_waits(*((point, 40.0 + point) for point in points))
    legs, split, new = split_legs(LEGS, simulation)
    assert [leg.start for leg in legs[1:]] == [leg.end for leg in legs[:-1]]
    assert (legs[0].start, legs[-1].end) == (POINTS[0], POINTS[-1])
    assert sum(leg.distance_nm for leg in legs) == pytest.approx(TRACK.length_nm, rel=1e-6)
    # every wait is at the start of a leg
    starts = np.searchsorted(split.track.leg, np.arange(len(legs)))
    assert {w.point for w in list_waits(split, ())} <= set(starts.tolist())
    begin = [TRACK.position(int(n)) for n in starts]
    assert np.allclose(begin, [leg.start for leg in legs], atol=1e-9)
    assert np.array_equal(split.hours, simulation.hours)
    assert {n for n, leg in enumerate(legs) if leg not in LEGS} == set(new)


def test_legs_without_waits_stay_as_they_are() -> None:
    simulation = simulate_with_waits()
    assert split_legs(LEGS, simulation) == (tuple(LEGS), simulation, [])


def test_legs_are_split_at_other_points_too_and_never_at_their_ends() -> None:
    last, simulation = TRACK.distance_nm.size, simulate_with_waits()
    legs, split, new = split_legs(LEGS, simulation, [0, 5, last])
    assert (len(legs), new) == (3, [0, 1])
    assert np.allclose(legs[0].end, TRACK.position(5))
    assert np.array_equal(split.hours, simulation.hours)


def test_a_wait_is_for_the_areas_whose_windows_end_with_it() -> None:
    (now, later) = (
        make_area(-28.0, 39.0, -27.0, 42.0, ends_at=DEPARTS_AT + timedelta(hours=hours))
        for hours in (30.0, 50.0)
    )
    (wait,) = list_waits(simulate_with_waits((12, 30.01)), [now, later])
    assert wait.areas == (now,)
    assert wait.hours == pytest.approx(30.01 - TRACK.cumulative_nm[12] / 12.0, abs=1e-3)
    assert (
        format_wait_end(wait, is_given=True)
        == "Fri 16 Jan 2026 00:00 UTC, when the constraint “Area” is over"
    )


def close_between(from_h: float, to_h: float) -> Area:
    starts_at, ends_at = (DEPARTS_AT + timedelta(hours=hours) for hours in (from_h, to_h))
    return make_area(-28.0, 39.0, -27.0, 42.0, starts_at=starts_at, ends_at=ends_at)


def test_a_wait_is_for_successive_closures_between_which_the_ship_cannot_pass() -> None:
    closures = [close_between(0.0, 20.0), close_between(21.0, 30.0)]
    (wait,) = list_waits(simulate_with_waits((12, 30.01)), closures)
    assert list(wait.areas) == closures
    assert format_wait_end(wait, is_given=False).endswith("when the constraint “Area” is over")


def test_a_wait_after_the_last_closure_between_which_the_ship_can_pass_is_for_the_weather() -> None:
    closures = [close_between(0.0, 20.0), close_between(28.0, 30.0)]
    (wait,) = list_waits(simulate_with_waits((12, 30.01)), closures)
    assert wait.areas == ()


def test_a_wait_is_for_no_area_elsewhere_whose_window_ends_with_it() -> None:
    astern, far = (
        make_area(west, 39.0, west + 0.5, 42.0, ends_at=DEPARTS_AT + timedelta(hours=30.0))
        for west in (-30.5, 120.0)
    )
    (wait,) = list_waits(simulate_with_waits((12, 30.01)), [astern, far])
    assert wait.areas == ()


def test_a_wait_without_areas_is_for_the_weather() -> None:
    (wait,) = list_waits(simulate_with_waits((12, 30.0)), [])
    planned, given = (format_wait_end(wait, is_given=is_given) for is_given in (False, True))
    assert planned == f"{given}, when waves, wind and current allow to proceed"


def test_the_customary_wait_before_a_canal_is_not_listed() -> None:
    legs = [LEGS[0], make_leg(POINTS[1], POINTS[2], "Canal")]
    track = build_track(legs, {"Canal": make_canal(waiting_h=5.0)})
    simulation = simulate_track(track, 12.0, ship=SHIP, departs_at=DEPARTS_AT)
    assert simulation.waited_h.sum() == pytest.approx(5.0)
    assert list_waits(simulation, []) == []


def test_copied_waits_are_at_the_same_positions_of_a_track_along_the_same_legs() -> None:
    legs, split, _ = split_legs(LEGS, simulate_with_waits((7, 30.0)))
    again = build_track(legs, {})
    not_before_h = copy_waits(split, again)
    simulation = simulate_track(
        again, 12.0, ship=SHIP, departs_at=DEPARTS_AT, not_before_h=not_before_h
    )
    (wait,) = list_waits(simulation, [])
    assert wait.ends_at == DEPARTS_AT + timedelta(hours=30.0)
    assert np.allclose(wait.position, TRACK.position(7), atol=1e-9)
