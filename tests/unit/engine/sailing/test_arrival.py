"""The change of speed with which a ship is just in time."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.sailing.arrival import find_change_of_speed

CLOSE_H = 0.01


def sail(distance_nm: float, speed_kn: float, longest_h: float) -> Callable[[float], float]:
    return lambda change_kn: distance_nm / (speed_kn + change_kn) - longest_h


@given(
    distance_nm=st.floats(50.0, 12_000.0),
    speed_kn=st.floats(8.0, 20.0),
    wanted_kn=st.floats(-3.0, 3.0).filter(lambda change: abs(change) > 0.05),
    error=st.floats(0.3, 3.0),
)
def test_the_change_found_brings_the_ship_in_time_whatever_was_estimated(
    distance_nm: float, speed_kn: float, wanted_kn: float, error: float
) -> None:
    late_h = sail(distance_nm, speed_kn, distance_nm / (speed_kn + wanted_kn))
    most = 4.0 if wanted_kn > 0.0 else -4.0
    change = find_change_of_speed(late_h, likely=error * wanted_kn, most=most, close_h=CLOSE_H)
    assert abs(late_h(change)) <= CLOSE_H


@pytest.mark.parametrize(("longest_h", "most"), [(50.0, 2.0), (200.0, -2.0)])
def test_the_most_is_returned_where_it_is_not_enough(longest_h: float, most: float) -> None:
    late_h = sail(1000.0, 10.0, longest_h)
    assert find_change_of_speed(late_h, likely=most, most=most, close_h=CLOSE_H) == most


def test_where_the_hours_jump_past_the_time_the_ship_is_in_time_just_after() -> None:
    def late_h(change_kn: float) -> float:
        return (5.0 if change_kn < 1.3 else -3.0) - change_kn

    change = find_change_of_speed(late_h, likely=0.7, most=4.0, close_h=CLOSE_H)
    assert late_h(change) < 0.0
    assert change == pytest.approx(1.3, abs=0.002)


def test_a_few_simulations_suffice() -> None:
    asked: list[float] = []

    def late_h(change_kn: float) -> float:
        if change_kn not in asked:
            asked.append(change_kn)
        return sail(3000.0, 12.0, 240.0)(change_kn)

    find_change_of_speed(late_h, likely=12.0 * 10.0 / 240.0, most=3.0, close_h=CLOSE_H)
    assert len(asked) <= 4
