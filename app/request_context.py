"""Request ids in logs, responses and errors."""

import re
from uuid import uuid4

from flask import Flask, Response, g, request

_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{1,128}")


def init_app(app: Flask) -> None:
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
