"""Simulation to a schedule, kept as far as the ship can."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.sailing.schedule import follow_schedule
from app.engine.sailing.simulation import Simulation, simulate_track
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_ship, make_track
from tests.unit.engine.weather.seas import uniform_climatology

TRACK = make_track((0.0, 0.0), (0.0, 3.0), (0.0, 5.0), (0.0, 9.0))
LEGS_NM = (180.0, 120.0, 240.0)
ROUGH = WeatherField(uniform_climatology(wave=(3.0, 9.0, 90.0)), ())


def simulate_to(
    due_h: list[float | None], ordered_kn: list[float] | None = None, weather: object = ROUGH
) -> Simulation:
    simulate = partial(
        simulate_track, TRACK, ship=make_ship(), departs_at=DEPARTS_AT, weather=weather
    )
    return follow_schedule(simulate, TRACK, ordered_kn or [12.0] * 3, due_h)


def arrivals_h(simulation: Simulation) -> list[float]:
    return [float(simulation.hours[np.searchsorted(TRACK.leg, n)]) for n in (1, 2, 3)]


def test_without_due_times_the_ordered_speeds_apply() -> None:
    simulation = simulate_to([None] * 3, [10.0, 12.0, 14.0], weather=None)
    assert [simulation.through_water_kn[TRACK.leg == n].mean() for n in range(3)] == [10, 12, 14]


def test_every_due_time_is_kept_in_a_seaway() -> None:
    due_h = [16.0, 25.0, 46.0]
    assert arrivals_h(simulate_to([*due_h])) == pytest.approx(due_h, abs=0.01)


def test_legs_up_to_a_due_time_keep_the_ratio_of_their_speeds() -> None:
    simulation = simulate_to([None, None, 50.0], [8.0, 12.0, 10.0], weather=None)
    speeds = [simulation.through_water_kn[TRACK.leg == n].mean() for n in range(3)]
    assert arrivals_h(simulation)[2] == pytest.approx(50.0, abs=0.01)
    assert [v / speeds[0] for v in speeds] == pytest.approx([1.0, 1.5, 1.25])


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
