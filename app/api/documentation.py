"""OpenAPI description, and the page that shows it."""

from http import HTTPStatus
from typing import Any

import marshmallow as ma
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Blueprint, Flask, Response, current_app, json
from flask_smorest import Api
from flask_smorest.utils import prepare_response, resolve_schema_instance

from app.api.describing import describe_components, describe_error
from app.api.schemas.common import ProblemSchema
from app.engine import __version__
from app.error_handlers import PROBLEM_JSON
from app.records.fields import CalendarDate, Choice, Instant

blueprint = Blueprint("documentation", __name__)

DESCRIPTION = """
Plan voyages: register a vessel, request a charting, get its route.

**Units.** Distances are in nautical miles, speeds in knots, lengths and depths in metres, masses in
metric tonnes, power in kilowatts, directions in degrees true. Wind and waves are given by the
direction they come *from*, currents by the direction they set *towards*. Times are RFC 3339;
responses are in UTC.

**Requests** are checked strictly. Unknown and repeated fields and query parameters, numbers in
quotes and times without an offset are rejected; the error names the field by a JSON pointer. Texts
must not contain control characters or consist of white space only. A body may be compressed with
gzip (`Content-Encoding: gzip`).

**Authentication.** Send your key as `X-API-Key` or as a bearer token. A key belongs to one
organization and has a role. `viewer` may read. `master` may also start, finish and abandon voyages,
answer advice, and review critical points on the pages. `planner` may also plan routes and change
vessels, areas and telemetry. `admin` may also manage keys and users. Resources of other
organizations are reported as not found (404).

**Errors** are `application/problem+json` (RFC 9457) with a stable `code` for programs, a `detail`
for people and a `requestId` for the operator. `type` links to the meaning of the code in the
[list of all codes](/docs/codes).

**Pagination.** Pages are counted from 1; `total` counts the items of all pages, and a page past the
end is empty.

**Retries.** A POST with an `Idempotency-Key` is processed once within 24 hours; the same request
again gets the first response. A PUT, PATCH or DELETE with `If-Match` fails with 412 if the resource
has changed since; a GET with `If-None-Match` gets 304 if it has not. Nothing is created by PUT:
`If-None-Match: *` fails with 412.

**Rate limits.** The requests of an organization within a minute are limited, and one key may make
three quarters of them. `RateLimit-Policy` gives the limit that is nearer, `RateLimit` the number
left. Beyond that the response is 429 with `Retry-After`.

**Webhooks** report a charting's events by the Standard Webhooks specification: a POST with `type`,
`timestamp` and `data`, and the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.
The body is described as the callback of `createWebhook`.

**Read-only fields** such as `id` and `status` are ignored in PUT, so a record that was read may be
sent back.
"""

SETTINGS = {
    "API_TITLE": "Chartroom",
    "API_VERSION": __version__,
    "OPENAPI_VERSION": "3.0.3",
    "OPENAPI_URL_PREFIX": "/v1",
    "OPENAPI_JSON_PATH": "openapi.json",
    "API_SPEC_OPTIONS": {
        "info": {
            "description": DESCRIPTION.strip(),
            "license": {"name": "MIT", "url": "https://opensource.org/license/mit"},
        },
        "servers": [{"url": "/", "description": "This installation"}],
        "security": [{"apiKey": []}, {"bearer": []}],
    },
}


class _Converter(OpenAPIConverter):
    """Converter of schemas to descriptions that client generators read correctly.

    Null is an alternative of its own: an enumeration with null becomes three classes in some
    clients, and ``{"type": "object", "nullable": true}`` allows any object. A default is part of
    the description: as a keyword it makes TypeScript require the field.
    """

    def field2default(self, field: Any, **_options: Any) -> dict[str, Any]:
        return {}

    def _field2parameter(self, field: Any, *, name: str, location: str) -> dict[str, Any]:
        described = super()._field2parameter(field, name=name, location=location)
        schema = described.get("schema", {})
        schema.pop("nullable", None)  # nothing in a path or query can be null
        if "anyOf" in schema:
            schema |= schema.pop("anyOf")[0]
        if field.load_default not in (ma.missing, None):
            schema["default"] = field.load_default
        return described

    def field2property(self, field: Any) -> dict[str, Any]:
        described = super().field2property(field)
        if described.get("nullable"):
            described = _with_null_apart(described)
        if field.load_default not in (ma.missing, None) and not callable(field.load_default):
            default = json.dumps(field.load_default)
            words = f"{described.get('description', '')}. Default: {default}"
            described["description"] = words.lstrip(". ")
        return _with_only_null(described)


def _null(type_: str) -> dict[str, Any]:
    """Return a schema of null only; OpenAPI 3.0.3 has no type of that name."""
    return {"type": type_, "nullable": True, "enum": [None]}


def _with_null_apart(described: dict[str, Any]) -> dict[str, Any]:
    """Split a nullable enumeration into an enumeration and null."""
    words = [word for word in described.get("enum", ()) if word is not None]
    if not words:
        return described
    others = {k: v for k, v in described.items() if k not in ("enum", "nullable", "type")}
    type_ = described["type"]
    return {"anyOf": [{"type": type_, "enum": words}, _null(type_)], **others}


def _with_only_null(described: dict[str, Any]) -> dict[str, Any]:
    """Let a nullable reference allow null only, and not any object."""
    choices = described.get("anyOf")
    if choices is None:
        return described
    any_object = {"type": "object", "nullable": True}
    return described | {
        "anyOf": sorted(
            (_null("object") if choice == any_object else choice for choice in choices),
            key=lambda choice: "nullable" in choice,
        )
    }


class _Plugin(MarshmallowPlugin):
    Converter = _Converter


class ChartroomApi(Api):
    """flask-smorest with ``application/problem+json`` for errors."""

    ERROR_SCHEMA = ProblemSchema  # type: ignore[assignment] # any schema will do
    DEFAULT_ERROR_RESPONSE_NAME = ""  # each operation names its own

    def _register_error_handlers(self) -> None:
        """Leave errors to :mod:`app.error_handlers`."""

    def _register_pagination_header(self) -> None:
        """Leave pagination to the body."""

    def _register_etag_headers(self) -> None:
        describe_components(self.spec)

    def _register_responses(self) -> None:
        for status in HTTPStatus:
            response = describe_error(status) | {"schema": self.ERROR_SCHEMA}
            prepare_response(response, self.spec, PROBLEM_JSON)
            self.spec.components.response(status.name, response, lazy=True)


def make_api(app: Flask) -> Api:
    """Create the API that groups of operations are registered with."""
    app.config.update(SETTINGS)
    plugin = _Plugin(schema_name_resolver=_schema_name)
    api = ChartroomApi(spec_kwargs={"marshmallow_plugin": plugin})
    api.register_field(Instant, "string", "date-time")
    api.register_field(CalendarDate, "string", "date")
    api.register_field(Choice, "string", None)
    api.init_app(app)
    schemes = api.spec.components
    schemes.security_scheme("apiKey", {"type": "apiKey", "in": "header", "name": "X-API-Key"})
    schemes.security_scheme("bearer", {"type": "http", "scheme": "bearer"})
    return api


def _schema_name(schema: Any) -> str:
    """Return a schema's name; partial schemas get the suffix ``Changes``."""
    described = resolve_schema_instance(schema)
    name = type(described).__name__.removesuffix("Schema")
    return f"{name.removesuffix('Record')}Changes" if described.partial else name


DOCS_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chartroom API</title>
<link rel="icon" href="/static/img/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/vendor/swagger-ui/swagger-ui.css">
</head>
<body>
<div id="description"></div>
<script src="/static/vendor/swagger-ui/swagger-ui-bundle.js"></script>
<script src="/static/js/api_docs.js"></script>
</body>
</html>
"""


@blueprint.get("/docs")
def docs() -> Response:
    """Show the API's description in Swagger UI."""
    return current_app.response_class(DOCS_PAGE, content_type="text/html; charset=utf-8")
