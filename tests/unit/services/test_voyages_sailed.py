"""Planned voyages count as sailed if they were started or the records follow them."""

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest

from app.engine.request import Position
from app.engine.telemetry.records import VoyageRecords
from app.engine.telemetry.reports import StatedReports, read_reports
from app.engine.telemetry.sums import Timeline, single_record_runs, unpack
from app.engine.times import hours_since_epoch
from app.models import ExecutionState, new_id
from app.services.vessels.vessel_statistics import PlannedVoyage, compare, select_sailed

DEPARTS_AT = datetime.fromisoformat("2026-03-01T12:00:00Z")
ARRIVES_AT = DEPARTS_AT + timedelta(hours=50)
SPAN = (DEPARTS_AT - timedelta(days=9), DEPARTS_AT + timedelta(days=9))
START, END = Position(50.0, -20.0), Position(50.0, -7.0)

NO_RUNS = single_record_runs(VoyageRecords(*np.empty((5, 0))))

#: A plan of 501 nm in 50 h.
PLAN = PlannedVoyage(
    new_id(), DEPARTS_AT, ARRIVES_AT, (START, END), None, (DEPARTS_AT, ARRIVES_AT), 50.0, 501.4
)


def sail(step_h: float = 1.0, *, late_h: float = 0.0, south_deg: float = 0.0) -> Timeline:
    """Sail the plan at its speed, reported every few hours, and lie in port for 40 h."""
    hours = np.arange(0.0, 90.0, step_h)
    records = VoyageRecords(
        hours_since_epoch(DEPARTS_AT) + hours,
        np.full(hours.size, START.lat - south_deg),
        np.clip(START.lng + 0.26 * (hours - late_h), START.lng, END.lng),
        np.full(hours.size, 10.0),
        np.full(hours.size, 24.0),
    )
    return Timeline.of(unpack(b""), single_record_runs(records))


def report_noons(*, lats: float) -> Timeline:
    """Sail the plan with a report a day."""
    hours = np.array([10.0, 34.0, 58.0])
    times_h = hours_since_epoch(DEPARTS_AT) + hours
    lngs = np.minimum(START.lng + 0.26 * hours, END.lng)
    stated = [np.full(3, value) for value in (24.0, 240.0, 10.0, 24.0, lats)]
    auxiliary = [np.full(3, np.nan)] * 2
    arrivals = np.zeros(times_h.size)
    reports = StatedReports(times_h, *stated, lngs, *auxiliary, times_h, arrivals)
    return Timeline.of(unpack(b""), NO_RUNS, read_reports(reports))


def select(timeline: Timeline, *voyages: PlannedVoyage) -> list[PlannedVoyage]:
    return select_sailed(voyages, timeline, SPAN)


@pytest.mark.parametrize("timeline", [sail(), sail(6.0), sail(late_h=3.0), report_noons(lats=50.0)])
def test_a_plan_that_the_records_follow_from_end_to_end_counts(timeline: Timeline) -> None:
    assert select(timeline, PLAN) == [PLAN]


@pytest.mark.parametrize(
    "timeline",
    [
        sail(late_h=12.0),
        sail(south_deg=2.0),
        report_noons(lats=30.0),
        report_noons(lats=np.nan),
        Timeline.of(unpack(b""), NO_RUNS),
    ],
)
def test_a_plan_that_the_records_do_not_follow_does_not_count(timeline: Timeline) -> None:
    assert select(timeline, PLAN) == []


def test_of_plans_for_the_same_time_the_newest_counts() -> None:
    newest = replace(PLAN, charting_id=new_id(), fuel_t=55.0)
    assert select(sail(), PLAN, newest) == [newest]


@pytest.mark.parametrize("state", [ExecutionState.UNDER_WAY, ExecutionState.FINISHED])
def test_a_started_voyage_counts_before_plans_for_the_same_time(state: ExecutionState) -> None:
    is_finished = state == ExecutionState.FINISHED
    started = replace(PLAN, state=state, sailed=PLAN.sailed if is_finished else None)
    assert select(sail(), started, replace(PLAN, charting_id=new_id())) == [started]
    assert len(list(compare([started], sail(), SPAN))) == int(is_finished)


@pytest.mark.parametrize(("from_h", "to_h"), [(0.0, 2.5), (0.0, 25.0), (25.0, 50.0), (47.5, 50.0)])
def test_a_part_of_a_plan_counts_as_a_voyage_and_is_not_compared(
    from_h: float, to_h: float
) -> None:
    sailed = (DEPARTS_AT + timedelta(hours=from_h), DEPARTS_AT + timedelta(hours=to_h))
    started = replace(PLAN, state=ExecutionState.FINISHED, sailed=sailed)
    for timeline in (sail(), sail(0.5)):
        assert select(timeline, started) == [started]
        assert list(compare([started], timeline, SPAN)) == []


def test_a_voyage_that_took_longer_than_its_plan_is_compared() -> None:
    sailed = (DEPARTS_AT, ARRIVES_AT + timedelta(hours=12))
    late = replace(PLAN, state=ExecutionState.FINISHED, sailed=sailed)
    (compared,) = compare([late], sail(late_h=12.0), SPAN)
    assert compared.actual_fuel_t == pytest.approx(62.0)


def test_an_abandoned_voyage_does_not_count() -> None:
    assert select(sail(), replace(PLAN, state=ExecutionState.ABANDONED, sailed=None)) == []
