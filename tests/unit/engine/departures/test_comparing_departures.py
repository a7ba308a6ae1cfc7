"""Departures for the Channel from a position at sea, in waves that decrease."""

from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

import pytest

from app.engine.codes import FailureCode, WarningCode
from app.engine.departures.sweep import SearchedDeparture, compare_departures
from app.engine.departures.window import DepartureComparison, DepartureWindow
from app.engine.errors import PlanningCancelled
from app.engine.planner import plan_voyage
from app.engine.request import Limits, LimitScale, Objective, Position, VoyageRequest
from benchmarks.storm_weather import make_storms as make_seeded_storms
from tests.unit.built_sea import open_atlas
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_area
from tests.unit.engine.storms import make_crossing, make_easing, make_wall
from tests.unit.engine.weather.seas import uniform_climatology

pytestmark = pytest.mark.atlas

REQUEST = replace(
    make_crossing(), departure=Position(46.5, -34.0), under_way=True,
    speed_min_kn=13.0, speed_max_kn=14.0,
)  # fmt: skip
WINDOW = DepartureWindow(DEPARTS_AT, DEPARTS_AT + timedelta(hours=48), 8.0)


@cache
def compare(request: VoyageRequest = REQUEST) -> DepartureComparison:
    return compare_departures(request, WINDOW, open_atlas(), make_easing())


def test_the_best_departure_is_that_of_full_plans_of_all_departures() -> None:
    fuel_t = {
        each: plan_voyage(
            replace(REQUEST, departs_at=each), open_atlas(), make_easing()
        ).summary.fuel_t
        for each in WINDOW.list_departures()
    }
    best = compare().best
    assert best is not None
    assert best.figures is not None
    assert not all(outcome.is_refined for outcome in compare().outcomes)
    assert fuel_t[best.departs_at] <= 1.002 * min(fuel_t.values())
    assert best.figures.fuel_t == pytest.approx(fuel_t[best.departs_at], rel=0.002)


@pytest.mark.parametrize(("later_h", "within_h"), [(0.0, None), (0.0, 200.0), (36.0, 170.0)])
def test_a_departure_close_to_a_limit_has_the_figures_of_its_plan(
    later_h: float, within_h: float | None
) -> None:
    climatology = uniform_climatology(wind=(5.0, 0.0), wave=(1.5, 7.0, 270.0), current=(0.2, 0.05))
    weather = make_seeded_storms(4, DEPARTS_AT, climatology, 14)
    departs_at = DEPARTS_AT + timedelta(hours=later_h)
    asked = replace(
        REQUEST,
        departure=Position(44.5, -47.0),
        arrival=Position(48.0, -12.0),
        departs_at=departs_at,
        arrive_by=None if within_h is None else departs_at + timedelta(hours=within_h),
        under_way=False,
        speed_min_kn=9.0,
        speed_max_kn=14.5,
        limits=Limits(wave_height_m=3.6),
    )
    compared = compare_departures(
        asked, DepartureWindow(departs_at, departs_at), open_atlas(), weather
    )
    assert compared.best is not None
    assert compared.best.figures is not None
    planned = plan_voyage(asked, open_atlas(), weather).summary
    assert compared.best.figures.fuel_t == pytest.approx(planned.fuel_t, rel=0.01)
    assert planned.fuel_t < 70.0


def test_each_departure_has_its_figures() -> None:
    outcomes = compare().outcomes
    assert [outcome.departs_at for outcome in outcomes] == WINDOW.list_departures()
    for outcome in outcomes:
        assert outcome.figures is not None
        arrives_at = outcome.departs_at + timedelta(hours=outcome.figures.duration_h)
        assert abs(outcome.figures.arrives_at - arrives_at) <= timedelta(seconds=0.5)
        assert outcome.figures.arrives_at.microsecond == 0
        assert outcome.figures.max_wave_m is not None


def test_a_departure_that_waits_for_its_arrival_to_open_is_feasible_as_in_a_plan() -> None:
    # from a port whose approach turns, into waves in which the ship keeps no ordered speed
    opens_at = DEPARTS_AT + timedelta(days=14)
    closed = make_area(-10.0, 38.0, -9.0, 39.0, starts_at=DEPARTS_AT, ends_at=opens_at)
    asked = replace(
        REQUEST,
        departure=Position(51.98, 4.0),
        arrival=Position(38.65, -9.35),
        under_way=False,
        areas=(closed,),
    )
    window = DepartureWindow(DEPARTS_AT, DEPARTS_AT + timedelta(hours=12), 12.0)
    for outcome in compare_departures(asked, window, open_atlas(), make_easing()).outcomes:
        assert outcome.figures is not None
        alone = replace(asked, departs_at=outcome.departs_at)
        planned = plan_voyage(alone, open_atlas(), make_easing()).summary
        assert outcome.figures.arrives_at == planned.eta
        assert planned.eta > opens_at


def test_a_departure_too_late_for_the_latest_arrival_is_infeasible() -> None:
    first = compare().outcomes[0].figures
    assert first is not None
    arrive_by = first.arrives_at + timedelta(hours=1)
    outcomes = compare(replace(REQUEST, arrive_by=arrive_by)).outcomes
    assert outcomes[0].figures is not None
    last = outcomes[-1].infeasible
    assert last is not None
    assert last.code is WarningCode.ENDDATE_UNREACHABLE
    assert "h after the latest arrival" in last.detail


def test_a_departure_after_the_latest_arrival_is_not_searched() -> None:
    request = replace(REQUEST, arrive_by=DEPARTS_AT)
    compared = compare_departures(request, WINDOW, open_atlas(), make_easing())
    assert compared.best is None
    assert {outcome.infeasible.code for outcome in compared.outcomes if outcome.infeasible} == {
        WarningCode.ENDDATE_UNREACHABLE
    }


def test_departures_that_break_a_limit_state_it_on_the_scale_of_the_request() -> None:
    scale = LimitScale("Douglas", (0.0, 0.1, 0.5, 1.25, 2.5, 4.0, 6.0, 9.0, 14.0, None))
    request = replace(REQUEST, limits=Limits(wave_height_m=1.25, wave_scale=scale))
    window = DepartureWindow(DEPARTS_AT, DEPARTS_AT)
    compared = compare_departures(request, window, open_atlas(), make_wall(20.0))
    assert compared.best is None
    broken = compared.outcomes[0].infeasible
    assert broken is not None
    assert broken.code is FailureCode.LIMITS_TOO_TIGHT
    shortest = "No route keeps the wave height under Douglas 3. The shortest track, direct, meets"
    assert broken.detail.startswith(shortest)


def test_for_the_earliest_arrival_the_earliest_departure_in_a_calm_is_best() -> None:
    request = replace(REQUEST, objective=Objective.TIME)
    compared = compare_departures(request, WINDOW, open_atlas())
    assert compared.best is not None
    assert compared.best.departs_at == DEPARTS_AT


def test_the_most_promising_departures_are_refined_first() -> None:
    found: list[SearchedDeparture] = []
    compare_departures(REQUEST, WINDOW, open_atlas(), make_easing(), on_found=found.append)
    coarse = [each for each in found if not each.outcome.is_refined]
    by_cost = sorted(coarse, key=lambda each: each.cost)
    refined = [each.outcome.departs_at for each in found if each.outcome.is_refined]
    assert set(refined[:4]) == {each.outcome.departs_at for each in by_cost[:4]}


def test_outcomes_are_passed_on_as_they_are_found_and_progress_never_decreases() -> None:
    found: list[SearchedDeparture] = []
    fractions: list[float] = []
    compare_departures(
        REQUEST, WINDOW, open_atlas(), None,
        lambda fraction, stage: fractions.append(fraction), found.append,
    )  # fmt: skip
    assert {each.outcome.departs_at for each in found} == set(WINDOW.list_departures())
    assert fractions == sorted(fractions)
    assert fractions[-1] <= 1.0


def test_a_comparison_is_cancelled_by_its_progress() -> None:
    def cancel(fraction: float, stage: str) -> None:
        raise PlanningCancelled

    with pytest.raises(PlanningCancelled):
        compare_departures(REQUEST, WINDOW, open_atlas(), make_easing(), cancel)


def test_a_stopped_comparison_continues_with_its_results() -> None:
    found: dict[datetime, SearchedDeparture] = {}

    def stop_half_way(searched: SearchedDeparture) -> None:
        found[searched.outcome.departs_at] = searched
        if len(found) == 4:
            raise PlanningCancelled

    with pytest.raises(PlanningCancelled):
        compare_departures(REQUEST, WINDOW, open_atlas(), make_easing(), on_found=stop_half_way)
    before = {**found}
    again: list[SearchedDeparture] = []
    compared = compare_departures(
        REQUEST, WINDOW, open_atlas(), make_easing(), on_found=again.append, known=before.values()
    )
    coarse_again = {each.outcome.departs_at for each in again if not each.outcome.is_refined}
    assert coarse_again.isdisjoint(before)
    assert compared == compare()


def test_a_longest_duration_applies_to_every_departure() -> None:
    first = compare().outcomes[0].figures
    assert first is not None
    window = replace(WINDOW, last=WINDOW.first, within_h=0.8 * first.duration_h)
    late = compare_departures(REQUEST, window, open_atlas(), make_easing()).outcomes[0].infeasible
    assert late is not None
    assert late.code is WarningCode.ENDDATE_UNREACHABLE
    roomy = replace(window, within_h=first.duration_h + 5.0)
    free = compare_departures(
        replace(REQUEST, arrive_by=DEPARTS_AT), roomy, open_atlas(), make_easing()
    )
    assert free.best is not None
