"""Cache headers: only private caches may store responses, and only those with an ETag."""

from flask import Flask, Response, request

#: Request headers that a response depends on.
_CREDENTIALS = ("X-API-Key", "Authorization")


def init_app(app: Flask) -> None:
    """Set the headers on every response of the API."""
    app.after_request(_set_headers)


def _set_headers(response: Response) -> Response:
    """Allow caching with revalidation where there is an ETag; forbid it elsewhere."""
    if not request.path.startswith("/v1/"):
        return response
    may_keep = response.status_code in (200, 304) and "ETag" in response.headers
    response.headers["Cache-Control"] = "private, no-cache" if may_keep else "private, no-store"
    response.vary.update(_CREDENTIALS)
    return response
