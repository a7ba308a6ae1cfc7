"""Conversion of errors to HTTP responses: ``application/problem+json`` (RFC 9457).

Clients see only messages of errors that are meant for them; unexpected errors are
logged, and the response has the request id.
"""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, g, json, request
from psycopg import OperationalError as DriverOperationalError
from psycopg.errors import ForeignKeyViolation, UniqueViolation
from redis.exceptions import ConnectionError as RedisAway
from redis.exceptions import MasterDownError, OutOfMemoryError, ReadOnlyError
from redis.exceptions import ResponseError as RedisRefuses
from redis.exceptions import TimeoutError as RedisSlow
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolExhausted
from sqlalchemy.orm.exc import StaleDataError
from werkzeug.exceptions import (
    HTTPException,
    MethodNotAllowed,
    NotFound,
    RequestEntityTooLarge,
    TooManyRequests,
    UnsupportedMediaType,
)

from app.engine.errors import VoyageError
from app.services import errors as service
from app.services.problem_codes import ProblemCode, describe_problem

logger = logging.getLogger(__name__)

PROBLEM_JSON = "application/problem+json"

#: ``Retry-After`` while a server is unavailable [s].
RETRY_AFTER_S = 5
#: The same while another request has the ``Idempotency-Key`` [s].
IN_USE_RETRY_AFTER_S = 1

#: Supported content codings, for the response 415 (RFC 9110, 15.5.16).
CODINGS = "gzip"


class UnsupportedCoding(UnsupportedMediaType):
    """A body in an unsupported content coding."""


STATUS_OF: Mapping[type[service.ServiceError], HTTPStatus] = {
    service.Unauthenticated: HTTPStatus.UNAUTHORIZED,
    service.NotAllowed: HTTPStatus.FORBIDDEN,
    service.NotFound: HTTPStatus.NOT_FOUND,
    service.Conflict: HTTPStatus.CONFLICT,
    service.PreconditionFailed: HTTPStatus.PRECONDITION_FAILED,
    service.Invalid: HTTPStatus.UNPROCESSABLE_ENTITY,
    service.TooManyRequests: HTTPStatus.TOO_MANY_REQUESTS,
    service.Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}

#: Prefixes of Redis' errors when its disk is full or its replicas are missing.
_TAKES_NO_WRITES = ("MISCONF", "NOREPLICAS")
#: Errors of an unreachable server; the driver's own error comes from COPY without SQLAlchemy.
_AWAY = (
    OperationalError,
    InterfaceError,
    DriverOperationalError,
    PoolExhausted,
    RedisAway,
    RedisSlow,
)


def init_app(app: Flask) -> None:
    """Register the handlers."""
    app.register_error_handler(service.ServiceError, _service_error)
    app.register_error_handler(VoyageError, _voyage_error)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(StaleDataError, _stale)
    for away in _AWAY:
        app.register_error_handler(away, _away)
    app.register_error_handler(DBAPIError, _database_error)
    app.register_error_handler(RedisRefuses, _queue_error)
    app.register_error_handler(Exception, _unforeseen)
    app.after_request(_describe_redirect)


def problem(
    status: HTTPStatus,
    detail: str,
    code: ProblemCode | None = None,
    *,
    errors: list[dict[str, str]] | None = None,
    data: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Build a problem response; ``code`` defaults to that of ``status``."""
    body = describe_problem(status, detail, request.path, g.get("request_id"), code)
    if errors:
        body["errors"] = errors
    if data:
        body["data"] = dict(data)
    return Response(
        json.dumps(body, ensure_ascii=False, sort_keys=False),
        status=int(status),
        content_type=PROBLEM_JSON,
        headers=dict(headers or {}),
    )


def _service_error(error: service.ServiceError) -> Response:
    status = next(STATUS_OF[kind] for kind in type(error).__mro__ if kind in STATUS_OF)
    faults = error.faults if isinstance(error, service.Invalid) else ()
    return problem(
        status,
        error.detail,
        error.problem_code,
        errors=[{"pointer": fault.pointer, "detail": fault.detail} for fault in faults],
        data=error.data,
        headers=_headers_of(error),
    )


def _headers_of(error: service.ServiceError) -> dict[str, str]:
    if isinstance(error, service.Unauthenticated):
        return {"WWW-Authenticate": 'Bearer realm="chartroom"'}
    if isinstance(error, service.TooManyRequests):
        return {"Retry-After": str(error.retry_after_s)}
    if error.problem_code == ProblemCode.IDEMPOTENCY_KEY_IN_USE:
        return {"Retry-After": str(IN_USE_RETRY_AFTER_S)}
    if isinstance(error, service.Unavailable):
        return {"Retry-After": str(RETRY_AFTER_S)}
    return {}


def _voyage_error(error: VoyageError) -> Response:
    code = ProblemCode(error.code)
    if code == ProblemCode.DATA_MISSING:
        headers = {"Retry-After": "60"}
        return problem(HTTPStatus.SERVICE_UNAVAILABLE, error.detail, code, headers=headers)
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, error.detail, code, data=error.data)


def _http_error(error: HTTPException) -> Response:
    status = HTTPStatus(error.code or 500)
    headers = {}
    if isinstance(error, UnsupportedCoding):
        headers["Accept-Encoding"] = CODINGS
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(sorted(error.valid_methods))
    if isinstance(error, TooManyRequests):
        headers["Retry-After"] = str(error.retry_after or 60)
    headers |= getattr(error, "problem_headers", {})
    detail = error.description or status.phrase
    if isinstance(error, RequestEntityTooLarge):
        detail = _state_limit() or detail
    if request.url_rule is None:
        detail = _describe_missing_operation(error) or detail
    return problem(status, detail, headers=headers)


def _describe_missing_operation(error: HTTPException) -> str:
    """Describe a path or method without an operation; empty for any other error."""
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        methods = ", ".join(sorted(error.valid_methods))
        return f"{request.method} is not possible here; possible are {methods}."
    if isinstance(error, NotFound):
        return f"There is no operation at {request.path}; /docs describes all operations."
    return ""


def _state_limit() -> str:
    """Describe the sizes of a body beyond its limit; empty if the limit is another one."""
    sent, most = request.content_length or 0, request.max_content_length
    if most is None or sent <= most:
        return ""
    return (
        f"The body has {sent / 1000:,.0f} kB; at most {most / 1000:,.0f} kB are read here. Send"
        " fewer positions or records at once."
    )


def _describe_redirect(response: Response) -> Response:
    """Convert an API redirect to a problem; Flask calls no error handler for it."""
    is_redirect = response.status_code == HTTPStatus.PERMANENT_REDIRECT
    if not (is_redirect and request.path.startswith("/v1/")):
        return response
    address = response.headers["Location"]
    detail = f"The operation is at {address}."
    return problem(HTTPStatus.PERMANENT_REDIRECT, detail, headers={"Location": address})


def _stale(error: Exception) -> Response:
    if isinstance(error, StaleDataError) and request.if_match.as_set():
        return _service_error(service.PreconditionFailed(service.CHANGED))
    return problem(
        HTTPStatus.CONFLICT, "It was changed by another request at the same moment; try again."
    )


def _away(error: Exception) -> Response:
    logger.warning("a server is unavailable: %s", error)
    return problem(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "The database or the queue is unavailable; try again soon.",
        headers={"Retry-After": str(RETRY_AFTER_S)},
    )


def _database_error(error: DBAPIError) -> Response:
    # a read-only server counts as unavailable
    if error.connection_invalidated:
        return _away(error)
    # what a row refers to was there when the request looked, and its key was free
    if isinstance(error.orig, ForeignKeyViolation | UniqueViolation):
        logger.warning("another request was faster", exc_info=error)
        return _stale(error)
    return _unforeseen(error)


def _queue_error(error: RedisRefuses) -> Response:
    is_away = isinstance(error, OutOfMemoryError | ReadOnlyError | MasterDownError)
    # errors of commands in a pipeline begin with the command
    is_away = is_away or any(word in str(error) for word in _TAKES_NO_WRITES)
    return _away(error) if is_away else _unforeseen(error)


def _unforeseen(error: Exception) -> Response:
    logger.error("unexpected error in request %s", g.get("request_id"), exc_info=error)
    return problem(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "Unexpected error; the operator can find it by the request id.",
    )
