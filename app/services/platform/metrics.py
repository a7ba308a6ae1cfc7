"""Metrics of the installation: queues, workers, planning durations."""

import logging
import math
from datetime import datetime
from itertools import accumulate
from typing import Any, Final

from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, Metric
from redis.exceptions import RedisError
from rq import Worker
from sqlalchemy import func, select

from app.extensions import chartroom
from app.models import ACTIVE, ChartingRevision, utc_now
from app.services.platform import queue
from app.services.platform.sessions import cross_tenant_session

logger = logging.getLogger(__name__)

#: Upper bounds of the histogram of planning durations [s].
BUCKETS_S: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, math.inf)

#: A hash in Redis: work-horses live for one job each, so they share the counts there.
_PLANNINGS: Final = "chartroom:plannings"


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


def collect_queue() -> list[Metric]:
    """Collect the queue's metrics; raises redis' own errors when it is unreachable."""
    waiting = GaugeMetricFamily(
        "chartroom_queue_jobs", "Jobs waiting in a queue.", labels=["queue"]
    )
    for each in queue.all_queues():
        waiting.add_metric([each.name], each.count)
    workers = GaugeMetricFamily("chartroom_workers", "Workers by state.", labels=["state"])
    states = [str(worker.get_state()) for worker in Worker.all(connection=chartroom().redis)]
    for state in sorted({"idle", "busy", *states}):
        workers.add_metric([state], states.count(state))
    return [waiting, workers, _collect_plannings()]


def _collect_plannings() -> Metric:
    plannings = HistogramMetricFamily(
        "chartroom_planning_seconds",
        "Planning time from the last start to the end, since Redis was last emptied.",
        labels=["status"],
    )
    redis: Any = chartroom().redis  # its stubs promise an awaitable
    stored = {name.decode(): float(value) for name, value in redis.hgetall(_PLANNINGS).items()}
    for status in sorted({name.partition(" ")[0] for name in stored}):
        counts = (int(stored.get(f"{status} {n}", 0)) for n in range(len(BUCKETS_S)))
        cumulated = zip(BUCKETS_S, accumulate(counts), strict=True)
        buckets = [("+Inf" if bound == math.inf else str(bound), n) for bound, n in cumulated]
        plannings.add_metric([status], buckets, sum_value=stored.get(f"{status} sum", 0.0))
    return plannings


def collect_database(newest_forecast: datetime | None) -> list[Metric]:
    """Collect the database's metrics; raises SQLAlchemy's own errors when it is unreachable.

    ``newest_forecast`` is its reference time.
    """
    revision = ChartingRevision
    query = (
        select(revision.status, func.count(), func.min(revision.queued_at))
        .where(revision.status.in_(ACTIVE))
        .group_by(revision.status)
    )
    with cross_tenant_session() as session:
        rows = {status: (count, oldest) for status, count, oldest in session.execute(query)}
    active = GaugeMetricFamily(
        "chartroom_chartings_active", "Chartings queued or being planned.", labels=["status"]
    )
    for status in sorted(ACTIVE):
        active.add_metric([status], rows.get(status, (0, None))[0])
    oldest = rows["QUEUED"][1] if "QUEUED" in rows else None
    wait = GaugeMetricFamily(
        "chartroom_longest_wait_seconds",
        "Waiting time of the oldest queued charting.",
        value=(utc_now() - oldest).total_seconds() if oldest else 0.0,
    )
    age = GaugeMetricFamily(
        "chartroom_weather_age_seconds",
        "Time since the reference time of the newest forecast, infinite without one; absent where"
        " none is fetched either.",
    )
    if newest_forecast is not None:
        age.add_metric([], (utc_now() - newest_forecast).total_seconds())
    elif chartroom().settings.weather_source is not None:
        age.add_metric([], math.inf)
    return [active, wait, age]
