"""Voyages through ice, polar waters and seasonal locks, on the real sea atlas."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import pytest
import shapely

from app.engine.area import Area, AreaRule
from app.engine.checking.check import check_route
from app.engine.checking.findings import FindingCode, Severity
from app.engine.codes import WarningCode
from app.engine.errors import EndInsideArea, NoRoute, SeasonClosed
from app.engine.geodesy import great_circle_distance_nm
from app.engine.particulars import IceClass, Loading, ShipParticulars, ShipType
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage, quote_voyage
from app.engine.planning.area_rules import settle_for_given_route
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint, build_given_waypoints
from app.engine.request import Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from app.services.areas.areas_in_force import list_zones, zone_catalogue
from tests.unit.engine.test_planner import NEW_YORK, ROTTERDAM, make_request
from tests.unit.engine.weather.seas import uniform_climatology

pytestmark = pytest.mark.atlas

TUBARAO, QINGDAO = Position(-20.29, -40.24), Position(36.05, 120.3)
HOBART, CAPE_TOWN = Position(-42.88, 147.34), Position(-33.9, 18.43)
SYDNEY, SOUTHAMPTON = Position(-33.85, 151.25), Position(50.9, -1.4)
DUNEDIN, VIGO = Position(-45.8, 170.6), Position(42.2, -8.75)
HAMMERFEST, TOKYO = Position(70.667, 23.683), Position(35.6, 139.8)
MURMANSK, KEMI, CHURCHILL = Position(68.97, 33.05), Position(65.67, 24.52), Position(58.78, -94.2)
REYKJAVIK, NUUK = Position(64.2, -22.1), Position(64.15, -51.9)
DULUTH, MONTREAL = Position(46.77, -92.09), Position(45.5, -73.54)
RAS_TANURA, JEBEL_ALI = Position(26.65, 50.17), Position(25.02, 55.06)
MUMBAI = Position(18.9, 72.8)
THE_POLE = Position(90.0, 0.0)
KOTZEBUE = Position(66.92, -162.58)

CALM = WeatherField(uniform_climatology(), ())
#: Within the locks of the St Lawrence Seaway: 225.5 m by 23.8 m by 8.08 m.
LAKER = ShipParticulars(
    ship_type=ShipType.BULK_CARRIER,
    dwt_t=30_000.0,
    loa_m=200.0,
    lbp_m=195.0,
    breadth_m=23.7,
    depth_m=14.0,
    draft_design_m=9.5,
    draft_scantling_m=9.8,
    service_speed_kn=13.5,
)


def order(
    departure: Position,
    arrival: Position,
    day: tuple[int, int],
    ice_class: IceClass = IceClass.NONE,
) -> VoyageRequest:
    """A request with the default switches, leaving on a day of 2026 (month, day)."""
    departs_at = datetime(2026, *day, tzinfo=UTC)
    asked = {
        "startDate": departs_at.isoformat(),
        "avoidEca": False,
        "avoidPiracyAreas": True,
        "avoidWarZones": True,
    }
    request = make_request(departure, arrival)
    return replace(
        request,
        departs_at=departs_at,
        ship=replace(request.ship, ice_class=ice_class),
        areas=tuple(list_zones(asked, ice_class)),
    )


def order_laker(day: tuple[int, int], ice_class: IceClass = IceClass.NONE) -> VoyageRequest:
    request = order(DULUTH, MONTREAL, day, ice_class)
    return replace(
        request, ship=replace(LAKER, ice_class=ice_class), loading=Loading(7.5, 0.0, 18_000.0)
    )


@pytest.fixture(scope="module")
def plan_to_kemi(sea: SeaAtlas) -> Callable[[int], RoutePlan]:
    """Plan a voyage of a ship without ice class into the Bothnian Bay, on the 10th of a month."""
    return cache(lambda month: plan_voyage(order(ROTTERDAM, KEMI, (month, 10)), sea))


def list_details(plan: RoutePlan, code: WarningCode) -> list[str]:
    return [warning.detail for warning in plan.warnings if warning.code == code]


def assert_keeps_out_of_ice(plan: RoutePlan) -> None:
    """No sample of the track lies in ice or polar waters in their season."""
    for zone in zone_catalogue().zones:
        if zone.ice is not None and zone.ice.class_needed is not IceClass.NONE:
            in_season = [p.position for p in plan.profile if zone.is_in_force(p.time)]
            lngs, lats = [p.lng for p in in_season], [p.lat for p in in_season]
            assert not shapely.contains_xy(zone.geometry, lngs, lats).any(), zone.name


def test_the_antarctic_bulge_of_september_is_passed_to_the_north(sea: SeaAtlas) -> None:
    # the great circle from Cape Town to the Falklands' latitude would cut the pack at 0 degrees
    asked = order(Position(-54.5, -38.0), Position(-54.0, 40.0), (9, 5))
    assert_keeps_out_of_ice(plan_voyage(asked, sea))


def test_a_polar_class_ship_may_go_south_and_is_warned(sea: SeaAtlas) -> None:
    plan = plan_voyage(order(HOBART, CAPE_TOWN, (1, 10), IceClass.PC5), sea)
    assert min(point.position.lat for point in plan.profile) < -61.0
    assert any("Polar Ship Certificate" in said for said in list_details(plan, WarningCode.ICE))


def test_a_ship_without_ice_class_is_warned_of_arctic_polar_waters(sea: SeaAtlas) -> None:
    plan = plan_voyage(order(REYKJAVIK, NUUK, (8, 10)), sea)
    (warned,) = list_details(plan, WarningCode.ICE)
    assert "Arctic polar waters" in warned
    assert "Polar Ship Certificate" in warned


def test_a_port_in_ice_is_reached_with_a_warning_of_the_icebreaker(
    plan_to_kemi: Callable[[int], RoutePlan],
) -> None:
    plan = plan_to_kemi(2)
    said = list_details(plan, WarningCode.ICE)
    assert any("Bothnian Bay" in words and "Icebreaker or ice class IA" in words for words in said)
    # the ship passes the Bothnian Sea to get there: it is bound behind it, not inside
    assert any("Bothnian Sea" in words for words in said)


def test_a_port_in_ice_is_reached_by_the_fewest_miles_in_the_ice_of_all_seas(
    sea: SeaAtlas,
) -> None:
    # by the Northern Sea Route some 2,400 nm lie in ice, by the Bering Sea some 750
    plan = plan_voyage(order(ROTTERDAM, KOTZEBUE, (12, 10)), sea)
    assert max(point.position.lat for point in plan.profile) < 68.0
    warned = [detail for detail in list_details(plan, WarningCode.ICE) if "ice class" in detail]
    miles = [int(re.search(r"About (\d+) nm", detail)[1]) for detail in warned]
    assert sum(miles) < 1000


def test_ice_costs_speed_and_fuel_and_more_without_the_class(
    sea: SeaAtlas, plan_to_kemi: Callable[[int], RoutePlan]
) -> None:
    summer = plan_to_kemi(7).summary
    classed = plan_voyage(order(ROTTERDAM, KEMI, (2, 10), IceClass.IA_SUPER), sea).summary
    convoy = plan_to_kemi(2).summary
    assert summer.duration_h + 10.0 < classed.duration_h < convoy.duration_h - 10.0
    assert 1.1 * summer.fuel_t < classed.fuel_t < convoy.fuel_t


def test_a_plan_into_ice_is_checked_as_it_was_planned(sea: SeaAtlas) -> None:
    request = order(ROTTERDAM, KEMI, (2, 10))
    plan = plan_voyage(request, sea, CALM)
    context = settle_for_given_route(PlanningContext.of(request, sea, CALM))
    checked = check_route(context, build_given_waypoints(plan.waypoints))
    assert checked.route is not None
    assert checked.route.total_fuel_t == pytest.approx(plan.summary.fuel_t, rel=0.01)
    assert Severity.DANGER not in {finding.severity for finding in checked.findings}


def test_an_area_that_a_plan_avoids_is_a_danger_to_a_route_through_it(sea: SeaAtlas) -> None:
    request = order(ROTTERDAM, NEW_YORK, (2, 10))
    context = settle_for_given_route(PlanningContext.of(request, sea, CALM))
    through_the_gulf = [ROTTERDAM, Position(47.5, -62.0), NEW_YORK]
    checked = check_route(context, [GivenWaypoint(place) for place in through_the_gulf])
    entered = [f for f in checked.findings if f.code is FindingCode.SEASON_CLOSED]
    assert Severity.DANGER in {finding.severity for finding in entered}


def test_the_speed_of_a_leg_is_the_same_through_still_water_where_ice_slows_the_ship(
    plan_to_kemi: Callable[[int], RoutePlan],
) -> None:
    plan = plan_to_kemi(2)
    legs = plan.waypoints[1:]
    through_water_kn = [leg.speed_through_water_kn for leg in legs]
    assert through_water_kn == pytest.approx([leg.speed_kn for leg in legs])


def test_the_shaft_turns_in_ice_as_fast_as_its_power_needs(
    plan_to_kemi: Callable[[int], RoutePlan],
) -> None:
    plan = plan_to_kemi(2)
    hardest = max(plan.waypoints[1:], key=lambda waypoint: waypoint.power_kw)
    fastest = max(plan.waypoints[1:], key=lambda waypoint: waypoint.speed_through_water_kn)
    assert hardest.speed_through_water_kn < 0.6 * fastest.speed_through_water_kn
    assert hardest.rpm > fastest.rpm


def test_the_same_port_is_reached_without_ice_warnings_in_july(
    plan_to_kemi: Callable[[int], RoutePlan],
) -> None:
    plan = plan_to_kemi(7)
    assert list_details(plan, WarningCode.ICE) == []


def test_shut_locks_refuse_a_voyage_and_say_until_when(sea: SeaAtlas) -> None:
    with pytest.raises(SeasonClosed, match=r"until 2[25] Mar 2026"):
        plan_voyage(order_laker((2, 10)), sea)


def test_a_ship_waits_some_days_for_locks_to_open_and_is_asked_to_check_the_date(
    sea: SeaAtlas,
) -> None:
    plan = plan_voyage(order_laker((3, 21), IceClass.IA), sea, CALM)
    assert any(
        "Soo Locks opens about 25 Mar" in w for w in list_details(plan, WarningCode.SEASON_CLOSED)
    )
    passed_at = next(p.time for p in plan.profile if p.position.lng > -84.3)
    assert passed_at >= datetime(2026, 3, 25, tzinfo=UTC)


def test_the_lakes_are_open_in_july(sea: SeaAtlas) -> None:
    plan = plan_voyage(order_laker((7, 10)), sea)
    assert list_details(plan, WarningCode.SEASON_CLOSED) == []


@pytest.mark.parametrize(
    ("departure", "arrival"),
    [(RAS_TANURA, MUMBAI), (MUMBAI, JEBEL_ALI)],
    ids=["from Ras Tanura", "to Jebel Ali"],
)
def test_gulf_ports_behind_a_second_zone_are_planned_with_the_default_switches(
    sea: SeaAtlas, departure: Position, arrival: Position
) -> None:
    plan = plan_voyage(order(departure, arrival, (3, 10)), sea)
    inside, behind = list_details(plan, WarningCode.AREA_ENTERED)
    assert "lies inside Persian Gulf" in inside
    assert "lies behind Waters off Oman" in behind


def test_a_quote_is_bound_by_areas_and_seasons_as_a_plan_is(sea: SeaAtlas) -> None:
    gulf = quote_voyage(order(MUMBAI, JEBEL_ALI, (3, 10)), sea)
    assert sum(warning.code == WarningCode.AREA_ENTERED for warning in gulf.warnings) == 2
    with pytest.raises(SeasonClosed):
        quote_voyage(order_laker((2, 10)), sea)


def test_a_route_that_only_ice_closes_is_refused_where_no_ship_is_taken(sea: SeaAtlas) -> None:
    # Deception Bay lies inside, Inukjuak is reached through Hudson Strait alone
    with pytest.raises((EndInsideArea, NoRoute), match="Hudson Bay"):
        plan_voyage(order(NEW_YORK, Position(58.45, -78.2), (2, 1)), sea)


def test_a_westbound_winter_voyage_keeps_a_margin_from_the_ice_off_cape_farewell(
    sea: SeaAtlas,
) -> None:
    cape = Position(59.5, -42.8)  # the southern tip of the edge of the ice
    plan = plan_voyage(order(Position(63.3, -20.0), Position(58.0, -52.0), (1, 10)), sea)
    nearest_nm = min(great_circle_distance_nm(*cape, *p.position) for p in plan.profile)
    assert 29.0 < nearest_nm < 45.0


def test_a_port_within_the_margin_of_the_ice_is_reached_as_without_it(sea: SeaAtlas) -> None:
    asked = order(HAMMERFEST, Position(78.1, 14.3), (2, 10))  # off Isfjorden
    plan = plan_voyage(asked, sea)
    assert_keeps_out_of_ice(plan)
    bare = replace(asked, areas=tuple(_without_margin(area) for area in asked.areas))
    assert plan.summary.distance_nm == pytest.approx(
        plan_voyage(bare, sea).summary.distance_nm, rel=0.03
    )


def _without_margin(area: Area) -> Area:
    return area if area.ice is None else replace(area, ice=replace(area.ice, margin_nm=0.0))


def test_ice_that_lies_on_in_the_next_season_is_not_over_with_this_one(sea: SeaAtlas) -> None:
    peninsula = Position(-64.8, -64.2)
    request = order(Position(-55.0, -66.5), peninsula, (4, 10))
    with pytest.raises(EndInsideArea) as refused:
        plan_voyage(request, sea, CALM)
    opens = re.search(r"until (\d+ \w+ \d+)\.$", refused.value.detail)
    assert opens is not None
    opens_at = datetime.strptime(opens[1], "%d %b %Y").replace(tzinfo=UTC)
    closed = [
        area
        for area in request.areas
        if area.rule is AreaRule.NO_ENTRY
        and area.geometry.intersects(shapely.Point(*peninsula[::-1]))
    ]
    assert len(closed) > 1
    assert all(area.ends_at is not None and area.ends_at <= opens_at for area in closed)
