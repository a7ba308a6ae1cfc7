"""Finds chartings that fell between the row and the queue, and queues them again.

Also looks after what time brings: partitions of the months to come, sums of days that ended.

Redis may have been lost, a web process may have died between commit and queue,
a worker may have been killed together with its work-horse: the row says so.
"""

import logging
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from app.models import ChartingRevision, ChartingStatus, utc_now
from app.services.platform import idempotency, queue
from app.services.platform.sessions import cross_tenant_session
from app.services.vessels import telemetry, telemetry_sums

logger = logging.getLogger(__name__)

#: How often workers sweep [s].
SWEEP_EVERY_S: Final = 10
#: How long a sweep may take to sum telemetry up; the rest waits for the next one [s].
SUMMING_S: Final = 1.0
#: A row this young may not have reached the queue yet.
GRACE: Final = timedelta(seconds=10)
#: A heartbeat this old is a dead worker's; it comes every five seconds.
STALE_AFTER: Final = timedelta(seconds=25)

#: Any number that no other user of the database takes as an advisory lock.
_SWEEP_LOCK: Final = 7_238_402


def sweep() -> int:
    """Queue again what has no live job; answers how many. One sweeper works at a time."""
    with cross_tenant_session() as session:
        if not session.scalar(select(func.pg_try_advisory_xact_lock(_SWEEP_LOCK))):
            return 0
        idempotency.forget_old(session)
        telemetry.add_partitions_ahead(session, utc_now())
        requeued = sum(_requeue(*row) for row in _find_forgotten(session, utc_now()))
        telemetry_sums.sum_unsummed_days(utc_now(), for_s=SUMMING_S)
        return requeued


def _find_forgotten(session: Session, now: datetime) -> list[tuple[UUID, UUID, int, str]]:
    revision = ChartingRevision
    query = select(
        revision.organization_id, revision.charting_id, revision.revision, revision.status
    ).where(
        or_(
            and_(revision.status == ChartingStatus.QUEUED, revision.queued_at < now - GRACE),
            and_(
                revision.status == ChartingStatus.RUNNING, revision.heartbeat_at < now - STALE_AFTER
            ),
        )
    )
    rows = session.execute(query.order_by(revision.queued_at))
    return [(owner, charting, number, status) for owner, charting, number, status in rows]


def _requeue(organization_id: UUID, charting_id: UUID, revision: int, status: str) -> bool:
    is_queued = status == ChartingStatus.QUEUED
    alive = queue.is_waiting if is_queued else queue.stands_in_queue
    if alive(charting_id, revision):
        return False
    logger.warning("charting %s revision %s was lost while %s", charting_id, revision, status)
    queue.forget(charting_id, revision)
    # what a worker died over has waited its turn once
    queue.enqueue(organization_id, charting_id, revision, at_front=not is_queued)
    return True
