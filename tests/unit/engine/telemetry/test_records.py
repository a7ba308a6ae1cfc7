"""Sums of a ship's records."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.geodesy import great_circle_distance_nm
from app.engine.telemetry.records import (
    LONGEST_GAP_H,
    VoyageRecords,
    drop_spikes,
    merge,
    select,
    sum_fuel_t,
    sum_records,
)


def make_records(hours: list[float], speed_kn: float = 12.0, fuel: float = 24.0) -> VoyageRecords:
    times = np.array(hours, dtype=float)
    return VoyageRecords(
        times,
        np.full_like(times, 50.0),
        -20.0 + times * 0.3,
        np.full_like(times, speed_kn),
        np.full_like(times, fuel),
    )


def test_a_single_record_has_no_sum() -> None:
    assert sum_records(make_records([0.0])) is None


def test_no_record_has_no_sum() -> None:
    assert sum_records(make_records([])) is None


def test_distance_is_geodesic_from_record_to_record() -> None:
    recorded = sum_records(make_records([0.0, 1.0, 2.0]))
    assert recorded is not None
    leg = float(great_circle_distance_nm(50.0, -20.0, 50.0, -19.7))
    assert recorded.distance_nm == pytest.approx(2.0 * leg)


def test_a_position_that_no_ship_can_reach_adds_no_distance() -> None:
    records = make_records([0.0, 1.0, 2.0])
    records.lngs[1] = 160.0
    recorded = sum_records(records)
    assert recorded is not None
    assert recorded.distance_nm == pytest.approx(2.0 * 12.0)


def test_a_sign_lost_from_sparse_longitudes_adds_no_distance() -> None:
    hours = 6.0 * np.arange(20.0)
    lngs = -6.0 + hours * 10.0 / (60.0 * np.cos(np.radians(36.0)))
    lngs[2:4] *= -1.0
    records = make_records(list(hours), speed_kn=10.0)._replace(lats=np.full(20, 36.0), lngs=lngs)
    recorded = sum_records(records)
    assert recorded is not None
    assert recorded.distance_nm == pytest.approx(19 * 60.0, rel=0.01)


def test_a_ship_that_sails_faster_between_two_slow_reports_keeps_its_distance() -> None:
    records = make_records([0.0, 24.0], speed_kn=6.0)._replace(lngs=np.array([-20.0, -10.5]))
    recorded = sum_records(records)
    assert recorded is not None
    assert recorded.distance_nm == pytest.approx(366.0, rel=0.01)


def test_two_fixes_within_a_second_are_no_jump() -> None:
    records = make_records([0.0, 1.0 / 3600.0])
    recorded = sum_records(records._replace(lngs=np.array([-20.0, -20.001])))
    assert recorded is not None
    assert recorded.distance_nm == pytest.approx(0.0387, abs=0.001)


def test_consumption_varies_linearly_between_records() -> None:
    records = make_records([0.0, 24.0])._replace(fuel_t_per_day=np.array([20.0, 30.0]))
    recorded = sum_records(records)
    assert recorded is not None
    assert recorded.fuel_t == pytest.approx(25.0)


def test_an_interval_longer_than_the_longest_gap_is_not_counted() -> None:
    recorded = sum_records(make_records([0.0, 1.0, 1.0 + LONGEST_GAP_H + 0.1, 30.0]))
    assert recorded is not None
    assert recorded.hours == pytest.approx(1.0 + 30.0 - 27.1)


def test_hours_at_rest_burn_fuel_and_are_not_under_way() -> None:
    recorded = sum_records(make_records([0.0, 1.0, 2.0], speed_kn=0.2))
    assert recorded is not None
    assert (recorded.hours, recorded.hours_under_way, recorded.distance_nm) == (2.0, 0.0, 0.0)
    assert recorded.fuel_t == pytest.approx(2.0)
    assert recorded.speed_curve == ()


@given(
    st.lists(st.floats(0.1, 20.0), min_size=2, max_size=30),
    st.lists(st.floats(1.5, 25.0), min_size=31, max_size=31),
)
def test_the_speed_curve_holds_all_hours_and_fuel_under_way(
    gaps: list[float], speeds: list[float]
) -> None:
    records = make_records([0.0, *np.cumsum(gaps)])
    records = records._replace(
        speed_kn=np.array(speeds[: len(gaps) + 1]),
        fuel_t_per_day=np.array(speeds[: len(gaps) + 1]) ** 2 / 5.0,
    )
    recorded = sum_records(records)
    assert recorded is not None
    curve = recorded.speed_curve
    assert sum(point.hours for point in curve) == pytest.approx(recorded.hours_under_way)
    burnt = sum(point.fuel_t_per_day * point.hours / 24.0 for point in curve)
    assert burnt == pytest.approx(recorded.fuel_under_way_t)


def test_a_span_includes_the_records_at_both_its_ends() -> None:
    chosen = select(make_records([0.0, 1.0, 2.0, 3.0]), 1.0, 2.0)
    assert chosen.times_h.tolist() == [1.0, 2.0]


def test_fuel_is_summed_over_the_records_that_report_it() -> None:
    reports = make_records([0.0, 12.0, 24.0])
    positions = make_records([6.0, 18.0], fuel=np.nan)
    assert sum_fuel_t(merge(reports, positions)) == pytest.approx(24.0)


def test_fuel_reported_for_too_few_hours_is_unknown() -> None:
    reports = make_records([0.0, 12.0])
    later = make_records([18.0, 24.0], fuel=np.nan)
    assert sum_fuel_t(reports) == pytest.approx(12.0)
    assert sum_fuel_t(merge(reports, later)) is None
    assert sum_fuel_t(later) is None


def test_of_two_records_at_one_time_that_of_the_first_series_is_kept() -> None:
    merged = merge(make_records([0.0, 2.0]), make_records([1.0, 2.0], speed_kn=5.0))
    assert merged.times_h.tolist() == [0.0, 1.0, 2.0]
    assert merged.speed_kn.tolist() == [12.0, 5.0, 12.0]


def test_a_position_off_the_track_of_the_others_is_a_spike() -> None:
    records = make_records([*map(float, range(8))])
    records.lats[3] += 0.6
    kept = drop_spikes(records)
    assert kept.times_h.tolist() == [0.0, 1.0, 2.0, 4.0, 5.0, 6.0, 7.0]


def test_a_ship_that_has_shifted_between_two_reports_has_no_spike() -> None:
    records = make_records([*map(float, range(8))])
    records.lats[4:] += 0.6
    assert drop_spikes(records).times_h.size == 8
    assert drop_spikes(make_records([0.0, 1.0])).times_h.size == 2
