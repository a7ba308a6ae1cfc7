"""The change of speed with which a ship arrives just in time."""

from collections.abc import Callable
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.request import Position
from app.engine.sailing.arrival import estimate_change_of_speed, find_change_of_speed
from app.engine.sailing.simulation import Simulation, simulate_track
from app.engine.sailing.track import build_track
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import (
    DEPARTS_AT,
    make_canal,
    make_leg,
    make_ship,
    make_simulation,
    make_track,
)
from tests.unit.engine.weather.seas import uniform_climatology

TOLERANCE_H = 0.01


def make_late_h(distance_nm: float, speed_kn: float, longest_h: float) -> Callable[[float], float]:
    return lambda change_kn: distance_nm / (speed_kn + change_kn) - longest_h


@given(
    distance_nm=st.floats(50.0, 12_000.0),
    speed_kn=st.floats(8.0, 20.0),
    required_kn=st.floats(-3.0, 3.0).filter(lambda change: abs(change) > 0.05),
    error=st.floats(0.3, 3.0),
)
def test_the_ship_arrives_in_time_with_the_change_found_from_any_estimate(
    distance_nm: float, speed_kn: float, required_kn: float, error: float
) -> None:
    late_h = make_late_h(distance_nm, speed_kn, distance_nm / (speed_kn + required_kn))
    limit = 4.0 if required_kn > 0.0 else -4.0
    change = find_change_of_speed(
        late_h, estimate=error * required_kn, limit=limit, tolerance_h=TOLERANCE_H
    )
    assert abs(late_h(change)) <= TOLERANCE_H


@pytest.mark.parametrize(("longest_h", "limit"), [(50.0, 2.0), (200.0, -2.0)])
def test_the_limit_is_returned_if_it_is_not_enough(longest_h: float, limit: float) -> None:
    late_h = make_late_h(1000.0, 10.0, longest_h)
    assert (
        find_change_of_speed(late_h, estimate=limit, limit=limit, tolerance_h=TOLERANCE_H) == limit
    )


def test_the_change_is_just_beyond_a_jump_of_the_hours() -> None:
    def late_h(change_kn: float) -> float:
        return (5.0 if change_kn < 1.3 else -3.0) - change_kn

    change = find_change_of_speed(late_h, estimate=0.7, limit=4.0, tolerance_h=TOLERANCE_H)
    assert late_h(change) < 0.0
    assert change == pytest.approx(1.3, abs=0.002)


def test_few_simulations_are_needed() -> None:
    simulated: list[float] = []

    def late_h(change_kn: float) -> float:
        if change_kn not in simulated:
            simulated.append(change_kn)
        return make_late_h(3000.0, 12.0, 240.0)(change_kn)

    find_change_of_speed(late_h, estimate=12.0 * 10.0 / 240.0, limit=3.0, tolerance_h=TOLERANCE_H)
    assert len(simulated) <= 4


@pytest.mark.parametrize("late_h", [-8.0, -1.0, 1.0, 8.0])
@pytest.mark.parametrize("kn_per_change", [1.0, 12.0])
def test_the_estimate_is_within_a_twentieth_in_a_current_and_through_a_canal(
    late_h: float, kn_per_change: float
) -> None:
    points = [Position(0.0, lng) for lng in (-20.0, 1.0, 2.0, 20.0)]
    legs = [
        make_leg(a, b, n)
        for a, b, n in zip(points, points[1:], (None, "Canal", None), strict=False)
    ]
    track = build_track(legs, {"Canal": make_canal(speed_kn=8.0)})
    field = WeatherField(uniform_climatology(current=(-1.2, 0.4)))

    def simulate(speed_kn: float) -> Simulation:
        return simulate_track(
            track, speed_kn, ship=make_ship(), departs_at=DEPARTS_AT, weather=field
        )

    as_ordered = simulate(12.0)
    change = estimate_change_of_speed(as_ordered, kn_per_change, late_h)
    found = simulate(12.0 + kn_per_change * change)
    assert as_ordered.total_h - found.total_h == pytest.approx(late_h, rel=0.05)


def test_no_change_is_enough_for_a_ship_held_all_the_way() -> None:
    simulation = make_simulation(make_track((0.0, 0.0), (0.0, 10.0)), speed_kn=40.0)
    assert estimate_change_of_speed(simulation, 1.0, 5.0) == inf
    assert estimate_change_of_speed(simulation, 1.0, -5.0) == -inf
