"""Statuses of refusals that a page shows in its form."""

from flask import after_this_request
from flask.wrappers import Response

from app.services.errors import TooManyRequests, Unauthenticated


def find_status(error: Unauthenticated | TooManyRequests) -> int:
    """Return the status of a refusal; the answer's ``Retry-After`` states a delay [s]."""
    if isinstance(error, Unauthenticated):
        return 401

    @after_this_request
    def add_header(response: Response) -> Response:
        response.headers["Retry-After"] = str(error.retry_after_s)
        return response

    return 429
