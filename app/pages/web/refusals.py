"""Statuses of refusals that a page shows in its form."""

from flask import after_this_request
from flask.wrappers import Response

from app.services.errors import TooManyRequests, Unauthenticated


def prepare_refusal(error: Unauthenticated | TooManyRequests) -> int:
    """Return a refusal's status, and have the answer state a delay [s] in ``Retry-After``."""
    if isinstance(error, Unauthenticated):
        return 401

    @after_this_request
    def add_header(response: Response) -> Response:
        response.headers["Retry-After"] = str(error.retry_after_s)
        return response

    return 429
