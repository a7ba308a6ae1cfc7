"""Reports of whole periods count where there are no records, and only there."""

import numpy as np
import pytest

from app.engine.telemetry.records import FuelBasis, VoyageRecords, sum_records
from app.engine.telemetry.reports import (
    PeriodReports,
    StatedReports,
    begin_at,
    merge_reports,
    read_reports,
    select_fuelled,
)
from app.engine.telemetry.sums import DaySums, Timeline, single_record_runs, sum_days, unpack

NOON = 20_000 * 24.0 + 12.0
UNKNOWN = np.nan


def make_reports(
    days: int = 5, first: int = 0, *, generators_t: float = UNKNOWN, boilers_t: float = UNKNOWN
) -> PeriodReports:
    """Daily reports at noon of 24 hours, 288 nm and 24 t, the first of day ``first``."""
    days_h = NOON + 24.0 * np.arange(first, first + days)
    return read_reports(state(days_h, generators_t=generators_t, boilers_t=boilers_t))


def state(times_h: np.ndarray, **others: float | np.ndarray) -> StatedReports:
    """Reports of 24 hours, 288 nm and 24 t as ships state them, received in order of time."""
    usual = {"steaming_h": 24.0, "distance_nm": 288.0, "speed_kn": 12.0, "fuel_t": 24.0}
    usual |= {"lats": 50.0, "lngs": -20.0, "generators_t": UNKNOWN, "boilers_t": UNKNOWN}
    stated = usual | {"received_h": times_h, "is_arrival": 0.0} | others
    return StatedReports(
        times_h, **{name: np.broadcast_to(value, times_h.shape) for name, value in stated.items()}
    )


def make_records(since_h: float, until_h: float) -> VoyageRecords:
    """Hourly records of a ship at rest."""
    times_h = np.arange(since_h, until_h + 0.5)
    return VoyageRecords(times_h, *np.zeros((4, times_h.size)))


def build(reports: PeriodReports, *records: VoyageRecords) -> Timeline:
    parts = [single_record_runs(each) for each in records]
    runs = parts[0] if parts else unpack(b"").sums
    for each in parts[1:]:
        runs = type(runs)(*map(np.concatenate, zip(runs, each, strict=True)))
    return Timeline.of(unpack(b""), runs, reports)


def test_reports_alone_give_their_own_figures() -> None:
    timeline = build(make_reports())
    found = timeline.sum_between(0.0, 1e6, with_curve=True)
    assert found is not None
    assert (found.distance_nm, found.fuel_t, found.hours_under_way) == (1440.0, 120.0, 120.0)
    assert [(p.speed_kn, p.fuel_t_per_day, p.hours) for p in found.speed_curve] == [
        (12.0, 24.0, 120.0)
    ]
    assert timeline.span_ends_h(0.0, 1e6) == (NOON - 24.0, NOON + 96.0)


def test_a_report_counts_in_the_span_in_which_it_ends() -> None:
    timeline = build(make_reports())
    parts = [
        timeline.sum_between(since_h, until_h)
        for since_h, until_h in ((0.0, NOON + 30.0), (NOON + 30.0, NOON + 72.0), (NOON + 72.0, 1e6))
    ]
    assert [part and part.fuel_t for part in parts] == [48.0, 48.0, 24.0]
    assert timeline.sum_between(NOON + 1.0, NOON + 23.0) is None


@pytest.mark.parametrize(
    ("since_h", "until_h", "left"),
    [
        (NOON, NOON + 24.0, 4),  # a whole period
        (NOON + 30.0, NOON + 33.0, 4),  # a part of one
        (NOON + 20.0, NOON + 28.0, 3),  # parts of two
        (NOON - 60.0, NOON - 24.0, 5),  # before them
        (NOON + 96.0, NOON + 120.0, 5),  # after them
        (NOON + 30.0, NOON + 30.0, 5),  # one record covers no time
    ],
)
def test_a_report_whose_period_has_records_does_not_count(
    since_h: float, until_h: float, left: int
) -> None:
    timeline = build(make_reports(), make_records(since_h, until_h))
    assert timeline.reports.times_h.size == left
    found = timeline.sum_between(0.0, 1e6)
    assert found is not None
    assert found.fuel_t == 24.0 * left


def test_a_gap_between_records_that_counts_leaves_no_room_for_a_report() -> None:
    before, after = make_records(NOON - 9.0, NOON - 1.0), make_records(NOON + 25.0, NOON + 30.0)
    timeline = build(make_reports(1, first=1), before, after)
    assert timeline.reports.times_h.size == 0
    longer = build(make_reports(1, first=1), before, make_records(NOON + 26.0, NOON + 30.0))
    assert longer.reports.times_h.size == 1


def test_records_of_whole_days_cover_the_time_between_their_first_and_last() -> None:
    days = sum_days(make_records(NOON - 12.0, NOON + 11.0))
    runs = single_record_runs(make_records(1.0, 0.0))
    timeline = Timeline.of(DaySums(*days), runs, make_reports(3))
    assert timeline.reports.times_h.tolist() == [NOON + 48.0]


def test_what_a_report_does_not_state_is_taken_from_the_rest_of_it() -> None:
    times_h = NOON + np.array([0.0, 24.0, 44.0, 144.0, 168.0])
    steaming = np.array([UNKNOWN, 23.0, UNKNOWN, UNKNOWN, 0.0])
    distance = np.array([240.0, UNKNOWN, UNKNOWN, UNKNOWN, 0.0])
    speed = np.array([UNKNOWN, 12.0, UNKNOWN, 11.0, UNKNOWN])
    fuel = np.array([20.0, 21.0, 22.0, UNKNOWN, 1.0])
    given = {"steaming_h": steaming, "distance_nm": distance, "speed_kn": speed, "fuel_t": fuel}
    found = select_fuelled(read_reports(state(times_h, **given)))
    assert found.times_h.tolist() == times_h[[0, 1, 4]].tolist()
    assert found.hours.tolist() == [24.0, 24.0, 24.0]
    assert found.hours_under_way.tolist() == [24.0, 23.0, 0.0]
    assert found.distance_nm.tolist() == [240.0, 276.0, 0.0]


@pytest.mark.parametrize(
    ("steaming_h", "distance_nm", "speed_kn", "fuel_t", "counted_t"),
    [
        (0.0, UNKNOWN, UNKNOWN, 0.0, 5.5),
        (0.0, UNKNOWN, UNKNOWN, UNKNOWN, 5.5),
        (0.0, 0.0, UNKNOWN, UNKNOWN, 5.5),
        (0.0, UNKNOWN, 0.0, UNKNOWN, 5.5),
        (UNKNOWN, 0.0, UNKNOWN, UNKNOWN, 5.5),
        (0.0, 2.0, UNKNOWN, 0.5, 6.0),
        (UNKNOWN, UNKNOWN, UNKNOWN, 0.0, None),
        (24.0, 288.0, 12.0, UNKNOWN, None),
    ],
)
def test_a_report_in_port_counts_the_fuel_of_auxiliaries_and_boilers(
    steaming_h: float,
    distance_nm: float,
    speed_kn: float,
    fuel_t: float,
    counted_t: float | None,
) -> None:
    stated = state(
        np.array([NOON]),
        steaming_h=steaming_h,
        distance_nm=distance_nm,
        speed_kn=speed_kn,
        fuel_t=fuel_t,
        generators_t=4.0,
        boilers_t=1.5,
    )
    reports = select_fuelled(read_reports(stated))
    found = build(reports).sum_between(0.0, 1e6)
    assert (found and found.total_fuel(None)) == (
        counted_t and (pytest.approx(counted_t), FuelBasis.REPORTED)
    )


@pytest.mark.parametrize(
    ("generators_t", "boilers_t", "declared", "total_t", "basis"),
    [
        (4.0, 2.0, None, 150.0, FuelBasis.REPORTED),
        (4.0, UNKNOWN, 9.0, 140.0, FuelBasis.REPORTED),
        (0.0, UNKNOWN, 9.0, 120.0, FuelBasis.REPORTED),
        (UNKNOWN, UNKNOWN, 3.0, 135.0, FuelBasis.DECLARED),
        (UNKNOWN, UNKNOWN, 0.0, 120.0, FuelBasis.DECLARED),
        (UNKNOWN, UNKNOWN, None, 120.0, FuelBasis.MAIN_ENGINE_ONLY),
    ],
)
def test_the_total_fuel_counts_auxiliaries_as_reported_else_as_declared(
    generators_t: float, boilers_t: float, declared: float | None, total_t: float, basis: FuelBasis
) -> None:
    reports = make_reports(generators_t=generators_t, boilers_t=boilers_t)
    found = build(reports).sum_between(0.0, 1e6)
    assert found is not None
    assert found.total_fuel(declared) == (pytest.approx(total_t), basis)


def test_declared_auxiliaries_count_in_the_hours_without_reports_of_them() -> None:
    reports = make_reports(generators_t=4.0)
    found = build(reports, make_records(NOON + 120.0, NOON + 132.0)).sum_between(0.0, 1e6)
    assert found is not None
    assert found.total_fuel(6.0) == (pytest.approx(5 * 28.0 + 3.0), FuelBasis.DECLARED)
    assert found.total_fuel(None) == (pytest.approx(5 * 28.0), FuelBasis.MAIN_ENGINE_ONLY)


@pytest.mark.parametrize(
    ("later_h", "steaming_h"),
    [
        *((later_h, 24.0) for later_h in (-8.0, -0.2, 0.2, 1.0, 8.0, 12.0)),
        (-0.2, UNKNOWN),
        (0.2, UNKNOWN),
    ],
)
def test_reports_of_the_same_hours_count_once_as_received_last(
    later_h: float, steaming_h: float
) -> None:
    first_h = NOON + 24.0 * np.arange(5)
    times_h = np.concatenate((first_h, first_h + later_h))
    first, again = np.zeros(5), np.ones(5)
    stated = state(
        times_h,
        steaming_h=steaming_h,
        fuel_t=np.concatenate((first + 24.0, again * 25.0)),
        received_h=np.concatenate((first, again)),
    ).take(np.argsort(times_h))
    found = read_reports(stated)
    assert found.times_h.tolist() == (first_h + later_h).tolist()
    assert found.fuel_t.tolist() == [25.0] * 5
    assert found.hours.tolist() == pytest.approx([24.0] * 5)
    assert found.hours_under_way.tolist() == pytest.approx([24.0] * 5)


def test_a_report_of_a_speed_alone_sent_again_soon_after_counts_once() -> None:
    times_h = NOON + np.array([0.0, 0.2, 0.5, 24.0])
    given = {"steaming_h": UNKNOWN, "distance_nm": UNKNOWN}
    found = read_reports(state(times_h, **given))
    assert found.times_h.tolist() == times_h[2:].tolist()
    assert found.hours.tolist() == pytest.approx([24.0, 23.5])


def test_a_port_report_sent_again_soon_after_counts_once() -> None:
    given = {"steaming_h": 0.0, "distance_nm": 0.0, "fuel_t": UNKNOWN, "generators_t": 3.0}
    found = read_reports(state(NOON + np.array([0.0, 0.5]), **given))
    assert (found.auxiliary_t.tolist(), found.hours.tolist()) == ([3.0], [24.0])


@pytest.mark.parametrize(
    ("times_h", "steaming_h", "fuel_t"),
    [
        ([0.0, 2.0, 26.0], [24.0, 2.0, 24.0], [24.0, 2.0, 24.0]),  # an arrival after noon
        ([0.0, 0.7, 24.0], [UNKNOWN, UNKNOWN, UNKNOWN], [24.0, 0.5, 24.0]),  # its hours not stated
        ([0.0, 23.0, 46.0], [24.0, 24.0, 24.0], [24.0, 24.0, 24.0]),  # clocks set on
        ([0.0, 4.0, 8.0], [4.0, 4.5, 4.0], [4.0, 4.0, 4.0]),  # a report each watch
        ([0.0, 4.0, 8.0], [UNKNOWN, UNKNOWN, UNKNOWN], [4.0, 4.0, 4.0]),
    ],
)
def test_reports_of_other_hours_all_count(
    times_h: list[float], steaming_h: list[float], fuel_t: list[float]
) -> None:
    steaming, fuel = np.array(steaming_h), np.array(fuel_t)
    given = {"steaming_h": steaming, "distance_nm": 12.0 * steaming, "fuel_t": fuel}
    found = read_reports(state(NOON + np.array(times_h), **given))
    assert found.fuel_t.tolist() == fuel_t


@pytest.mark.parametrize("every_h", [24.0, 12.0, 4.0, 0.5])
@pytest.mark.parametrize("slower_kn", [0.0, 3.0, 6.0, 9.0])
def test_reports_all_count_whatever_the_speed_was_at_their_times(
    every_h: float, slower_kn: float
) -> None:
    times_h = NOON + every_h * np.arange(60)
    speed_kn = 12.0 - slower_kn + 3.0 * np.sin(np.arange(60.0))
    made = {"distance_nm": 12.0 * every_h, "fuel_t": every_h}
    found = read_reports(state(times_h, steaming_h=UNKNOWN, speed_kn=speed_kn, **made))
    assert found.fuel_t.tolist() == [every_h] * 60


def test_a_slow_day_of_an_arrival_replaces_no_day_before_it() -> None:
    distance, speed = np.array([300.0, 300.0, 60.0, 0.0]), np.array([12.5, 12.5, 1.5, 0.0])
    times_h = NOON + 24.0 * np.arange(4)
    given = {"steaming_h": UNKNOWN, "distance_nm": distance, "speed_kn": speed}
    assert read_reports(state(times_h, **given)).distance_nm.tolist() == distance.tolist()


def test_a_later_report_without_fuel_replaces_none() -> None:
    times_h = NOON + np.array([0.0, 0.2])
    reports = read_reports(state(times_h, fuel_t=np.array([24.0, UNKNOWN])))
    assert select_fuelled(reports).fuel_t.tolist() == [24.0]


def test_reports_give_records_of_the_fuel_that_they_state() -> None:
    none = make_records(1.0, 0.0)
    reports = make_reports(4)
    steps = np.array([1.0, 2.0, 0.5, 1.5])
    reports = reports._replace(
        fuel_t=24.0 * steps, distance_nm=200.0 * steps, lngs=-20.0 + np.cumsum(steps)
    )
    found = sum_records(merge_reports(none, reports))
    assert found is not None
    assert found.hours == 72.0
    assert found.fuel_t == pytest.approx(24.0 * steps[1:].sum(), rel=1e-4)


def test_a_ship_lies_still_from_its_report_of_arrival_on() -> None:
    none, under_way = make_records(1.0, 0.0), make_reports(3)
    under_way = under_way._replace(lngs=-20.0 + np.array([0.0, 7.0, 14.0]))
    merged = merge_reports(none, under_way._replace(is_arrival=np.array([0.0, 0.0, 1.0])))
    assert merged.speed_kn.tolist() == [12.0, 12.0, 12.0, 12.0, 0.0]
    arrived, sailing = sum_records(merged), sum_records(merge_reports(none, under_way))
    assert arrived is not None
    assert sailing is not None
    assert arrived.distance_nm == sailing.distance_nm
    assert (arrived.hours, arrived.fuel_t) == (sailing.hours, sailing.fuel_t)


def test_a_report_whose_period_has_a_record_gives_none() -> None:
    reports = make_reports(3)
    records = make_records(NOON + 30.0, NOON + 33.0)
    merged = merge_reports(records, reports)
    assert np.array_equal(np.diff(merged.times_h) > 0.0, np.full(merged.times_h.size - 1, True))
    assert np.isin(records.times_h, merged.times_h).all()
    assert NOON + 48.0 not in merged.times_h
    assert NOON + 24.0 in merged.times_h


def test_a_report_without_position_gives_no_record_and_begins_none() -> None:
    reports = make_reports(3)
    lats = reports.lats.copy()
    lats[1] = UNKNOWN
    merged = merge_reports(make_records(1.0, 0.0), reports._replace(lats=lats))
    assert merged.times_h.tolist() == [NOON, NOON + 48.0]


def test_a_report_without_fuel_gives_its_position() -> None:
    reports = make_reports(1)._replace(fuel_t=np.array([UNKNOWN]))
    merged = merge_reports(make_records(1.0, 0.0), reports)
    assert (merged.lats[0], merged.lngs[0], merged.speed_kn[0]) == (50.0, -20.0, 12.0)
    assert np.isnan(merged.fuel_t_per_day[0])


@pytest.mark.parametrize(
    ("departed_h", "lat", "hours"),
    [(NOON - 18.0, 49.0, 66.0), (NOON - 24.0, 49.0, 72.0), (NOON - 18.0, 10.0, 48.0)],
    ids=["in a period", "at its beginning", "too far away"],
)
def test_the_report_that_reaches_back_to_a_departure_counts_from_there(
    departed_h: float, lat: float, hours: float
) -> None:
    reports = make_reports(3)
    merged = merge_reports(make_records(1.0, 0.0), reports)
    found = sum_records(begin_at(merged, reports, departed_h, lat, -20.0))
    assert found is not None
    assert found.hours == pytest.approx(hours)
    assert found.fuel_t == pytest.approx(hours, rel=1e-4)


def test_no_report_counts_from_a_departure_after_which_a_record_lies() -> None:
    reports, records = make_reports(3), make_records(NOON - 3.0, NOON - 2.0)
    merged = merge_reports(records, reports)
    departed_h = NOON - 18.0
    assert begin_at(merged, reports, departed_h, 0.0, 0.0).times_h[0] == NOON - 3.0
    assert begin_at(merged, reports, NOON + 100.0, 0.0, 0.0).times_h.size == 0
