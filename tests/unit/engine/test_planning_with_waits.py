"""A voyage whose only route is closed for some time."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import cache
from itertools import chain, pairwise

import lxml.etree as etree
import pytest
import shapely

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.checking.check import check_route
from app.engine.checking.findings import FindingCode
from app.engine.codes import WarningCode
from app.engine.errors import EndInsideArea, NoRoute
from app.engine.particulars import Loading
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage, quote_voyage
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint, build_given_waypoints
from app.engine.report.critical_points import find_critical_points
from app.engine.report.explanation import explain
from app.engine.report.segments import compute_segments
from app.engine.request import Objective, Position, TrackKind, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from app.exports.rtz import RtzVersion, render_rtz
from tests.unit.engine.sailing_builders import DEPARTS_AT, KAMSARMAX, make_area
from tests.unit.engine.weather.seas import uniform_climatology

pytestmark = pytest.mark.atlas

HOUR = timedelta(hours=1)
CALM = WeatherField(uniform_climatology(), ())
#: From Constanta to Piraeus; the Bosphorus is some 18 hours away.
REQUEST = VoyageRequest(
    departure=Position(44.1, 28.8),
    arrival=Position(37.85, 23.5),
    departs_at=DEPARTS_AT,
    ship=KAMSARMAX,
    loading=Loading(12.2, 0.0, 68_000.0),
    speed_min_kn=10.0,
    speed_max_kn=14.5,
    objective=Objective.TIME,
)


def close_bosphorus(hours: float) -> Area:
    return make_area(28.8, 41.25, 29.4, 41.4, ends_at=DEPARTS_AT + hours * HOUR)


def plan(sea: SeaAtlas, *areas: Area) -> RoutePlan:
    return plan_voyage(replace(REQUEST, areas=areas), sea, CALM)


@pytest.fixture(scope="module")
def plan_once(sea: SeaAtlas) -> Callable[[VoyageRequest], RoutePlan]:
    """Plans a voyage that several tests compare with others."""
    return cache(lambda request: plan_voyage(request, sea, CALM))


@pytest.fixture(scope="module")
def waiting(sea: SeaAtlas) -> RoutePlan:
    return plan(sea, close_bosphorus(40.0))


def _point(position: Position) -> shapely.Point:
    return shapely.Point(position.lng, position.lat)


def _rtz(found: RoutePlan) -> bytes:
    return render_rtz(found, route_name="Constanta-Piraeus", revision=1)


def test_the_ship_waits_off_a_strait_until_it_is_open(sea: SeaAtlas, waiting: RoutePlan) -> None:
    free = plan(sea)
    (here,) = [w for w in waiting.waypoints if w.leaves_at is not None]
    opens_at = DEPARTS_AT + 40.0 * HOUR
    assert timedelta(0) < here.leaves_at - opens_at < 0.1 * HOUR
    assert here.position.lat > 41.4 + 2.0 / 60.0
    assert (
        here.note == "Wait here until Fri 16 Jan 2026 10:01 UTC, when the constraint “Area” is over"
    )
    rest = 1.0 - here.cumulative_nm / waiting.summary.distance_nm
    assert waiting.summary.eta - here.leaves_at < (rest + 0.08) * (free.summary.eta - DEPARTS_AT)
    # before a wait the ship need not sail faster
    before, after = here, waiting.waypoints[here.index + 1]
    assert before.speed_through_water_kn < after.speed_through_water_kn - 1.0
    assert waiting.summary.fuel_t < free.summary.fuel_t
    assert waiting.summary.distance_nm == pytest.approx(free.summary.distance_nm, rel=0.03)


@pytest.mark.parametrize("under_way", [False, True])
def test_a_ship_that_departs_just_off_a_closed_strait_waits_there(
    sea: SeaAtlas, under_way: bool
) -> None:
    area, here = close_bosphorus(5.0), Position(41.43, 29.15)
    request = replace(REQUEST, departure=here, areas=(area,), under_way=under_way)
    found = plan_voyage(request, sea, CALM)
    first, *others = found.waypoints
    assert timedelta(0) < first.leaves_at - area.ends_at < 0.1 * HOUR
    assert first.note.startswith("Wait here until Wed 14 Jan 2026 23:01 UTC")
    assert not any(waypoint.leaves_at for waypoint in others)
    free = plan_voyage(replace(request, areas=()), sea, CALM)
    assert found.summary.distance_nm == pytest.approx(free.summary.distance_nm, rel=0.03)
    (warning,) = [w for w in found.warnings if w.code is WarningCode.WAITS]
    delay = "departs 5.0 h later than requested, on Wed 14 Jan 2026 23:01 UTC, when"
    assert (delay in warning.detail) is not under_way


def test_a_strait_that_closes_again_is_passed_while_it_is_open(
    sea: SeaAtlas, waiting: RoutePlan
) -> None:
    again = replace(close_bosphorus(160.0), id="again", starts_at=DEPARTS_AT + 120.0 * HOUR)
    twice = plan(sea, close_bosphorus(40.0), again)
    assert abs(twice.summary.eta - waiting.summary.eta) < 0.2 * HOUR
    in_time = replace(
        REQUEST,
        areas=(close_bosphorus(40.0), again),
        objective=Objective.FUEL,
        arrive_by=waiting.summary.eta + 6.0 * HOUR,
    )
    assert plan_voyage(in_time, sea, CALM).summary.eta <= in_time.arrive_by


def test_the_area_is_entered_only_after_it_has_opened(waiting: RoutePlan) -> None:
    area = close_bosphorus(40.0)
    inside = [p for p in waiting.profile if area.geometry.buffer(0.005).covers(_point(p.position))]
    assert inside
    assert min(p.time for p in inside) >= area.ends_at


def test_the_profile_has_a_point_without_speed_for_each_half_hour_of_a_wait(
    waiting: RoutePlan,
) -> None:
    (here,) = [w for w in waiting.waypoints if w.leaves_at is not None]
    *lying, leaves = [p for p in waiting.profile if here.eta <= p.time <= here.leaves_at]
    assert (lying[0].time, leaves.time) == (here.eta, here.leaves_at)
    assert {p.position for p in lying} == {leaves.position}
    assert {(p.speed_kn, p.power_kw) for p in lying} == {(0.0, 0.0)}
    assert all(b.time - a.time <= 0.5 * HOUR for a, b in pairwise([*lying, leaves]))
    assert leaves.speed_kn > 10.0


def test_the_speed_of_a_segment_does_not_count_the_wait_before_it(waiting: RoutePlan) -> None:
    (here,) = [w for w in waiting.waypoints if w.leaves_at is not None]
    _, after = compute_segments(waiting, [here.index])
    assert after.duration_h > 15.0 + after.distance_nm / after.average_speed_kn
    assert after.average_speed_kn > 9.0


def test_the_wait_is_reported_in_facts_explanation_and_exports(waiting: RoutePlan) -> None:
    request = replace(REQUEST, areas=(close_bosphorus(40.0),))
    words = "until Fri 16 Jan 2026 10:01 UTC, when the constraint “Area” is over."
    assert words in explain(waiting, request)
    assert "goes around" not in explain(waiting, request)
    (point,) = [p for p in find_critical_points(waiting, request) if "Wait here" in p.description]
    assert words in point.description
    leaving = [
        e.get("etd")
        for e in etree.fromstring(_rtz(waiting)).iter(
            f"{{{RtzVersion.V1_1.namespace}}}scheduleElement"
        )
        if e.get("etd") and e.get("eta") and e.getparent().tag.endswith("calculated")
    ]
    assert "2026-01-16T10:01:00Z" in leaving
    # before the straits the ship waits as usual as well
    usual = [w for w in waiting.waypoints if "Usual waiting time" in (w.note or "")]
    assert len(leaving) == 1 + len(usual)


def test_the_cost_of_the_wait_is_not_counted_as_a_saving(waiting: RoutePlan) -> None:
    assert 0.0 <= waiting.summary.saved_pct < 25.0


def test_no_route_of_a_plan_around_a_closed_area_leads_through_it(sea: SeaAtlas) -> None:
    # one of the routes found waits at the area's edge, but not the best
    closed = make_area(
        -18, 34, -16, 44, starts_at=DEPARTS_AT + 18 * HOUR, ends_at=DEPARTS_AT + 90 * HOUR
    )
    lisbon, azores = Position(38.65, -9.35), Position(37.72, -25.65)
    request = replace(
        REQUEST,
        departure=lisbon,
        arrival=azores,
        objective=Objective.FUEL,
        areas=(closed,),
    )
    made = plan_voyage(request, sea, CALM)
    profiles = [made.profile, *(other.profile for other in made.alternatives)]
    for point in chain.from_iterable(profiles):
        if closed.is_in_force(point.time):
            assert not closed.geometry.contains(_point(point.position))


def test_a_voyage_for_least_fuel_that_waits_burns_no_more_than_its_baseline(sea: SeaAtlas) -> None:
    request = replace(
        REQUEST, objective=Objective.FUEL, speed_min_kn=11.0, areas=(close_bosphorus(46.0),)
    )
    found = plan_voyage(request, sea, CALM)
    assert [w.leaves_at for w in found.waypoints if w.leaves_at is not None]
    assert found.summary.saved_pct > -0.05


def test_the_wait_gives_a_warning(waiting: RoutePlan) -> None:
    (warning,) = [w for w in waiting.warnings if w.code == "WAITS"]
    (wait,) = waiting.facts.waits
    assert f"waits {wait.hours:.1f} h at" in warning.detail
    assert wait.until in warning.detail


@pytest.mark.parametrize(("wide_deg", "waits"), [(0.5, False), (6.0, True)])
def test_a_voyage_for_least_fuel_waits_only_if_the_fuel_saved_is_worth_the_hours(
    sea: SeaAtlas, wide_deg: float, waits: bool
) -> None:
    # an area across the route, for half a day after the ship arrives: a detour of miles or days
    wall = make_area(
        -9.7, 47.8 - wide_deg, -9.6, 47.8 + wide_deg, ends_at=DEPARTS_AT + (26.0 * HOUR)
    )
    asked = replace(
        REQUEST,
        departure=Position(49.0, -7.0),
        arrival=Position(46.5, -12.0),
        objective=Objective.FUEL,
        areas=(wall,),
    )
    found = plan_voyage(asked, sea, CALM)
    assert bool(found.facts.waits) is waits


def test_the_ship_does_not_wait_for_a_strait_that_stays_closed(sea: SeaAtlas) -> None:
    with pytest.raises(NoRoute, match=r"Area opens on Fri 13 Feb 2026 18:00 UTC\. Depart on"):
        plan(sea, close_bosphorus(24.0 * 30.0))


def test_a_quote_of_a_voyage_that_an_area_closes_states_when_to_depart(sea: SeaAtlas) -> None:
    asked = replace(REQUEST, areas=(close_bosphorus(24.0 * 30.0),))
    with pytest.raises(NoRoute, match=r"Area opens on Fri 13 Feb 2026 18:00 UTC\. Depart on"):
        quote_voyage(asked, sea)


def test_without_weather_the_failure_says_that_no_wait_is_planned(sea: SeaAtlas) -> None:
    # with weather, the same strait is waited for
    asked = replace(REQUEST, areas=(close_bosphorus(40.0),))
    with pytest.raises(NoRoute, match=r"when it opens; no waits are planned without weather\.$"):
        plan_voyage(asked, sea, None)


#: From Le Havre to Lisbon, 102 hours at the lowest speed.
TO_LISBON = replace(
    REQUEST,
    departure=Position(49.48, 0.1),
    arrival=Position(38.7, -9.15),
    speed_min_kn=9.0,
    speed_max_kn=14.0,
)


def close_lisbon(hours: float) -> Area:
    return make_area(-9.8, 38.2, -9.0, 39.0, ends_at=DEPARTS_AT + hours * HOUR)


@pytest.mark.parametrize(
    ("objective", "closed_h"),
    [
        (Objective.FUEL, 101.0),
        (Objective.FUEL, 104.0),
        (Objective.FUEL, 212.0),
        (Objective.BALANCED, 336.0),
        (Objective.TIME, 75.0),
    ],
)
def test_no_detour_only_passes_the_time_until_the_port_opens(
    plan_once: Callable[[VoyageRequest], RoutePlan], objective: Objective, closed_h: float
) -> None:
    asked = replace(TO_LISBON, objective=objective)
    free = plan_once(asked)
    found = plan_once(replace(asked, areas=(close_lisbon(closed_h),)))
    assert found.summary.distance_nm < free.summary.distance_nm + 10.0


@pytest.mark.parametrize("closed_h", [150.0, 212.0])
def test_a_ship_that_arrives_early_goes_to_a_nearer_place_to_wait_only_at_little_cost_of_fuel(
    plan_once: Callable[[VoyageRequest], RoutePlan], closed_h: float
) -> None:
    asked = replace(TO_LISBON, areas=(close_lisbon(closed_h),))
    found = plan_once(asked)
    direct = plan_once(replace(asked, track=TrackKind.GREAT_CIRCLE))
    assert found.summary.eta <= direct.summary.eta
    assert found.summary.fuel_t <= 1.01 * direct.summary.fuel_t


@pytest.mark.parametrize("objective", Objective)
def test_a_port_that_opens_too_late_for_a_wait_is_refused_with_the_departure_that_suits(
    sea: SeaAtlas, plan_once: Callable[[VoyageRequest], RoutePlan], objective: Objective
) -> None:
    asked = replace(TO_LISBON, objective=objective, areas=(close_lisbon(480.0),))
    with pytest.raises(EndInsideArea) as refused:
        plan_voyage(asked, sea, CALM)
    departs_at = refused.value.data["departs_at"]
    assert refused.value.data["opens_at"] == DEPARTS_AT + 480.0 * HOUR
    assert "until Tue 3 Feb 2026 18:00 UTC. Depart on Fri 30 Jan 2026" in refused.value.detail
    later = replace(asked, objective=Objective.FUEL, departs_at=departs_at)
    found = plan_once(later)
    assert sum(wait.hours for wait in found.facts.waits) < 1.0


def test_a_long_wait_is_planned_too_where_ice_covers_another_sea(sea: SeaAtlas) -> None:
    ice = replace(make_area(10.0, 70.0, 20.0, 75.0, kind=AreaKind.ICE), id="ice")
    found = plan_voyage(replace(TO_LISBON, areas=(close_lisbon(400.0), ice)), sea, CALM)
    assert sum(wait.hours for wait in found.facts.waits) > 200.0


def test_no_departure_is_advised_after_the_required_arrival(sea: SeaAtlas) -> None:
    arrive_by = DEPARTS_AT + 400.0 * HOUR
    asked = replace(TO_LISBON, arrive_by=arrive_by, areas=(close_lisbon(480.0),))
    with pytest.raises(EndInsideArea) as refused:
        plan_voyage(asked, sea, CALM)
    assert "departs_at" not in refused.value.data
    assert refused.value.detail.endswith(
        "until Tue 3 Feb 2026 18:00 UTC. The arrival required by Sat 31 Jan 2026 10:00 UTC is"
        " before that."
    )


def test_a_departure_in_an_area_that_opens_is_refused_with_the_time_to_depart(
    sea: SeaAtlas,
) -> None:
    asked = replace(
        TO_LISBON,
        departure=TO_LISBON.arrival,
        arrival=TO_LISBON.departure,
        areas=(close_lisbon(6.0),),
    )
    with pytest.raises(EndInsideArea) as refused:
        plan_voyage(asked, sea, CALM)
    assert refused.value.detail == (
        "The departure lies inside Area, which must not be entered until Thu 15 Jan 2026 00:00 UTC."
        " Depart on Thu 15 Jan 2026 00:01 UTC or later."
    )
    plan_voyage(replace(asked, departs_at=refused.value.data["departs_at"]), sea, CALM)


def test_waypoints_alone_lead_out_of_a_closing_area_in_time(sea: SeaAtlas) -> None:
    # the ship leaves it at 10 kn and continues at 8: at the mean of a leg of 250 nm it is too late
    asked = replace(
        REQUEST,
        departure=Position(47.0, -10.0),
        arrival=Position(47.0, -20.0),
        speed_min_kn=8.0,
        objective=Objective.FUEL,
        areas=(make_area(-11.2, 46.0, -9.5, 48.0, starts_at=DEPARTS_AT + 5.0 * HOUR),),
    )
    found = plan_voyage(asked, sea, CALM)
    assert 8.0 < found.waypoints[-1].speed_through_water_kn + 0.1 < 8.5
    context = PlanningContext.of(asked, sea, CALM)
    at_their_speeds = [GivenWaypoint.of(waypoint) for waypoint in found.waypoints]
    for given in (build_given_waypoints(found.waypoints), at_their_speeds):
        checked = check_route(context, given)
        assert FindingCode.AREA_ENTERED not in {finding.code for finding in checked.findings}


def test_an_area_whose_window_has_ended_at_the_departure_changes_nothing(sea: SeaAtlas) -> None:
    asked = replace(
        REQUEST,
        departure=Position(49.0, -7.0),
        arrival=Position(46.5, -12.0),
        objective=Objective.FUEL,
    )
    ended = make_area(-7.5, 48.5, -6.5, 49.5, ends_at=DEPARTS_AT - timedelta(microseconds=1))
    free = plan_voyage(asked, sea, CALM)
    found = plan_voyage(replace(asked, areas=(ended,)), sea, CALM)
    assert (found.summary, found.front) == (free.summary, free.front)


def test_a_ship_inside_a_canal_does_not_wait_for_it_again(sea: SeaAtlas) -> None:
    off_suez, off_alexandria = Position(28.0, 33.6), Position(33.0, 30.0)
    request = replace(
        REQUEST,
        departure=off_suez,
        arrival=off_alexandria,
        objective=Objective.TIME,
        under_way=True,
    )
    made = plan_voyage(request, sea, CALM)
    assert any("Usual waiting time" in (waypoint.note or "") for waypoint in made.waypoints)
    here = next(point for point in made.profile if point.position.lat > 30.5)
    for off_deg in (0.0, 0.005):
        place = here.position._replace(lng=here.position.lng + off_deg)
        rest = plan_voyage(replace(request, departure=place, departs_at=here.time), sea, CALM)
        assert abs(rest.summary.eta - made.summary.eta) < 0.3 * HOUR


def test_the_ship_still_waits_where_a_priced_area_comes_into_force(sea: SeaAtlas) -> None:
    eca = make_area(26.0, 38.0, 30.0, 43.0, kind=AreaKind.ECA, rule=AreaRule.PRICED)
    closed = close_bosphorus(40.0)
    lengths = [
        plan(sea, closed, replace(eca, id="eca", starts_at=starts_at)).summary.duration_h
        for starts_at in (None, DEPARTS_AT)
    ]
    assert lengths[1] == pytest.approx(lengths[0], rel=0.02)


def test_the_departure_advised_meets_no_other_closure(sea: SeaAtlas) -> None:
    later = replace(
        close_bosphorus(960.0),
        id="later",
        name="Later",
        starts_at=DEPARTS_AT + 600.0 * HOUR,
    )
    with pytest.raises(NoRoute) as refused:
        plan(sea, close_bosphorus(720.0), later)
    assert refused.value.data["opens_at"] == later.ends_at
    never = replace(later, ends_at=None)
    with pytest.raises(NoRoute) as refused:
        plan(sea, close_bosphorus(720.0), never)
    assert "departs_at" not in refused.value.data
