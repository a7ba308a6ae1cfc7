"""Progress of a voyage: position on the plan, delay and expected arrival."""

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.geodesy import great_circle_distance_nm
from app.engine.monitoring.planned_track import PlannedTrack
from app.engine.monitoring.progress import measure_progress
from app.engine.times import moment_at
from tests.builders import Turn, make_plan, north_atlantic_plan, north_pacific_plan
from tests.unit.engine.monitoring.sailed import follow, hours

ATLANTIC = north_atlantic_plan()
PLANS = {"Atlantic": ATLANTIC, "across the antimeridian": north_pacific_plan()}


@given(st.sampled_from(sorted(PLANS)), st.floats(0.01, 0.99), st.floats(-20.0, 20.0))
def test_a_ship_on_its_track_is_as_late_as_it_left(sea, share, late_h) -> None:
    plan = PLANS[sea]
    sailed_h = share * plan.summary.duration_h
    found = measure_progress(plan, follow(plan, hours=sailed_h, late_h=late_h))
    track = PlannedTrack.of(plan)
    at_h = track.times_h[0] + np.arange(0.0, sailed_h + 1e-9, 0.5)[-1]
    due_nm = np.interp(at_h, track.times_h, track.along_nm)
    at = found.on_track
    assert at.behind_h == pytest.approx(late_h, abs=0.15)
    assert at.made_good_nm == pytest.approx(due_nm, abs=2.0)
    assert at.made_good_nm + at.to_go_nm == pytest.approx(plan.summary.distance_nm, abs=0.1)
    assert abs(found.off_track_nm) < 1.0
    assert hours(at.eta_by_plan - found.planned_eta) == pytest.approx(at.behind_h, abs=1e-6)


def test_a_ship_north_of_a_westbound_track_is_off_to_starboard() -> None:
    plan = make_plan([Turn(40.0, -20.0), Turn(40.0, -30.0)])
    north = measure_progress(plan, follow(plan, hours=20.0, north_deg=0.25))
    south = measure_progress(plan, follow(plan, hours=20.0, north_deg=-0.25))
    assert north.off_track_nm == pytest.approx(15.0, abs=0.1)
    assert south.off_track_nm == pytest.approx(-15.0, abs=0.1)


def test_a_track_far_around_the_earth_is_followed_throughout() -> None:
    # the segment across the antipodal meridian of a ship in the Atlantic is east of Japan
    plan = make_plan([Turn(45.0, -12.0), Turn(9.0, -80.0), Turn(35.0, 140.0)])
    track = PlannedTrack.of(plan)
    off_nm = track.distance_off(np.array([46.3]), np.array([-17.0]))
    nearest_nm = great_circle_distance_nm(track.lats, track.lngs, 46.3, -17.0).min()
    assert off_nm[0] == pytest.approx(nearest_nm, abs=3.0)
    for sailed_h in (24.0, 200.0, 500.0, 800.0):
        late = measure_progress(plan, follow(plan, hours=sailed_h, late_h=400.0, north_deg=0.2))
        assert late.on_track.made_good_nm == pytest.approx(14.0 * sailed_h, abs=30.0)


def test_the_trend_is_the_speed_made_good_of_the_last_day() -> None:
    plan = make_plan([Turn(40.0, -20.0), Turn(40.0, -50.0)])
    found = measure_progress(plan, follow(plan, hours=48.0))
    assert found.on_track.speed_made_good_kn == pytest.approx(14.0, abs=0.05)
    assert found.on_track.eta_by_trend is not None
    assert abs(hours(found.on_track.eta_by_trend - plan.summary.eta)) < 0.5


@pytest.mark.parametrize("apart_h", [24.0, 25.0])
def test_noon_reports_of_long_days_give_a_trend(apart_h: float) -> None:
    plan = make_plan([Turn(40.0, -20.0), Turn(40.0, -50.0)])
    often = follow(plan, hours=75.0)
    noons = often.take(np.isin(often.times_h - often.times_h[0], apart_h * np.arange(4.0)))
    found = measure_progress(plan, noons)
    assert found.on_track.speed_made_good_kn == pytest.approx(14.0, abs=0.1)


def test_a_ship_at_rest_has_no_arrival_by_trend() -> None:
    records = follow(ATLANTIC, hours=30.0)
    still = records._replace(lats=np.full(61, records.lats[0]), lngs=np.full(61, records.lngs[0]))
    found = measure_progress(ATLANTIC, still).on_track
    assert found.eta_by_trend is None
    assert found.behind_h == pytest.approx(30.0)
    assert found.eta_by_plan == ATLANTIC.summary.eta + timedelta(hours=found.behind_h)


def test_fuel_is_compared_with_the_plan_to_the_same_place() -> None:
    plan = make_plan([Turn(40.0, -20.0), Turn(40.0, -50.0)])
    found = measure_progress(plan, follow(plan, hours=60.0, fuel_factor=1.1))
    assert found.fuel_t == pytest.approx(1.1 * found.on_track.planned_fuel_t, rel=0.005)


def test_fuel_is_compared_in_the_hours_for_which_reports_state_it() -> None:
    """The first three hours and the last four have positions alone."""
    plan = make_plan([Turn(40.0, -20.0), Turn(40.0, -60.0)])
    records = follow(plan, hours=90.0, fuel_factor=1.1)
    elapsed_h = records.times_h - records.times_h[0]
    is_stated = (elapsed_h >= 3.0) & (elapsed_h <= 86.0)
    stated = np.where(is_stated, records.fuel_t_per_day, np.nan)
    found = measure_progress(plan, records._replace(fuel_t_per_day=stated))
    assert found.fuel_t == pytest.approx(1.1 * found.on_track.planned_fuel_t, rel=0.005)
    begins_h, ends_h = (
        hours(at - moment_at(records.times_h[0])) for at in (found.fuel_from, found.fuel_to)
    )
    assert (begins_h, ends_h) == (pytest.approx(3.0), pytest.approx(86.0))


def test_distance_and_fuel_are_unknown_if_reports_leave_out_a_tenth_of_the_hours() -> None:
    sailed = follow(ATLANTIC, hours=100.0)
    is_gap = (sailed.times_h > sailed.times_h[0] + 30.0) & (
        sailed.times_h < sailed.times_h[-1] - 40
    )
    found = measure_progress(ATLANTIC, sailed.take(~is_gap))
    assert (found.fuel_t, found.sailed_nm) == (None, None)
    late = measure_progress(ATLANTIC, sailed, moment_at(sailed.times_h[0] - 20.0))
    assert (late.fuel_t, late.sailed_nm) == (None, None)
    assert measure_progress(ATLANTIC, sailed).fuel_t is not None


def test_one_position_alone_has_neither_fuel_nor_trend() -> None:
    found = measure_progress(ATLANTIC, follow(ATLANTIC, hours=0.2, late_h=2.0))
    assert (found.fuel_t, found.sailed_nm, found.on_track.speed_made_good_kn) == (None, None, None)
    assert found.on_track.behind_h == pytest.approx(2.0)


def test_without_a_position_there_is_no_progress() -> None:
    assert measure_progress(ATLANTIC, follow(ATLANTIC, hours=1.0).take(slice(0))) is None


def test_a_plan_made_under_way_keeps_the_fuel_distance_and_trend_since_departure() -> None:
    records = follow(ATLANTIC, hours=40.0)
    replanned_at = moment_at(records.times_h[60])
    rest = make_plan(
        [
            Turn(float(records.lats[60]), float(records.lngs[60])),
            Turn(*ATLANTIC.waypoints[-1].position),
        ],
        departs_at=replanned_at,
    )
    whole = measure_progress(ATLANTIC, records)
    found = measure_progress(rest, records, replanned_at=replanned_at)
    assert (found.fuel_t, found.sailed_nm) == (whole.fuel_t, whole.sailed_nm)
    on_rest, on_whole = found.on_track, whole.on_track
    on_rest_t = PlannedTrack.of(rest).fuel_at(on_rest.made_good_nm)
    assert on_rest.planned_fuel_t == pytest.approx(0.75 * whole.fuel_t + on_rest_t, rel=0.005)
    assert on_rest.made_good_nm == pytest.approx(0.25 * on_whole.made_good_nm, rel=0.05)
    assert on_rest.speed_made_good_kn == pytest.approx(on_whole.speed_made_good_kn, rel=0.02)
    assert measure_progress(rest, records.take(slice(60)), replanned_at=replanned_at) is None


def test_a_plan_that_begins_between_two_reports_has_the_fuel_until_then() -> None:
    records = follow(ATLANTIC, hours=48.0, every_h=24.0)
    replanned_at = moment_at(records.times_h[1] + 18.0)
    rest = make_plan(
        [
            Turn(float(records.lats[2]), float(records.lngs[2])),
            Turn(*ATLANTIC.waypoints[-1].position),
        ],
        departs_at=replanned_at,
    )
    found = measure_progress(rest, records, replanned_at=replanned_at)
    on_rest_t = PlannedTrack.of(rest).fuel_at(found.on_track.made_good_nm)
    until_t = found.on_track.planned_fuel_t - on_rest_t
    assert until_t == pytest.approx(found.fuel_t * 42.0 / 48.0, rel=1e-3)


def test_the_next_waypoint_is_the_first_ahead() -> None:
    found = measure_progress(ATLANTIC, follow(ATLANTIC, hours=50.0))
    ahead = found.on_track.next_waypoint
    assert ahead is not None
    waypoint = ATLANTIC.waypoints[ahead.index]
    assert waypoint.cumulative_nm - found.on_track.made_good_nm == pytest.approx(ahead.distance_nm)
    assert ATLANTIC.waypoints[ahead.index - 1].cumulative_nm <= found.on_track.made_good_nm
    assert ahead.hours == pytest.approx(ahead.distance_nm / found.on_track.speed_made_good_kn)


def test_at_the_end_no_waypoint_is_ahead() -> None:
    found = measure_progress(ATLANTIC, follow(ATLANTIC, hours=ATLANTIC.summary.duration_h + 1.0))
    assert found.on_track.to_go_nm == pytest.approx(0.0, abs=0.01)
    assert found.on_track.next_waypoint is None


def test_a_track_that_doubles_back_is_followed_in_order() -> None:
    plan = make_plan([Turn(40.0, -20.0), Turn(40.0, -24.0), Turn(40.02, -20.0)])
    records = follow(plan, hours=plan.summary.duration_h - 2.0)
    along_nm, _ = PlannedTrack.of(plan).project(records)
    assert np.all(np.diff(along_nm) > 0.0)
    assert measure_progress(plan, records).on_track.to_go_nm == pytest.approx(28.0, abs=7.5)


def test_reports_every_minute_give_the_progress_of_hourly_ones() -> None:
    often, seldom = (
        measure_progress(ATLANTIC, follow(ATLANTIC, hours=40.0, every_h=h)).on_track
        for h in (1 / 60, 1.0)
    )
    assert often.made_good_nm == pytest.approx(seldom.made_good_nm, abs=0.5)
    assert often.speed_made_good_kn == pytest.approx(seldom.speed_made_good_kn, abs=0.1)


@pytest.mark.parametrize(("north_deg", "is_on_track"), [(0.8, True), (0.9, False), (30.0, False)])
def test_a_ship_far_off_the_track_has_no_progress_along_it(
    north_deg: float, is_on_track: bool
) -> None:
    plan = make_plan([Turn(40.0, -20.0), Turn(40.0, -50.0)])
    found = measure_progress(plan, follow(plan, hours=60.0, north_deg=north_deg))
    assert (found.on_track is not None) is is_on_track
    assert abs(found.off_track_nm) == pytest.approx(60.0 * north_deg, rel=0.02)
    assert found.planned_eta == plan.summary.eta
    assert None not in (found.sailed_nm, found.fuel_t)
