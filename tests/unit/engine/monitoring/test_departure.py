"""Times of departure and arrival by reported positions."""

import numpy as np

from app.engine.monitoring.departure import find_arrival_h, find_departure_h
from app.engine.telemetry.records import VoyageRecords
from tests.builders import Turn, make_plan, north_atlantic_plan
from tests.unit.engine.monitoring.sailed import follow

PLAN = north_atlantic_plan()
START, END = PLAN.waypoints[0].position, PLAN.waypoints[-1].position


def lie(records: VoyageRecords, index: int, hours: int, *, after: bool) -> VoyageRecords:
    """Add records at rest for some hours before the first or after the last record."""
    times_h = records.times_h[index] + np.arange(1, hours + 1) * (1.0 if after else -1.0)
    still = VoyageRecords(
        np.sort(times_h),
        *(np.full(hours, values[index]) for values in (records.lats, records.lngs)),
        *(np.zeros(hours), np.full(hours, 3.0)),
    )
    both = (records, still) if after else (still, records)
    return VoyageRecords(*map(np.concatenate, zip(*both, strict=True)))


def test_a_ship_leaves_when_it_was_last_at_rest_in_the_port_s_area() -> None:
    sailed = follow(PLAN, hours=10.0)
    found = find_departure_h(lie(sailed, 0, 5, after=False), START)
    assert found == sailed.times_h[0] - 1.0


def test_a_ship_that_was_never_at_rest_leaves_with_its_last_report_from_there() -> None:
    assert find_departure_h(follow(PLAN, hours=10.0), START) is not None


def test_a_ship_that_is_still_there_has_not_left() -> None:
    sailed = follow(PLAN, hours=0.4, every_h=0.1)
    assert find_departure_h(sailed, START) is None


def test_a_ship_that_was_never_there_has_not_left_from_there() -> None:
    assert find_departure_h(follow(PLAN, hours=10.0, north_deg=2.0), START) is None


def test_passing_the_destination_is_no_arrival() -> None:
    sailed = follow(PLAN, hours=PLAN.summary.duration_h)
    assert find_arrival_h(sailed, START, END) is None
    arrived = lie(sailed, -1, 3, after=True)
    assert find_arrival_h(arrived, START, END) == sailed.times_h[-1] + 1.0


def test_the_rest_before_a_short_voyage_is_no_arrival() -> None:
    berths = make_plan([Turn(52.0, 3.9), Turn(52.12, 4.05)])
    start, end = (berths.waypoints[at].position for at in (0, -1))
    sailed = lie(follow(berths, hours=0.4, every_h=0.1), 0, 3, after=False)
    assert find_arrival_h(sailed, start, end) is None
    arrived = lie(follow(berths, hours=berths.summary.duration_h), -1, 3, after=True)
    assert find_arrival_h(arrived, start, end) == arrived.times_h[-3]


def test_a_round_trip_arrives_when_it_is_back() -> None:
    trip = make_plan([Turn(40.0, -20.0), Turn(40.0, -24.0), Turn(40.0, -20.0)])
    home = trip.waypoints[0].position
    out = lie(follow(trip, hours=1.0), 0, 3, after=False)
    assert find_arrival_h(out, home, home) is None
    back = lie(follow(trip, hours=trip.summary.duration_h), -1, 3, after=True)
    assert find_arrival_h(back, home, home) == back.times_h[-3]


def test_a_ship_that_stays_where_its_voyage_was_reopened_has_not_arrived() -> None:
    arrived = lie(follow(PLAN, hours=PLAN.summary.duration_h), -1, 6, after=True)
    reopened_h = arrived.times_h[-3]
    assert find_arrival_h(arrived, START, END, reopened_h=reopened_h) is None
    arrived.speed_kn[-2] = 5.0
    assert find_arrival_h(arrived, START, END, reopened_h=reopened_h) == arrived.times_h[-1]
