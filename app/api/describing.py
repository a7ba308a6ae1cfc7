"""Parts of the OpenAPI description that operations share: headers, examples, roles, errors."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from apispec import APISpec
from marshmallow import Schema

from app.api.examples import BODIES
from app.models import Scope
from app.services.problem_codes import describe_problem

#: Errors that any operation can answer with, and those of requests with a body.
_ALWAYS = (401, 403, 406, 422, 429, 503)
_WITH_BODY = (400, 413, 415)

_TEXT = {"type": "string"}
_WHOLE = {"type": "integer", "minimum": 1}

#: Descriptions of path parameters.
PATH_PARAMETERS = {
    "vessel_id": "Id of one of your vessels",
    "calibration_id": "Id of one of the vessel's calibrations",
    "import_id": "Id of the import",
    "advice_id": "Id of an advice for the voyage",
    "charting_id": "Id of one of your chartings",
    "constraint_id": "Id of a constraint or client data entry that you may read",
    "key_id": "Id of one of your organization's keys",
    "user_id": "Id of one of your organization's users",
    "kind": "organization, vessel, charting or user",
    "subject_id": "Id of the organization, vessel, charting or user",
    "erasure_id": "Id of one of your organization's erasures",
    "timestamp": "Time of one of the vessel's records, RFC 3339",
    "webhook_id": "Id of one of your organization's webhooks",
    "delivery_id": "Id of a delivery of the webhook",
}

#: Request headers, by component name.
_HEADER_PARAMETERS = {
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "description": "A repeated request with the same key and body within 24 h is not processed"
        " again; it gets the first response",
        "schema": _TEXT | {"minLength": 1, "maxLength": 255, "pattern": r"^[\x21-\x7e]+$"},
    },
    "IfMatch": {
        "name": "If-Match",
        "description": "ETag as read, in its quotes; if the resource has changed since, the request"
        " fails (412)",
        "schema": _TEXT,
    },
    "IfNoneMatch": {
        "name": "If-None-Match",
        "description": "ETag as read; if the resource is unchanged, the response is 304",
        "schema": _TEXT,
    },
}

#: Response headers, by component name.
_HEADERS = {
    "RequestId": {
        "description": "Id of the request: the client's own if it sent a well-formed one",
        "schema": _TEXT,
    },
    "ETag": {"description": "Tag of the state shown", "schema": _TEXT},
    "Location": {"description": "Path of the new resource", "schema": _TEXT},
    "RetryAfter": {"description": "Time to wait before the next attempt [s]", "schema": _WHOLE},
    "Authenticate": {"description": "Authentication scheme", "schema": _TEXT},
    "RateLimit": {
        "description": "Requests left (r) within the limit that RateLimit-Policy gives, and the"
        " time until more are available (t) [s]",
        "schema": _TEXT,
    },
    "RateLimitPolicy": {
        "description": "Name of a limit, its number of requests (q) and its window (w) [s]:"
        " requests of the key or the organization, whichever has fewer left; explanation on"
        " operations with that quota",
        "schema": _TEXT,
    },
}

_LIMIT_HEADERS = {"RateLimit": "RateLimit", "RateLimit-Policy": "RateLimitPolicy"}
_ERROR_HEADERS = {
    401: {"WWW-Authenticate": "Authenticate"},
    429: {"Retry-After": "RetryAfter"} | _LIMIT_HEADERS,
    503: {"Retry-After": "RetryAfter"},
}

#: Operations that create something without a URL of its own.
_WITHOUT_ADDRESS = {"createTelemetry"}

#: Descriptions of error statuses.
_ERRORS = {
    400: "The body is not JSON",
    401: "The key is missing, unknown, expired or revoked",
    403: "The key lacks the role or scope, or may not be used from this IP address",
    404: "The resource does not exist or belongs to another organization",
    406: "The operation has no response in a media type that the request accepts",
    409: "The resource's state does not allow the operation",
    412: "The resource has changed since it was read",
    413: "The body is too large",
    415: "The body's media type is not supported",
    422: "The request is not valid; errors lists each field",
    429: "A quota is used up; try again after Retry-After",
    503: "The database, the queue or data is unavailable; try again after Retry-After",
}


def describe_components(spec: APISpec) -> None:
    """Describe the headers that operations refer to."""
    for name, parameter in _HEADER_PARAMETERS.items():
        spec.components.parameter(name, "header", dict(parameter), lazy=True)
    for name, header in _HEADERS.items():
        spec.components.header(name, dict(header))


def describe_error(status: HTTPStatus) -> dict[str, Any]:
    """Return the description of an error response, with its headers and an example."""
    meaning = _ERRORS.get(status, status.phrase)
    return {
        "description": meaning,
        "headers": {"X-Request-Id": "RequestId"} | _ERROR_HEADERS.get(status, {}),
        "example": describe_problem(
            status, f"{meaning}.", "/v1/vessel", "5c1e7d079e5f6f1f0a6f3b110199a6f2"
        ),
    }


def describe_callback(payload: type[Schema]) -> dict[str, Any]:
    """Describe webhook calls, signed by Standard Webhooks 1.0.0."""
    names = {
        "webhook-id": "Id of the event, the same at every attempt",
        "webhook-timestamp": "Time of sending [s since 1970]",
        "webhook-signature": "For each secret: v1 and the HMAC-SHA-256 of id, time and body",
    }
    headers = [
        {"in": "header", "name": name, "required": True, "description": words, "schema": _TEXT}
        for name, words in names.items()
    ]
    return {
        "{$request.body#/url}": {
            "post": {
                "summary": "Report an event",
                "operationId": "receiveEvent",
                "description": "Respond with 2xx quickly; after any other response delivery"
                " is retried for a day.",
                "parameters": headers,
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": payload}},
                },
                "responses": {
                    "2XX": {"description": "Accepted"},
                    "4XX": {"description": "Retried later; 410 switches the webhook off"},
                },
                "security": [],
            }
        }
    }


def document_errors(view: Any, statuses: set[int]) -> None:
    """Describe the error responses of an operation."""
    responses = view._apidoc.setdefault("response", {}).setdefault("responses", {})
    for status in sorted(statuses):
        responses.setdefault(status, []).append(HTTPStatus(status).name)


def documented_errors(method: str, rule: str, view: Any) -> set[int]:
    """Return the error statuses common to operations of this kind."""
    described = getattr(view, "_apidoc", {})
    parameters = described.get("arguments", {}).get("parameters", ())
    has_body = any(parameter["in"] == "json" for parameter in parameters)
    errors = set(_ALWAYS)
    if "<" in rule:
        errors.add(404)
    if has_body or "requestBody" in described.get("manual_doc", {}):
        errors.update(_WITH_BODY)
    if method == "POST":
        errors.add(409)
    return errors


def describe_right(view: Any, role: str, scope: Scope | None) -> str:
    """Return an operation's description: its details, and the role and scope needed."""
    needed = f"the role {role}" + (f" and the scope {scope}" if scope else "")
    _, _, more = (view.__doc__ or "").partition("\n")
    words = " ".join(more.split())
    return f"{words} Requires {needed}.".lstrip()


def describe_operation(
    doc: dict[str, Any], doc_info: dict[str, Any], *, method: str, **_unused: Any
) -> dict[str, Any]:
    """Add the common headers and examples to an operation; called by flask-smorest."""
    operation_id, responses = doc_info["manual_doc"]["operationId"], doc["responses"]
    doc.setdefault("parameters", []).extend(_header_parameters(method, responses))
    if method == "get":
        responses[304] = {"description": "Unchanged since it was read"}
    for status, response in responses.items():
        if isinstance(response, dict):
            headers = response.setdefault("headers", {})
            headers.update(_success_headers(operation_id, method, int(status)))
    if operation_id in BODIES:
        body = doc.get("requestBody") or doc_info["manual_doc"]["requestBody"]
        body["content"]["application/json"]["example"] = BODIES[operation_id]
    return doc


def _header_parameters(method: str, responses: dict[int, Any]) -> Iterator[str]:
    if method == "post":
        yield "IdempotencyKey"
    if 412 in responses:
        yield "IfMatch"
    if method == "get":
        yield "IfNoneMatch"


def _success_headers(operation_id: str, method: str, status: int) -> dict[str, str]:
    headers = {"X-Request-Id": "RequestId"} | _LIMIT_HEADERS
    if method in ("get", "put", "patch"):
        headers["ETag"] = "ETag"
    if status == HTTPStatus.CREATED and operation_id not in _WITHOUT_ADDRESS:
        headers["Location"] = "Location"
    return headers
