"""The id that a request carries through logs, answers and errors."""

import re
from uuid import uuid4

from flask import Flask, Response, g, request

_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{1,128}")


def init_app(app: Flask) -> None:
    """Give every request an id and every answer its request's id."""
    app.before_request(_take_id)
    app.after_request(_return_id)


def _take_id() -> None:
    given = request.headers.get("X-Request-Id", "")
    g.request_id = given if _WELL_FORMED.fullmatch(given) else uuid4().hex


def _return_id(response: Response) -> Response:
    if "request_id" in g:
        response.headers["X-Request-Id"] = g.request_id
    return response
