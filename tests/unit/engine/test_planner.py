"""Voyages planned from end to end on the real sea atlas."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
import shapely
from cachetools import cached

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.errors import EndInsideArea, NoRoute
from app.engine.geodesy import sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.particulars import Loading
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.request import Objective, Position, ReferenceRoute, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from tests.unit.engine.sailing_builders import DEPARTS_AT, KAMSARMAX, make_area

pytestmark = pytest.mark.atlas

ROTTERDAM = Position(51.9, 4.48333)
SINGAPORE = Position(1.26667, 103.83333)
NEW_YORK = Position(40.7, -74.01667)
YOKOHAMA = Position(35.45, 139.65)
SAN_FRANCISCO = Position(37.8, -122.41667)
LISBON = Position(38.7, -9.16667)
PLYMOUTH = Position(50.36667, -4.15)


def make_request(departure: Position, arrival: Position) -> VoyageRequest:
    return VoyageRequest(
        departure=departure,
        arrival=arrival,
        departs_at=DEPARTS_AT,
        ship=KAMSARMAX,
        loading=Loading(12.2, 0.0, 68_000.0),
        speed_min_kn=11.0,
        speed_max_kn=14.0,
    )


def assert_consistent(plan: RoutePlan) -> None:
    """Assert that the parts of a plan are in order and add up to its totals."""
    waypoints, summary = plan.waypoints, plan.summary
    assert all(a.eta < b.eta for a, b in pairwise(waypoints))
    assert sum(w.leg_fuel_t for w in waypoints) == pytest.approx(summary.fuel_t)
    assert sum(w.leg_distance_nm for w in waypoints) == pytest.approx(summary.distance_nm)
    assert waypoints[-1].eta == summary.eta
    assert plan.profile[-1].cumulative_fuel_t == pytest.approx(summary.fuel_t)
    assert all(-180.0 <= w.position.lng < 180.0 for w in waypoints)


@cached({}, key=lambda request, _sea: request)
def plan_once(request: VoyageRequest, sea: SeaAtlas) -> RoutePlan:
    return plan_voyage(request, sea)


def test_rotterdam_to_singapore_leads_by_suez_in_the_published_distance(sea: SeaAtlas) -> None:
    plan = plan_once(make_request(ROTTERDAM, SINGAPORE), sea)
    assert_consistent(plan)
    assert plan.label == "by Suez"
    # NGA Pub. 151, Distances Between Ports, 11th ed. (2001)
    assert plan.summary.distance_nm == pytest.approx(8340.0, rel=0.015)
    assert "by the Cape of Good Hope" in {a.label for a in plan.alternatives}
    assert "Suez Canal" in {w.passage for w in plan.waypoints}


def test_a_voyage_across_the_antimeridian_is_one_short_route(sea: SeaAtlas) -> None:
    plan = plan_once(make_request(YOKOHAMA, SAN_FRANCISCO), sea)
    assert_consistent(plan)
    assert plan.summary.distance_nm == pytest.approx(4536.0, rel=0.015)


def test_without_weather_the_plan_says_so_and_shows_none(sea: SeaAtlas) -> None:
    plan = plan_once(make_request(PLYMOUTH, LISBON), sea)
    assert {w.weather for w in plan.waypoints} == {None}
    assert plan.summary.max_wave_m is None
    assert "NO_WEATHER" in {warning.code for warning in plan.warnings}


def test_the_same_request_gives_the_same_plan(sea: SeaAtlas) -> None:
    request = make_request(PLYMOUTH, LISBON)
    assert plan_voyage(request, sea) == plan_once(request, sea)


def test_the_objectives_give_the_earliest_arrival_and_the_least_fuel(sea: SeaAtlas) -> None:
    request = make_request(PLYMOUTH, LISBON)
    fuel, balanced, time = (
        plan_once(replace(request, objective=objective), sea).summary
        for objective in (Objective.FUEL, Objective.BALANCED, Objective.TIME)
    )
    assert fuel.fuel_t < balanced.fuel_t < time.fuel_t
    assert fuel.duration_h > balanced.duration_h > time.duration_h


def test_for_least_fuel_the_ship_slows_down_to_the_latest_arrival(sea: SeaAtlas) -> None:
    request = make_request(PLYMOUTH, LISBON)
    fastest = plan_once(replace(request, objective=Objective.TIME), sea).summary
    arrive_by = fastest.eta + timedelta(hours=4)
    plan = plan_once(replace(request, arrive_by=arrive_by), sea)
    assert timedelta(0) <= arrive_by - plan.summary.eta < timedelta(minutes=10)
    assert plan.summary.fuel_t < fastest.fuel_t


def test_an_arrival_that_cannot_be_met_gives_the_earliest_with_a_warning(sea: SeaAtlas) -> None:
    request = make_request(PLYMOUTH, LISBON)
    fastest = plan_once(replace(request, objective=Objective.TIME), sea).summary
    plan = plan_once(replace(request, arrive_by=fastest.eta - timedelta(hours=1)), sea)
    assert plan.summary.eta == fastest.eta
    assert "ENDDATE_UNREACHABLE" in {warning.code for warning in plan.warnings}


def test_a_forbidden_area_narrower_than_a_mile_changes_the_route(sea: SeaAtlas) -> None:
    wall = make_area(-9.0, 46.0, -8.995, 50.0)
    wall = replace(wall, geometry=shapely.MultiPolygon([shapely.box(-40.0, 47.0, 0.0, 47.005)]))
    plan = plan_once(replace(make_request(PLYMOUTH, LISBON), areas=(wall,)), sea)
    free = plan_once(make_request(PLYMOUTH, LISBON), sea)
    assert plan.summary.distance_nm > free.summary.distance_nm + 100.0
    track = shapely.LineString([(p.position.lng, p.position.lat) for p in plan.profile])
    assert not track.intersects(wall.geometry)
    assert plan.facts.areas_avoided == (f"the constraint “{wall.name}”",)


@pytest.mark.parametrize(
    ("starts_h", "ends_h", "turned"), [(None, 12.0, False), (12.0, 48.0, True), (96.0, None, False)]
)
def test_an_area_with_a_window_changes_the_route_only_while_in_force(
    sea: SeaAtlas, starts_h: float | None, ends_h: float | None, turned: bool
) -> None:
    starts, ends = (
        None if h is None else DEPARTS_AT + timedelta(hours=h) for h in (starts_h, ends_h)
    )
    wall = make_area(-12.0, 45.0, -5.0, 45.1, starts_at=starts, ends_at=ends)
    free = plan_once(make_request(PLYMOUTH, LISBON), sea)
    plan = plan_once(replace(make_request(PLYMOUTH, LISBON), areas=(wall,)), sea)
    assert (plan.summary.distance_nm > free.summary.distance_nm + 5.0) is turned


def test_an_end_inside_a_forbidden_area_is_an_error_that_names_the_area(sea: SeaAtlas) -> None:
    around_lisbon = make_area(-10.0, 38.0, -9.0, 39.0)
    with pytest.raises(EndInsideArea) as refused:
        plan_once(replace(make_request(PLYMOUTH, LISBON), areas=(around_lisbon,)), sea)
    assert refused.value.data["name"] == around_lisbon.name


def test_a_war_risk_area_is_avoided_and_the_extra_cost_is_reported(sea: SeaAtlas) -> None:
    red_sea = Area(
        "red-sea",
        "Southern Red Sea",
        AreaKind.WAR_RISK,
        AreaRule.AVOID_UNLESS_ENDPOINT,
        shapely.MultiPolygon([shapely.box(38.0, 11.0, 48.0, 18.0)]),
    )
    plan = plan_once(replace(make_request(ROTTERDAM, SINGAPORE), areas=(red_sea,)), sea)
    assert plan.label == "by the Cape of Good Hope"
    (closed,) = plan.facts.closed_ways
    assert closed.label == "by Suez"
    assert closed.area_ids == ("red-sea",)
    assert closed.extra_nm == pytest.approx(3400.0, rel=0.1)


def test_a_closed_ring_around_the_port_leaves_no_route(sea: SeaAtlas) -> None:
    ring = shapely.box(-16.0, 32.0, -4.0, 44.0).difference(shapely.box(-12.0, 36.5, -8.0, 41.0))
    area = replace(make_area(0.0, 0.0, 1.0, 1.0), geometry=shapely.MultiPolygon([ring]))
    with pytest.raises(NoRoute):
        plan_once(replace(make_request(PLYMOUTH, LISBON), areas=(area,)), sea)


def test_a_reference_route_is_simulated_to_the_same_arrival(sea: SeaAtlas) -> None:
    detour = ReferenceRoute("Owner's track", (PLYMOUTH, Position(46.0, -12.0), LISBON))
    request = replace(make_request(PLYMOUTH, LISBON), speed_max_kn=16.0, reference_routes=(detour,))
    plan = plan_once(replace(request, objective=Objective.BALANCED), sea)
    (reference,) = [a for a in plan.alternatives if a.kind == "REFERENCE"]
    assert reference.label == "Owner's track"
    assert reference.summary.distance_nm > plan.summary.distance_nm
    assert reference.summary.fuel_t > plan.summary.fuel_t
    assert reference.summary.eta <= plan.summary.eta


def test_no_leg_states_more_depth_than_the_chart_has_along_it(sea: SeaAtlas) -> None:
    points = plan_once(make_request(PLYMOUTH, LISBON), sea).profile
    known = [(a, b) for a, b in pairwise(points) if a.depth_m is not None]
    assert known
    for a, b in known:
        line = sample_leg(a.position, b.position, LegGeometry.RHUMB, 0.1)
        assert a.depth_m <= sea.depth_m(*line).min() * 1.02 + 0.5


def test_a_corridor_includes_no_forbidden_water(sea: SeaAtlas) -> None:
    beside_ushant = make_area(-7.0, 46.0, -6.0, 49.5)
    request = replace(make_request(PLYMOUTH, LISBON), areas=(beside_ushant,))
    waypoints = plan_once(request, sea).waypoints
    narrow = min(w.xtd_m for w in waypoints[1:] if w.xtd_m is not None)
    assert narrow < 1000.0
    for a, b in pairwise(waypoints):
        lats, lngs = sample_leg(a.position, b.position, b.leg_geometry, 1.0)
        line = shapely.linestrings(lngs, lats)
        gap_m = line.distance(beside_ushant.geometry) * 111_195.0
        assert b.xtd_m <= gap_m
