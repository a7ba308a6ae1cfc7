"""Critical points of plans."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely import MultiPolygon, Point, box

from app.engine.area import Area, AreaKind, AreaRule, IceHazard, IceWater
from app.engine.facts import BridgeFact, PassageFact, PlanFacts, WaitFact
from app.engine.formatting import format_time
from app.engine.geodesy import great_circle_destination
from app.engine.geodesy.leg import LegGeometry
from app.engine.particulars import IceClass, Loading
from app.engine.plan import RoutePlan
from app.engine.report.critical_points import (
    CriticalPoint,
    EditDanger,
    Kind,
    Severity,
    find_critical_points,
)
from app.engine.request import Limits, Position
from app.engine.vessel import build_ship
from app.engine.vessel.rolling import encounter_period_s
from app.engine.vessel.seakeeping import roll_period_s
from app.engine.weather.records import Weather, WeatherSource
from tests.builders import (
    DEPARTS_AT,
    Turn,
    make_plan,
    make_request,
    make_ship,
    make_weather,
    north_atlantic_plan,
    panama_plan,
    three_plans,
)

HOUR = timedelta(hours=1)
EASTWARD = [Turn(0.0, 0.0), Turn(0.0, 4.0)]


def find(plan: RoutePlan, **asked: Any) -> tuple[CriticalPoint, ...]:
    return find_critical_points(plan, make_request(plan, **asked))


def of_kind(kind: Kind, plan: RoutePlan, **asked: Any) -> list[CriticalPoint]:
    return [point for point in find(plan, **asked) if kind in point.kinds]


def area(west: float, south: float, east: float, north: float, **given: Any) -> Area:
    settings = {"kind": AreaKind.NO_GO, "rule": AreaRule.NO_ENTRY, **given}
    return Area(
        "a", "Firing range", geometry=MultiPolygon([box(west, south, east, north)]), **settings
    )


def draw_eca(west: float, south: float, east: float, north: float, **given: Any) -> Area:
    settings = {"kind": AreaKind.ECA, "rule": AreaRule.REPORTED, **given}
    return area(west, south, east, north, **settings)


@pytest.mark.parametrize("name", three_plans())
def test_every_voyage_begins_with_departure_and_ends_with_arrival(name: str) -> None:
    plan = three_plans()[name]
    points = find(plan, departure_name="Here", arrival_name="There")
    assert points[0].kinds[0] is Kind.DEPARTURE
    assert points[0].description.startswith("Departure from Here.")
    assert points[0].waypoint_index == 0
    assert Kind.ARRIVAL in points[-1].kinds
    assert points[-1].position == plan.waypoints[-1].position
    assert [p.eta for p in points] == sorted(p.eta for p in points)


@pytest.mark.parametrize("name", three_plans())
def test_each_point_belongs_to_the_waypoint_that_the_ship_is_at_or_heading_for(name: str) -> None:
    plan = three_plans()[name]
    for point in find(plan):
        assert point.eta <= plan.waypoints[point.waypoint_index].eta
        if point.waypoint_index > 0:
            assert point.eta > plan.waypoints[point.waypoint_index - 1].eta


def test_different_voyages_have_different_points() -> None:
    eca = draw_eca(-124.0, 36.0, -122.0, 39.0)
    kinds = {
        name: {k for p in find(plan, areas=(eca,)) for k in p.kinds}
        for name, plan in three_plans().items()
    }
    assert {Kind.MAX_WAVE, Kind.HEAD_SEA, Kind.FORECAST_END} <= kinds["north-atlantic"]
    assert {Kind.CANAL, Kind.SHALLOW, Kind.ALTER_COURSE} <= kinds["panama"]
    assert kinds["north-pacific"] == {Kind.DEPARTURE, Kind.ECA_ENTRY, Kind.ARRIVAL}


def test_a_ship_under_way_does_not_depart_from_a_harbour() -> None:
    assert "under way" in find(panama_plan(), under_way=True)[0].description


@pytest.mark.parametrize(
    ("lat", "expected"),
    [(4.0, "Alter course to port from 090° to 045°."), (-4.0, "starboard from 090° to 135°")],
)
def test_a_large_turn_is_reported_with_its_side_and_courses(lat: float, expected: str) -> None:
    plan = make_plan([*EASTWARD, Turn(lat, 8.0, LegGeometry.RHUMB)])
    (turn,) = of_kind(Kind.ALTER_COURSE, plan)
    assert expected in turn.description
    assert turn.waypoint_index == 1


def test_a_small_turn_is_not_shown() -> None:
    assert not of_kind(Kind.ALTER_COURSE, make_plan([*EASTWARD, Turn(2.0, 8.0)]))


def test_a_turn_is_measured_from_the_course_at_the_end_of_a_great_circle() -> None:
    # The great circle begins on 056 deg and ends on 124: the next leg continues on that course.
    end_course = 124.0
    lat, lng = great_circle_destination(50.0, 40.0, end_course, 300.0)
    plan = make_plan([Turn(50.0, -40.0), Turn(50.0, 40.0), Turn(float(lat), float(lng))])
    assert abs(plan.waypoints[2].course_deg - plan.waypoints[1].course_deg) > 60.0
    assert not of_kind(Kind.ALTER_COURSE, plan)


def test_the_bends_of_a_canal_are_no_critical_points() -> None:
    assert [p.waypoint_index for p in of_kind(Kind.ALTER_COURSE, panama_plan())] == [1, 4, 5]


def test_a_harbour_that_the_voyage_begins_in_is_not_entered() -> None:
    plan = make_plan([Turn(0.0, 0.0), Turn(0.0, 0.3, passage="harbour approach"), Turn(0.0, 4.0)])
    assert not of_kind(Kind.NARROW_PASSAGE, plan)


def test_a_canal_is_reported_at_its_entrance_with_its_waiting() -> None:
    facts = PlanFacts(passages=(PassageFact("Panama Canal", "CANAL", 18.0),))
    (canal,) = of_kind(Kind.CANAL, panama_plan(facts=facts))
    assert canal.waypoint_index == 1
    assert "Enter Panama Canal. The plan waits 18.0 h before it." in canal.description
    assert "Leave it at waypoint" in canal.description


@pytest.mark.parametrize(
    ("keel_to_mast_m", "stated"),
    [(50.0, "this ship's is 40.0 m."), (None, "this ship's is not known.")],
)
def test_the_height_below_the_bridges_of_a_passage_is_stated_with_the_ship_s(
    keel_to_mast_m: float | None, stated: str
) -> None:
    facts = PlanFacts(passages=(PassageFact("Panama Canal", "CANAL", max_air_draft_m=57.91),))
    ship = make_ship(keel_to_mast_m=keel_to_mast_m)
    (canal,) = of_kind(Kind.CANAL, panama_plan(facts=facts), ship=ship)
    assert f" It takes at most 57.91 m air draught; {stated}" in canal.description


def test_a_passage_leaves_the_heights_of_its_bridges_to_their_own_points() -> None:
    passage = PassageFact("Panama Canal", "CANAL", max_air_draft_m=50.0)
    for bridge_m, stated in ((50.0, False), (60.0, True)):
        bridge = BridgeFact("Low Bridge", bridge_m, 9.1, -79.7, "Panama Canal")
        facts = PlanFacts(passages=(passage,), bridges=(bridge,))
        (canal,) = of_kind(Kind.CANAL, panama_plan(facts=facts))
        assert ("It takes at most 50 m air draught" in canal.description) is stated


@pytest.mark.parametrize("passage", [None, "the Narrows"])
def test_a_bridge_is_a_point_where_the_track_passes_below(passage: str | None) -> None:
    facts = PlanFacts(bridges=(BridgeFact("High Bridge", 60.0, 0.0, 1.931, passage),))
    (point,) = of_kind(Kind.NARROW_PASSAGE, make_plan(EASTWARD, facts=facts))
    assert point.description == (
        "Pass below High Bridge. It takes at most 60 m air draught; this ship's is not known."
    )
    assert point.severity is Severity.CAUTION
    assert point.position == Position(0.0, 1.931)
    assert point.waypoint_index == 1


def test_each_wait_is_at_its_own_waypoint_whatever_waits_come_before_it() -> None:
    plan = make_plan([Turn(0.0, float(lng)) for lng in (0, 4, 8)])
    until = {0: "Mon 2 Feb 12:00 UTC, when A is over", 1: "Tue 3 Feb 12:00 UTC, when B is over"}
    waits = tuple(WaitFact(0.0, 4.0 * n, 6.0, text, True) for n, text in until.items())
    leaving = replace(plan.waypoints[1], leaves_at=DEPARTS_AT + 48 * HOUR)
    waypoints = plan.waypoints[0], leaving, plan.waypoints[2]
    found = of_kind(
        Kind.ZONE_NEAR, replace(plan, waypoints=waypoints, facts=PlanFacts(waits=waits))
    )
    assert [point.waypoint_index for point in found] == [0, 1]
    assert all(until[point.waypoint_index] in point.description for point in found)


def test_a_river_with_many_legs_is_one_point_with_entry_and_exit() -> None:
    names = ["Amazon", "inshore waters"] * 40
    legs = [Turn(0.0, 4.0 + 0.1 * (n + 1), passage=name) for n, name in enumerate(names)]
    facts = PlanFacts(passages=(PassageFact("Amazon", "RIVER"),))
    (river,) = of_kind(Kind.NARROW_PASSAGE, make_plan([*EASTWARD, *legs], facts=facts))
    assert river.waypoint_index == 1
    assert "Enter Amazon. Leave it at waypoint 81" in river.description


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("Nieuwe Waterweg to Rotterdam", "Leave by Nieuwe Waterweg from Rotterdam. Clear of it at"),
        ("Approach to Bodrum", "Leave by the approach to Bodrum. Clear of it at"),
        ("Entrance to the Uraga Channel", "Leave by the entrance to the Uraga Channel."),
        ("Tampa Bay", "Leave by Tampa Bay. Clear of it at"),
    ],
)
def test_a_ship_that_departs_through_a_passage_leaves_by_it(name: str, stated: str) -> None:
    facts = PlanFacts(passages=(PassageFact(name, "RIVER", is_outward=True),))
    plan = make_plan([Turn(0.0, 0.0), Turn(0.0, 0.3, passage=name), Turn(0.0, 4.0)], facts=facts)
    (river,) = of_kind(Kind.NARROW_PASSAGE, plan)
    assert river.waypoint_index == 0
    assert stated in river.description


def test_at_most_the_points_of_highest_rank_are_listed() -> None:
    zigzag = [Turn(0.0 if n % 2 else 1.5, 0.0 + n) for n in range(40)]
    points = find(make_plan(zigzag))
    assert len(points) == 15
    assert Kind.DEPARTURE in points[0].kinds
    assert Kind.ARRIVAL in points[-1].kinds
    assert [point.eta for point in points] == sorted(point.eta for point in points)


def test_every_change_of_fuel_is_listed_among_many_points() -> None:
    zigzag = [Turn(0.0 if n % 2 else 1.5, 0.0 + n) for n in range(40)]
    ecas = draw_eca(9.5, -1.0, 19.5, 2.0), draw_eca(29.5, -1.0, 39.5, 2.0)
    points = find(make_plan(zigzag), areas=ecas)
    borders = [k for p in points for k in p.kinds if k in {Kind.ECA_ENTRY, Kind.ECA_EXIT}]
    assert len(points) == 15
    assert borders == [Kind.ECA_ENTRY, Kind.ECA_EXIT, Kind.ECA_ENTRY]


def test_a_large_ship_does_not_roll_in_a_low_sea() -> None:
    ship = make_ship()
    large = replace(ship, loa_m=290.0, lbp_m=280.0, breadth_m=45.0, depth_m=24.0)
    for height_m, period_s in ((0.9, 7.0), (1.3, 8.5), (1.7, 10.0)):
        weather = make_weather(height_m, wave_from_deg=210.0, wave_period_s=period_s)
        plan = make_plan(EASTWARD, weather=lambda *_, met=weather: met)
        request = replace(make_request(plan), ship=large)
        kinds = {kind for point in find_critical_points(plan, request) for kind in point.kinds}
        assert Kind.ROLLING_RISK not in kinds


def test_an_unnamed_narrow_water_is_reported_for_information() -> None:
    plan = make_plan([*EASTWARD, Turn(0.0, 4.2, passage="harbour approach"), Turn(0.0, 6.0)])
    (narrow,) = of_kind(Kind.NARROW_PASSAGE, plan)
    assert (narrow.waypoint_index, narrow.severity) == (1, Severity.INFO)
    assert narrow.description == "Narrow water: harbour approach."


def test_the_narrowest_unnamed_leg_is_reported_among_many() -> None:
    names = ("inshore waters", None) * 6
    turns = [Turn(0.0, 4.0 + n, passage=name, xtd_m=900.0) for n, name in enumerate(names, 1)]
    turns[4] = replace(turns[4], xtd_m=72.9)
    plan = make_plan([*EASTWARD, *turns])
    (narrow,) = of_kind(Kind.NARROW_PASSAGE, plan)
    assert (narrow.waypoint_index, narrow.severity) == (5, Severity.CAUTION)
    assert narrow.description == "Narrowest leg outside passages: 72 m to either side."


def test_a_named_passage_entered_again_far_on_is_reported_once() -> None:
    legs = (
        Turn(0.0, 4.2, passage="Inland Sea"),
        Turn(0.0, 6.0),
        Turn(0.0, 6.2, passage="Inland Sea"),
    )
    facts = PlanFacts(passages=(PassageFact("Inland Sea", "STRAIT"),))
    (point,) = of_kind(
        Kind.NARROW_PASSAGE, make_plan([*EASTWARD, *legs, Turn(0.0, 8.0)], facts=facts)
    )
    assert "Enter Inland Sea" in point.description


def test_unproven_water_lies_somewhere_on_the_legs_whose_length_is_stated() -> None:
    plan = make_plan([*EASTWARD, Turn(0.0, 5.0), Turn(0.0, 6.0)])
    waypoints = [*plan.waypoints]
    waypoints[2] = replace(waypoints[2], is_unproven=True)
    (point,) = of_kind(Kind.UNPROVEN_WATER, replace(plan, waypoints=tuple(waypoints)))
    assert point.waypoint_index == 1
    assert "Unproven water within 60.1 nm from here: depth unknown." in point.description


def test_unproven_water_on_a_short_leg_is_within_less_than_a_tenth_of_a_mile() -> None:
    plan = make_plan([*EASTWARD, Turn(0.0, 4.0005)])
    last = replace(plan.waypoints[-1], is_unproven=True)
    short = replace(plan, waypoints=(*plan.waypoints[:-1], last))
    (point,) = of_kind(Kind.UNPROVEN_WATER, short)
    assert "Unproven water within less than 0.1 nm from here" in point.description


def test_unproven_water_reaches_to_the_last_of_several_legs() -> None:
    plan = make_plan([*EASTWARD, Turn(0.0, 4.02), Turn(0.0, 4.3), Turn(0.0, 4.32), Turn(0.0, 6.0)])
    waypoints = [
        replace(waypoint, is_unproven=waypoint.position.lng in (4.02, 4.32))
        for waypoint in plan.waypoints
    ]
    (point,) = of_kind(Kind.UNPROVEN_WATER, replace(plan, waypoints=tuple(waypoints)))
    assert "Unproven water within 19.2 nm from here" in point.description


def test_a_strait_crossed_at_sea_is_marked_where_the_track_is_closest_to_its_middle() -> None:
    facts = PlanFacts(passages=(PassageFact("Dover Strait", "STRAIT", lat=0.1, lng=1.93),))
    (point,) = of_kind(Kind.NARROW_PASSAGE, make_plan(EASTWARD, facts=facts))
    assert point.description == "Pass Dover Strait."
    assert point.severity is Severity.CAUTION
    assert point.position.lng == pytest.approx(1.93, abs=0.06)


@pytest.mark.parametrize(
    ("depth_m", "severity"),
    [(14.5, Severity.INFO), (11.5, Severity.CAUTION), (10.9, Severity.DANGER)],
)
def test_shallow_water_is_graded_by_depth_over_draught_and_by_the_margin(
    depth_m: float, severity: Severity
) -> None:
    plan = make_plan([*EASTWARD, Turn(0.0, 5.0, min_depth_m=depth_m)])
    (point,) = of_kind(Kind.SHALLOW, plan, loading=Loading(10.0, 0.0, 30_000.0), ukc_margin_m=1.0)
    assert point.severity is severity
    assert f"Shallow water of {depth_m:.1f} m." in point.description


@pytest.mark.parametrize(("ukc_m", "severity"), [(0.98, Severity.DANGER), (0.99, Severity.INFO)])
def test_squat_and_trim_count_in_the_severity_of_shallow_water(
    ukc_m: float, severity: Severity
) -> None:
    # 0.99 m may be 1 m as stored
    plan = make_plan([*EASTWARD, Turn(0.0, 5.0, min_depth_m=14.5, ukc_m=ukc_m)])
    (point,) = of_kind(Kind.SHALLOW, plan, loading=Loading(10.0, 0.0, 30_000.0), ukc_margin_m=1.0)
    assert point.severity is severity


def test_deep_or_unknown_water_is_not_called_shallow() -> None:
    plan = make_plan([*EASTWARD, Turn(0.0, 5.0, min_depth_m=15.0, ukc_m=5.0), Turn(0.0, 6.0)])
    assert not of_kind(Kind.SHALLOW, plan)


def test_one_point_shows_the_shallowest_of_a_stretch() -> None:
    plan = make_plan(
        [*EASTWARD, Turn(0, 5, min_depth_m=14), Turn(0, 6, min_depth_m=13), Turn(0, 7)]
    )
    assert [p.waypoint_index for p in of_kind(Kind.SHALLOW, plan)] == [2]


def test_the_least_clearance_of_a_stretch_decides_before_the_least_depth() -> None:
    legs = Turn(0, 5, min_depth_m=12.0, ukc_m=1.8), Turn(0, 6, min_depth_m=12.1, ukc_m=-0.1)
    plan = make_plan([*EASTWARD, *legs, Turn(0, 7)])
    (point,) = of_kind(Kind.SHALLOW, plan, loading=Loading(10.0, 0.0, 30_000.0), ukc_margin_m=1.0)
    assert point.severity is Severity.DANGER
    assert "Shallow water of 12.1 m." in point.description


def test_a_shoal_on_a_leg_of_otherwise_unknown_depth_is_reported() -> None:
    plan = make_plan(EASTWARD)
    shoal = replace(plan.profile[5], depth_m=12.0)
    profile = (*plan.profile[:5], shoal, *plan.profile[6:])
    (point,) = of_kind(Kind.SHALLOW, replace(plan, profile=profile))
    assert point.position == shoal.position


@pytest.mark.parametrize(
    ("lat", "severity"), [(62.0, Severity.INFO), (-72.0, Severity.CAUTION), (59.0, None)]
)
def test_high_latitudes_are_shown_once(lat: float, severity: Severity | None) -> None:
    plan = make_plan([Turn(lat - 1.0, 0.0), Turn(lat, 5.0, LegGeometry.RHUMB)])
    found = [p.severity for p in of_kind(Kind.HIGH_LATITUDE, plan)]
    assert found == ([] if severity is None else [severity])


def test_the_polar_code_is_named_in_its_waters_only() -> None:
    waters = IceWater(IceHazard.POLAR_WATERS)
    arctic = replace(area(-10.0, 66.0, 10.0, 75.0), kind=AreaKind.ICE, ice=waters)
    for lat, words in ((68.0, "Check ice charts and the Polar Code."), (62.0, "Check ice charts.")):
        plan = make_plan([Turn(lat - 1.0, 0.0), Turn(lat, 5.0, LegGeometry.RHUMB)])
        (point,) = of_kind(Kind.HIGH_LATITUDE, plan, areas=(arctic,))
        assert words in point.description


def test_the_highest_waves_and_wind_are_found_between_waypoints() -> None:
    plan = north_atlantic_plan()
    (point,) = of_kind(Kind.MAX_WAVE, plan)
    assert point.weather is not None
    assert point.weather.wave_height_m == plan.summary.max_wave_m
    assert point.eta not in {w.eta for w in plan.waypoints}
    assert "4.7 m from 280°" in point.description


@pytest.mark.parametrize(
    ("height_m", "severity"),
    [(2.0, Severity.INFO), (4.0, Severity.CAUTION), (6.0, Severity.DANGER)],
)
def test_waves_are_graded_as_the_sea_scale_grades_them(height_m: float, severity: Severity) -> None:
    plan = make_plan(
        EASTWARD, weather=lambda *_: make_weather(height_m, wave_from_deg=180.0, wind_speed_ms=5.0)
    )
    assert of_kind(Kind.MAX_WAVE, plan)[0].severity is severity


@pytest.mark.parametrize(
    ("from_deg", "height_m", "found"),
    [(90.0, 3.0, 1), (134.0, 3.0, 1), (136.0, 3.0, 0), (270.0, 3.0, 0), (90.0, 2.4, 0)],
)
def test_a_head_sea_is_rough_and_within_45_degrees_of_the_bow(
    from_deg: float, height_m: float, found: int
) -> None:
    plan = make_plan(EASTWARD, weather=lambda *_: make_weather(height_m, wave_from_deg=from_deg))
    assert len(of_kind(Kind.HEAD_SEA, plan)) == found


def test_a_head_sea_slams_a_light_ship_and_wets_a_laden_one() -> None:
    weather = make_weather(5.0, wave_from_deg=90.0, wave_period_s=10.0)
    plan = make_plan(EASTWARD, weather=lambda *_: weather)
    (light,) = of_kind(Kind.HEAD_SEA, plan, loading=Loading(5.0, 1.5, 12_000.0))
    (laden,) = of_kind(Kind.HEAD_SEA, plan, loading=Loading(10.0, 0.0, 35_000.0))
    assert "Head sea of 5.0 m: expect slamming" in light.description
    assert "slamming" not in laden.description
    assert "water on deck" in laden.description
    assert "water on deck" not in light.description


def test_speed_reduced_for_motions_is_reported_with_the_motions_avoided() -> None:
    loading = Loading(10.0, 0.0, 35_000.0)
    ship = build_ship(make_ship(), loading)
    met = make_weather(7.0, wave_from_deg=90.0, wave_period_s=11.0)
    allowed_kn = ship.voluntary_speed_kn(90.0, met)
    assert allowed_kn < 12.0
    turns = [Turn(0.0, 0.0), Turn(0.0, 4.0, stw_kn=allowed_kn)]
    slowed = make_plan(turns, weather=lambda *_: met)
    (point,) = of_kind(Kind.SPEED_REDUCED, slowed, loading=loading, speed_max_kn=14.0)
    assert f"Speed reduced to {allowed_kn:.1f} kn in waves of 7.0 m, to avoid" in point.description
    assert "water on deck" in point.description
    # an ordered speed that is no higher is not reduced
    slow = {"loading": loading, "speed_max_kn": allowed_kn - 0.1}
    assert not of_kind(Kind.SPEED_REDUCED, slowed, **slow)


@pytest.mark.parametrize(
    ("before_kn", "above_kn", "is_reported"),
    [
        (0.0, -0.1, False),
        (0.1, -0.1, False),
        (0.0, 0.3, False),
        (3.0, -0.1, True),
        (3.0, 0.0, True),
    ],
    ids=["kept", "about kept", "kept above the limit", "held down", "held at the limit"],
)
def test_a_speed_at_the_limit_of_motions_is_reduced_only_if_it_is_higher_outside_the_waves(
    before_kn: float, above_kn: float, is_reported: bool
) -> None:
    loading = Loading(10.0, 0.0, 35_000.0)
    met = make_weather(7.0, wave_from_deg=90.0, wave_period_s=11.0)
    speed_kn = build_ship(make_ship(), loading).voluntary_speed_kn(90.0, met) + above_kn
    turns = [
        Turn(0.0, 0.0),
        Turn(0.0, 2.0, stw_kn=speed_kn + before_kn),
        Turn(0.0, 4.0, stw_kn=speed_kn),
    ]
    plan = make_plan(turns, weather=lambda p, _: met if p.lng >= 2.0 else make_weather(1.0))
    asked = {"loading": loading, "speed_min_kn": speed_kn, "speed_max_kn": 15.0}
    assert bool(of_kind(Kind.SPEED_REDUCED, plan, **asked)) is is_reported


@pytest.mark.parametrize(
    ("above_kn", "is_reported"), [(0.0, False), (0.1, False), (1.0, True), (-1.0, True)]
)
def test_the_lowest_ordered_speed_is_not_reduced_in_waves_all_the_way(
    above_kn: float, is_reported: bool
) -> None:
    loading = Loading(10.0, 0.0, 35_000.0)
    met = make_weather(7.0, wave_from_deg=90.0, wave_period_s=11.0)
    speed_kn = build_ship(make_ship(), loading).voluntary_speed_kn(90.0, met)
    plan = make_plan([Turn(0, 0), Turn(0, 4, stw_kn=speed_kn)], weather=lambda *_: met)
    asked = {"loading": loading, "speed_min_kn": speed_kn - above_kn, "speed_max_kn": 15.0}
    assert bool(of_kind(Kind.SPEED_REDUCED, plan, **asked)) is is_reported


def test_waves_in_resonance_with_the_roll_are_a_rolling_risk() -> None:
    ship, loading = make_ship(), Loading(10.0, 0.0, 35_000.0)
    roll_s = roll_period_s(build_ship(ship, loading))
    met = [
        (period / 10.0, of_kind(Kind.ROLLING_RISK, _quartering(period / 10.0)))
        for period in range(60, 200, 5)
    ]
    at_risk = [period for period, points in met if points]
    assert at_risk
    for period in at_risk:
        met_s = encounter_period_s(period, 14.0, 120.0)
        assert met_s == pytest.approx(roll_s, rel=0.11)
    words = next(points for _, points in met if points)[0].description
    assert "Risk of synchronous rolling in waves of 5.0 m" in words


def _quartering(period_s: float) -> RoutePlan:
    weather = make_weather(
        5.0, wave_from_deg=210.0, wave_period_s=period_s, current_speed_kn=0.0, wind_speed_ms=5.0
    )
    return make_plan(EASTWARD, weather=lambda *_: weather)


def test_a_low_sea_is_no_rolling_risk() -> None:
    plan = make_plan(EASTWARD, weather=lambda *_: make_weather(0.5, wave_from_deg=210.0))
    assert not of_kind(Kind.ROLLING_RISK, plan)


def test_two_gales_a_day_apart_are_two_points() -> None:
    def weather(_: Position, time: Any) -> Any:
        hours = (time - DEPARTS_AT) / HOUR
        return make_weather(3.0 if hours < 3 or hours > 27 else 1.0, wave_from_deg=90.0)

    plan = make_plan([Turn(0.0, 0.0), Turn(0.0, 8.0)], weather=weather)
    assert len(of_kind(Kind.HEAD_SEA, plan)) == 2


@pytest.mark.parametrize(
    ("set_deg", "speed_kn", "severity"),
    [(270.0, 1.5, Severity.INFO), (270.0, 2.5, Severity.CAUTION), (90.0, 2.5, None)],
)
def test_only_a_foul_current_is_reported(
    set_deg: float, speed_kn: float, severity: Severity | None
) -> None:
    weather = make_weather(current_speed_kn=speed_kn, current_to_deg=set_deg)
    plan = make_plan(EASTWARD, weather=lambda *_: weather)
    points = of_kind(Kind.ADVERSE_CURRENT, plan)
    assert len(points) == (severity is not None)
    if severity is not None:
        assert f"Current of {speed_kn} kn against the ship." in points[0].description
        assert points[0].severity >= severity


@pytest.mark.parametrize(
    ("limits", "words", "severity"),
    [
        (Limits(wave_height_m=5.0), "Waves of 4.7 m, close to your limit of 5.0 m.", "caution"),
        (Limits(wave_height_m=4.5), "Waves of 4.7 m, above your limit of 4.5 m.", "danger"),
        (
            Limits(wind_speed_ms=17.1),
            "Wind of 32 kn (16.5 m/s), close to your limit of 33 kn (17.1 m/s).",
            "caution",
        ),
        (Limits(north_lat=50.0), "Latitude 49.8° N, close to your limit of 50.0° N.", "caution"),
    ],
)
def test_nearness_to_a_limit_is_reported_with_both_figures(
    limits: Limits, words: str, severity: str
) -> None:
    points = of_kind(Kind.LIMIT_NEAR, north_atlantic_plan(), limits=limits)
    assert words in points[0].description
    assert points[0].severity.label == severity


def test_a_latitude_limit_beyond_which_the_voyage_begins_or_ends_is_no_danger() -> None:
    limits = Limits(south_lat=-60.0)
    plan = make_plan([Turn(-62.0, 0.0), Turn(-58.0, 2.0)])
    (point,) = of_kind(Kind.LIMIT_NEAR, plan, limits=limits)
    words = "Latitude 62.0° S, beyond your limit of 60.0° S, as an end of the voyage is."
    assert words in point.description
    assert point.severity is Severity.CAUTION
    detour = make_plan([Turn(-59.0, 0.0), Turn(-62.0, 2.0), Turn(-59.0, 4.0)])
    (point,) = of_kind(Kind.LIMIT_NEAR, detour, limits=limits)
    assert "Latitude 62.0° S, beyond your limit of 60.0° S." in point.description
    assert point.severity is Severity.DANGER


def test_a_limit_far_away_is_not_shown() -> None:
    limits = Limits(wave_height_m=6.0, wind_speed_ms=25.0, north_lat=60.0)
    assert not of_kind(Kind.LIMIT_NEAR, north_atlantic_plan(), limits=limits)


def test_the_end_of_the_forecast_is_reported_where_it_is() -> None:
    plan = north_atlantic_plan()
    (point,) = of_kind(Kind.FORECAST_END, plan)
    assert timedelta(0) < point.eta - (DEPARTS_AT + timedelta(days=6)) <= HOUR / 2
    assert "The forecast ends here" in point.description


def test_a_forecast_that_does_not_cover_the_start_is_reported_as_that() -> None:
    begins = DEPARTS_AT + timedelta(hours=6)

    def weather(_position: Position, time: datetime) -> Weather:
        known = WeatherSource.FORECAST if time >= begins else WeatherSource.CLIMATOLOGY
        return make_weather(source=known)

    (point,) = of_kind(Kind.FORECAST_END, make_plan(EASTWARD, weather=weather))
    assert "does not cover the start" in point.description
    assert f"until {format_time(begins)}" in point.description


def test_a_river_without_known_waves_is_no_end_of_the_forecast_nor_has_the_highest_waves() -> None:
    river = replace(make_weather(0.0), wave_source=None)
    plan = make_plan(EASTWARD, weather=lambda *_: river)
    assert not of_kind(Kind.FORECAST_END, plan)
    assert not of_kind(Kind.MAX_WAVE, plan)


def test_a_voyage_without_any_forecast_is_reported_at_departure() -> None:
    plan = make_plan(EASTWARD, weather=lambda *_: make_weather(source=WeatherSource.CLIMATOLOGY))
    (point,) = of_kind(Kind.FORECAST_END, plan)
    assert point.waypoint_index == 0
    assert "No forecast for this voyage" in point.description


def test_a_voyage_partly_in_the_forecast_is_not_reported_without_forecast() -> None:
    def half(_place: Position, _time: datetime) -> Weather:
        return make_weather(source=WeatherSource.BLENDED)

    (point,) = of_kind(Kind.FORECAST_END, make_plan(EASTWARD, weather=half))
    assert "No forecast" not in point.description


def test_without_weather_there_are_no_points_of_weather() -> None:
    kinds = {
        k for p in find(make_plan(EASTWARD), limits=Limits(wave_height_m=1.0)) for k in p.kinds
    }
    assert kinds == {Kind.DEPARTURE, Kind.ARRIVAL}


def test_an_emission_control_area_is_entered_and_left_by_name() -> None:
    plan, eca = make_plan([*EASTWARD, Turn(0.0, 12.0)]), draw_eca(4.0, -1.0, 8.0, 1.0)
    (entry,) = of_kind(Kind.ECA_ENTRY, plan, areas=(eca,))
    (left,) = of_kind(Kind.ECA_EXIT, plan, areas=(eca,))
    assert "Enter Firing range." in entry.description
    assert entry.severity is Severity.CAUTION
    assert entry.position.lng == pytest.approx(4.0, abs=0.001)
    assert left.position.lng == pytest.approx(8.0, abs=0.001)


@given(west=st.floats(1.0, 5.0), east=st.floats(6.0, 10.0))
def test_an_emission_control_area_is_entered_and_left_outside_it(west: float, east: float) -> None:
    plan, eca = make_plan([Turn(0.0, 0.0), Turn(1.0, 12.0)]), draw_eca(west, -1.0, east, 2.0)
    for kind in (Kind.ECA_ENTRY, Kind.ECA_EXIT):
        (point,) = of_kind(kind, plan, areas=(eca,))
        assert not eca.geometry.intersects(Point(point.position[::-1]))


def test_a_voyage_that_begins_inside_an_emission_control_area_does_not_enter_it() -> None:
    plan, eca = make_plan([Turn(0.0, 0.0), Turn(0.0, 8.0)]), draw_eca(-1.0, -1.0, 4.0, 1.0)
    assert not of_kind(Kind.ECA_ENTRY, plan, areas=(eca,))
    assert len(of_kind(Kind.ECA_EXIT, plan, areas=(eca,))) == 1


def test_a_short_time_outside_emission_control_areas_does_not_leave_them() -> None:
    plan = make_plan([Turn(0.0, 0.0), Turn(0.0, 8.0)])
    ecas = draw_eca(-1.0, -1.0, 4.0, 1.0), draw_eca(4.1, -1.0, 9.0, 1.0)
    assert not of_kind(Kind.ECA_EXIT, plan, areas=ecas)
    assert not of_kind(Kind.ECA_ENTRY, plan, areas=ecas)


def test_a_wait_inside_an_emission_control_area_does_not_leave_it() -> None:
    plan, eca = make_plan([Turn(0.0, 0.0), Turn(0.0, 8.0)]), draw_eca(-1.0, -1.0, 9.0, 1.0)
    half = len(plan.profile) // 2
    later = [replace(p, time=p.time + timedelta(hours=6)) for p in plan.profile[half:]]
    waiting = replace(plan, profile=(*plan.profile[:half], *later))
    assert not of_kind(Kind.ECA_ENTRY, waiting, areas=(eca,))
    assert not of_kind(Kind.ECA_EXIT, waiting, areas=(eca,))


@pytest.mark.parametrize("kind", [Kind.ECA_ENTRY, Kind.ECA_EXIT])
def test_a_wait_on_the_border_of_an_emission_control_area_lies_outside_it(kind: Kind) -> None:
    plan = make_plan([Turn(0.0, 0.0), Turn(0.0, 8.0)])
    half = len(plan.profile) // 2
    lng = plan.profile[half].position.lng
    west, east = (lng, 9.0) if kind is Kind.ECA_ENTRY else (-1.0, lng)
    later = [replace(p, time=p.time + timedelta(hours=12)) for p in plan.profile[half:]]
    waiting = replace(plan, profile=(*plan.profile[: half + 1], *later))
    (point,) = of_kind(kind, waiting, areas=(draw_eca(west, -1.0, east, 1.0),))
    assert abs(point.position.lng - lng) * 60.0 == pytest.approx(0.03, abs=0.001)
    assert point.eta in (plan.profile[half].time, later[0].time)


def test_a_stay_in_several_emission_control_areas_bears_the_name_of_most_of_it() -> None:
    plan = make_plan([Turn(0.0, 0.0), Turn(0.0, 12.0)])
    spans = {"A": [(1.0, 3.0), (6.0, 8.0)], "B": [(3.0, 6.0)]}
    ecas = [
        replace(draw_eca(west, -1.0, east, 1.0), name=name)
        for name, each in spans.items()
        for west, east in each
    ]
    (entry,) = of_kind(Kind.ECA_ENTRY, plan, areas=tuple(ecas))
    assert entry.description.startswith("Enter A.")


def test_a_zone_nearby_is_reported_with_its_distance() -> None:
    zone = area(1.0, 0.1, 3.0, 1.0)
    (point,) = of_kind(Kind.ZONE_NEAR, make_plan(EASTWARD), areas=(zone,))
    assert "Firing range lies 6.0 nm off the track." in point.description
    assert point.severity is Severity.CAUTION


def test_the_distance_to_a_zone_is_that_of_the_track_between_its_points() -> None:
    plan = make_plan(EASTWARD)
    first, second = (plan.profile[n].position for n in (10, 11))
    assert second.lng - first.lng > 0.05
    lng = (first.lng + second.lng) / 2.0
    for south, north, text in ((0.01, 0.012, "lies 0.6 nm off the track"), (-1.0, 1.0, "enters")):
        zone = area(lng - 1e-4, south, lng + 1e-4, north)
        (point,) = of_kind(Kind.ZONE_NEAR, plan, areas=(zone,))
        assert text in point.description


def test_a_zone_entered_is_a_danger_and_a_distant_one_is_not_reported() -> None:
    inside, far = area(1.0, -0.1, 3.0, 1.0), area(1.0, 0.3, 3.0, 1.0)
    (point,) = of_kind(Kind.ZONE_NEAR, make_plan(EASTWARD), areas=(inside,))
    assert "The track enters Firing range." in point.description
    assert point.severity is Severity.DANGER
    assert not of_kind(Kind.ZONE_NEAR, make_plan(EASTWARD), areas=(far,))


@pytest.mark.parametrize("opens_h", [None, 9.5])
def test_a_zone_is_entered_at_its_outline_or_where_it_comes_into_force(
    opens_h: float | None,
) -> None:
    plan = make_plan(EASTWARD)
    opens = None if opens_h is None else DEPARTS_AT + opens_h * HOUR
    zone = area(1.333, -0.1, 3.0, 1.0, starts_at=opens)
    (point,) = of_kind(Kind.ZONE_NEAR, plan, areas=(zone,))
    hours = [(each.time - DEPARTS_AT) / HOUR for each in plan.profile]
    lngs = [each.position.lng for each in plan.profile]
    if opens is None:
        assert point.position.lng == pytest.approx(1.333, abs=1e-6)
    else:
        assert point.eta == opens
        assert 1.333 < point.position.lng < 3.0
    assert np.interp(point.position.lng, lngs, hours) == pytest.approx(
        (point.eta - DEPARTS_AT) / HOUR, abs=1e-3
    )


def test_a_point_in_ice_names_the_class_required_and_that_of_the_ship() -> None:
    ice = IceWater(IceHazard.PACK, IceClass.PC6)
    inside = replace(area(1.0, -0.1, 3.0, 1.0), kind=AreaKind.ICE, ice=ice)
    (point,) = of_kind(Kind.ZONE_NEAR, make_plan(EASTWARD), areas=(inside,))
    assert f"Ice class {IceClass.PC6.label} required, the ship has" in point.description


@pytest.mark.parametrize(
    ("opens", "shuts", "found"), [(-9, -1, 0), (100, 200, 0), (-1, 100, 1), (5, 12, 1)]
)
def test_a_zone_counts_only_while_it_is_in_force(opens: int, shuts: int, found: int) -> None:
    zone = area(
        0.5,
        0.05,
        3.5,
        1.0,
        starts_at=DEPARTS_AT + opens * HOUR,
        ends_at=DEPARTS_AT + shuts * HOUR,
    )
    assert len(of_kind(Kind.ZONE_NEAR, make_plan(EASTWARD), areas=(zone,))) == found


@given(st.floats(-70.0, 70.0), st.sampled_from([-180.0, 0.0, 179.99, 47.3]), st.floats(0.5, 9.5))
def test_the_distance_to_a_zone_holds_everywhere_on_earth(
    lat: float, lng: float, off_nm: float
) -> None:
    edge_lat, _ = great_circle_destination(lat, lng, 0.0, off_nm)
    west, east = max(lng - 2.0, -180.0), min(lng + 2.0, 180.0)
    zone = area(west, float(edge_lat), east, float(edge_lat) + 0.5)
    plan = make_plan([Turn(lat - 0.5, lng), Turn(lat, lng)])
    (point,) = of_kind(Kind.ZONE_NEAR, plan, areas=(zone,))
    told = re.search(r"lies ([\d.]+) nm off", point.description)
    assert told is not None
    assert float(told[1]) == pytest.approx(off_nm, abs=0.056)


def test_a_zone_across_the_antimeridian_is_near() -> None:
    zone = area(-180.0, -1.0, -179.0, 1.0)
    plan = make_plan([Turn(0.0, 178.0), Turn(0.0, 179.9)])
    (point,) = of_kind(Kind.ZONE_NEAR, plan, areas=(zone,))
    assert "6.0 nm" in point.description


def test_a_danger_of_an_edit_is_at_its_place_and_the_time_of_passing_it() -> None:
    plan = make_plan(EASTWARD)
    half_way = Position(0.05, 2.0)
    dangers = [
        EditDanger("The leg crosses land.", 1, half_way),
        EditDanger("The ship arrives late.", 1, None),
    ]
    points = find_critical_points(plan, make_request(plan), dangers)
    land, late = (point for point in points if Kind.EDIT_DANGER in point.kinds)
    assert land.severity is late.severity is Severity.DANGER
    assert (land.position, land.description) == (half_way, "The leg crosses land.")
    passed_h = (land.eta - DEPARTS_AT) / HOUR
    assert passed_h == pytest.approx(plan.summary.duration_h / 2, abs=0.5)
    assert late.eta == plan.waypoints[1].eta


def test_coinciding_findings_are_one_point_of_the_highest_severity() -> None:
    (canal,) = of_kind(Kind.CANAL, panama_plan())
    assert canal.kinds == (Kind.ALTER_COURSE, Kind.CANAL, Kind.SHALLOW)
    assert canal.severity is Severity.CAUTION
    assert canal.description == (
        "Alter course to port from 201° to 170°. Enter Panama Canal. Leave it at waypoint 5,"
        " Fri 16 Jan 2026 14:03 UTC. Shallow water of 14.0 m. Mind squat and speed."
    )


@pytest.mark.parametrize(("hours_in", "points"), [(17.0, 1), (16.0, 2)])
def test_findings_less_than_half_an_hour_apart_on_a_leg_coincide(
    hours_in: float, points: int
) -> None:
    def weather(_: Position, time: Any) -> Any:
        hours = (time - DEPARTS_AT) / HOUR
        return make_weather(3.0 if abs(hours - hours_in) < 0.1 else 1.0, current_speed_kn=0.0)

    plan = make_plan(EASTWARD, weather=weather)
    assert 17.0 < plan.summary.duration_h < 17.5
    found = [p for p in find(plan) if {Kind.MAX_WAVE, Kind.ARRIVAL} & set(p.kinds)]
    assert len(found) == points
