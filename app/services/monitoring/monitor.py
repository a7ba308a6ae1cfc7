"""Monitoring of voyages: detect departures and arrivals, measure progress by position reports."""

from datetime import datetime, timedelta
from math import inf
from typing import Final
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.engine.monitoring.departure import find_arrival_h
from app.engine.telemetry.records import VoyageRecords
from app.engine.times import hours_since_epoch
from app.extensions import chartroom
from app.models import Charting, ExecutionState, VoyageExecution, utc_now
from app.records.instants import parse_instant
from app.services.charting_request import departure_of
from app.services.chartings.expected_voyages import EXPECTED_AFTER, get_departed_revision
from app.services.engine_mapping import load_plan
from app.services.monitoring import executions, position_reports, watching
from app.services.monitoring.expected_departure import NotDeparted, find_departure
from app.services.platform import queue
from app.services.platform.fair_queue import JobFunction
from app.services.platform.sessions import organization_session
from app.services.vessels.telemetry_sums import instant_of

#: Largest number of voyages that one sweep queues; the next sweep queues the others.
_MOST_DUE: Final = 500
_ACTIVE: Final = (ExecutionState.EXPECTED, ExecutionState.UNDER_WAY)


def queue_due() -> int:
    """Queue the voyages whose position or re-planning check is due; return their number."""
    due = executions.list_due(VoyageExecution.due_at, utc_now(), _MOST_DUE, *_ACTIVE)
    for organization_id, charting_id in due:
        queue.enqueue_row(JobFunction.MONITOR_VOYAGE, organization_id, charting_id)
    return len(due) + watching.queue_due()


def check_position_reports(organization_id: UUID, charting_id: UUID) -> None:
    """Evaluate the position reports of one voyage, if that is due."""
    with executions.put_off_if_failed(organization_id, charting_id, VoyageExecution.due_at):
        _check(organization_id, charting_id)


def _check(organization_id: UUID, charting_id: UUID) -> None:
    with organization_session(organization_id) as session:
        query = select(VoyageExecution).filter_by(
            organization_id=organization_id, charting_id=charting_id
        )
        row = session.scalar(query.with_for_update(skip_locked=True))
        now = utc_now()
        if row is None or row.state not in _ACTIVE or row.due_at > now:
            return
        row.due_at = now + timedelta(seconds=chartroom().settings.monitor_every_s)
        if row.state == ExecutionState.EXPECTED:
            _detect_departure(session, row, now)
        else:
            _follow(session, row, now)


def _find_arrival(
    session: Session, row: VoyageExecution, records: VoyageRecords
) -> datetime | None:
    followed = position_reports.load_followed(session, row)
    replanned_at = position_reports.find_replanned_at(row, followed, records)
    arrived_h = find_arrival_h(
        records,
        departure_of(get_departed_revision(session, row).request),
        load_plan(followed).waypoints[-1].position,
        replanned_h=-inf if replanned_at is None else hours_since_epoch(replanned_at),
        reopened_h=None if row.reopened_at is None else hours_since_epoch(row.reopened_at),
    )
    return None if arrived_h is None else instant_of(arrived_h)


def _detect_departure(session: Session, row: VoyageExecution, now: datetime) -> None:
    """Start an expected voyage if its ship has departed; delete one that never departed."""
    planned = position_reports.load_followed(session, row)
    departs_at = parse_instant(planned.request["startDate"])
    charting = session.get_one(Charting, row.charting_id)
    if now > departs_at + EXPECTED_AFTER or charting.archived_at is not None:
        session.delete(row)
        return
    try:
        departed_at = find_departure(session, row, now)
    except NotDeparted:
        return
    executions.begin(session, row, planned, departed_at, by=executions.BY_REPORTS)
    _follow(session, row, now)


def _follow(session: Session, row: VoyageExecution, now: datetime) -> None:
    """Update the progress of a voyage under way; finish it if its ship has arrived."""
    watching.expire_advice(session, row, now)
    reports = position_reports.update_progress(session, row, now)
    arrived_at = None if row.progress is None else _find_arrival(session, row, reports.records)
    if arrived_at is not None:
        executions.end(session, row, arrived_at, by=executions.BY_REPORTS)
    elif row.watch_due_at is None and watching.is_due(session, row, now):
        row.watch_due_at = now
