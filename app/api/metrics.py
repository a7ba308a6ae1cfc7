"""``/metrics`` for Prometheus, protected by the operator's token."""

import os
from collections.abc import Callable, Iterator
from hmac import compare_digest

from flask import Blueprint, Response, abort
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from redis.exceptions import RedisError
from sqlalchemy.exc import SQLAlchemyError

from app.api.operation import key_of_request
from app.extensions import chartroom
from app.services.errors import Unauthenticated
from app.services.platform import metrics
from app.services.weather import weather

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
        yield from _collect(up, "redis", metrics.collect_queue, RedisError)
        yield from _collect(
            up,
            "database",
            lambda: metrics.collect_database(weather.find_newest_forecast()),
            SQLAlchemyError,
        )
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
