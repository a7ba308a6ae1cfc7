"""Voyages planned around a storm: in time, within limits, or infeasible."""

import os
from dataclasses import replace
from datetime import timedelta
from functools import cache
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest

from app.engine.errors import LimitsTooTight, PlanningCancelled
from app.engine.formatting import format_position
from app.engine.geodesy import great_circle_distance_nm, sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.optimise.labels import SearchedLattice, Trajectory
from app.engine.optimise.refinement import Problem, find_best
from app.engine.optimise.runner_up import Separation, find_runners_up
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.request import Limits, Objective, TrackKind, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from tests.unit.built_sea import open_atlas
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_area
from tests.unit.engine.storms import make_crossing, make_even, make_storm, make_wall

pytestmark = pytest.mark.atlas

STORM = make_storm()
IN_TIME = replace(make_crossing(), arrive_by=DEPARTS_AT + timedelta(hours=240))


@cache
def plan(request: VoyageRequest) -> RoutePlan:
    return plan_voyage(request, open_atlas(), STORM)


def highest_wave_m(route: RoutePlan) -> float:
    """Return the highest wave sampled every mile and a half, between the profile's points."""
    points = route.profile
    hours = np.array([(p.time - points[0].time) / timedelta(hours=1) for p in points])
    steps = np.arange(0.0, len(points) - 1, 0.3)
    at = np.arange(len(points))
    lats = np.interp(steps, at, [p.position.lat for p in points])
    lngs = np.interp(steps, at, [p.position.lng for p in points])
    times_h = STORM.forecasts[0].layers["wave"].times_h[0] + np.interp(steps, at, hours)
    return float(STORM.sample(lats, lngs, times_h).wave_height_m.max())


def test_a_detour_around_a_storm_saves_fuel_at_the_same_arrival() -> None:
    found = plan(IN_TIME)
    assert found.summary.eta <= IN_TIME.arrive_by
    assert found.summary.saved_pct > 0.3
    (baseline,) = [a for a in found.alternatives if a.kind == "BASELINE"]
    assert baseline.summary.fuel_t == found.summary.baseline_fuel_t
    assert abs(baseline.summary.eta - found.summary.eta) < timedelta(hours=1)


def test_nothing_is_saved_where_the_weather_is_the_same_everywhere(sea: SeaAtlas) -> None:
    found = plan_voyage(IN_TIME, sea, make_even(2.0))
    # without a baseline among the alternatives the plan is the baseline
    baselines = [a for a in found.alternatives if a.kind == "BASELINE"] or [found]
    assert baselines[0].summary.distance_nm <= found.summary.distance_nm
    assert abs(found.summary.saved_pct) < 0.2


def test_the_track_has_few_waypoints_and_no_short_legs_at_sea() -> None:
    found = plan(IN_TIME)
    assert 5 <= len(found.waypoints) <= 40
    at_sea = found.waypoints[4:-3]
    assert min(w.leg_distance_nm for w in at_sea) > 10.0
    turns = [
        abs((b.course_deg - a.course_deg + 180.0) % 360.0 - 180.0) for a, b in pairwise(at_sea)
    ]
    assert max(turns) < 60.0


def test_a_plan_goes_as_near_to_a_wave_limit_as_pays() -> None:
    allowed_m = 6.0
    found = plan(replace(IN_TIME, limits=Limits(wave_height_m=allowed_m)))
    assert 0.995 * allowed_m < highest_wave_m(found) <= allowed_m + 0.01


@pytest.mark.parametrize("track", [TrackKind.GREAT_CIRCLE, TrackKind.RHUMB])
def test_on_a_requested_track_only_the_speeds_are_optimised(track: TrackKind) -> None:
    request = replace(IN_TIME, track=track)
    found, calm = plan(request), plan_voyage(request, open_atlas())
    assert [w.position for w in found.waypoints] == [w.position for w in calm.waypoints]
    speeds = [p.speed_through_water_kn for p in found.profile]
    assert max(speeds) - min(speeds) > 0.3
    assert found.summary.saved_pct > 0.0


def test_a_wave_limit_is_kept_everywhere_where_the_shortest_route_meets_ten_metres() -> None:
    free = plan(replace(IN_TIME, track=TrackKind.GREAT_CIRCLE))
    assert free.summary.max_wave_m > 6.0
    found = plan(replace(IN_TIME, limits=Limits(wave_height_m=4.0)))
    assert highest_wave_m(found) <= 4.0 + 0.01
    assert found.summary.eta <= IN_TIME.arrive_by
    (limit,) = found.facts.binding_limits
    assert limit.label == "the wave height limit"


def test_a_detour_of_six_hundred_miles_from_the_shortest_route_is_found(sea: SeaAtlas) -> None:
    request = replace(make_crossing(), limits=Limits(wave_height_m=4.0))
    found = plan_voyage(request, sea, make_wall(south_lat=41.0))
    amid = [p.position.lat for p in found.profile if -45.0 <= p.position.lng <= -35.0]
    assert max(amid) < 41.0


def test_a_detour_of_a_thousand_miles_from_the_shortest_route_is_found(sea: SeaAtlas) -> None:
    request, south_lat = replace(make_crossing(), limits=Limits(wave_height_m=4.0)), 31.0
    found = plan_voyage(request, sea, make_wall(south_lat))
    amid = [p.position.lat for p in found.profile if -45.0 <= p.position.lng <= -35.0]
    assert max(amid) < south_lat


def test_a_timed_area_that_only_the_other_line_of_a_leg_touches_is_passed_at_little_cost(
    sea: SeaAtlas,
) -> None:
    open_sea = plan(IN_TIME)
    legs = pairwise(open_sea.waypoints)
    a, b = next(leg for leg in legs if leg[1].leg_geometry is LegGeometry.GREAT_CIRCLE)
    lats, lngs = sample_leg(a.position, b.position, LegGeometry.RHUMB, 5.0)
    lat, lng = lats[lats.size // 2], lngs[lngs.size // 2]
    area = make_area(
        lng - 0.15, lat - 0.3, lng + 0.15, lat + 0.005,
        starts_at=DEPARTS_AT + timedelta(hours=6), ends_at=DEPARTS_AT + timedelta(days=40),
    )  # fmt: skip
    found = plan_voyage(replace(IN_TIME, areas=(area,)), sea, STORM)
    assert found.summary.fuel_t < 1.003 * open_sea.summary.fuel_t


def test_no_saving_is_stated_if_the_baseline_arrives_at_another_time() -> None:
    one_speed = replace(make_crossing(), speed_min_kn=13.0, speed_max_kn=13.0)
    found = plan(replace(one_speed, limits=Limits(wave_height_m=5.0)))
    (baseline,) = [a for a in found.alternatives if a.kind == "BASELINE"]
    assert found.summary.eta - baseline.summary.eta > timedelta(hours=1)
    assert found.summary.baseline_fuel_t == baseline.summary.fuel_t
    assert found.summary.saved_pct is None
    assert found.facts.means is None


def test_a_limit_below_every_sea_is_an_error_with_place_time_and_relaxation() -> None:
    request = replace(make_crossing(), limits=Limits(wave_height_m=1.0))
    with pytest.raises(LimitsTooTight) as refused:
        plan(request)
    data = refused.value.data
    assert data["limit"] == "wave height"
    assert format_position(data["lat"], data["lng"]) in refused.value.detail
    assert f"{data['time']:%a %d %b %Y %H:%M} UTC" in refused.value.detail
    assert 1.5 <= data["would_do"] <= 1.7
    eased = replace(request, limits=Limits(wave_height_m=data["would_do"]))
    assert plan(eased).summary.max_wave_m <= data["would_do"]


def test_twelve_hours_more_than_the_fastest_save_what_the_front_says() -> None:
    fastest = plan(replace(make_crossing(), objective=Objective.TIME))
    later = fastest.summary.eta + timedelta(hours=12)
    found = plan(replace(make_crossing(), arrive_by=later))
    hours = [point.duration_h for point in fastest.front]
    promised_t = np.interp(
        fastest.summary.duration_h + 12.0, hours, [point.fuel_t for point in fastest.front]
    )
    assert found.summary.eta <= later
    assert found.summary.fuel_t < 0.95 * fastest.summary.fuel_t
    # the front has fewer points than hours, so that it states a saving that is rather too small
    assert 0.94 * promised_t < found.summary.fuel_t < 1.02 * promised_t


def test_an_arrival_an_hour_before_the_fastest_gives_the_earliest_arrival() -> None:
    fastest = plan(replace(make_crossing(), objective=Objective.TIME))
    arrive_by = fastest.summary.eta - timedelta(hours=1)
    found = plan(replace(make_crossing(), arrive_by=arrive_by))
    assert abs(found.summary.eta - fastest.summary.eta) < timedelta(minutes=5)
    (warning,) = [w for w in found.warnings if w.code == "ENDDATE_UNREACHABLE"]
    assert f"{found.summary.eta:%H:%M}" in warning.detail


def test_a_track_near_the_best_and_others_far_from_it_are_compared() -> None:
    apart_nm: list[list[float]] = []

    def find(
        problem: Problem, searched: SearchedLattice, separation: Separation
    ) -> list[Trajectory]:
        best, found = find_best(problem, searched), find_runners_up(problem, searched, separation)
        assert best is not None
        if separation == any_excess:
            apart_nm.append([float(measure_apart_nm(best, each).max()) for each in found])
        return found

    any_excess = Separation((4, 10), 1.0)
    with (
        patch("app.engine.optimise.track_search.find_runners_up", find),
        patch("app.engine.optimise.track_search.IN_SEARCHES", any_excess),
    ):
        plan_voyage(IN_TIME, open_atlas(), STORM)
    # four and ten columns, 30 nm apart on a long route
    assert all(near_nm > 115.0 and far_nm > 290.0 for near_nm, far_nm in apart_nm)


def measure_apart_nm(one: Trajectory, other: Trajectory) -> np.ndarray:
    return great_circle_distance_nm(one.lats, one.lngs, other.lats, other.lngs)


def test_the_front_trades_time_for_fuel_and_includes_the_plan() -> None:
    found = plan(IN_TIME)
    assert 5 <= len(found.front) <= 9
    assert all(a.eta < b.eta and a.fuel_t > b.fuel_t for a, b in pairwise(found.front))
    assert found.summary.fuel_t in [point.fuel_t for point in found.front]


def test_progress_is_reported_often_never_decreases_and_changes_no_plan() -> None:
    reported: list[float] = []
    found = plan_voyage(IN_TIME, open_atlas(), STORM, on_progress=lambda at, _: reported.append(at))
    assert found == plan(IN_TIME)
    assert reported == sorted(reported)
    assert len(reported) >= 8  # the stages, and ticks between them on a machine of any speed
    assert reported[-1] > 0.9


def test_planning_is_stopped_while_it_searches() -> None:
    reported: list[str] = []

    def stop_at_the_third_tick(_at: float, stage: str) -> None:
        reported.append(stage)
        if sum(stage.startswith("Optimising") for stage in reported) > 2:
            raise PlanningCancelled

    with pytest.raises(PlanningCancelled):
        plan_voyage(IN_TIME, open_atlas(), STORM, on_progress=stop_at_the_third_tick)
    assert reported[-1].startswith("Optimising")


def test_a_plan_does_not_depend_on_how_many_threads_there_are() -> None:
    with patch("os.cpu_count", return_value=1 if os.cpu_count() != 1 else 4):
        assert plan_voyage(IN_TIME, open_atlas(), STORM) == plan(IN_TIME)


def test_a_limit_that_binds_leaves_a_front_to_choose_from() -> None:
    found = plan(replace(IN_TIME, limits=Limits(wave_height_m=4.0)))
    assert 5 <= len(found.front) <= 9
    assert all(a.eta < b.eta and a.fuel_t > b.fuel_t for a, b in pairwise(found.front))
    assert found.summary.fuel_t in [point.fuel_t for point in found.front]
