"""Id, log line and duration metric of every request."""

import logging
import re
import time
from http import HTTPStatus
from uuid import uuid4

from flask import Flask, Response, g, request
from prometheus_client import Histogram

from app.records.record import snake_case

logger = logging.getLogger(__name__)

_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{1,128}")

#: Probes and scrapes, which are frequent and not logged if they succeed.
_ROUTINE = frozenset({"/healthz", "/readyz", "/metrics"})

#: Methods with a metric label of their own; clients can send arbitrary others.
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))

SECONDS = Histogram(
    "chartroom_http_request_seconds",
    "Time from a request's arrival to its answer.",
    ["method", "endpoint", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)


def name_requests(app: Flask) -> None:
    """Assign an id to every request, and return it in the response."""
    app.before_request(_take_id)
    app.after_request(_return_id)


def _take_id() -> None:
    given = request.headers.get("X-Request-Id", "")
    g.request_id = given if _WELL_FORMED.fullmatch(given) else uuid4().hex


def _return_id(response: Response) -> Response:
    request_id = g.get("request_id")
    if request_id is not None:
        response.headers["X-Request-Id"] = request_id
    return response


def init_app(app: Flask) -> None:
    """Log and measure every request."""
    app.before_request(_start)
    app.after_request(_note)


def _start() -> None:
    g.started_at_s = time.perf_counter()


def _note(response: Response) -> Response:
    seconds = time.perf_counter() - g.get("started_at_s", time.perf_counter())
    method, path, status = request.method, request.path, response.status_code
    rule = request.url_rule
    # the rule, not the path: each id would add a time series
    endpoint = rule.rule if rule else "none"
    SECONDS.labels(method if method in _METHODS else "other", endpoint, status).observe(seconds)
    if endpoint not in _ROUTINE or status >= 400:
        fields = {
            "method": method,
            "path": path,
            "endpoint": endpoint,
            "status": status,
            "duration_ms": round(1000 * seconds, 1),
        } | _ids(response)
        logger.info("%s %s %d", method, path, status, extra={"fields": fields})
    return response


def _ids(response: Response) -> dict[str, str]:
    """Ids in the path, named as in other lines, and the location of a created resource."""
    values = request.view_args or {}
    ids = {snake_case(name): value for name, value in values.items() if name.lower().endswith("id")}
    if response.status_code == HTTPStatus.CREATED and "Location" in response.headers:
        ids["location"] = response.headers["Location"]
    return ids
