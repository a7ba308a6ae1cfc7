"""Log line of every request, and its time for ``/metrics``."""

import logging
import re
import time
from http import HTTPStatus

from flask import Flask, Response, g, request
from prometheus_client import Histogram

logger = logging.getLogger(__name__)

#: Probes and scrapes come every few seconds and say nothing when they are answered well.
_ROUTINE = frozenset({"/healthz", "/readyz", "/metrics"})

#: Methods that are counted by their names; a client can invent any number of others.
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))

_CAPITAL = re.compile(r"([A-Z])")

SECONDS = Histogram(
    "chartroom_http_request_seconds",
    "Time from a request's arrival to its answer.",
    ["method", "endpoint", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)


def init_app(app: Flask) -> None:
    """Note every request."""
    app.before_request(_start)
    app.after_request(_note)


def _start() -> None:
    g.started_at_s = time.perf_counter()


def _note(response: Response) -> Response:
    seconds = time.perf_counter() - g.get("started_at_s", time.perf_counter())
    # the rule, not the path: a series for each id would be without end
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
    """The ids in the path, spelled as in other lines, and where the thing is that was made."""
    ids = {
        _CAPITAL.sub(r"_\1", name).lower(): value
        for name, value in (request.view_args or {}).items()
        if name.lower().endswith("id")
    }
    if response.status_code == HTTPStatus.CREATED and response.location:
        ids["location"] = response.location
    return ids
