"""``/metrics`` for Prometheus, protected by the operator's token."""

import os
from collections.abc import Callable, Iterator
from hmac import compare_digest
from itertools import accumulate

from flask import Blueprint, Response, abort
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from redis.exceptions import RedisError
from sqlalchemy.exc import SQLAlchemyError

from app.api.operation import key_of_request
from app.extensions import chartroom
from app.models import utc_now
from app.services.errors import Unauthenticated
from app.services.platform import metrics

blueprint = Blueprint("metrics", __name__)


@blueprint.get("/metrics")
def get_metrics() -> Response:
    """Return metrics of this web server's requests and of the whole installation."""
    token = chartroom().settings.metrics_token
    if token is None:
        abort(404)
    if not compare_digest(key_of_request().encode(), token.encode()):
        raise Unauthenticated("The token differs from METRICS_TOKEN; send the one set there.")
    installation = CollectorRegistry(auto_describe=False)
    installation.register(_Installation())
    text = generate_latest(_requests()) + generate_latest(installation)
    return Response(text, content_type=CONTENT_TYPE_LATEST)


def _requests() -> CollectorRegistry:
    """Request metrics of this web server, merged over its processes."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return REGISTRY
    merged = CollectorRegistry()
    MultiProcessCollector(merged)
    return merged


class _Installation(Collector):
    """Collector of queue and database metrics at scrape time; reports which are unavailable."""

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily(
            "chartroom_up", "1 if a required server responds, else 0.", labels=["server"]
        )
        yield from _collect(up, "redis", _queue_metrics, RedisError)
        yield from _collect(up, "database", _database_metrics, SQLAlchemyError)
        yield up


def _collect(
    up: GaugeMetricFamily, server: str, read: Callable[[], list[Metric]], error: type[Exception]
) -> list[Metric]:
    try:
        found = read()
    except error:
        found = []
    up.add_metric([server], 1 if found else 0)
    return found


def _queue_metrics() -> list[Metric]:
    read = metrics.read_queue()
    waiting = GaugeMetricFamily(
        "chartroom_queue_jobs", "Jobs waiting in a queue.", labels=["queue"]
    )
    for name, count in read.waiting.items():
        waiting.add_metric([name], count)
    workers = GaugeMetricFamily("chartroom_workers", "Workers by state.", labels=["state"])
    for state, count in read.workers.items():
        workers.add_metric([state], count)
    plannings = HistogramMetricFamily(
        "chartroom_planning_seconds",
        "Planning time from the last start to the end, since Redis was last emptied.",
        labels=["status"],
    )
    for status, durations in read.plannings.items():
        cumulated = zip(metrics.BUCKETS_S, accumulate(durations.counts), strict=True)
        buckets = [("+Inf" if bound == float("inf") else str(bound), n) for bound, n in cumulated]
        plannings.add_metric([status], buckets, sum_value=durations.sum_s)
    return [waiting, workers, plannings]


def _database_metrics() -> list[Metric]:
    read = metrics.read_database()
    active = GaugeMetricFamily(
        "chartroom_chartings_active", "Chartings queued or being planned.", labels=["status"]
    )
    for status, count in read.active.items():
        active.add_metric([status], count)
    wait = GaugeMetricFamily(
        "chartroom_longest_wait_seconds",
        "Waiting time of the oldest queued charting.",
        value=read.longest_wait_s,
    )
    age = GaugeMetricFamily(
        "chartroom_weather_age_seconds",
        "Time since the reference time of the newest forecast; absent without one.",
    )
    if read.newest_forecast is not None:
        age.add_metric([], (utc_now() - read.newest_forecast).total_seconds())
    return [active, wait, age]
