"""Log line and duration metric of every request."""

import logging
import re
import time
from http import HTTPStatus

from flask import Flask, Response, g, request
from prometheus_client import Histogram

logger = logging.getLogger(__name__)

#: Probes and scrapes, which are frequent and not logged if they succeed.
_ROUTINE = frozenset({"/healthz", "/readyz", "/metrics"})

#: Methods with a metric label of their own; clients can send arbitrary others.
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))

_CAPITAL = re.compile(r"([A-Z])")

SECONDS = Histogram(
    "chartroom_http_request_seconds",
    "Time from a request's arrival to its answer.",
    ["method", "endpoint", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)


def init_app(app: Flask) -> None:
    """Log and measure every request."""
    app.before_request(_start)
    app.after_request(_note)


def _start() -> None:
    g.started_at_s = time.perf_counter()


def _note(response: Response) -> Response:
    seconds = time.perf_counter() - g.get("started_at_s", time.perf_counter())
    # the rule, not the path: each id would add a time series
    endpoint = request.url_rule.rule if request.url_rule else "none"
    method = request.method if request.method in _METHODS else "other"
    SECONDS.labels(method, endpoint, response.status_code).observe(seconds)
    if endpoint not in _ROUTINE or response.status_code >= 400:
        logger.info("%s %s %d", request.method, request.path, response.status_code, extra={
            "fields": {
                "method": request.method,
                "path": request.path,
                "endpoint": endpoint,
                "status": response.status_code,
                "duration_ms": round(1000 * seconds, 1),
            } | _ids(response)
        })  # fmt: skip
    return response


def _ids(response: Response) -> dict[str, str]:
    """Ids in the path, named as in other lines, and the location of a created resource."""
    ids = {
        _CAPITAL.sub(r"_\1", name).lower(): value
        for name, value in (request.view_args or {}).items()
        if name.lower().endswith("id")
    }
    if response.status_code == HTTPStatus.CREATED and response.location:
        ids["location"] = response.location
    return ids
