"""Sweeper: queues rows again whose job was lost, and does periodic maintenance.

A job is lost with Redis, with a web process that dies between commit and enqueuing, or
with a worker that is killed together with its work-horse; the row shows it. Maintenance
creates partitions for the next months and sums the telemetry of ended days.
"""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.models import (
    ChartingRevision,
    ChartingStatus,
    DepartureComparisonRecord,
    Run,
    utc_now,
)
from app.services.chartings.departure_progress import orders_wait
from app.services.platform import background_runs, idempotency, queue
from app.services.platform.fair_queue import JobFunction
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
        row = ChartingRevision
        lost = _find_lost(session, row, row.queued_at, row.charting_id, row.revision)
        requeued = sum(_requeue_revision(*row) for row in lost)
        for kind, function in queue.FUNCTION_OF.items():
            noun = background_runs.NOUNS[kind]
            lost = _find_lost(session, kind, kind.created_at, kind.id)
            requeued += sum(_requeue_row(function, noun, *row) for row in lost)
        if not orders_wait():
            compared, function = DepartureComparisonRecord, JobFunction.COMPARE_DEPARTURES
            queued_at, key, most = compared.queued_at, compared.charting_id, _MOST_COMPARISONS
            lost = _find_lost(session, compared, queued_at, key, most=most)
            requeued += sum(_requeue_row(function, None, *row) for row in lost)
        telemetry_sums.sum_unsummed_days(utc_now(), for_s=SUMMING_S)
        return requeued


def _find_lost(
    session: Session,
    table: type[Run],
    queued_at: InstrumentedAttribute[datetime],
    *key: InstrumentedAttribute[Any],
    most: int | None = None,
) -> Sequence[Any]:
    """Find rows that have waited, or lack heartbeats, so long that their job may be lost.

    Returns organization, key and status of each, the oldest first. Times are compared by the
    database's clock, which also sets heartbeats: a machine's clock may jump. A row with a later
    queue time was stored by a clock that is ahead and may be old.
    """
    now = func.now()
    has_waited = or_(queued_at < now - GRACE, queued_at > now + GRACE)
    is_silent = table.heartbeat_at < now - STALE_AFTER
    query = (
        select(table.organization_id, *key, table.status)
        .where(
            or_(
                and_(table.status == ChartingStatus.QUEUED, has_waited),
                and_(table.status == ChartingStatus.RUNNING, is_silent),
            )
        )
        .order_by(queued_at)
        .limit(most)
    )
    return session.execute(query).all()


def _requeue_row(
    function: JobFunction, noun: str | None, organization_id: UUID, row_id: UUID, status: str
) -> bool:
    enqueue = partial(queue.enqueue_row, function, organization_id, row_id)
    what = noun and f"{noun} {row_id}"
    return _requeue(queue.row_job(function, row_id), status, enqueue, what)


def _requeue_revision(organization_id: UUID, charting_id: UUID, revision: int, status: str) -> bool:
    # a job whose worker died has waited its turn once already
    at_front = status != ChartingStatus.QUEUED
    enqueue = partial(queue.enqueue, organization_id, charting_id, revision, at_front=at_front)
    what = f"charting {charting_id} revision {revision}"
    return _requeue(queue.job_id_of(charting_id, revision), status, enqueue, what)


def _requeue(
    job_id: str, status: str, enqueue: Callable[[], None], what: str | None = None
) -> bool:
    """Queue a row again unless its job is alive; return whether it was queued.

    ``what`` is logged; comparisons have none, because they pause regularly.
    """
    if queue.is_alive(job_id, status):
        return False
    if what is not None:
        logger.warning("%s was lost while %s", what, status)
    queue.forget(job_id)
    enqueue()
    return True
