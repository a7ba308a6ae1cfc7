"""Metrics of the installation: queues, workers, planning durations."""

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from redis.exceptions import RedisError
from rq import Worker
from sqlalchemy import func, select

from app.extensions import chartroom
from app.models import ACTIVE, ChartingRevision, WeatherRunRecord, utc_now
from app.services.platform import queue
from app.services.platform.sessions import common_session, cross_tenant_session

logger = logging.getLogger(__name__)

#: Upper bounds of the histogram of planning durations [s].
BUCKETS_S: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, math.inf)

#: A hash in Redis: work-horses live for one job each, so they share the counts there.
_PLANNINGS: Final = "chartroom:plannings"


@dataclass(frozen=True, slots=True)
class Durations:
    """A histogram: counts by bucket of ``BUCKETS_S``, not cumulative, and the sum [s]."""

    counts: tuple[int, ...]
    sum_s: float


@dataclass(frozen=True, slots=True)
class QueueMetrics:
    """Waiting jobs by queue, workers by state, and planning durations by final status.

    Durations are counted since Redis was last emptied.
    """

    waiting: Mapping[str, int]
    workers: Mapping[str, int]
    plannings: Mapping[str, Durations]


@dataclass(frozen=True, slots=True)
class DatabaseMetrics:
    """Chartings that are queued or being planned, and the newest forecast's reference time.

    ``longest_wait_s`` is the waiting time of the oldest queued charting [s].
    """

    active: Mapping[str, int]
    longest_wait_s: float
    newest_forecast: datetime | None


def count_planning(status: str, seconds: float) -> None:
    """Count a planning that has ended; it is not counted while Redis is unreachable."""
    bucket = next(index for index, bound in enumerate(BUCKETS_S) if seconds <= bound)
    try:
        with chartroom().redis.pipeline(transaction=False) as pipeline:
            pipeline.hincrby(_PLANNINGS, f"{status} {bucket}", 1)
            pipeline.hincrbyfloat(_PLANNINGS, f"{status} sum", seconds)
            pipeline.execute()
    except RedisError as error:
        logger.warning("a planning run was not counted: %s", error)


def read_queue() -> QueueMetrics:
    """Read the queue's metrics; raises redis' own errors when it is unreachable."""
    workers = [str(worker.get_state()) for worker in Worker.all(connection=chartroom().redis)]
    return QueueMetrics(
        waiting={waiting.name: waiting.count for waiting in queue.all_queues()},
        workers={state: workers.count(state) for state in sorted({"idle", "busy", *workers})},
        plannings=_read_plannings(),
    )


def read_database() -> DatabaseMetrics:
    """Read the database's metrics; raises SQLAlchemy's own errors when it is unreachable."""
    revision = ChartingRevision
    query = (
        select(revision.status, func.count(), func.min(revision.queued_at))
        .where(revision.status.in_(ACTIVE))
        .group_by(revision.status)
    )
    with cross_tenant_session() as session:
        rows = {status: (count, oldest) for status, count, oldest in session.execute(query)}
    with common_session() as session:
        newest = session.scalar(select(func.max(WeatherRunRecord.reference_time)))
    oldest = rows["QUEUED"][1] if "QUEUED" in rows else None
    return DatabaseMetrics(
        active={status: rows.get(status, (0, None))[0] for status in sorted(ACTIVE)},
        longest_wait_s=(utc_now() - oldest).total_seconds() if oldest else 0.0,
        newest_forecast=newest,
    )


def _read_plannings() -> dict[str, Durations]:
    redis: Any = chartroom().redis  # its stubs promise an awaitable
    stored = {name.decode(): float(value) for name, value in redis.hgetall(_PLANNINGS).items()}
    return {
        status: Durations(
            tuple(int(stored.get(f"{status} {n}", 0)) for n in range(len(BUCKETS_S))),
            stored.get(f"{status} sum", 0.0),
        )
        for status in sorted({name.partition(" ")[0] for name in stored})
    }
