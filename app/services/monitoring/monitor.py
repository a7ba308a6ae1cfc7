"""Looks after voyages: detects departures and arrivals, measures progress by position reports."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.engine.monitoring import (
    Credible,
    find_arrival_h,
    find_departure_h,
    measure_progress,
    select_credible,
)
from app.engine.plan import RoutePlan
from app.extensions import chartroom
from app.models import Charting, ChartingRevision, ExecutionState, VoyageExecution, utc_now
from app.records.instants import parse_instant
from app.records.voyage_progress import RefusedPositionSchema, VoyageProgressSchema
from app.services.chartings import chartings
from app.services.chartings.expected_voyages import EXPECTED_AFTER, EXPECTED_BEFORE
from app.services.engine_mapping import load_plan
from app.services.monitoring import executions
from app.services.platform import queue
from app.services.platform.sessions import cross_tenant_session, organization_session
from app.services.vessels.telemetry_sums import hours_of, instant_of, load_records

#: Further off its track a ship that has left is on another voyage [nm].
_OWN_VOYAGE_NM: Final = 50.0
#: Refused positions that are kept, the latest.
_MOST_REFUSED: Final = 100
#: Voyages that one sweep queues at most; the others wait for the next.
_MOST_DUE: Final = 500
_ACTIVE: Final = (ExecutionState.EXPECTED, ExecutionState.UNDER_WAY)


def queue_due() -> int:
    """Queue a look at each voyage that is due; answers how many."""
    with cross_tenant_session() as session:
        query = (
            select(VoyageExecution.organization_id, VoyageExecution.charting_id)
            .where(VoyageExecution.state.in_(_ACTIVE), VoyageExecution.due_at <= utc_now())
            .order_by(VoyageExecution.due_at)
            .limit(_MOST_DUE)
        )
        due = [(row.organization_id, row.charting_id) for row in session.execute(query)]
    for organization_id, charting_id in due:
        queue.enqueue_monitoring(organization_id, charting_id)
    return len(due)


def look_after(organization_id: UUID, charting_id: UUID) -> None:
    """Look at one voyage's reports, if that is due."""
    with organization_session(organization_id) as session:
        query = select(VoyageExecution).where(VoyageExecution.charting_id == charting_id)
        row = session.scalar(query.with_for_update(skip_locked=True))
        now = utc_now()
        if row is None or row.state not in _ACTIVE or row.due_at > now:
            return
        row.due_at = now + timedelta(seconds=chartroom().settings.monitor_every_s)
        if row.state == ExecutionState.EXPECTED:
            _await_departure(session, row, now)
        else:
            _follow(session, row, now)


def keep_progress(session: Session, row: VoyageExecution, now: datetime) -> datetime | None:
    """Measure and keep the progress of a voyage; answers when its ship arrived.

    Positions that are not sure are named and not used.
    """
    planned = _followed(session, row)
    plan = load_plan(planned)
    credible = _load_credible(session, row, _since(planned, row), now)
    row.monitored_at = now
    row.position_faults = [*map(RefusedPositionSchema.write, credible.refused[-_MOST_REFUSED:])]
    row.is_ambiguous = credible.is_ambiguous
    if credible.is_ambiguous or not credible.records.times_h.size:
        row.progress = None
        return None
    row.progress = VoyageProgressSchema.write(measure_progress(plan, credible.records))
    arrived_h = find_arrival_h(credible.records, plan.waypoints[-1].position)
    return None if arrived_h is None else instant_of(arrived_h)


def _await_departure(session: Session, row: VoyageExecution, now: datetime) -> None:
    """Start an expected voyage where its ship has left; forget one that never departed."""
    planned = _followed(session, row)
    departs_at = parse_instant(planned.request["startDate"])
    charting = session.get_one(Charting, row.charting_id)
    if now > departs_at + EXPECTED_AFTER or charting.archived_at is not None:
        session.delete(row)
        return
    if not _is_newest_expected(session, charting):
        return
    since = departs_at - EXPECTED_BEFORE
    credible = _load_credible(session, row, since, now)
    if credible.is_ambiguous or not credible.records.times_h.size:
        return
    plan = load_plan(planned)
    departed_h = find_departure_h(credible.records, plan.waypoints[0].position)
    if departed_h is None or _is_elsewhere(plan, credible):
        return
    if executions.find_under_way(session, row.organization_id, row.vessel_id) is None:
        executions.begin(session, row, planned, instant_of(departed_h), by=executions.BY_REPORTS)
        _follow(session, row, now)


def _follow(session: Session, row: VoyageExecution, now: datetime) -> None:
    """Keep the progress of a voyage under way; finish it where its ship has arrived."""
    arrived_at = keep_progress(session, row, now)
    if arrived_at is not None:
        executions.end(session, row, arrived_at, by=executions.BY_REPORTS)


def _is_elsewhere(plan: RoutePlan, credible: Credible) -> bool:
    """Return whether a ship that has left is on another voyage than the plan's."""
    return abs(measure_progress(plan, credible.records).off_track_nm) > _OWN_VOYAGE_NM


def _is_newest_expected(session: Session, charting: Charting) -> bool:
    """Return whether no newer charting of the vessel is expected to sail between these ports."""
    newest = session.scalar(
        select(Charting.id)
        .join(VoyageExecution, VoyageExecution.charting_id == Charting.id)
        .where(
            VoyageExecution.organization_id == charting.organization_id,
            VoyageExecution.vessel_id == charting.vessel_id,
            VoyageExecution.state == ExecutionState.EXPECTED,
            Charting.port_from_name == charting.port_from_name,
            Charting.port_to_name == charting.port_to_name,
        )
        .order_by(Charting.created_at.desc(), Charting.id.desc())
        .limit(1)
    )
    return newest == charting.id


def _followed(session: Session, row: VoyageExecution) -> ChartingRevision:
    charting = chartings.get(session, row.organization_id, str(row.charting_id))
    return chartings.get_revision(session, charting, row.revision, with_plan=True)


def _since(planned: ChartingRevision, row: VoyageExecution) -> datetime:
    """Return from when on reports count: the departure, or the start of a plan made under way."""
    starts_at = parse_instant(planned.request["startDate"])
    is_under_way = planned.request["isAlterFrom"]
    return starts_at if is_under_way or row.departed_at is None else row.departed_at


def _load_credible(
    session: Session, row: VoyageExecution, since: datetime, now: datetime
) -> Credible:
    until = row.ended_at or now + timedelta(days=1)
    records = load_records(session, row.vessel_id, since, until)
    return select_credible(records, hours_of(now))
