"""Telemetry reported by ships."""

from collections import Counter
from http import HTTPStatus
from typing import Any

import msgspec
from flask import Response, request
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from app.api import present
from app.api.conditional import check_preconditions, state_tag, tagged
from app.api.form_body import load
from app.api.operation import (
    ApiBlueprint,
    RequestContext,
    json_response,
    no_content,
    stored_response,
)
from app.api.parsing import parse_json, read_body
from app.api.schemas.common import page_of
from app.api.schemas.telemetry import (
    BatchReportSchema,
    LineReportSchema,
    TelemetryQuerySchema,
    TelemetryRecordSchema,
    TelemetrySchema,
)
from app.api.vessels import find_vessel
from app.config import MAX_BODY_BYTES
from app.models import Role, Scope, TelemetryRecord
from app.records.fields import find_instant
from app.services.errors import Invalid
from app.services.vessels import telemetry, telemetry_batch
from app.services.vessels.telemetry_batch import LineStatus

blueprint = ApiBlueprint("Telemetry", __name__, description="Records that ships send under way")

NDJSON = "application/x-ndjson"
_RECORD = {"$ref": "#/components/schemas/Telemetry"}
_BATCH_BODY = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {
                "type": "array",
                "items": _RECORD,
                "maxItems": telemetry_batch.MOST_RECORDS,
            }
        },
        NDJSON: {"schema": {"type": "string", "description": "One record per line"}},
    },
}


@blueprint.operation("GET", "/telemetry/<vessel_id>", Scope.READ)
@blueprint.arguments(TelemetryQuerySchema, location="query")
@blueprint.response(200, page_of(TelemetryRecordSchema))
def list_telemetry(context: RequestContext, query: dict[str, Any], vessel_id: str) -> Response:
    """List a vessel's telemetry records in a time range, oldest first."""
    vessel = find_vessel(context, vessel_id)
    found = telemetry.list_page(context.session, vessel, **query)
    return stored_response(present.page(found, TelemetryRecordSchema.write))


@blueprint.operation("POST", "/telemetry/<vessel_id>", Scope.TELEMETRY)
@blueprint.arguments(TelemetrySchema)
@blueprint.response(201, TelemetryRecordSchema)
@blueprint.alt_response(200, schema=TelemetryRecordSchema, description="Already stored")
def create_telemetry(context: RequestContext, body: dict[str, Any], vessel_id: str) -> Response:
    """Store a record; a repeated record returns the stored one."""
    recorded = telemetry.record(context.session, context.organization_id, vessel_id, body)
    status = HTTPStatus.CREATED if recorded.is_new else HTTPStatus.OK
    shown = TelemetryRecordSchema.write(recorded.record)
    return tagged(stored_response(shown, status), _tag(shown))


@blueprint.operation(
    "POST", "/telemetry/<vessel_id>/batch", Scope.TELEMETRY, most_bytes=MAX_BODY_BYTES
)
@blueprint.doc(requestBody=_BATCH_BODY)
@blueprint.response(200, BatchReportSchema)
def create_telemetry_batch(context: RequestContext, vessel_id: str) -> Response:
    """Store up to 5,000 records; valid records are stored even if others are not.

    The records of a batch may lie in at most 36 different months. The response lists up to 100
    errors in all; rejected lines beyond that have none.
    """
    vessel = find_vessel(context, vessel_id)
    reports = telemetry_batch.record_batch(context.session, vessel, _split_body(), _read_line)
    counts = Counter(report.status for report in reports)
    return json_response(
        {
            "stored": counts[LineStatus.STORED],
            "duplicates": counts[LineStatus.DUPLICATE],
            "rejected": counts[LineStatus.CONFLICT] + counts[LineStatus.INVALID],
            "items": [*map(LineReportSchema.write, reports)],
        }
    )


@blueprint.operation(
    "PUT",
    "/telemetry/<vessel_id>/<timestamp>",
    Scope.TELEMETRY,
    role=Role.ADMIN,
    errors=(412,),
)
@blueprint.arguments(TelemetryRecordSchema(read_back=TelemetryRecordSchema))  # type: ignore[call-arg]
@blueprint.response(200, TelemetryRecordSchema)
def correct_telemetry(
    context: RequestContext, body: dict[str, Any], vessel_id: str, timestamp: str
) -> Response:
    """Correct the record of a given time; the audit log keeps the previous values."""
    row = _find_unchanged(context, vessel_id, timestamp)
    corrected = telemetry.correct(context.session, context.actor, row, body)
    shown = TelemetryRecordSchema.write(corrected)
    return tagged(json_response(shown), _tag(shown))


@blueprint.operation(
    "DELETE",
    "/telemetry/<vessel_id>/<timestamp>",
    Scope.TELEMETRY,
    role=Role.ADMIN,
    errors=(412,),
)
@blueprint.response(204)
def delete_telemetry(context: RequestContext, vessel_id: str, timestamp: str) -> Response:
    """Delete the record of a given time; the audit log keeps its values."""
    row = _find_unchanged(context, vessel_id, timestamp)
    telemetry.delete(context.session, context.actor, row)
    return no_content()


def _find_unchanged(context: RequestContext, vessel_id: str, timestamp: str) -> TelemetryRecord:
    """Find a record to change, if the request's preconditions are met."""
    vessel = find_vessel(context, vessel_id)
    row = telemetry.get(context.session, vessel, find_instant(timestamp))
    check_preconditions(_tag(TelemetryRecordSchema.write(row)))
    return row


def _tag(shown: dict[str, Any]) -> str:
    return state_tag("telemetry", shown)


def _split_body() -> dict[int, bytes]:
    if request.mimetype not in ("application/json", NDJSON):
        raise UnsupportedMediaType(f"Send application/json or {NDJSON}.")
    try:
        is_array = request.mimetype == "application/json"
        return telemetry_batch.split_lines(read_body(request), is_array=is_array)
    except msgspec.ValidationError as error:
        raise Invalid.at("", "Must be a JSON array of records.") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadRequest(f"The body is not a JSON array: {error}") from error


def _read_line(line: bytes) -> dict[str, Any]:
    """Read one record by the schema of single records, which reports every error."""
    try:
        values = parse_json(line)
    except (ValueError, RecursionError) as error:
        raise Invalid.at("", f"The line is not JSON: {error}") from error
    return load(TelemetrySchema, values)
