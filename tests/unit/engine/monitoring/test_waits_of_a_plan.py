"""A voyage whose plan waits before a closed strait: on plan it is not late or in the area."""

from dataclasses import replace
from datetime import timedelta

import pytest

from app.engine.monitoring.progress import measure_progress
from app.engine.monitoring.remainder import (
    Outlook,
    assess_remainder,
    list_remaining_waypoints,
    request_remainder,
)
from app.engine.monitoring.voyage_report import report_voyage
from app.engine.plan import RoutePlan, Waypoint
from app.engine.planner import plan_voyage
from app.engine.planning.context import PlanningContext
from app.engine.sea.atlas import SeaAtlas
from app.engine.vessel import build_ship
from tests.unit.engine.monitoring.sailed import follow, hours
from tests.unit.engine.test_planning_with_waits import CALM, REQUEST, close_bosphorus

pytestmark = pytest.mark.atlas

CLOSED = replace(REQUEST, areas=(close_bosphorus(40.0),))


@pytest.fixture(scope="module")
def plan(sea: SeaAtlas) -> RoutePlan:
    return plan_voyage(CLOSED, sea, CALM)


def wait_of(plan: RoutePlan) -> Waypoint:
    (wait,) = [w for w in plan.waypoints if w.leaves_at is not None]
    return wait


def sailed_h(plan: RoutePlan, when: str) -> float:
    """Return hours from departure to a time before, during, near the end of or after the wait."""
    wait = wait_of(plan)
    comes_h, leaves_h = (hours(at - CLOSED.departs_at) for at in (wait.eta, wait.leaves_at))
    return {
        "before": comes_h - 3.0,
        "in the midst": 0.5 * (comes_h + leaves_h),
        "near its end": leaves_h - 0.4,
        "after": leaves_h + 3.0,
    }[when]


def look_ahead(sea: SeaAtlas, plan: RoutePlan, sailed: float, north_deg: float) -> Outlook:
    progress = measure_progress(plan, follow(plan, hours=sailed, north_deg=north_deg))
    request = request_remainder(CLOSED, progress.time, progress.position)
    return assess_remainder(
        PlanningContext.of(request, sea, CALM), list_remaining_waypoints(plan, progress)
    )


@pytest.mark.parametrize("north_deg", [0.0, 0.03])
@pytest.mark.parametrize("when", ["before", "in the midst", "near its end"])
def test_a_ship_on_plan_enters_no_closed_area(
    sea: SeaAtlas, plan: RoutePlan, when: str, north_deg: float
) -> None:
    outlook = look_ahead(sea, plan, sailed_h(plan, when), north_deg)
    assert outlook.breaches == ()
    assert outlook.eta is not None
    assert abs(outlook.eta - plan.summary.eta) < timedelta(minutes=40)


@pytest.mark.parametrize(
    ("when", "north_deg"),
    [
        ("before", 0.0),
        *(("in the midst", north_deg) for north_deg in (-0.01, 0.0, 0.01)),
        ("near its end", 0.0),
        ("after", 0.0),
    ],
)
def test_a_ship_on_plan_is_neither_behind_nor_ahead(
    plan: RoutePlan, when: str, north_deg: float
) -> None:
    sailed = sailed_h(plan, when)
    found = measure_progress(plan, follow(plan, hours=sailed, north_deg=north_deg, every_h=0.1))
    assert found.on_track.behind_h == pytest.approx(0.0, abs=0.25)
    assert abs(found.on_track.eta_by_plan - plan.summary.eta) < timedelta(minutes=15)


def test_a_ship_that_stays_after_the_wait_is_behind_by_the_excess(plan: RoutePlan) -> None:
    still = sailed_h(plan, "near its end")
    found = measure_progress(plan, follow(plan, hours=still, late_h=5.4))
    assert found.on_track.behind_h == pytest.approx(5.0, abs=0.6)


def test_the_report_counts_the_wait_as_planned(sea: SeaAtlas, plan: RoutePlan) -> None:
    ship = build_ship(CLOSED.ship, CLOSED.loading, rpm_max=CLOSED.rpm_max)
    records = follow(plan, hours=plan.summary.duration_h, every_h=0.25)
    context = PlanningContext(CLOSED, sea, CALM, ship)
    found = report_voyage(context, plan, records, CLOSED.departs_at, plan.summary.eta)
    assert found.time.weather_h == pytest.approx(0.0, abs=0.3)
