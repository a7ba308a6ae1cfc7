"""Simulation to a schedule, kept as far as the ship can."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.sailing.schedule import follow_schedule
from app.engine.sailing.simulation import Simulation, simulate_track
from app.engine.sailing.track import Track
from app.engine.times import hours_since_epoch
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_ship, make_track
from tests.unit.engine.weather.seas import uniform_climatology

TRACK = make_track((0.0, 0.0), (0.0, 3.0), (0.0, 5.0), (0.0, 9.0))
LEGS_NM = (180.0, 120.0, 240.0)
ROUGH = WeatherField(uniform_climatology(wave=(3.0, 9.0, 90.0)), ())


def simulate_to(
    due_h: list[float | None],
    ordered_kn: Sequence[float | None] = (12.0,) * 3,
    weather: object = ROUGH,
    track: Track = TRACK,
    leaves_h: float = 0.0,
) -> Simulation:
    """Simulate to a schedule; the ship leaves the second waypoint at ``leaves_h`` or later."""
    not_before_h = np.full(track.distance_nm.size, -np.inf)
    not_before_h[np.searchsorted(track.leg, 1)] = hours_since_epoch(DEPARTS_AT) + leaves_h
    simulate = partial(
        simulate_track,
        track,
        ship=make_ship(),
        departs_at=DEPARTS_AT,
        weather=weather,
        not_before_h=not_before_h,
    )
    return follow_schedule(simulate, track, ordered_kn, due_h, 14.0)


def arrivals_h(simulation: Simulation) -> list[float]:
    return [float(simulation.hours[np.searchsorted(TRACK.leg, n)]) for n in (1, 2, 3)]


def test_without_due_times_the_ordered_speeds_apply() -> None:
    simulation = simulate_to([None] * 3, [10.0, 12.0, 14.0], weather=None)
    assert [simulation.through_water_kn[TRACK.leg == n].mean() for n in range(3)] == [10, 12, 14]


def test_every_due_time_is_kept_in_a_seaway() -> None:
    due_h = [16.0, 25.0, 46.0]
    assert arrivals_h(simulate_to([*due_h])) == pytest.approx(due_h, abs=0.01)


def test_due_times_are_kept_against_a_current_almost_as_fast_as_the_ship_over_ground() -> None:
    against = WeatherField(uniform_climatology(current=(-1.5, 0.0)), ())
    due_h = [60.0, 100.0, 180.0]
    for ordered_kn in ((4.0,) * 3, (12.0,) * 3):
        simulation = simulate_to([*due_h], ordered_kn, weather=against)
        assert arrivals_h(simulation) == pytest.approx(due_h, abs=0.01)


def test_a_schedule_slower_than_the_current_is_kept_by_legs_without_an_order() -> None:
    against = WeatherField(uniform_climatology(current=(-2.0, 0.0)), ())
    due_h = [80.0, 150.0, 260.0]  # 2.0 to 2.6 kn over ground against 3.9 kn
    simulation = simulate_to([*due_h], [None] * 3, weather=against)
    assert arrivals_h(simulation) == pytest.approx(due_h, abs=0.01)


def test_legs_up_to_a_due_time_keep_the_ratio_of_their_speeds() -> None:
    simulation = simulate_to([None, None, 50.0], [8.0, 12.0, 10.0], weather=None)
    speeds = [simulation.through_water_kn[TRACK.leg == n].mean() for n in range(3)]
    assert arrivals_h(simulation)[2] == pytest.approx(50.0, abs=0.01)
    assert [v / speeds[0] for v in speeds] == pytest.approx([1.0, 1.5, 1.25])


def test_legs_without_an_order_are_sailed_at_one_speed_to_the_time_due() -> None:
    simulation = simulate_to([15.0, None, 50.0], [None] * 3, weather=None)
    speeds = [simulation.through_water_kn[TRACK.leg == n].mean() for n in range(3)]
    assert speeds == pytest.approx([180.0 / 15.0, 360.0 / 35.0, 360.0 / 35.0], abs=0.05)


def test_an_order_among_legs_without_one_is_nearly_kept() -> None:
    simulation = simulate_to([None, None, 45.0], [None, 11.0, None], weather=None)
    speeds = [simulation.through_water_kn[TRACK.leg == n].mean() for n in range(3)]
    assert arrivals_h(simulation)[2] == pytest.approx(45.0, abs=0.01)
    assert speeds == pytest.approx([12.2, 11.2, 12.2], abs=0.1)


def test_legs_after_the_last_time_due_are_sailed_at_the_highest_speed() -> None:
    simulation = simulate_to([18.0, None, None], [None] * 3, weather=None)
    speeds = [simulation.through_water_kn[TRACK.leg == n].mean() for n in range(3)]
    assert speeds == pytest.approx([10.0, 14.0, 14.0], abs=0.05)


def test_the_times_after_a_missed_one_are_kept() -> None:
    first, second, third = arrivals_h(simulate_to([4.0, 25.0, 46.0]))
    assert first > 9.0
    assert (second, third) == (pytest.approx(25.0, abs=0.01), pytest.approx(46.0, abs=0.01))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(9.0, 14.0), min_size=3, max_size=3))
def test_any_schedule_that_the_ship_can_keep_is_kept(speeds_kn: list[float]) -> None:
    hours = [nm / kn for nm, kn in zip(LEGS_NM, speeds_kn, strict=True)]
    due_h = [float(h) for h in np.cumsum(hours)]
    simulation = simulate_to([*due_h], weather=None)
    assert arrivals_h(simulation) == pytest.approx(due_h, abs=0.01)
    assert all(a < b for a, b in pairwise(simulation.hours))


@settings(max_examples=50, deadline=None)
@given(st.floats(6.0, 14.5), st.floats(11.0, 14.5), st.floats(0.1, 30.0))
def test_any_schedule_with_a_stay_that_the_ship_can_keep_is_kept(
    before_kn: float, after_kn: float, stay_h: float
) -> None:
    speeds_kn = before_kn, after_kn, after_kn
    first, second, third = (nm / kn for nm, kn in zip(LEGS_NM, speeds_kn, strict=True))
    leaves_h = first + stay_h
    due_h = [first, leaves_h + second, leaves_h + second + third]
    simulation = simulate_to([*due_h], weather=None, leaves_h=leaves_h)
    assert arrivals_h(simulation) == pytest.approx(due_h, abs=0.01)
    assert simulation.waited_h.sum() == pytest.approx(stay_h, abs=0.01)


@settings(max_examples=25, deadline=None)
@given(st.floats(0.05, 0.95), st.floats(9.0, 14.0))
def test_the_time_of_a_leg_that_is_partly_in_ice_is_kept(share: float, open_kn: float) -> None:
    in_ice = TRACK.cumulative_nm[:-1] < share * TRACK.length_nm
    track = replace(TRACK, speed_cap_kn=np.where(in_ice, 5.0, np.inf))
    due_h = float((track.distance_nm / np.where(in_ice, 5.0, open_kn)).sum())
    simulation = simulate_to([None, None, due_h], [12.0] * 3, weather=None, track=track)
    assert arrivals_h(simulation)[2] == pytest.approx(due_h, abs=0.01)
    assert simulation.through_water_kn[in_ice].max() == pytest.approx(5.0)
