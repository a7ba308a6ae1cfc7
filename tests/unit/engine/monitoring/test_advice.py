"""Advice under way: given once, if it gains enough, and never against a limit."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, partial

import pytest

from app.engine.checking.findings import Finding, FindingCode, Severity
from app.engine.formatting import format_position, format_time
from app.engine.monitoring.advice import ANSWER_TIME, Advice, AdviceReason, Thresholds, advise
from app.engine.monitoring.progress import measure_progress
from app.engine.monitoring.remainder import (
    BetterPlan,
    Outlook,
    assess_remainder,
    find_better_plan,
    list_remaining_waypoints,
    request_remainder,
)
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint, merge_repeated
from app.engine.request import Limits, Risk, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.records.advice import AdviceContentSchema
from tests.unit.engine.monitoring.sailed import follow
from tests.unit.engine.sailing_builders import DEPARTS_AT
from tests.unit.engine.storms import make_crossing, make_storm

pytestmark = pytest.mark.atlas

SAILED_H = 24.0
WEATHERS = {"calm": make_storm(height_m=1.5), "storm": make_storm()}
FREE = make_crossing()
IN_TIME = replace(FREE, arrive_by=DEPARTS_AT + timedelta(hours=240))
LIMITED = replace(IN_TIME, limits=Limits(wave_height_m=6.0))


class Watch:
    """A voyage planned in one forecast, and watched a day later in another."""

    def __init__(self, sea: SeaAtlas, asked: VoyageRequest, planned_in: str, in_: str) -> None:
        met = WEATHERS[in_]
        plan = plan_voyage(asked, sea, WEATHERS[planned_in])
        progress = measure_progress(plan, follow(plan, hours=SAILED_H))
        request = request_remainder(asked, progress.time, progress.position)
        self.context = PlanningContext.of(request, sea, met)
        remaining = list_remaining_waypoints(plan, progress)
        self.outlook: Outlook = assess_remainder(self.context, remaining)
        self.better: RoutePlan = plan_voyage(request, sea, met)
        self.plan, self.request, self.progress = plan, request, progress


Watching = Callable[[VoyageRequest, str, str], Watch]


@pytest.fixture(scope="module")
def watch(sea: SeaAtlas) -> Watching:
    return cache(partial(Watch, sea))


#: The storm costs about 1 t that another track saves.
SMALL = Thresholds(fuel_t=0.5)


def advice_of(
    watched: Watch,
    earlier: Advice | None = None,
    *,
    outlook: Outlook | None = None,
    thresholds: Thresholds = SMALL,
    now: datetime | None = None,
) -> Advice | None:
    request = watched.request
    return advise(
        outlook or watched.outlook,
        BetterPlan(watched.better, request.limits),
        request,
        thresholds,
        now=now or request.departs_at,
        earlier=earlier,
    )


def test_the_weather_of_the_plan_gives_no_advice(watch: Watching) -> None:
    for field in WEATHERS:
        watched = watch(IN_TIME, field, field)
        planned = watched.plan.summary
        assert abs(watched.outlook.eta - planned.eta) < timedelta(minutes=30)
        assert watched.outlook.breaches == ()
        assert advice_of(watched) is None


def test_a_storm_in_a_new_forecast_gives_advice_in_time(watch: Watching) -> None:
    watched = watch(LIMITED, "calm", "storm")
    assert watched.outlook.breaches
    advice = advice_of(watched)
    assert advice is not None
    assert AdviceReason.LIMIT in advice.reasons
    assert advice.is_urgent
    assert advice.avoids == tuple(f.message for f in watched.outlook.breaches)
    assert watched.better.summary.max_wave_m <= 6.0
    assert advice.identities == ("WEATHER_LIMIT:waves",)
    assert advice.excess > 1.0
    assert watched.request.departs_at <= advice.act_by < watched.outlook.eta
    kept = AdviceContentSchema.read(AdviceContentSchema.write(advice))
    assert len(kept.waypoints) == len(watched.better.waypoints)
    assert kept.waypoints[-1].leg_geometry == watched.better.waypoints[-1].leg_geometry


def test_breaches_of_the_rest_count_waypoints_as_the_plan_does(watch: Watching) -> None:
    watched = watch(LIMITED, "calm", "storm")
    plan = watched.plan
    remaining = list_remaining_waypoints(plan, watched.progress)
    assert remaining[1].number > 2
    for waypoint in remaining[1:]:
        assert plan.waypoints[waypoint.number - 1].position == waypoint.position
    # messages name the numbers of the waypoints that are simulated
    assert merge_repeated(remaining, [*range(len(remaining))]) == remaining
    for breach in watched.outlook.breaches:
        begins, ends = plan.waypoints[breach.leg_index : breach.leg_index + 2]
        west, east = sorted((begins.position.lng, ends.position.lng))
        assert west - 0.01 <= breach.position.lng <= east + 0.01


def test_a_storm_without_a_limit_gives_advice_for_its_fuel(watch: Watching) -> None:
    watched = watch(IN_TIME, "calm", "storm")
    advice = advice_of(watched)
    assert advice is not None
    assert advice.reasons == (AdviceReason.FUEL,)
    assert advice.fuel_saved_t == pytest.approx(
        watched.outlook.fuel_t - watched.better.summary.fuel_t
    )


def test_too_small_a_gain_gives_no_advice(watch: Watching) -> None:
    watched = watch(IN_TIME, "calm", "storm")
    advice = advice_of(watched, thresholds=Thresholds())
    assert advice is None


def test_a_declined_advice_is_not_given_again_unless_it_gains_more(watch: Watching) -> None:
    for asked in (IN_TIME, LIMITED):
        watched = watch(asked, "calm", "storm")
        advice = advice_of(watched)
        assert advice is not None
        assert advice_of(watched, earlier=advice) is None
    worse = replace(advice, excess=advice.excess / 1.2)
    assert advice_of(watched, earlier=worse) is not None
    unlike = replace(advice, codes=(), identities=())
    assert advice_of(watched, earlier=unlike) is not None


def test_a_violation_of_another_area_or_limit_gives_a_new_advice(watch: Watching) -> None:
    watched = watch(IN_TIME, "calm", "storm")

    def breaking(*findings: Finding, earlier: Advice | None = None) -> Advice | None:
        outlook = replace(watched.outlook, breaches=findings)
        return advice_of(watched, earlier, outlook=outlook)

    for code, one, other in (
        (FindingCode.AREA_ENTERED, "reef", "range"),
        (FindingCode.WEATHER_LIMIT, "waves", "wind"),
    ):
        first, second = (Finding(code, Severity.DANGER, "", subject=each) for each in (one, other))
        declined = breaking(first)
        assert declined is not None
        assert declined.identities == (f"{code}:{one}",)
        kept: Advice = AdviceContentSchema.read(AdviceContentSchema.write(declined))
        assert breaking(first, earlier=kept) is None
        assert breaking(second, earlier=kept) is not None
        both = breaking(first, second, earlier=kept)
        assert both is not None
        assert breaking(first, earlier=both) is None
        # advice stored without identities is compared by its codes
        content = AdviceContentSchema.write(declined)
        del content["identities"]
        of_old: Advice = AdviceContentSchema.read(content)
        assert breaking(second, earlier=of_old) is None
        speed = Finding(FindingCode.SPEED_NOT_HELD, Severity.DANGER, "")
        assert breaking(speed, earlier=of_old) is not None


def test_a_plan_that_can_no_longer_be_sailed_gives_advice(watch: Watching) -> None:
    watched = watch(IN_TIME, "calm", "storm")
    advice = advice_of(watched, outlook=Outlook((), None), thresholds=Thresholds())
    assert advice is not None
    assert advice.reasons == (AdviceReason.LIMIT,)
    # where its track ran is not known, but none of it is to be kept
    assert advice.leaves_track
    to = format_position(*watched.better.waypoints[1].position)
    assert f"Leave the planned track at once and make for {to}, waypoint 2" in advice.action


def test_action_due_at_once_leaves_some_hours_for_the_answer(watch: Watching) -> None:
    watched = watch(LIMITED, "calm", "storm")
    # for a change of speed alone, the time to act is that of the last report
    reported_at = watched.request.departs_at
    assert watched.better.waypoints[0].eta == reported_at
    now = reported_at + timedelta(hours=2)
    same_track = list(map(GivenWaypoint.of, watched.better.waypoints))
    too_fast = Finding(FindingCode.SPEED_NOT_HELD, Severity.DANGER, "")
    outlook = replace(assess_remainder(watched.context, same_track), breaches=(too_fast,))
    speed_alone = advice_of(watched, outlook=outlook, now=now)
    assert speed_alone is not None
    assert speed_alone.action.startswith("Keep the planned track and order ")
    assert not speed_alone.leaves_track
    assert speed_alone.act_by == now + ANSWER_TIME
    early = advice_of(watched)
    assert early is not None
    assert f"Leave the planned track by {format_time(early.act_by)}" in early.action
    now = early.act_by - timedelta(hours=1)
    late = advice_of(watched, now=now)
    assert late is not None
    assert "Leave the planned track at once" in late.action
    assert late.act_by == now + ANSWER_TIME


@pytest.mark.parametrize("risk", [None, Risk.P90])
def test_where_no_route_keeps_a_limit_the_least_excess_is_advised(
    sea: SeaAtlas, watch: Watching, risk: Risk | None
) -> None:
    watched, met = watch(IN_TIME, "calm", "storm"), WEATHERS["storm"]
    request = replace(watched.request, limits=Limits(wave_height_m=1.0), risk=risk)
    context = PlanningContext.of(request, sea, met)
    rest = list_remaining_waypoints(watched.plan, watched.progress)
    outlook = assess_remainder(context, rest)
    found = find_better_plan(context, outlook)
    assert found is not None
    kept_m = found.limits.wave_height_m
    assert kept_m is not None
    assert 1.0 < kept_m < max(breach.measured or 0.0 for breach in outlook.breaches)
    assert (found.plan.summary.max_wave_m or 0.0) <= kept_m
    advice = advise(outlook, found, request, SMALL, now=request.departs_at)
    assert advice is not None
    assert advice.reasons[0] is AdviceReason.LIMIT
    assert advice.allowed_wave_m == kept_m
    assert advice.action.startswith("No route keeps the wave height under 1.0 m;")


def test_the_rest_keeps_the_latest_arrival_unless_it_has_passed() -> None:
    kept = request_remainder(IN_TIME, DEPARTS_AT + timedelta(hours=1), FREE.departure)
    assert kept.arrive_by == IN_TIME.arrive_by
    assert kept.under_way
    late = request_remainder(IN_TIME, DEPARTS_AT + timedelta(hours=241), FREE.departure)
    assert late.arrive_by is None
