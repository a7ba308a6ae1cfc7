"""Segments of plans."""

from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.report.segments import SplitIndexError, compute_segments, fair_current_kn
from app.engine.request import Position
from app.engine.weather.records import Weather
from app.models import ChartingRevision
from app.services.plan_codec import read_plan, write_plan
from tests.builders import (
    Turn,
    make_plan,
    make_weather,
    north_atlantic_plan,
    panama_plan,
    three_plans,
    wait_before_canal,
)

PLANS = three_plans()


def test_without_splits_every_leg_is_a_segment() -> None:
    plan = PLANS["panama"]
    segments = compute_segments(plan)
    assert [(s.from_index, s.to_index) for s in segments] == [(i, i + 1) for i in range(6)]
    assert [s.distance_nm for s in segments] == pytest.approx(
        [w.leg_distance_nm for w in plan.waypoints[1:]]
    )
    assert compute_segments(plan, []) == segments


def test_the_route_is_divided_at_the_split_indices() -> None:
    bounds = [(s.from_index, s.to_index) for s in compute_segments(PLANS["panama"], [1, 4])]
    assert bounds == [(0, 1), (1, 4), (4, 6)]


def test_the_mean_speed_of_a_segment_excludes_the_usual_wait_before_a_canal() -> None:
    plan = panama_plan()
    waiting = wait_before_canal(plan, 12.0)
    for splits in ([], [1, 4], [3]):
        parts = compute_segments(plan, splits)
        waited = compute_segments(waiting, splits)
        assert [s.average_speed_kn for s in waited] == pytest.approx(
            [s.average_speed_kn for s in parts], rel=1e-3
        )
        longer_h = [w.duration_h - p.duration_h for w, p in zip(waited, parts, strict=True)]
        assert sorted(longer_h)[-1] == pytest.approx(12.0)


@pytest.mark.parametrize("name", PLANS)
@given(data=st.data())
def test_the_segments_add_up_to_the_plan(name: str, data: st.DataObject) -> None:
    plan = PLANS[name]
    inner = range(1, len(plan.waypoints) - 1)
    splits = sorted(data.draw(st.sets(st.sampled_from(inner))))
    segments = compute_segments(plan, splits)
    whole = plan.summary
    assert sum(s.distance_nm for s in segments) == pytest.approx(whole.distance_nm)
    assert sum(s.duration_h for s in segments) == pytest.approx(whole.duration_h)
    assert sum(s.fuel_t for s in segments) == pytest.approx(whole.fuel_t)
    assert sum(s.co2_t for s in segments) == pytest.approx(whole.co2_t)
    assert sum(s.eca_distance_nm for s in segments) == pytest.approx(whole.eca_distance_nm)
    waves = [s.max_wave_m for s in segments if s.max_wave_m is not None]
    assert max(waves, default=None) == whole.max_wave_m


@given(
    legs=st.lists(
        st.tuples(st.floats(0.02, 3.0), st.floats(-1.0, 1.0), st.booleans()), min_size=1, max_size=8
    ),
    data=st.data(),
)
def test_no_segment_has_more_miles_in_emission_control_areas_than_miles(
    legs: list[tuple[float, float, bool]], data: st.DataObject
) -> None:
    turns = [Turn(50.0, 0.0)]
    for east, north, is_inside in legs:
        last = turns[-1]
        turns.append(Turn(last.lat + north, last.lng + east, in_eca=is_inside))
    plan = read_plan(ChartingRevision(**write_plan(make_plan(turns))))
    splits = sorted(data.draw(st.sets(st.integers(1, len(turns) - 1)))) if len(legs) > 1 else []
    splits = [index for index in splits if index < len(turns) - 1]
    segments = compute_segments(plan, splits)
    assert all(0.0 <= s.eca_distance_nm <= s.distance_nm for s in segments)
    inside_nm = sum(s.eca_distance_nm for s in segments)
    assert inside_nm == pytest.approx(plan.summary.eca_distance_nm, abs=0.02)


def test_only_the_leg_inside_an_emission_control_area_is_counted() -> None:
    plan = make_plan([Turn(50, 0), Turn(50, 1), Turn(50, 1.1, in_eca=True), Turn(50, 2)])
    before, inside, after = compute_segments(plan)
    assert inside.eca_distance_nm == pytest.approx(inside.distance_nm)
    assert (before.eca_distance_nm, after.eca_distance_nm) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("splits", "position", "words"),
    [
        ([6], 0, "can be split at 1 to 5, not at 6"),
        ([2, 99], 1, "not at 99"),
        ([0, 3], 0, "not at 0"),
        ([-1], 0, "not at -1"),
        ([2, 2], 1, "Waypoint 2 is given twice"),
        ([1, 4, 3], 2, "Waypoint 3 comes after 4"),
    ],
)
def test_an_invalid_split_is_an_error_with_its_position(
    splits: list[int], position: int, words: str
) -> None:
    with pytest.raises(SplitIndexError, match=words) as refusal:
        compute_segments(PLANS["panama"], splits)
    assert refusal.value.position == position
    assert refusal.value.index == splits[position]


def test_miles_in_an_emission_control_area_are_counted_where_they_are_sailed() -> None:
    before, inside = compute_segments(PLANS["north-atlantic"], [4])
    assert inside.eca_distance_nm == pytest.approx(inside.distance_nm, rel=0.02)
    assert before.eca_distance_nm < 5.0


def test_without_a_profile_the_miles_are_divided_among_the_marked_legs() -> None:
    plan = north_atlantic_plan()
    bare = type(plan)(plan.waypoints, plan.summary, profile=())
    *before, last = compute_segments(bare)
    assert last.eca_distance_nm == pytest.approx(plan.summary.eca_distance_nm)
    assert all(s.eca_distance_nm == 0.0 for s in before)
    assert all(s.average_current_kn is None for s in compute_segments(bare))


def test_without_weather_waves_wind_and_current_are_unknown() -> None:
    segment = compute_segments(PLANS["north-pacific"], [2])[0]
    assert (segment.max_wave_m, segment.max_wind_ms, segment.average_current_kn) == (None,) * 3


def test_unknown_waves_are_no_waves_of_no_height() -> None:
    def sample(position: Position, _time: datetime) -> Weather:
        known = make_weather(3.0)
        is_river = position.lng > 0.49
        return replace(known, wave_height_m=0.0, wave_source=None) if is_river else known

    plan = make_plan([Turn(0.0, lng) for lng in (0.0, 0.5, 1.0)], weather=sample)
    at_sea, on_river = compute_segments(plan)
    assert (at_sea.max_wave_m, on_river.max_wave_m) == (3.0, None)
    assert on_river.max_wind_ms == 9.0


def test_the_highest_wave_of_a_segment_is_found_between_its_waypoints() -> None:
    plan = PLANS["north-atlantic"]
    highest = max(compute_segments(plan), key=lambda s: s.max_wave_m or 0.0)
    ends = plan.waypoints[highest.from_index], plan.waypoints[highest.to_index]
    assert highest.max_wave_m == plan.summary.max_wave_m
    assert all(w.weather and w.weather.wave_height_m < plan.summary.max_wave_m for w in ends)


@pytest.mark.parametrize(
    ("set_deg", "expected_kn"), [(90.0, 2.0), (270.0, -2.0), (0.0, 0.0), (150.0, 1.0)]
)
def test_a_current_counts_by_its_component_along_the_course(
    set_deg: float, expected_kn: float
) -> None:
    weather = make_weather(current_speed_kn=2.0, current_to_deg=set_deg)
    assert fair_current_kn(weather, 90.0) == pytest.approx(expected_kn, abs=1e-12)


def test_the_mean_current_is_of_the_time_at_which_it_is_known() -> None:
    def weather(position: Position, _time: datetime) -> Weather:
        known = make_weather(current_speed_kn=1.5, current_to_deg=90.0)
        unknown = {"current_speed_kn": None, "current_to_deg": None, "current_source": None}
        return known if position.lng < 1.0 else replace(known, **unknown)

    (segment,) = compute_segments(make_plan([Turn(0, 0), Turn(0, 3)], weather=weather))
    assert segment.average_current_kn == pytest.approx(1.5, rel=0.05)


def test_a_foul_current_is_negative_in_the_mean() -> None:
    plan = make_plan(
        [Turn(0, 0), Turn(0, 3)],
        weather=lambda *_: make_weather(current_speed_kn=1.5, current_to_deg=270.0),
    )
    (segment,) = compute_segments(plan)
    assert segment.average_current_kn == pytest.approx(-1.5)
    assert segment.average_speed_kn == pytest.approx(12.5, rel=1e-4)
