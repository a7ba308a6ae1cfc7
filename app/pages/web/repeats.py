"""Forms that are sent again after their answer was lost; they are processed once."""

from collections.abc import Callable

from flask import Response, request
from sqlalchemy.orm import Session

from app.pages.web.access import actor
from app.services.platform import idempotency


def answer_once(session: Session, act: Callable[[], Response]) -> Response:
    """Return the response of ``act``, or the stored one of an earlier request with the same key.

    The key is the header ``Idempotency-Key``. Raises :class:`Conflict` while the earlier request
    is in progress.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return act()
    digest = idempotency.request_digest(request.method, request.path, request.get_data())
    kept = idempotency.find_answer(session, actor(), key, digest)
    if kept is not None:
        return Response(kept.body, kept.status, kept.headers)
    response = act()
    headers = {"Content-Type": response.content_type, "Cache-Control": "no-store"}
    answer = idempotency.Answer(response.status_code, headers, response.get_data())
    idempotency.keep_answer(session, actor(), key, digest, answer)
    return response
