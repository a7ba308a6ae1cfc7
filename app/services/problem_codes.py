"""Codes of problem responses (RFC 9457) with their meanings."""

from enum import auto
from http import HTTPStatus
from typing import Any

from app.engine.codes import Code, FailureCode

#: Page that describes the codes; a code's ``type`` is its anchor there.
CODES_PAGE = "/docs/codes"


class ProblemCode(Code):
    """Reasons why requests are refused."""

    BAD_REQUEST = auto(), "The request cannot be read; a body must be JSON."
    UNAUTHENTICATED = auto(), "The request has no key, or the key is unknown, expired or revoked."
    FORBIDDEN = auto(), "The key does not have the right that the operation needs."
    NOT_FOUND = auto(), "There is no such resource, or it belongs to another organization."
    METHOD_NOT_ALLOWED = (
        auto(),
        "The path has no such method; the header Allow lists those that it has.",
    )
    NOT_ACCEPTABLE = (
        auto(),
        "The operation does not answer in a media type that the header Accept names.",
    )
    REQUEST_TIMEOUT = auto(), "The request did not arrive in time; send it again."
    CONFLICT = (
        auto(),
        "The present state does not allow it, or another request changed it at the same moment.",
    )
    GONE = auto(), "It was there and is no longer."
    LENGTH_REQUIRED = auto(), "Send the body with the header Content-Length."
    PRECONDITION_FAILED = (
        auto(),
        "It has changed since it was read with the ETag that If-Match names. Read it again.",
    )
    REQUEST_ENTITY_TOO_LARGE = auto(), "The body is too large."
    REQUEST_URI_TOO_LONG = auto(), "The address is too long."
    UNSUPPORTED_MEDIA_TYPE = (
        auto(),
        "The body is of a media type or encoding that the operation does not take.",
    )
    REQUESTED_RANGE_NOT_SATISFIABLE = auto(), "The range that the header Range names is not there."
    REQUEST_HEADER_FIELDS_TOO_LARGE = (
        auto(),
        "A header of the request is too long, or there are too many.",
    )
    PERMANENT_REDIRECT = auto(), "The address is another; the header Location names it."
    VALIDATION_FAILED = (
        auto(),
        "The request is not valid. errors names each place and what would be right.",
    )
    TOO_MANY_REQUESTS = (
        auto(),
        "A quota is used up. The header Retry-After says when there is more.",
    )
    INTERNAL_SERVER_ERROR = (
        auto(),
        "An unexpected error of the service. Send the operator the requestId.",
    )
    NOT_IMPLEMENTED = auto(), "The service does not know the method."
    SERVICE_UNAVAILABLE = (
        auto(),
        "The database or the queue is unavailable. Try again after Retry-After.",
    )
    UNAVAILABLE = auto(), "Something that the service needs is unavailable. Try again later."
    INTERNAL = FailureCode.INTERNAL.value, FailureCode.INTERNAL.meaning
    CHARTING_RUNNING = (
        auto(),
        "The charting is being planned. Cancel it, or wait until it has ended.",
    )
    CHARTING_ACTIVE = (
        auto(),
        "The charting is queued or being planned. Cancel it, or wait until it has ended.",
    )
    CHARTING_NOT_COMPLETED = (
        auto(),
        "The charting has no plan (yet): there is nothing to export or to read.",
    )
    EMAIL_TAKEN = auto(), "There is already a user with this e-mail address."
    LAST_ADMIN = auto(), "An organization keeps at least one admin."
    MMSI_TAKEN = auto(), "Another vessel of the organization has this MMSI."
    IMO_TAKEN = auto(), "Another vessel of the organization has this IMO number."
    VESSEL_HAS_ACTIVE_CHARTING = (
        auto(),
        "A charting of the vessel is queued or being planned. Cancel it or wait.",
    )
    VOYAGE_UNDER_WAY = auto(), "The voyage is under way. Finish or abandon it first."
    TELEMETRY_DIFFERS = auto(), "Another record of the vessel is stored for this instant."
    TOO_FEW_REPORTS = auto(), "The vessel has too few reports of steady sailing to calibrate it."
    CALIBRATION_NOT_BETTER = (
        auto(),
        "The calibration is not better than the particulars, for its reasons. It is not accepted.",
    )
    CALIBRATION_OF_OTHER_PARTICULARS = (
        auto(),
        "The vessel's particulars changed since the calibration was fitted. Calibrate anew.",
    )
    ERASURE_REQUESTED = (
        auto(),
        "The erasure was asked for already. Read /v1/erasures, or take it back.",
    )
    QUOTA_USED_UP = (
        auto(),
        "The organization has as many of these as the operator allows. data has the figures.",
    )
    ERASED = auto(), "It is erased already and cannot be brought back."
    KEY_ROTATED = auto(), "The key has been rotated already. Issue another."
    SECRET_ROTATED = (
        auto(),
        "The webhook's previous secret still signs. Wait until it ends, or rotate without overlap.",
    )
    PORT_UNCLEAR = auto(), "No port, or more than one, fits the name. errors lists those that fit."
    IDEMPOTENCY_KEY_IN_USE = (
        auto(),
        "A request with this Idempotency-Key is still in progress. Send it again later.",
    )
    IDEMPOTENCY_KEY_REUSED = (
        auto(),
        "This Idempotency-Key was used with another body. Take a new one.",
    )
    # some errors of planning are already found when a request is checked
    NO_ROUTE = FailureCode.NO_ROUTE.value, FailureCode.NO_ROUTE.meaning
    LIMITS_TOO_TIGHT = FailureCode.LIMITS_TOO_TIGHT.value, FailureCode.LIMITS_TOO_TIGHT.meaning
    DRAFT_TOO_DEEP = FailureCode.DRAFT_TOO_DEEP.value, FailureCode.DRAFT_TOO_DEEP.meaning
    CANAL_LIMIT = FailureCode.CANAL_LIMIT.value, FailureCode.CANAL_LIMIT.meaning
    END_INSIDE_AREA = FailureCode.END_INSIDE_AREA.value, FailureCode.END_INSIDE_AREA.meaning
    SEASON_CLOSED = FailureCode.SEASON_CLOSED.value, FailureCode.SEASON_CLOSED.meaning
    PORT_ON_LAND = FailureCode.PORT_ON_LAND.value, FailureCode.PORT_ON_LAND.meaning
    DATA_MISSING = FailureCode.DATA_MISSING.value, FailureCode.DATA_MISSING.meaning

    @property
    def type(self) -> str:
        """The problem's ``type``: the path of its description."""
        return f"{CODES_PAGE}#{self}"


#: Codes that differ from the name of their status.
_OTHERWISE = {
    HTTPStatus.UNAUTHORIZED: ProblemCode.UNAUTHENTICATED,
    HTTPStatus.UNPROCESSABLE_ENTITY: ProblemCode.VALIDATION_FAILED,
}


def code_of(status: HTTPStatus) -> ProblemCode:
    """Default code of an error: its status's name."""
    found = _OTHERWISE.get(status) or ProblemCode.__members__.get(status.name)
    if found is not None:
        return found
    return ProblemCode.BAD_REQUEST if status < 500 else ProblemCode.INTERNAL_SERVER_ERROR


def describe_problem(
    status: HTTPStatus,
    detail: str,
    instance: str,
    request_id: str | None,
    code: ProblemCode | None = None,
) -> dict[str, Any]:
    """Return the body of a problem; ``code`` defaults to that of ``status``."""
    code = code or code_of(status)
    return {
        "type": code.type,
        "title": status.phrase,
        "status": int(status),
        "detail": detail,
        "instance": instance,
        "requestId": request_id,
        "code": code,
    }
