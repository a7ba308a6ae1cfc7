"""Sweeper: queues rows again whose job was lost, and does periodic maintenance.

A job is lost with Redis, with a web process that dies between commit and enqueuing, or
with a worker that is killed together with its work-horse; the row shows it. Maintenance
creates partitions for the next months and sums the telemetry of ended days.
"""

import logging
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.models import ChartingRevision, ChartingStatus, DepartureComparisonRecord, RunKind, utc_now
from app.services.chartings.departure_progress import orders_wait
from app.services.platform import background_runs, idempotency, queue
from app.services.platform.sessions import cross_tenant_session
from app.services.vessels import telemetry, telemetry_sums

logger = logging.getLogger(__name__)

#: Interval of sweeps [s].
SWEEP_EVERY_S: Final = 10
#: Longest time for summing telemetry in one sweep; the next sweep continues [s].
SUMMING_S: Final = 1.0
#: Age up to which a row may not have reached the queue yet.
GRACE: Final = timedelta(seconds=10)
#: Age at which a heartbeat shows a dead worker; the interval is five seconds.
STALE_AFTER: Final = timedelta(seconds=25)

#: Largest number of departure comparisons that one sweep queues; the next queues the others.
_MOST_COMPARISONS: Final = 20

#: Any number that no other user of the database takes as an advisory lock.
_SWEEP_LOCK: Final = 7_238_402


def sweep() -> int:
    """Queue rows without a live job again; return their number. Only one sweep runs at a time."""
    with cross_tenant_session() as session:
        if not session.scalar(select(func.pg_try_advisory_xact_lock(_SWEEP_LOCK))):
            return 0
        idempotency.forget_old(session)
        telemetry.add_partitions_ahead(session, utc_now())
        requeued = sum(_requeue_revision(*row) for row in _find_lost_revisions(session))
        for kind in background_runs.NOUNS:
            runs = _find_lost_runs(session, kind)
            requeued += sum(_requeue_run(kind, *row) for row in runs)
        if not orders_wait():
            lost = _find_lost_comparisons(session)
            requeued += sum(_requeue_comparison(*row) for row in lost)
        telemetry_sums.sum_unsummed_days(utc_now(), for_s=SUMMING_S)
        return requeued


def _find_lost_revisions(session: Session) -> list[tuple[UUID, UUID, int, str]]:
    revision = ChartingRevision
    query = select(
        revision.organization_id, revision.charting_id, revision.revision, revision.status
    ).where(_may_be_lost(revision.status, revision.queued_at, revision.heartbeat_at))
    rows = session.execute(query.order_by(revision.queued_at))
    return [(owner, charting, number, status) for owner, charting, number, status in rows]


def _find_lost_comparisons(session: Session) -> list[tuple[UUID, UUID, str]]:
    """Find departure comparisons that wait or are lost, the oldest first."""
    row = DepartureComparisonRecord
    query = select(row.organization_id, row.charting_id, row.status)
    query = query.where(_may_be_lost(row.status, row.queued_at, row.heartbeat_at))
    query = query.order_by(row.queued_at).limit(_MOST_COMPARISONS)
    return [(owner, charting, status) for owner, charting, status in session.execute(query)]


def _find_lost_runs(session: Session, row: RunKind) -> list[tuple[UUID, UUID, str]]:
    """Find runs of a kind that wait or are lost, the oldest first."""
    query = select(row.organization_id, row.id, row.run_status)
    query = query.where(_may_be_lost(row.run_status, row.created_at, row.heartbeat_at))
    rows = session.execute(query.order_by(row.created_at))
    return [(owner, run_id, status) for owner, run_id, status in rows]


def _may_be_lost(
    status: InstrumentedAttribute[str],
    queued_at: InstrumentedAttribute[datetime],
    heartbeat_at: InstrumentedAttribute[datetime | None],
) -> ColumnElement[bool]:
    """Condition for rows that have waited, or lack heartbeats, so long that their job may be lost.

    Times are compared by the database's clock, which also sets heartbeats: a machine's clock may
    jump. A row with a later queue time was stored by a clock that is ahead and may be old.
    """
    now = func.now()
    has_waited = or_(queued_at < now - GRACE, queued_at > now + GRACE)
    return or_(
        and_(status == ChartingStatus.QUEUED, has_waited),
        and_(status == ChartingStatus.RUNNING, heartbeat_at < now - STALE_AFTER),
    )


def _requeue_comparison(organization_id: UUID, charting_id: UUID, status: str) -> bool:
    if queue.departures_wait(charting_id, may_be_taken=status == ChartingStatus.QUEUED):
        return False
    queue.forget_departures(charting_id)
    queue.enqueue_departures(organization_id, charting_id)
    return True


def _requeue_run(kind: RunKind, organization_id: UUID, run_id: UUID, status: str) -> bool:
    if queue.run_waits(kind, run_id, may_be_taken=status == ChartingStatus.QUEUED):
        return False
    logger.warning("%s %s was lost while %s", background_runs.NOUNS[kind], run_id, status)
    queue.forget_run(kind, run_id)
    queue.enqueue_run(kind, organization_id, run_id)
    return True


def _requeue_revision(organization_id: UUID, charting_id: UUID, revision: int, status: str) -> bool:
    is_queued = status == ChartingStatus.QUEUED
    alive = queue.is_waiting if is_queued else queue.stands_in_queue
    if alive(charting_id, revision):
        return False
    logger.warning("charting %s revision %s was lost while %s", charting_id, revision, status)
    queue.forget(charting_id, revision)
    # a job whose worker died has waited its turn once already
    queue.enqueue(organization_id, charting_id, revision, at_front=not is_queued)
    return True
