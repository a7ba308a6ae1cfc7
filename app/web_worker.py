"""The process that serves requests: refuses what it cannot read with a problem answer (RFC 9457).

gunicorn reads the request line and headers, and answers in HTML where they are too
long or malformed; the application never sees such a request.
"""

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from socket import socket
from typing import Any, Final
from uuid import uuid4

from gunicorn import util
from gunicorn.http import errors
from gunicorn.workers.gthread import ThreadWorker

from app.services.problem_codes import code_of

logger = logging.getLogger(__name__)

#: Status and detail of what gunicorn refuses; any other fault of parsing is a bad request.
_REFUSALS: Final[Mapping[type[errors.ParseException], tuple[HTTPStatus, str]]] = {
    errors.LimitRequestLine: (
        HTTPStatus.REQUEST_URI_TOO_LONG,
        "The address is too long. Send less in the query string.",
    ),
    errors.LimitRequestHeaders: (
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        "The headers are too many or too long. Send fewer or shorter ones.",
    ),
    errors.UnsupportedTransferCoding: (
        HTTPStatus.NOT_IMPLEMENTED,
        "This transfer coding is not understood. Send the body as it is or chunked.",
    ),
    errors.ExpectationFailed: (
        HTTPStatus.EXPECTATION_FAILED,
        "This expectation cannot be met. Leave the header Expect out.",
    ),
}
_UNREADABLE: Final = (HTTPStatus.BAD_REQUEST, "The request line or a header is malformed.")


class WebWorker(ThreadWorker):
    """gunicorn's worker with threads, whose own refusals are problem answers."""

    def handle_error(
        self, req: Any, client: socket, addr: tuple[str, int] | None, exc: BaseException
    ) -> None:
        """Answer a request that cannot be read."""
        if not isinstance(exc, errors.ParseException):
            super().handle_error(req, client, addr, exc)
            return
        status, detail = _REFUSALS.get(type(exc), _UNREADABLE)
        logger.warning("request refused with %s: %s", int(status), exc)
        try:
            util.write_nonblock(client, write_problem(status, detail))
        except OSError:
            logger.debug("the client of a refused request is gone")


def write_problem(status: HTTPStatus, detail: str) -> bytes:
    """Write a whole HTTP answer; the path is not known, so ``instance`` is the root."""
    request_id, code = uuid4().hex, code_of(status)
    body = json.dumps(
        {
            "type": code.type,
            "title": status.phrase,
            "status": int(status),
            "detail": detail,
            "instance": "/",
            "requestId": request_id,
            "code": code,
        }
    ).encode()
    head = (
        f"HTTP/1.1 {int(status)} {status.phrase}",
        "Connection: close",
        "Content-Type: application/problem+json",
        f"Content-Length: {len(body)}",
        f"X-Request-Id: {request_id}",
    )
    return "\r\n".join([*head, "", ""]).encode("latin-1") + body
