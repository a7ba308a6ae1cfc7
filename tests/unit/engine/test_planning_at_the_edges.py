"""Valid requests at the limits of what is allowed: each gets a plan or a clear error."""

from dataclasses import replace
from datetime import timedelta
from statistics import fmean

import pytest
from cachetools import cached

from app.engine.area import AreaKind, AreaRule
from app.engine.errors import LimitsTooTight, NoRoute
from app.engine.formatting import format_position
from app.engine.geodesy import great_circle_distance_nm
from app.engine.geodesy.leg import LegGeometry, leg_distance_nm
from app.engine.particulars import Loading
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.report.explanation import explain
from app.engine.request import (
    Limits,
    LimitScale,
    Objective,
    Position,
    ReferenceRoute,
    VoyageRequest,
)
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from app.services.sea.sea_scales import SCALES
from tests.unit.engine.sailing_builders import DEPARTS_AT, KAMSARMAX, make_area
from tests.unit.engine.weather.seas import uniform_climatology

pytestmark = pytest.mark.atlas

#: The least of Beaufort 6, everywhere and always.
WIND_MS = 10.8
WEATHER = WeatherField(uniform_climatology(wind=(WIND_MS, 0.0), wave=(2.0, 7.0, 270.0)))
REQUEST = VoyageRequest(
    departure=Position(49.0, -7.0),
    arrival=Position(46.5, -12.0),
    departs_at=DEPARTS_AT,
    ship=KAMSARMAX,
    loading=Loading(12.2, 0.0, 68_000.0),
    speed_min_kn=10.0,
    speed_max_kn=14.0,
)


@cached({}, key=lambda request, _sea: request)
def plan_once(request: VoyageRequest, sea: SeaAtlas) -> RoutePlan:
    return plan_voyage(request, sea, WEATHER)


def test_a_single_speed_is_planned_with_a_much_later_latest_arrival(sea: SeaAtlas) -> None:
    asked = replace(REQUEST, speed_min_kn=12.0, speed_max_kn=12.0)
    later = replace(asked, arrive_by=DEPARTS_AT + timedelta(hours=22))
    plan = plan_voyage(later, sea, WEATHER)
    assert plan.summary.eta <= later.arrive_by
    made = {round(w.speed_through_water_kn, 1) for w in plan.waypoints[1:]}
    assert made == {12.0}


def test_two_ends_that_lie_nearest_to_the_same_water_are_an_error(sea: SeaAtlas) -> None:
    """Two places in the Netherlands, both nearest to the harbour of Amsterdam."""
    asked = replace(
        REQUEST,
        departure=Position(52.088, 5.042),
        arrival=Position(52.148, 5.169),
        loading=Loading(6.0, 0.0, 30_000.0),
    )
    with pytest.raises(NoRoute, match="is one place, 52°23"):
        plan_voyage(asked, sea, WEATHER)


@pytest.mark.parametrize("days", [-40, 60], ids=["ended", "begins later"])
def test_an_emission_control_area_that_is_not_in_force_does_not_attract_the_ship(
    sea: SeaAtlas, days: int
) -> None:
    window = DEPARTS_AT + timedelta(days=days), DEPARTS_AT + timedelta(days=days + 30)
    asked = replace(
        REQUEST,
        departure=Position(38.0, -45.0),
        arrival=Position(38.0, -14.0),
        arrive_by=DEPARTS_AT + timedelta(hours=130),
    )
    area = make_area(
        -50.0, 39.3, -10.0, 60.0, kind=AreaKind.ECA, rule=AreaRule.REPORTED,
        starts_at=window[0], ends_at=window[1],
    )  # fmt: skip
    without = plan_once(asked, sea)
    with_area = plan_voyage(replace(asked, areas=(area,)), sea, WEATHER)
    assert with_area.summary.fuel_t == pytest.approx(without.summary.fuel_t, rel=1e-6)


def test_a_current_faster_than_the_lowest_speed_leaves_the_higher_ones(sea: SeaAtlas) -> None:
    against = WeatherField(uniform_climatology(wind=(0.0, 0.0), current=(2.0, 0.0)))
    asked = replace(REQUEST, speed_min_kn=3.0)
    for objective in Objective:
        plan = plan_voyage(replace(asked, objective=objective), sea, against)
        speeds_kn = [waypoint.speed_through_water_kn for waypoint in plan.waypoints[1:]]
        assert 3.9 < min(speeds_kn) <= max(speeds_kn) <= asked.speed_max_kn + 0.01


def test_a_current_faster_than_the_highest_speed_is_an_error_that_says_where(
    sea: SeaAtlas,
) -> None:
    against = WeatherField(uniform_climatology(wind=(0.0, 0.0), current=(8.0, 0.0)))
    with pytest.raises(LimitsTooTight, match=r"cannot make headway against the current at"):
        plan_voyage(REQUEST, sea, against)


@pytest.mark.parametrize(
    "limits", [Limits(wave_height_m=0.0), Limits(wind_speed_ms=0.0)], ids=["waves", "wind"]
)
def test_a_limit_of_zero_is_an_error_with_an_explanation(sea: SeaAtlas, limits: Limits) -> None:
    with pytest.raises(LimitsTooTight, match=r"A limit of .* would do"):
        plan_voyage(replace(REQUEST, limits=limits), sea, WEATHER)


def test_a_shaft_speed_that_cannot_be_kept_is_an_error_with_one_that_would_do(
    sea: SeaAtlas,
) -> None:
    with pytest.raises(LimitsTooTight, match=r"\(rpm\) of 5 rpm cannot be kept") as refused:
        plan_voyage(replace(REQUEST, rpm_max=5.0), sea, WEATHER)
    would_do = refused.value.data["would_do"]
    plan = plan_voyage(replace(REQUEST, rpm_max=would_do), sea, WEATHER)
    assert max(w.rpm for w in plan.waypoints[1:]) <= would_do


def test_a_waypoint_repeated_in_a_reference_route_counts_once(sea: SeaAtlas) -> None:
    start, end = REQUEST.departure, REQUEST.arrival
    again = Position(start.lat + 1e-13, start.lng)
    routes = (
        ReferenceRoute("Plain", (start, end)),
        ReferenceRoute("Twice", (start, again, start, end, end)),
    )
    plan = plan_voyage(replace(REQUEST, reference_routes=routes), sea, WEATHER)
    plain, twice = (other for other in plan.alternatives if other.kind == "REFERENCE")
    assert twice.summary == plain.summary


@pytest.mark.parametrize("objective", list(Objective))
def test_a_latitude_limit_holds_between_two_ends_that_lie_beyond_it(
    sea: SeaAtlas, objective: Objective
) -> None:
    asked = replace(
        REQUEST,
        departure=Position(48.5, -45.0),
        arrival=Position(48.5, -12.0),
        limits=Limits(north_lat=47.0),
        objective=objective,
    )
    plan = plan_voyage(asked, sea, WEATHER)
    beyond = [p for p in plan.profile if p.position.lat > 47.01]
    assert max(p.position.lat for p in plan.profile) < 48.7
    assert len(beyond) < 0.25 * len(plan.profile)
    (warning,) = [w for w in plan.warnings if w.code == "LATITUDE_LIMIT"]
    assert "north of the limit" in warning.detail


def test_an_end_ashore_is_moved_to_the_water_with_a_warning_that_says_how_far(
    sea: SeaAtlas,
) -> None:
    inland = Position(50.5, -4.4)  # in Cornwall
    plan = plan_voyage(replace(REQUEST, departure=inland), sea, WEATHER)
    (warning,) = [w for w in plan.warnings if w.code == "POSITION_MOVED"]
    start = plan.waypoints[0].position
    moved_nm = float(great_circle_distance_nm(*inland, *start))
    assert moved_nm > 1.0
    assert f"{moved_nm:.1f} nm away, at {format_position(*start)}" in warning.detail


def test_an_end_afloat_gets_no_warning_of_a_moved_position(sea: SeaAtlas) -> None:
    plan = plan_once(REQUEST, sea)
    assert "POSITION_MOVED" not in {w.code for w in plan.warnings}


def plan_with_references(sea: SeaAtlas, *routes: ReferenceRoute) -> RoutePlan:
    area = make_area(-11.2, 48.0, -11.0, 48.2)
    return plan_voyage(replace(REQUEST, reference_routes=routes, areas=(area,)), sea, WEATHER)


def test_unsafe_reference_routes_get_a_warning_each_and_are_not_compared(sea: SeaAtlas) -> None:
    unsafe = {
        "Ireland": (Position(52.7, -8.0), "of land, first at"),
        # the Bull and Skellig Michael, each less than a mile across
        "Islets": (Position(51.772, -10.54), "it crosses 1.2 nm of land, first at"),
        "Closed": (Position(48.1, -11.1), "it enters the constraint “Area”"),
    }
    routes = tuple(
        ReferenceRoute(name, (REQUEST.departure, amid, REQUEST.arrival))
        for name, (amid, _) in unsafe.items()
    )
    plan = plan_with_references(sea, *routes)
    theirs = {other.label: other for other in plan.alternatives if other.kind == "REFERENCE"}
    warned = [w.detail for w in plan.warnings if w.code == "REFERENCE_UNSAFE"]
    assert len(warned) == len(unsafe)
    for (name, (_, fault)), warning in zip(unsafe.items(), warned, strict=True):
        assert any(fault in words for words in theirs[name].faults), theirs[name].faults
        assert name in warning
        assert fault in warning
        assert f"{name} would cover" not in explain(plan, REQUEST)


def test_a_reference_route_is_sailed_on_its_rhumb_lines_and_one_elsewhere_is_another_voyage(
    sea: SeaAtlas,
) -> None:
    # the parallel passes south of Ireland, the great circle crosses its south-west
    along_51_n = Position(51.25, -6.5), Position(51.25, -30.0)
    places = REQUEST.departure, *along_51_n, REQUEST.arrival
    plan = plan_with_references(
        sea,
        ReferenceRoute("Great circles", places),
        ReferenceRoute("Rhumb lines", places, frozenset({1, 2, 3})),
        ReferenceRoute("Pacific", (Position(0.0, -150.0), Position(0.0, -155.0))),
    )
    by_great_circle, by_rhumb_line, elsewhere = (
        other for other in plan.alternatives if other.kind == "REFERENCE"
    )
    assert any("of land, first at" in words for words in by_great_circle.faults)
    assert not any("of land" in words for words in by_rhumb_line.faults), by_rhumb_line.faults
    assert [leg.leg_geometry for leg in by_rhumb_line.waypoints[1:]] == [LegGeometry.RHUMB] * 3
    assert by_rhumb_line.waypoints[2].leg_distance_nm == pytest.approx(
        leg_distance_nm(*along_51_n, LegGeometry.RHUMB), abs=0.1
    )
    assert sum("nm from the" in words for words in elsewhere.faults) == 2


def test_a_planned_route_imported_as_a_reference_has_no_faults(sea: SeaAtlas) -> None:
    around = replace(
        REQUEST,
        departure=Position(51.98, 4.05),
        arrival=Position(31.23, 32.31),  # off Port Said
        loading=Loading(10.0, 0.0, 50_000.0),
    )
    plan = plan_voyage(around, sea)
    route = ReferenceRoute("Again", tuple(w.position for w in plan.waypoints))
    again = plan_voyage(replace(around, reference_routes=(route,)), sea)
    (theirs,) = (other for other in again.alternatives if other.kind == "REFERENCE")
    assert theirs.faults == ()
    assert "The route Again would cover" in explain(again, around)


@pytest.mark.parametrize(
    ("departure", "arrival"),
    [((54.5, 10.4), (54.1, 8.0)), ((29.5, 32.5), (31.6, 32.4))],
    ids=["Kiel Canal", "Suez Canal"],
)
def test_a_reference_route_through_a_canal_has_its_speed_and_wait(
    sea: SeaAtlas, departure: tuple[float, float], arrival: tuple[float, float]
) -> None:
    through = replace(
        REQUEST,
        departure=Position(*departure),
        arrival=Position(*arrival),
        loading=Loading(8.0, 0.0, 40_000.0),
        objective=Objective.TIME,
    )
    plan = plan_voyage(through, sea)
    route = ReferenceRoute("Again", tuple(w.position for w in plan.waypoints))
    again = plan_voyage(replace(through, reference_routes=(route,)), sea)
    (theirs,) = (other for other in again.alternatives if other.kind == "REFERENCE")
    assert theirs.summary.fuel_t == pytest.approx(plan.summary.fuel_t, rel=0.02)


def error_of(sea: SeaAtlas, wind_ms: float, scale: LimitScale | None) -> LimitsTooTight:
    limits = Limits(wind_speed_ms=wind_ms, wind_scale=scale)
    with pytest.raises(LimitsTooTight) as refused:
        plan_voyage(replace(REQUEST, limits=limits), sea, WEATHER)
    return refused.value


def test_a_relaxation_does_not_depend_on_the_limit_that_was_too_tight(sea: SeaAtlas) -> None:
    looser, tighter = error_of(sea, 10.7, None), error_of(sea, 7.9, None)
    assert looser.data["would_do"] == tighter.data["would_do"] == 11.0


def test_a_relaxation_is_stated_on_the_scale_of_the_limit(sea: SeaAtlas) -> None:
    for force, wind_ms in ((4, 7.9), (5, 10.7)):
        refusal = error_of(sea, wind_ms, SCALES["bf"])
        assert f"under Beaufort {force}." in refusal.detail
        assert "A limit of Beaufort 6 would do" in refusal.detail
        assert refusal.data["would_do"] == 13.8
        assert (refusal.data["allowed_degree"], refusal.data["would_do_degree"]) == (force, 6)


def test_the_route_nearest_to_a_limit_keeps_the_relaxed_limit(
    sea: SeaAtlas,
) -> None:
    refusal = error_of(sea, 7.9, None)
    assert refusal.data["met"] <= refusal.data["would_do"]
    assert refusal.data["route"] in refusal.detail


@pytest.mark.parametrize("objective", [Objective.FUEL, Objective.BALANCED])
def test_a_ship_is_no_slower_in_an_area_to_avoid_that_holds_its_port(
    sea: SeaAtlas, objective: Objective
) -> None:
    area = make_area(-14.0, 45.5, -10.0, 47.5, rule=AreaRule.LEAST_EXPOSURE)
    arrive_by = DEPARTS_AT + timedelta(hours=23) if objective is Objective.FUEL else None
    asked = replace(REQUEST, objective=objective, arrive_by=arrive_by, areas=(area,))
    profile = plan_voyage(asked, sea, WEATHER).profile[:-1]
    inside = [p.speed_through_water_kn for p in profile if -13.9 < p.position.lng < -10.1]
    outside = [p.speed_through_water_kn for p in profile if p.position.lng > -9.9]
    assert fmean(inside) == pytest.approx(fmean(outside), abs=0.3)
