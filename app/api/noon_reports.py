"""Noon reports."""

from typing import Any, Final

from flask import Response, request

from app.api import present
from app.api.conditional import check_preconditions, state_tag, tagged
from app.api.form_body import FORM, describe_form, load, read_form, read_request_field
from app.api.operation import ApiBlueprint, RequestContext, accepted, json_response, no_content
from app.api.parsing import read_json
from app.api.schemas.common import page_of
from app.api.schemas.noon_report import DeletedSchema, ImportQuerySchema
from app.api.schemas.telemetry import TelemetryQuerySchema
from app.api.vessels import find_vessel
from app.config import MAX_BODY_BYTES
from app.datasources.noon_reports.reading import NoonTable, RowFault
from app.models import NoonImport, NoonReport, Role, Scope, Vessel
from app.records.fields import find_instant
from app.records.noon_file import (
    FileChoiceSchema,
    NoonImportRunSchema,
    NoonImportSchema,
    NoonPreviewSchema,
)
from app.records.noon_report import NoonReportRecordSchema, NoonReportSchema
from app.services.errors import Invalid, read_member
from app.services.platform import background_runs
from app.services.platform.sessions import end_reading
from app.services.vessels import noon_imports, noon_reports

blueprint = ApiBlueprint("Noon reports", __name__, description="Daily reports from ships")

#: Records that a JSON array may have; a file may have more.
MOST_RECORDS: Final = 5000
_FILE: Final = describe_form(
    "CSV (UTF-8, UTF-16 or Windows-1252) or XLSX",
    "Reading instructions, as a JSON object with mapping and dateOrder",
)
_RECORDS: Final[dict[str, Any]] = {
    "schema": {"type": "array", "items": NoonReportSchema, "maxItems": MOST_RECORDS}
}


@blueprint.operation("GET", "/vessel/<vessel_id>/noon-reports", Scope.READ)
@blueprint.arguments(TelemetryQuerySchema, location="query")
@blueprint.response(200, page_of(NoonReportRecordSchema))
def list_noon_reports(context: RequestContext, query: dict[str, Any], vessel_id: str) -> Response:
    """List a vessel's noon reports in a time range, oldest first."""
    vessel = find_vessel(context, vessel_id)
    found = noon_reports.list_page(context.session, vessel, **query)
    shown = json_response(present.page(found, NoonReportRecordSchema.write))
    return tagged(shown, _tag_all(context, vessel))


@blueprint.operation("GET", "/vessel/<vessel_id>/noon-reports/<timestamp>", Scope.READ)
@blueprint.response(200, NoonReportRecordSchema)
def get_noon_report(context: RequestContext, vessel_id: str, timestamp: str) -> Response:
    """Get the noon report of a given time."""
    shown = NoonReportRecordSchema.write(_find(context, vessel_id, timestamp))
    return tagged(json_response(shown), _tag(shown))


@blueprint.operation(
    "POST", "/vessel/<vessel_id>/noon-reports/preview", Scope.TELEMETRY, most_bytes=MAX_BODY_BYTES
)
@blueprint.doc(requestBody={"required": True, "content": {FORM: _FILE}})
@blueprint.response(200, NoonPreviewSchema)
def preview_noon_reports(context: RequestContext, vessel_id: str) -> Response:
    """Preview the import of a file of noon reports; nothing is stored.

    Columns are recognised by header and unit. The response lists up to 100 errors by row.
    """
    vessel = find_vessel(context, vessel_id)
    end_reading(context.session)
    return json_response(noon_reports.present_table(_read_file(vessel)))


@blueprint.operation(
    "POST", "/vessel/<vessel_id>/noon-reports", Scope.TELEMETRY, most_bytes=MAX_BODY_BYTES
)
@blueprint.doc(
    requestBody={"required": True, "content": {FORM: _FILE, "application/json": _RECORDS}}
)
@blueprint.arguments(ImportQuerySchema, location="query")
@blueprint.response(200, NoonImportSchema)
@blueprint.alt_response(202, schema=NoonImportRunSchema, description="Imported in the background")
def import_noon_reports(context: RequestContext, query: dict[str, Any], vessel_id: str) -> Response:
    """Import noon reports from a file or a JSON array; repeated reports change nothing.

    Any error rejects the whole import (422) unless `keepGoodRows` is true. A file may have 60,000
    rows, an array 5,000 records. With `Prefer: respond-async` a file is imported in the
    background, one per vessel at a time: the response is 202 with the import's address.
    """
    vessel = find_vessel(context, vessel_id)
    if request.mimetype == FORM and _prefers_async():
        return _start(context, vessel, keep_good_rows=query["keep_good_rows"])
    end_reading(context.session)
    imported = noon_reports.store(
        context.session,
        context.actor,
        vessel,
        _read_body(vessel),
        keep_good_rows=query["keep_good_rows"],
    )
    return json_response(noon_reports.present_import(imported))


@blueprint.operation("GET", "/vessel/<vessel_id>/noon-reports/imports/<import_id>", Scope.READ)
@blueprint.response(200, NoonImportRunSchema)
def get_noon_import(context: RequestContext, vessel_id: str, import_id: str) -> Response:
    """Get a background import: its progress and result."""
    return json_response(NoonImportRunSchema.write(_find_import(context, vessel_id, import_id)))


@blueprint.operation(
    "POST", "/vessel/<vessel_id>/noon-reports/imports/<import_id>/cancel", Scope.TELEMETRY
)
@blueprint.response(200, NoonImportRunSchema)
def cancel_noon_import(context: RequestContext, vessel_id: str, import_id: str) -> Response:
    """Cancel an import; nothing is stored."""
    found = _find_import(context, vessel_id, import_id)
    background_runs.cancel(context.session, context.actor, found)
    return json_response(NoonImportRunSchema.write(found))


@blueprint.operation(
    "DELETE",
    "/vessel/<vessel_id>/noon-reports",
    Scope.TELEMETRY,
    role=Role.ADMIN,
    errors=(412,),
)
@blueprint.response(200, DeletedSchema)
def delete_noon_reports(context: RequestContext, vessel_id: str) -> Response:
    """Delete all noon reports of a vessel; the audit log keeps their number."""
    vessel = find_vessel(context, vessel_id)
    check_preconditions(_tag_all(context, vessel))
    return json_response(
        {"deleted": noon_reports.delete_all(context.session, context.actor, vessel)}
    )


@blueprint.operation(
    "DELETE",
    "/vessel/<vessel_id>/noon-reports/<timestamp>",
    Scope.TELEMETRY,
    role=Role.ADMIN,
    errors=(412,),
)
@blueprint.response(204)
def delete_noon_report(context: RequestContext, vessel_id: str, timestamp: str) -> Response:
    """Delete the noon report of a given time; the audit log keeps its content."""
    row = _find(context, vessel_id, timestamp)
    check_preconditions(_tag(NoonReportRecordSchema.write(row)))
    noon_reports.delete(context.session, context.actor, row)
    return no_content()


def _find(context: RequestContext, vessel_id: str, timestamp: str) -> NoonReport:
    vessel = find_vessel(context, vessel_id)
    return noon_reports.get(context.session, vessel, find_instant(timestamp))


def _tag(shown: dict[str, Any]) -> str:
    return state_tag("noon report", shown)


def _tag_all(context: RequestContext, vessel: Vessel) -> str:
    """Return a tag of all reports of a vessel."""
    state = noon_reports.find_state(context.session, vessel)
    return state_tag("noon reports", vessel.id, *state)


def _prefers_async() -> bool:
    """Return whether the client prefers an asynchronous response (RFC 7240, 4.1)."""
    preferences = request.headers.get("Prefer", "").split(",")
    return "respond-async" in (each.strip().lower() for each in preferences)


def _start(context: RequestContext, vessel: Vessel, *, keep_good_rows: bool) -> Response:
    content, choices = _read_form()
    started = noon_imports.start(
        context.session, context.actor, vessel, content, choices, keep_good_rows=keep_good_rows
    )
    address = f"/v1/vessel/{vessel.id}/noon-reports/imports/{started.id}"
    return accepted(NoonImportRunSchema.write(started), address)


def _find_import(context: RequestContext, vessel_id: str, import_id: str) -> NoonImport:
    vessel = find_vessel(context, vessel_id)
    return noon_imports.get(context.session, vessel, import_id)


def _read_body(vessel: Vessel) -> NoonTable:
    if request.mimetype == FORM:
        return _read_file(vessel)
    body = read_json(request)
    if not isinstance(body, list):
        raise Invalid.at("", "Send an array of noon reports, or a file.")
    if len(body) > MOST_RECORDS:
        detail = f"The array has {len(body)} records; send at most {MOST_RECORDS}."
        raise Invalid.at("", detail)
    faults: list[RowFault] = []
    records = [_load(number, each, faults) for number, each in enumerate(body, 1)]
    return noon_reports.read_records(vessel, records, faults)


def _read_file(vessel: Vessel) -> NoonTable:
    content, choices = _read_form()
    return noon_reports.read_file(
        content, *noon_reports.read_choices(choices), service_speed_kn=vessel.service_speed_kn
    )


def _load(number: int, each: Any, faults: list[RowFault]) -> dict[str, Any] | None:
    try:
        return load(NoonReportSchema, each)
    except Invalid as error:
        faults += [
            RowFault(number, read_member(fault.pointer), "", fault.detail) for fault in error.faults
        ]
        return None


def _read_form() -> tuple[bytes, dict[str, Any]]:
    content, form = read_form()
    return content, load(FileChoiceSchema, read_request_field(form))
