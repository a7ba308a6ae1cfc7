"""Speeds that a ship cannot hold are found by the hours under way at less, without waits."""

from dataclasses import replace

import numpy as np
import pytest

from app.engine.checking.schedule import find_missed_times
from app.engine.planning.given_route import GivenWaypoint
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Position
from tests.unit.engine.ensemble.builders import POINTS, make_context, make_route

WAYPOINTS = [
    GivenWaypoint(Position(*point), speed_kn=12.0, number=number)
    for number, point in enumerate(POINTS, 1)
]
SEGMENT = 3


def make_slow_route(slow_h: float, waited_h: float) -> SimulatedRoute:
    """Return a route on which the ship makes 11 kn of 12 on one segment, after a wait."""
    route = make_route(make_context())
    planned = route.simulation
    segment_h = np.full(planned.fuel_t.size, 0.2)
    segment_h[SEGMENT] = slow_h
    waits_h = np.zeros(segment_h.size)
    waits_h[SEGMENT] = waited_h
    through_water_kn = np.full(segment_h.size, 12.0)
    through_water_kn[SEGMENT] = 11.0
    hours = np.append(0.0, np.cumsum(segment_h + waits_h))
    simulation = replace(planned, hours=hours, waited_h=waits_h, through_water_kn=through_water_kn)
    return replace(route, simulation=simulation)


def test_a_wait_does_not_count_as_time_at_less_than_the_speed_ordered() -> None:
    assert list(find_missed_times(WAYPOINTS, make_slow_route(0.2, 12.0))) == []


@pytest.mark.parametrize("waited_h", [0.0, 12.0])
def test_the_hours_stated_are_those_under_way(waited_h: float) -> None:
    (found,) = find_missed_times(WAYPOINTS, make_slow_route(0.7, waited_h))
    assert found.message.startswith("For 0.7 h on the leg to waypoint 2")
