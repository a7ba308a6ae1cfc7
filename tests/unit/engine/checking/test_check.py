"""Faults inserted into a planned route are found on the right leg; the plan itself has none."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from app.engine.area import AreaKind, AreaRule
from app.engine.checking.check import CheckedRoute, check_route
from app.engine.checking.edits import mark_findings
from app.engine.checking.findings import Finding, FindingCode, Severity
from app.engine.checking.positions import find_positions
from app.engine.codes import WarningCode
from app.engine.formatting import format_time
from app.engine.geodesy import (
    great_circle_course_deg,
    great_circle_destination,
    leg_distance_nm,
)
from app.engine.geodesy.leg import LegGeometry
from app.engine.particulars import Loading
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import (
    GivenWaypoint,
    build_given_legs,
    build_given_waypoints,
)
from app.engine.report.passage_plan import write_given_plan
from app.engine.request import Limits, Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.legs import find_xtd_in_passage_m, measure_off_line_m
from app.engine.vessel import build_ship
from app.engine.weather import WeatherField
from tests.unit.engine.sailing_builders import DEPARTS_AT, KAMSARMAX, make_area
from tests.unit.engine.weather.seas import uniform_climatology

pytestmark = pytest.mark.atlas

REQUEST = VoyageRequest(
    departure=Position(51.9, 4.48333),
    arrival=Position(38.7, -9.16667),
    departs_at=DEPARTS_AT,
    ship=KAMSARMAX,
    loading=Loading(12.2, 0.0, 68_000.0),
    speed_min_kn=11.0,
    speed_max_kn=14.0,
)
ROUGH = WeatherField(uniform_climatology(wave=(3.0, 9.0, 250.0)), ())
HOUR = timedelta(hours=1)
GRAVE = (Severity.DANGER, Severity.WARNING)

Route = list[GivenWaypoint]


@pytest.fixture(scope="module")
def plan(sea: SeaAtlas) -> RoutePlan:
    return plan_voyage(REQUEST, sea, ROUGH)


@pytest.fixture(scope="module")
def route(plan: RoutePlan) -> Route:
    """Return the planned route as its files give it."""
    return build_given_waypoints(plan.waypoints)


@pytest.fixture(scope="module")
def check(sea: SeaAtlas) -> Callable[..., CheckedRoute]:
    def check(route: Sequence[GivenWaypoint], **changes: object) -> CheckedRoute:
        request = replace(REQUEST, **changes)
        ship = build_ship(request.ship, request.loading)
        return check_route(PlanningContext(request, sea, ROUGH, ship), route)

    return check


def of(code: FindingCode, checked: CheckedRoute) -> list[Finding]:
    return [finding for finding in checked.findings if finding.code is code]


def at_sea(route: Route, share: float = 0.5) -> int:
    """Return a waypoint at sea between two long, clear legs."""
    whole = range(2, len(route) - 2)
    clear = [n for n in whole if min(route[n].xtd_m or 0, route[n + 1].xtd_m or 0) >= 1852.0]
    return clear[int(share * len(clear))]


def moved(route: Route, number: int, **values: object) -> Route:
    return [*route[:number], replace(route[number], **values), *route[number + 1 :]]


def free(route: Route) -> Route:
    """Return the route without times, at 10 kn."""
    return [replace(waypoint, due=None, speed_kn=10.0) for waypoint in route]


def test_a_plans_own_route_has_no_danger_and_costs_what_was_planned(
    plan: RoutePlan, route: Route, check: Callable[..., CheckedRoute]
) -> None:
    checked = check(route)
    assert [f for f in checked.findings if f.severity in GRAVE] == []
    assert checked.route is not None
    assert checked.route.total_fuel_t == pytest.approx(plan.summary.fuel_t, rel=0.003)
    off = checked.route.simulation.time_at(-1) - plan.summary.eta
    assert abs(off) <= timedelta(minutes=2)


def test_a_route_beside_a_wreck_in_a_lane_has_no_danger_and_names_the_wrecks_area(
    sea: SeaAtlas,
) -> None:
    wreck = make_area(-5.506, 35.941, -5.5, 35.945)
    lisbon, genoa = REQUEST.arrival, Position(44.4, 8.9)
    loading = Loading(9.5, 0.0, 50_000.0)
    request = replace(REQUEST, departure=lisbon, arrival=genoa, loading=loading, areas=(wreck,))
    plan = plan_voyage(request, sea, ROUGH)
    assert plan.summary.distance_nm < 1200.0
    assert plan.facts.areas_avoided == (f"the constraint “{wreck.name}”",)
    checked = check_route(
        PlanningContext.of(request, sea, ROUGH), build_given_waypoints(plan.waypoints)
    )
    assert [f for f in checked.findings if f.severity in GRAVE] == []


def test_a_usual_wait_that_the_times_hold_on_the_leg_before_is_counted_once(
    sea: SeaAtlas,
) -> None:
    constanta, piraeus = Position(44.1, 28.7), Position(37.9, 23.6)
    loading = Loading(11.0, 0.0, 60_000.0)
    request = replace(REQUEST, departure=constanta, arrival=piraeus, loading=loading)
    plan = plan_voyage(request, sea, ROUGH)
    assert any("Usual waiting time" in (waypoint.note or "") for waypoint in plan.waypoints)
    unnamed = [replace(each, passage=None) for each in build_given_waypoints(plan.waypoints)]
    checked = check_route(PlanningContext.of(request, sea, ROUGH), unnamed)
    assert of(FindingCode.SPEED_NOT_HELD, checked) == []
    assert checked.route is not None
    assert checked.route.total_fuel_t == pytest.approx(plan.summary.fuel_t, rel=0.01)


def test_an_edit_keeps_passages_and_corridors_of_the_legs_that_it_does_not_move(
    sea: SeaAtlas, plan: RoutePlan, route: Route
) -> None:
    context, number = PlanningContext.of(REQUEST, sea, ROUGH), at_sea(route)
    place = route[number].position
    kept = moved(free(route), number + 1, xtd_m=None)
    edited = moved(kept, number, position=place._replace(lng=place.lng - 0.1), xtd_m=None)
    simulated = check_route(context, edited).route
    assert simulated is not None
    written = write_given_plan(context, simulated)
    known = {fact.name for fact in plan.facts.passages}
    assert "Nieuwe Waterweg to Rotterdam" in known
    assert {fact.name for fact in written.facts.passages} == known
    pairs = [*zip(plan.waypoints, written.waypoints, strict=True)]
    del pairs[number : number + 2]
    assert [after.passage for _, after in pairs] == [before.passage for before, _ in pairs]
    for before, after in pairs:
        assert (after.xtd_m or 0.0) <= (before.xtd_m or 0.0) + 0.1, before.index


def test_an_edited_route_that_is_late_does_not_claim_to_be_the_earliest(
    sea: SeaAtlas, plan: RoutePlan, route: Route
) -> None:
    request = replace(REQUEST, arrive_by=plan.summary.eta - 5.0 * HOUR)
    context = PlanningContext.of(request, sea, ROUGH)
    simulated = check_route(context, route).route
    assert simulated is not None
    (late,) = [w for w in write_given_plan(context, simulated).warnings if "arrives" in w.detail]
    assert late.code is WarningCode.ENDDATE_UNREACHABLE
    assert "Earliest" not in late.detail


def test_an_arrival_late_by_a_second_is_stated_as_a_later_minute(
    sea: SeaAtlas, route: Route
) -> None:
    in_time = check_route(PlanningContext.of(REQUEST, sea, ROUGH), route).route
    assert in_time is not None
    arrives = in_time.simulation.time_at(-1)
    assert arrives.second > 0
    request = replace(REQUEST, arrive_by=arrives - timedelta(seconds=1))
    plan = write_given_plan(PlanningContext.of(request, sea, ROUGH), in_time)
    (late,) = [w for w in plan.warnings if w.code is WarningCode.ENDDATE_UNREACHABLE]
    stated, asked = re.findall(r"\d\d:\d\d", late.detail)
    assert stated != asked


def test_the_plan_of_a_time_that_cannot_be_kept_names_the_earliest_and_no_speed_as_ordered(
    sea: SeaAtlas,
) -> None:
    route = [
        GivenWaypoint(Position(45.0, -30.0)),
        GivenWaypoint(Position(46.0, -30.0), due=DEPARTS_AT - HOUR),
        GivenWaypoint(Position(47.0, -30.0), speed_kn=11.0),
    ]
    context = PlanningContext.of(REQUEST, sea, ROUGH)
    checked = check_route(context, route)
    assert checked.route is not None
    written = mark_findings(write_given_plan(context, checked.route), checked.findings)
    (missed,) = [w for w in written.warnings if w.code is WarningCode.DUE_TIME_MISSED]
    reached = format_time(written.waypoints[1].eta)
    assert f"Waypoint 2 is due {format_time(DEPARTS_AT - HOUR)}; the earliest is {reached}" in (
        missed.detail
    )
    assert not [w for w in written.warnings if "45.0 kn" in w.detail]


def test_a_leg_beside_the_middle_of_a_lane_has_less_of_it_on_one_side(sea: SeaAtlas) -> None:
    lane = next(p for p in sea.passages if p.name == "Dover Strait, south-west lane")
    a, b = lane.centre_line[0], lane.centre_line[1]
    off = 600.0 / 111_120.0
    beside = [Position(place.lat + off, place.lng) for place in (a, b)]
    off_m = measure_off_line_m(lane, *beside, LegGeometry.RHUMB)
    assert 300.0 < off_m < 601.0
    assert measure_off_line_m(lane, a, b, LegGeometry.RHUMB) == 0.0
    assert find_xtd_in_passage_m(lane, off_m, 0.0, 0.0) == lane.half_width_m - off_m
    # beyond the lane the sea is clear
    assert find_xtd_in_passage_m(lane, off_m, 1852.0, 1852.0) == lane.half_width_m


def test_legs_in_channels_and_lanes_are_no_wider_than_these(
    sea: SeaAtlas, route: Route, check: Callable[..., CheckedRoute]
) -> None:
    checked = check(route)
    assert checked.route is not None
    widths_m = {passage.name: passage.half_width_m for passage in sea.passages}
    narrow = [leg for leg in checked.route.legs if leg.passage in widths_m]
    assert len(narrow) > 5
    for leg in narrow:
        assert leg.xtd_m <= widths_m[leg.passage], leg.passage


@pytest.mark.parametrize(
    "places",
    [
        (Position(-53.5475, -44.0), Position(-53.5475, -40.0)),
        (Position(26.0, 35.2), Position(24.925, 35.86), Position(23.5, 36.8)),
        (Position(-18.756, -144.0), Position(-18.756, -140.0)),
    ],
    ids=["Shag Rocks", "Daedalus Reef", "Nengonengo"],
)
def test_a_leg_across_a_lone_rock_or_atoll_crosses_land(
    places: Sequence[Position], check: Callable[..., CheckedRoute]
) -> None:
    checked = check([GivenWaypoint(each, LegGeometry.RHUMB, speed_kn=10.0) for each in places])
    (crossed, *_) = of(FindingCode.LAND_CROSSED, checked)
    assert crossed.severity is Severity.DANGER


def test_unknown_depth_is_reported_as_unknown_and_never_as_safe(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    unknown = of(FindingCode.DEPTH_UNKNOWN, check(route))
    assert unknown
    assert {finding.severity for finding in unknown} == {Severity.UNKNOWN}


def test_a_leg_with_unknown_depth_on_a_part_of_its_length_is_reported(
    check: Callable[..., CheckedRoute],
) -> None:
    """From 15 nm off Finisterre to the ocean, past the coast of Portugal five miles off."""
    places = (Position(43.0, -9.7), Position(41.0, -8.75), Position(41.0, -15.0))
    (finding,) = of(
        FindingCode.DEPTH_UNKNOWN,
        check([GivenWaypoint(place, speed_kn=10.0) for place in places]),
    )
    assert finding.leg_index == 0
    assert finding.measured == pytest.approx(45.0, abs=30.0)
    assert " of " in finding.message


def test_unknown_depth_on_no_mile_worth_writing_is_not_reported(
    check: Callable[..., CheckedRoute],
) -> None:
    """Legs of 0.03 and 0.3 nm off Kashima, in water without known depths."""
    start = Position(36.4667, 140.65)
    for lat, is_reported in ((36.4672, False), (36.4717, True)):
        checked = check(
            [GivenWaypoint(each, speed_kn=10.0) for each in (start, Position(lat, 140.65))]
        )
        assert bool(of(FindingCode.DEPTH_UNKNOWN, checked)) == is_reported


def test_an_ocean_leg_from_a_port_has_unknown_depth_near_the_port_only(
    check: Callable[..., CheckedRoute],
) -> None:
    """From off Kashima into the Pacific: the first miles are unproven water."""
    places = (Position(36.4667, 140.65), Position(40.0, 160.0))
    checked = check([GivenWaypoint(place, speed_kn=10.0) for place in places])
    (finding,) = of(FindingCode.DEPTH_UNKNOWN, checked)
    assert finding.measured is not None
    assert 1.0 < finding.measured < 30.0
    assert checked.route is not None
    assert checked.route.unproven_nm == pytest.approx(finding.measured, abs=0.1)


def test_a_leg_across_the_antimeridian_suspects_no_sign(
    check: Callable[..., CheckedRoute],
) -> None:
    places = (Position(53.9, 170.0), Position(53.9, -170.0))
    checked = check([GivenWaypoint(place, speed_kn=10.0) for place in places])
    assert not of(FindingCode.POSITION_SIGN, checked)


@pytest.mark.parametrize(
    "places",
    [
        [(10.0, 179.0), (10.0, -179.0), (12.0, -175.0)],
        [(12.0, 175.0), (10.0, 179.0), (10.0, -179.0)],
        [(0.0, 179.0), (0.0, -179.0), (0.0, 179.5)],
        [(1.0, -25.0), (-1.0, -25.0), (-5.0, -28.0)],
    ],
)
def test_a_waypoint_that_mirrors_its_neighbour_is_not_mistyped(
    places: list[tuple[float, float]],
) -> None:
    found = find_positions([Position(*place) for place in places])
    assert [finding.code for finding in found] == []


@pytest.mark.parametrize(
    "places",
    [
        [(10.0, 179.0), (10.05, -178.95), (12.0, -175.0)],
        [(12.0, 175.0), (10.0, 179.0), (9.95, -178.97)],
        [(1.0, -25.0), (-0.95, -25.05), (-5.0, -28.0)],
        [(50.0, 1.0), (50.0, -0.9), (49.5, -4.0)],
    ],
)
def test_an_end_that_nearly_mirrors_its_neighbour_on_a_course_ahead_is_not_mistyped(
    places: list[tuple[float, float]],
) -> None:
    found = find_positions([Position(*place) for place in places])
    assert [finding.code for finding in found] == []


def test_both_legs_of_a_waypoint_ashore_cross_land(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    number = at_sea(route)
    ashore = moved(free(route), number, position=Position(47.5, 0.5))
    found = of(FindingCode.LAND_CROSSED, check(ashore))
    assert [f.leg_index for f in found] == [number - 1, number]
    assert {f.severity for f in found} == {Severity.DANGER}


def test_a_leg_entirely_ashore_crosses_land(check: Callable[..., CheckedRoute]) -> None:
    inland = [GivenWaypoint(Position(lat, 1.0), speed_kn=10.0) for lat in (46.0, 46.3, 46.6, 46.9)]
    found = of(FindingCode.LAND_CROSSED, check(inland))
    assert [f.leg_index for f in found] == [0, 1, 2]


def test_a_shoal_is_too_shallow_for_a_deep_ship_only(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    dogger = [GivenWaypoint(Position(55.6, lng), speed_kn=12.0) for lng in (1.0, 4.5)]
    deep = check(dogger, loading=Loading(14.4, 0.0, 82_000.0), ukc_margin_m=15.0)
    shallow = of(FindingCode.TOO_SHALLOW, deep)
    assert [f.leg_index for f in shallow] == [0]
    assert shallow[0].required is not None
    assert shallow[0].required > 29.0
    assert not of(FindingCode.TOO_SHALLOW, check(dogger, loading=Loading(5.0, 0.0, 10_000.0)))


@pytest.mark.parametrize(("begins_h", "is_entered"), [(-1.0, True), (2.0, False)])
def test_a_dated_area_is_entered_only_in_its_window(
    route: Route, check: Callable[..., CheckedRoute], begins_h: float, is_entered: bool
) -> None:
    number = at_sea(route)
    place, due = route[number].position, route[number].due
    assert due is not None
    area = make_area(
        place.lng - 0.05,
        place.lat - 0.05,
        place.lng + 0.05,
        place.lat + 0.05,
        starts_at=due + begins_h * HOUR,
        ends_at=due + (begins_h + 1.5) * HOUR,
    )
    found = of(FindingCode.AREA_ENTERED, check(route, areas=(area,)))
    assert bool(found) is is_entered
    if found:
        assert found[0].leg_index in (number - 1, number)
        assert found[0].severity is Severity.DANGER
        assert "constraint “Area” (in force from" in found[0].message


@pytest.mark.parametrize("kind", AreaKind)
def test_a_reported_area_of_any_kind_is_a_note(
    route: Route, check: Callable[..., CheckedRoute], kind: AreaKind
) -> None:
    place = route[at_sea(route)].position
    area = make_area(
        place.lng - 0.1,
        place.lat - 0.1,
        place.lng + 0.1,
        place.lat + 0.1,
        kind=kind,
        rule=AreaRule.REPORTED,
    )
    (found,) = of(FindingCode.AREA_ENTERED, check(route, areas=(area,)))
    assert found.severity is Severity.NOTE


MISTYPED = {
    "exchanged": (lambda p: Position(p.lng, p.lat), FindingCode.POSITION_SWAPPED),
    "east for west": (lambda p: Position(p.lat, -p.lng), FindingCode.POSITION_SIGN),
    "south for north": (lambda p: Position(-p.lat, p.lng), FindingCode.POSITION_SIGN),
}


@pytest.mark.parametrize("how", MISTYPED)
def test_a_mistyped_first_position_is_recognised(
    route: Route, check: Callable[..., CheckedRoute], how: str
) -> None:
    mistype, code = MISTYPED[how]
    wrong = moved(free(route), 0, position=mistype(route[0].position))
    assert [f.waypoint_index for f in of(code, check(wrong))] == [0]


@pytest.mark.parametrize("how", MISTYPED)
def test_a_mistyped_position_is_recognised(
    route: Route, check: Callable[..., CheckedRoute], how: str
) -> None:
    mistype, code = MISTYPED[how]
    number = at_sea(route, 0.8)
    wrong = moved(free(route), number, position=mistype(route[number].position))
    assert [f.waypoint_index for f in of(code, check(wrong))] == [number]


def test_two_exchanged_waypoints_are_recognised(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    number = at_sea(route)
    exchanged = free(route)
    exchanged[number], exchanged[number + 1] = exchanged[number + 1], exchanged[number]
    assert [f.waypoint_index for f in of(FindingCode.OUT_OF_ORDER, check(exchanged))] == [number]


def test_a_repeated_waypoint_is_reported_and_later_ones_keep_their_numbers(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    number = at_sea(route)
    repeated = [*route[: number + 1], *free(route)[number:]]
    repeated = moved(repeated, number + 3, position=Position(47.5, 0.5))
    checked = check(repeated)
    duplicates = of(FindingCode.DUPLICATE_WAYPOINT, checked)
    assert [f.waypoint_index for f in duplicates] == [number + 1]
    on_land = [f.leg_index for f in of(FindingCode.LAND_CROSSED, checked)]
    assert on_land == [number + 2, number + 3]


def test_messages_number_waypoints_as_given(check: Callable[..., CheckedRoute]) -> None:
    places = [Position(47.0, lng) for lng in (-10.0, -10.0, -11.0, -12.0, -13.0, -14.0)]
    due_h = (None, None, 5.0, 4.0, None, 6.0)
    route = [
        GivenWaypoint(place, due=None if at is None else DEPARTS_AT + at * HOUR, speed_kn=12.0)
        for place, at in zip(places, due_h, strict=True)
    ]
    (reversed_,) = of(FindingCode.SCHEDULE_REVERSED, check(route))
    assert reversed_.waypoint_index == 3
    assert reversed_.message.startswith("Waypoint 4 is due ")
    assert " no later than waypoint 3," in reversed_.message
    (late,) = of(FindingCode.SPEED_NOT_HELD, check([*route[:2], *route[4:]]))
    assert late.waypoint_index == 3
    assert late.message.startswith("Waypoint 4 is due ")


def test_turns_that_are_too_tight_too_long_for_their_leg_or_outside_the_corridor_are_found(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    number = at_sea(route)
    a, b = route[number].position, route[number + 1].position
    aside = Position(a.lat, a.lng - 0.02)
    sharp = [
        *free(route)[: number + 1],
        GivenWaypoint(aside, LegGeometry.RHUMB, speed_kn=12.0, turn_radius_nm=40.0),
        replace(free(route)[number + 1], position=b),
        *free(route)[number + 2 :],
    ]
    checked = check(sharp)
    short = {f.leg_index for f in of(FindingCode.LEG_TOO_SHORT, checked)}
    assert number in short
    outside = [f.waypoint_index for f in of(FindingCode.TURN_OUTSIDE_CORRIDOR, checked)]
    assert number + 1 in outside
    tight = moved(sharp, number + 1, turn_radius_nm=0.05)
    found = [f.waypoint_index for f in of(FindingCode.TURN_TOO_TIGHT, check(tight))]
    assert number + 1 in found


def test_a_wide_turn_in_the_open_sea_is_inside_clear_water(
    check: Callable[..., CheckedRoute],
) -> None:
    wide = [
        GivenWaypoint(Position(48.0, -12.0), speed_kn=12.0),
        GivenWaypoint(Position(48.0, -10.0), speed_kn=12.0, turn_radius_nm=1.5),
        GivenWaypoint(Position(47.0, -10.8), speed_kn=12.0),
    ]
    assert not of(FindingCode.TURN_OUTSIDE_CORRIDOR, check(wide))


def test_a_lane_followed_the_wrong_way_is_found(
    sea: SeaAtlas, check: Callable[..., CheckedRoute]
) -> None:
    lane = next(p for p in sea.passages if p.id and p.one_way and "Casquets" in p.name)
    along = [GivenWaypoint(place, speed_kn=12.0) for place in lane.centre_line]
    assert not of(FindingCode.WRONG_WAY, check(along))
    (found,) = of(FindingCode.WRONG_WAY, check(along[::-1]))
    assert (found.leg_index, found.severity) == (0, Severity.DANGER)


def test_a_lane_is_known_where_the_file_does_not_name_it(
    sea: SeaAtlas, check: Callable[..., CheckedRoute]
) -> None:
    lane = next(p for p in sea.passages if p.id == "dover-south-west")
    checked = check([GivenWaypoint(place, speed_kn=12.0) for place in lane.centre_line])
    assert checked.route is not None
    for leg in checked.route.legs:
        assert (leg.passage, leg.xtd_m, leg.min_depth_m) == (lane.name, 1500.0, 26.0)


def test_a_lane_crossed_against_its_direction_is_found(
    sea: SeaAtlas, check: Callable[..., CheckedRoute]
) -> None:
    """The leg crosses two sections of the lane's centre line."""
    south, north = Position(50.5, 1.0), Position(50.9, 1.0)
    (found,) = of(
        FindingCode.WRONG_WAY,
        check([GivenWaypoint(place, speed_kn=12.0) for place in (south, north)]),
    )
    assert (found.leg_index, found.severity, found.required) == (0, Severity.WARNING, 90.0)
    assert found.measured == pytest.approx(134.0, abs=1.0)
    assert "The leg crosses the south-west lane of Dover Strait" in found.message
    with_it = [GivenWaypoint(place, speed_kn=12.0) for place in (north, south)]
    lanes_crossed = [f.message for f in of(FindingCode.WRONG_WAY, check(with_it))]
    assert not [message for message in lanes_crossed if "the south-west lane" in message]


def test_a_leg_that_follows_a_lane_against_its_direction_is_a_danger_once(
    check: Callable[..., CheckedRoute],
) -> None:
    """Up the south-west lane of Dover Strait: the second and the third leg lie partly in it."""
    places = ((50.45, 0.5), (50.75, 1.05), (51.1, 1.55), (51.35, 1.9))
    found = of(
        FindingCode.WRONG_WAY,
        check([GivenWaypoint(Position(*place), speed_kn=12.0) for place in places]),
    )
    assert [(f.leg_index, f.severity) for f in found] == [
        (1, Severity.DANGER),
        (2, Severity.DANGER),
    ]
    for finding in found:
        assert "follows the south-west lane of Dover Strait against" in finding.message


def test_a_canal_that_is_too_small_for_the_ship_is_found(
    sea: SeaAtlas, check: Callable[..., CheckedRoute]
) -> None:
    canal = next(p for p in sea.passages if p.name == "Corinth Canal")
    along = [GivenWaypoint(place, speed_kn=6.0) for place in canal.centre_line]
    checked = check(along)
    found = of(FindingCode.PASSAGE_LIMIT, checked)
    assert (32.26, 17.6) in [(f.measured, f.required) for f in found]
    (unknown,) = of(FindingCode.AIR_DRAFT_UNKNOWN, checked)
    assert unknown.severity is Severity.UNKNOWN
    assert (
        unknown.message == "Corinth Canal takes at most 52 m air draught; this ship's is not known."
    )


@pytest.mark.parametrize(
    ("keel_to_mast_m", "code", "severity", "message"),
    [
        (None, FindingCode.AIR_DRAFT_UNKNOWN, Severity.UNKNOWN, "this ship's is not known."),
        (80.0, FindingCode.PASSAGE_LIMIT, Severity.DANGER, "this ship has 67.8 m."),
        (77.0, FindingCode.PASSAGE_LIMIT, None, ""),
    ],
    ids=["of unknown height", "too high", "low enough"],
)
def test_a_bridge_is_found_on_the_leg_below_it_at_the_crossing(
    check: Callable[..., CheckedRoute],
    keel_to_mast_m: float | None,
    code: FindingCode,
    severity: Severity | None,
    message: str,
) -> None:
    places = ((55.6, 10.9), (55.4, 11.03), (55.28, 11.03), (54.7, 10.9))
    along = [GivenWaypoint(Position(*place), speed_kn=10.0) for place in places]
    checked = check(along, ship=replace(KAMSARMAX, keel_to_mast_m=keel_to_mast_m))
    found = [f for f in of(code, checked) if "air draught" in f.message]
    assert [f.severity for f in found] == ([] if severity is None else [severity])
    for finding in found:
        assert finding.leg_index == 1
        assert finding.required == 65.0
        assert finding.position == pytest.approx((55.338, 11.03), abs=0.01)
        stated = f"Great Belt East Bridge takes at most 65 m air draught; {message}"
        assert finding.message == stated


@pytest.mark.parametrize(
    ("departure", "arrival"),
    [
        (Position(54.2, 7.9), Position(53.9, 9.15)),
        (Position(31.266667, 32.3), Position(29.65, 32.366667)),
    ],
    ids=["to Brunsbüttel at the Kiel Canal", "from Port Said by Suez"],
)
def test_a_harbour_next_to_a_canal_is_not_the_canal(
    sea: SeaAtlas, departure: Position, arrival: Position
) -> None:
    request = replace(
        REQUEST,
        departure=departure,
        arrival=arrival,
        speed_min_kn=9.0,
        loading=Loading(9.5, 0.0, 50_000.0),
    )
    plan = plan_voyage(request, sea, ROUGH)
    named = build_given_waypoints(plan.waypoints)
    unnamed = [replace(each, passage=None, xtd_m=None) for each in named]
    for route in (named, unnamed):
        checked = check_route(PlanningContext.of(request, sea, ROUGH), route)
        assert [f for f in checked.findings if f.severity in GRAVE] == []
        assert checked.route is not None
        off = checked.route.simulation.time_at(-1) - plan.summary.eta
        assert abs(off) <= timedelta(minutes=2)


def test_a_harbour_at_the_mouth_of_a_canal_has_none_of_its_waits_and_limits(sea: SeaAtlas) -> None:
    """Brunsbüttel, whose basins lie in the water of the Kiel Canal, for a ship too broad for it.

    The route has no names of passages.
    """
    elbe, brunsbuettel = Position(54.2, 7.9), Position(53.9, 9.15)
    loading = Loading(9.5, 0.0, 50_000.0)
    request = replace(
        REQUEST, departure=elbe, arrival=brunsbuettel, speed_min_kn=9.0, loading=loading
    )
    request = replace(request, ship=replace(REQUEST.ship, breadth_m=43.0))
    plan = plan_voyage(request, sea, ROUGH)
    unnamed = [replace(each, passage=None) for each in build_given_waypoints(plan.waypoints)]
    checked = check_route(PlanningContext.of(request, sea, ROUGH), unnamed)
    assert of(FindingCode.PASSAGE_LIMIT, checked) == []
    assert checked.route is not None
    assert "Kiel Canal" not in {leg.passage for leg in checked.route.legs}
    off = checked.route.simulation.time_at(-1) - plan.summary.eta
    assert abs(off) <= timedelta(minutes=2)


def test_a_route_without_names_lies_in_the_one_of_two_canals_that_admits_the_ship(
    sea: SeaAtlas,
) -> None:
    colon, balboa = Position(9.9, -79.9), Position(7.0, -79.7)
    wide = replace(REQUEST.ship, breadth_m=45.0, loa_m=300.0, lbp_m=285.0)
    request = replace(REQUEST, ship=wide, departure=colon, arrival=balboa, under_way=True)
    plan = plan_voyage(request, sea, ROUGH)
    assert plan.summary.distance_nm < 220.0
    unnamed = [replace(each, passage=None) for each in build_given_waypoints(plan.waypoints)]
    checked = check_route(PlanningContext.of(request, sea, ROUGH), unnamed)
    assert of(FindingCode.PASSAGE_LIMIT, checked) == []
    assert checked.route is not None
    off = checked.route.simulation.time_at(-1) - plan.summary.eta
    assert abs(off) <= timedelta(minutes=2)


def test_a_route_without_names_has_the_depths_of_the_passages_that_it_follows(
    sea: SeaAtlas,
) -> None:
    """Through the Great Belt and Kadetrenden, in water wide enough for legs without passages."""
    request = replace(
        REQUEST,
        departure=Position(57.7, 11.85),
        arrival=Position(54.4, 18.68),
        loading=Loading(9.0, 0.0, 50_000.0),
    )
    context = PlanningContext.of(request, sea, ROUGH)
    named = build_given_waypoints(plan_voyage(request, sea, ROUGH).waypoints)
    of_names, of_positions = (
        build_given_legs(sea, context.size.least_depth_m, route)
        for route in (named, [replace(each, passage=None) for each in named])
    )
    assert "Kadetrenden, Route T" in {leg.passage for leg in of_names}
    assert of_positions == of_names


def test_a_leg_in_wide_water_that_a_plan_does_not_count_to_its_passage_keeps_its_room(
    sea: SeaAtlas,
) -> None:
    """The route names the Great Belt on other legs, as plans do."""
    belt = next(p for p in sea.passages if p.name == "Great Belt, Route T")
    named = [GivenWaypoint(at, LegGeometry.RHUMB, passage=belt.name) for at in belt.centre_line[:6]]
    routes = [moved(named, number, passage=None) for number in range(1, 6)]
    legs = [build_given_legs(sea, 11.0, route)[number] for number, route in enumerate(routes)]
    wide = [leg for leg in legs if leg.passage is None]
    assert wide
    assert {leg.xtd_m for leg in wide} == {1852.0}


def test_the_roads_of_a_canal_that_the_route_names_further_on_are_not_the_canal(
    sea: SeaAtlas,
) -> None:
    canal = next(p for p in sea.passages if p.name == "Panama Canal, Neopanamax locks")
    places = (Position(9.6, -79.95), *canal.centre_line[:4])
    named: list[str | None] = [None, None, None, canal.name, canal.name]
    route = [GivenWaypoint(at, passage=name) for at, name in zip(places, named, strict=True)]
    assert [leg.passage for leg in build_given_legs(sea, 11.0, route)] == named[1:]


def test_a_speed_above_the_ship_s_highest_is_not_kept(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    number = at_sea(route)
    found = of(FindingCode.SPEED_NOT_HELD, check(moved(free(route), number, speed_kn=25.0)))
    assert [f.leg_index for f in found] == [number - 1]
    assert found[0].required == 25.0


def test_a_speed_over_the_ground_is_kept_as_the_mean_speed_of_its_leg(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    bare = [replace(waypoint, due=None, leaves=None, ground_speed_kn=9.0) for waypoint in route]
    checked = check(bare)
    assert of(FindingCode.SPEED_NOT_HELD, checked) == []
    assert of(FindingCode.SCHEDULE_MISSING, checked) == []
    assert checked.route is not None
    simulation = checked.route.simulation
    assert simulation.track.length_nm / simulation.under_way_h == pytest.approx(9.0, abs=0.05)


def test_a_speed_over_the_ground_above_the_ship_s_highest_is_not_kept(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    number = at_sea(route)
    fast = moved(free(route), number, speed_kn=None, ground_speed_kn=40.0)
    (found,) = of(FindingCode.SPEED_NOT_HELD, check(fast))
    assert (found.leg_index, found.required) == (number - 1, 40.0)


def test_a_time_that_cannot_be_kept_is_reported_with_the_delay(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    last = len(route) - 1
    due = DEPARTS_AT + 24.0 * HOUR
    (found,) = of(FindingCode.SPEED_NOT_HELD, check(moved(free(route), last, due=due)))
    assert found.waypoint_index == last
    assert found.measured is not None
    assert found.measured > 24.0


def test_times_that_run_backwards_are_found(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    number = at_sea(route)
    wrong = moved(route, number, due=DEPARTS_AT - HOUR)
    reversed_ = of(FindingCode.SCHEDULE_REVERSED, check(wrong))
    assert [f.waypoint_index for f in reversed_] == [number]


def test_times_inconsistent_with_the_speed_are_found(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    number = at_sea(route)
    wrong = moved(route, number, speed_kn=6.0)
    odds = of(FindingCode.ETA_INCONSISTENT, check(wrong))
    assert [f.leg_index for f in odds] == [number - 1]


def test_a_route_without_times_and_speeds_states_the_speed_used(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    bare = [replace(waypoint, due=None) for waypoint in route]
    checked = check(bare)
    (found,) = of(FindingCode.SCHEDULE_MISSING, checked)
    assert found.severity is Severity.NOTE
    assert checked.route is not None
    highest_kn = checked.route.simulation.ordered_kn.max()
    assert found.message.endswith(f"it is sailed at {highest_kn:.1f} kn.")


def test_a_corridor_that_reaches_the_coast_is_too_wide(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    number = next(n for n, w in enumerate(route) if w.xtd_m is not None and w.xtd_m < 1000.0)
    wide = moved(route, number, xtd_m=9_000.0)
    (found,) = of(FindingCode.CORRIDOR_TOO_WIDE, check(wide))
    assert (found.leg_index, found.measured) == (number - 1, 9_000.0)


def test_a_corridor_that_reaches_an_area_is_too_wide(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    number = at_sea(route)
    start, end = route[number - 1].position, route[number].position
    lat, lng = 0.5 * (start.lat + end.lat), 0.5 * (start.lng + end.lng)
    abeam_deg = great_circle_course_deg(*start, *end) + 90.0
    lat, lng = map(float, great_circle_destination(lat, lng, abeam_deg, 2.0))
    area = make_area(lng - 0.005, lat - 0.005, lng + 0.005, lat + 0.005)
    wide = moved(route, number, xtd_m=1_852.0 * 4.0)
    found = of(FindingCode.CORRIDOR_TOO_WIDE, check(wide, areas=(area,)))
    (reached,) = [finding for finding in found if "constraint “Area”" in finding.message]
    assert reached.leg_index == number - 1
    assert reached.required is not None
    assert 0.0 < reached.required < 3_500.0


def test_waves_above_the_limit_are_one_finding_for_each_period(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    (found,) = of(FindingCode.WEATHER_LIMIT, check(route, limits=Limits(wave_height_m=2.0)))
    assert found.measured == pytest.approx(3.0, abs=0.01)
    assert found.required == 2.0


@pytest.mark.parametrize(("limit_m", "count"), [(2.97, 0), (2.9, 1)])
def test_waves_shown_as_the_limit_keep_it(
    route: Route, check: Callable[..., CheckedRoute], limit_m: float, count: int
) -> None:
    checked = check(route, limits=Limits(wave_height_m=limit_m))
    assert len(of(FindingCode.WEATHER_LIMIT, checked)) == count


def test_weather_that_no_forecast_covers_is_a_note_with_its_share_of_the_time(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    (found,) = of(FindingCode.WEATHER_CLIMATOLOGY, check(route))
    assert (found.severity, found.measured) == (Severity.NOTE, 100.0)
    assert found.message == "No forecast covers this route; the weather there is climatology."


def test_a_latitude_limit_passed_between_the_ends_is_found(
    route: Route, check: Callable[..., CheckedRoute]
) -> None:
    detour = free(route)
    detour.insert(at_sea(route), GivenWaypoint(Position(61.0, -4.0), speed_kn=12.0))
    found = of(FindingCode.LATITUDE_LIMIT, check(detour, limits=Limits(north_lat=58.0)))
    assert [f.required for f in found] == [58.0]


@pytest.mark.parametrize(
    ("middle_lat", "severity"), [(50.0, Severity.WARNING), (44.0, Severity.NOTE)]
)
def test_beyond_a_latitude_limit_that_an_end_is_beyond_is_no_danger(
    check: Callable[..., CheckedRoute], middle_lat: float, severity: Severity
) -> None:
    lats = 47.0, middle_lat, 46.0
    line = [GivenWaypoint(Position(lat, -20.0 + n), speed_kn=12.0) for n, lat in enumerate(lats)]
    (found,) = of(FindingCode.LATITUDE_LIMIT, check(line, limits=Limits(north_lat=45.0)))
    assert found.severity is severity
    assert found.message.endswith("; it begins or ends beyond it.")


def test_findings_are_sorted_by_severity(route: Route, check: Callable[..., CheckedRoute]) -> None:
    wrong = moved(free(route), at_sea(route), position=Position(47.5, 0.5), speed_kn=30.0)
    order = [list(Severity).index(f.severity) for f in check(wrong).findings]
    assert order == sorted(order)
    assert len(set(order)) > 1


def test_the_usual_wait_of_a_canal_is_consistent_with_the_speed(
    sea: SeaAtlas, check: Callable[..., CheckedRoute]
) -> None:
    canal = next(p for p in sea.passages if p.waiting_h >= 5.0)
    legs = pairwise(canal.centre_line)
    longest_nm, (a, b) = max((leg_distance_nm(*leg, LegGeometry.RHUMB), leg) for leg in legs)
    hours = longest_nm / 8.0
    first = GivenWaypoint(a, LegGeometry.RHUMB)

    def given(wait_h: float) -> Route:
        due = DEPARTS_AT + timedelta(hours=hours + wait_h)
        return [first, GivenWaypoint(b, LegGeometry.RHUMB, speed_kn=8.0, due=due)]

    assert of(FindingCode.ETA_INCONSISTENT, check(given(canal.waiting_h))) == []
    (slow,) = of(FindingCode.ETA_INCONSISTENT, check(given(canal.waiting_h + 2.0 * hours)))
    assert slow.required == pytest.approx(8.0 / 3.0, abs=0.01)
    (fast,) = of(FindingCode.ETA_INCONSISTENT, check(given(-0.5 * hours)))
    assert fast.required == pytest.approx(16.0, abs=0.05)


def test_speeds_before_a_time_due_are_not_checked(
    check: Callable[..., CheckedRoute],
) -> None:
    route = [
        GivenWaypoint(Position(47.0, -10.0)),
        GivenWaypoint(Position(47.0, -13.0), speed_kn=14.0),
        GivenWaypoint(Position(47.0, -16.0), speed_kn=14.0, due=DEPARTS_AT + 24 * HOUR),
    ]
    assert of(FindingCode.SPEED_NOT_HELD, check(route)) == []


def test_leaving_before_arriving_is_a_reversed_schedule(
    check: Callable[..., CheckedRoute],
) -> None:
    due = DEPARTS_AT + 12 * HOUR
    stay = GivenWaypoint(Position(47.0, -13.0), due=due, leaves=due - HOUR)
    end = GivenWaypoint(Position(47.0, -16.0), due=due + 12 * HOUR)
    found = of(
        FindingCode.SCHEDULE_REVERSED, check([GivenWaypoint(Position(47.0, -10.0)), stay, end])
    )
    assert [f.waypoint_index for f in found] == [1]


@pytest.mark.parametrize("lngs", [(-14.0, -6.0, 3.0), (3.0, -6.0, -14.0)])
def test_a_route_that_begins_or_ends_far_inland_is_checked_without_an_error(
    check: Callable[..., CheckedRoute], lngs: Sequence[float]
) -> None:
    avoided = make_area(-12.0, 46.0, -11.0, 48.0, rule=AreaRule.AVOID_UNLESS_ENDPOINT)
    beside = make_area(-14.0, 47.1, -6.0, 48.0, rule=AreaRule.AVOID_UNLESS_ENDPOINT)
    route = [GivenWaypoint(Position(47.0, lng), speed_kn=10.0, xtd_m=20_000.0) for lng in lngs]
    ends = {"departure": route[0].position, "arrival": route[-1].position, "under_way": True}
    checked = check(route, areas=(avoided, beside), limits=Limits(north_lat=46.5), **ends)
    assert of(FindingCode.AREA_ENTERED, checked)
    assert of(FindingCode.CORRIDOR_TOO_WIDE, checked)
    assert of(FindingCode.LAND_CROSSED, checked)


def test_repeated_ids_of_waypoints_are_found(check: Callable[..., CheckedRoute]) -> None:
    route = [GivenWaypoint(Position(47.0, -10.0 - n), id=str(n % 2)) for n in range(3)]
    found = of(FindingCode.DUPLICATE_ID, check(route))
    assert [f.waypoint_index for f in found] == [2]


def test_a_ship_waits_at_a_waypoint_until_its_scheduled_time_of_leaving(
    check: Callable[..., CheckedRoute],
) -> None:
    due = DEPARTS_AT + 10 * HOUR
    route = [
        GivenWaypoint(Position(47.0, -10.0)),
        GivenWaypoint(Position(47.0, -13.0), due=due, leaves=due + 6 * HOUR),
        GivenWaypoint(Position(47.0, -16.0), speed_kn=12.0),
    ]
    stayed, passed = check(route).route, check(moved(route, 1, leaves=None)).route
    assert stayed is not None
    assert passed is not None
    assert stayed.simulation.total_h == pytest.approx(passed.simulation.total_h + 6.0, abs=0.05)
    assert stayed.simulation.waited_h.sum() == pytest.approx(6.0, abs=0.05)
    assert stayed.total_fuel_t == pytest.approx(passed.total_fuel_t, rel=0.02)


@pytest.mark.parametrize("is_repeated", [False, True], ids=["slow", "repeated with the time"])
def test_a_ship_that_is_early_at_any_speed_waits_and_meets_what_is_in_force_then(
    check: Callable[..., CheckedRoute], is_repeated: bool
) -> None:
    leaves = DEPARTS_AT + 48 * HOUR
    place = Position(45.0, -30.0)
    route = [
        GivenWaypoint(place),
        GivenWaypoint(place if is_repeated else Position(45.05, -30.0), due=leaves),
        GivenWaypoint(Position(46.0, -30.0), due=leaves + 5 * HOUR),
    ]
    firing = make_area(-30.5, 45.5, -29.5, 45.8, starts_at=leaves, ends_at=leaves + 24 * HOUR)
    checked = check(route, areas=(firing,))
    assert checked.route is not None
    assert checked.route.simulation.total_h == pytest.approx(53.0, abs=0.1)
    assert [f.code for f in of(FindingCode.AREA_ENTERED, checked)]
    early = of(FindingCode.ETA_INCONSISTENT, checked)
    assert [f.waypoint_index for f in early] == ([] if is_repeated else [1])


@pytest.mark.parametrize("weather", [ROUGH, None])
def test_a_wait_by_a_given_schedule_is_written_without_a_cause(
    sea: SeaAtlas, weather: WeatherField | None
) -> None:
    leaves = DEPARTS_AT + 48 * HOUR
    places = Position(45.0, -30.0), Position(45.05, -30.0), Position(46.0, -30.0)
    route = [
        GivenWaypoint(places[0]),
        GivenWaypoint(places[1], due=leaves),
        GivenWaypoint(places[2]),
    ]
    context = PlanningContext.of(REQUEST, sea, weather)
    simulated = check_route(context, route).route
    assert simulated is not None
    written = write_given_plan(context, simulated)
    assert written.waypoints[1].note == f"Wait here until {format_time(leaves)}"
    waiting = [point for point in written.profile if point.speed_kn == 0.0]
    assert len(waiting) > 2 * 40
    assert {point.weather is None for point in waiting} == {weather is None}
    assert "allow to proceed" not in str(written)


def test_an_arrival_before_the_time_due_is_found(check: Callable[..., CheckedRoute]) -> None:
    due = DEPARTS_AT + 240 * HOUR
    checked = check(
        [GivenWaypoint(Position(45.0, -30.0)), GivenWaypoint(Position(46.0, -30.0), due=due)]
    )
    (early,) = of(FindingCode.ETA_INCONSISTENT, checked)
    assert early.measured == pytest.approx(240.0 - 60.0 / 0.5, rel=0.1)


def test_a_berth_on_the_coarse_coastline_hides_no_shoal_further_out(
    sea: SeaAtlas,
) -> None:
    # the end lies ashore by the coastline of the atlas; the banks are a hundred miles away
    ijmuiden, beyond_the_banks = Position(52.46, 4.6), Position(53.2, 1.95)
    request = replace(REQUEST, departure=ijmuiden, arrival=beyond_the_banks)
    given = [GivenWaypoint(ijmuiden), GivenWaypoint(beyond_the_banks)]
    checked = check_route(PlanningContext.of(request, sea, ROUGH), given)
    (shoal,) = of(FindingCode.TOO_SHALLOW, checked)
    assert shoal.position is not None
    assert leg_distance_nm(shoal.position, ijmuiden, LegGeometry.RHUMB) > 50.0
    assert "too coarse for a harbour" in of(FindingCode.DEPTH_UNKNOWN, checked)[0].message


def current(east_ms: float) -> WeatherField:
    return WeatherField(uniform_climatology(current=(east_ms, 0.0)), ())


def test_a_route_that_a_current_stops_is_still_checked_for_land(sea: SeaAtlas) -> None:
    start, mid, inland = Position(40.0, -30.0), Position(40.0, -15.0), Position(40.0, -5.0)
    request = replace(REQUEST, departure=start, arrival=inland)
    given = [GivenWaypoint(start), GivenWaypoint(mid), GivenWaypoint(inland, speed_kn=1.5)]
    checked = check_route(PlanningContext.of(request, sea, current(-1.0)), given)
    (stopped,) = of(FindingCode.SPEED_NOT_HELD, checked)
    assert "At 1.5 kn the ship cannot make headway" in stopped.message
    assert of(FindingCode.LAND_CROSSED, checked)
    assert checked.route is None


def test_times_that_allow_for_the_current_are_consistent_with_speeds_through_the_water(
    sea: SeaAtlas,
) -> None:
    start, end = Position(40.0, -30.0), Position(40.0, -27.0)
    request = replace(REQUEST, departure=start, arrival=end)
    miles = leg_distance_nm(start, end, LegGeometry.GREAT_CIRCLE)

    def find(over_ground_kn: float) -> list[Finding]:
        due = DEPARTS_AT + HOUR * (miles / over_ground_kn)
        given = [GivenWaypoint(start), GivenWaypoint(end, due=due, speed_kn=12.0)]
        context = PlanningContext.of(request, sea, current(1.0))
        return of(FindingCode.ETA_INCONSISTENT, check_route(context, given))

    assert find(13.94) == []
    assert find(12.0)


def test_an_area_is_entered_once_it_is_in_force_and_at_its_outline(sea: SeaAtlas) -> None:
    start, end = Position(40.0, -30.0), Position(40.0, -27.0)
    opens = DEPARTS_AT + 1.2 * HOUR
    area = make_area(-29.72, 39.0, -29.2, 41.0, starts_at=opens)
    request = replace(REQUEST, departure=start, arrival=end, areas=(area,))
    given = [GivenWaypoint(start), GivenWaypoint(end, speed_kn=12.0)]
    checked = check_route(PlanningContext.of(request, sea, None), given)
    (entered,) = of(FindingCode.AREA_ENTERED, checked)
    assert entered.position is not None
    assert entered.position.lng >= -29.72
    assert format_time(opens) in entered.message.partition(")")[2]


def test_an_area_is_entered_at_a_waypoint_on_its_outline(sea: SeaAtlas) -> None:
    lngs = (-30.0, -28.5, -27.0)
    ends = {"departure": Position(40.0, lngs[0]), "arrival": Position(40.0, lngs[-1])}
    area = make_area(lngs[1], 39.0, -27.9, 41.0)
    given = [GivenWaypoint(Position(40.0, lng), LegGeometry.RHUMB, 12.0) for lng in lngs]
    request = replace(REQUEST, **ends, areas=(area,))
    (entered,) = of(
        FindingCode.AREA_ENTERED, check_route(PlanningContext.of(request, sea, None), given)
    )
    assert entered.position == given[1].position


def test_the_only_time_of_a_repeated_waypoint_is_kept(sea: SeaAtlas) -> None:
    start, end = Position(40.0, -30.0), Position(40.0, -27.0)
    request = replace(REQUEST, departure=start, arrival=end)
    due = DEPARTS_AT + 12.0 * HOUR
    given = [GivenWaypoint(start), GivenWaypoint(end), GivenWaypoint(end, due=due)]
    checked = check_route(PlanningContext.of(request, sea, None), given)
    assert of(FindingCode.SCHEDULE_MISSING, checked) == []
    assert checked.route is not None
    assert abs(checked.route.simulation.time_at(-1) - due) < timedelta(minutes=1)
