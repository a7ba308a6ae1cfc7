"""Liveness and readiness checks."""

from collections.abc import Callable

from flask import Blueprint, Response
from redis.exceptions import ResponseError

from app.api.operation import json_response
from app.services.platform import queue
from app.services.platform.tables import check_tables
from app.services.sea import sea

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Response:
    """Return 200 while the process runs."""
    return json_response({"status": "ok"})


@blueprint.get("/readyz")
def readyz() -> Response:
    """Check database, tables, queue and sea atlas; return 503 if one is unavailable."""
    checks = {"database": check_tables, "queue": queue.check, "atlas": sea.open_atlas}
    results = {name: _result(check) for name, check in checks.items()}
    ready = all(result == "ok" for result in results.values())
    return json_response(
        {"status": "ready" if ready else "not ready", "checks": results}, 200 if ready else 503
    )


def _result(check: Callable[[], object]) -> str:
    try:
        check()
    except Exception as error:  # any failure means that the service is not ready
        # most refusals of Redis are of one type, and begin with their code, such as NOREPLICAS
        is_code = type(error) is ResponseError
        return str(error).partition(" ")[0] if is_code else type(error).__name__
    return "ok"
