"""Cache headers: shared caches store nothing, private ones only tagged answers."""

from flask import Flask, Response, request

#: The headers that say whose an answer is.
_WHOSE = ("X-API-Key", "Authorization")


def init_app(app: Flask) -> None:
    """Say so in every answer of the API."""
    app.after_request(_say)


def _say(response: Response) -> Response:
    """Let a client keep what is tagged, if it asks before each use; all else it must not keep."""
    if not request.path.startswith("/v1/"):
        return response
    may_keep = "ETag" in response.headers and response.status_code in (200, 304)
    response.headers["Cache-Control"] = "private, no-cache" if may_keep else "private, no-store"
    response.vary.update(_WHOSE)
    return response
