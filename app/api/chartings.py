"""Chartings: requests for routes and their plans."""

from typing import Any

import marshmallow as ma
from flask import Response, json, request

from app.api import present
from app.api.conditional import check_preconditions, state_tag, tagged
from app.api.operation import (
    ApiBlueprint,
    RequestContext,
    created,
    file_response,
    json_response,
    no_content,
    stored_response,
)
from app.api.parsing import faults_of, read_json
from app.api.schemas.charting import (
    ChartingBatchSchema,
    ChartingListQuerySchema,
    ChartingWaitQuerySchema,
    RevisionQuerySchema,
    RtzQuerySchema,
    write_cursor,
)
from app.api.schemas.charting_record import (
    ChartingBatchReportSchema,
    ChartingPageSchema,
    ChartingRecordSchema,
    ChartingSummarySchema,
)
from app.api.schemas.common import list_of
from app.api.waiting import wait_for_change
from app.config import MAX_BODY_BYTES
from app.exports.csv import render_csv
from app.exports.rtz import RtzVersion
from app.models import Charting, Role, Scope
from app.records.charting import ChartingSchema
from app.records.instants import parse_instant
from app.services.charting_request import find_contradictions
from app.services.chartings import charting_search, charting_statements, chartings
from app.services.chartings.charting_search import ChartingView, Cursor
from app.services.chartings.charting_statements import Order
from app.services.chartings.plan_reading import name_route, write_rtz
from app.services.engine_mapping import load_plan
from app.services.errors import MOST_FAULTS, FieldError, Invalid, TooManyRequests

blueprint = ApiBlueprint("Charting", __name__, description="Requests for routes and their plans")

RTZ = "application/xml"
CSV = "text/csv"
CSV_UTF8 = f"{CSV}; charset=utf-8"
_FILE = {"type": "string", "format": "binary"}
#: Not "binary": some generated clients read that as bytes and fail.
_TEXT = {"type": "string"}
_SENT_BACK = ChartingSchema(read_back=ChartingRecordSchema)


@blueprint.operation("GET", "/charting", Scope.READ)
@blueprint.arguments(ChartingListQuerySchema, location="query")
@blueprint.response(200, ChartingPageSchema)
def list_chartings(context: RequestContext, query: dict[str, Any]) -> Response:
    """List chartings, newest first by default.

    Waypoints, ``noGoAreas`` and ``importedData`` are left out because they may be large.
    """
    found = charting_search.list_page(context.session, context.organization_id, **query)
    is_end = found.is_last or not found.items
    next_cursor = None if is_end else _cursor_of(found.items[-1], query["order"])
    shown = present.page(found, ChartingSummarySchema.write)
    return stored_response(shown | {"nextCursor": next_cursor})


@blueprint.operation("POST", "/charting", Scope.PLAN, most_bytes=MAX_BODY_BYTES)
@blueprint.arguments(ChartingSchema)
@blueprint.response(201, ChartingRecordSchema)
def create_charting(context: RequestContext, body: dict[str, Any]) -> Response:
    """Request a route. It is planned in the background."""
    context.check_organization(body)
    return present_created(chartings.submit(context.session, context.actor, body))


@blueprint.operation("POST", "/charting/batch", Scope.PLAN, most_bytes=MAX_BODY_BYTES)
@blueprint.arguments(ChartingBatchSchema)
@blueprint.response(200, ChartingBatchReportSchema)
def create_charting_batch(context: RequestContext, body: dict[str, Any]) -> Response:
    """Request up to 100 routes; valid requests are stored even if others are not.

    The response has one item per request, in the same order. Requests beyond the quota of active
    orders are refused, the batch as a whole (429) only if no request is stored.
    """
    _refuse_bulk(body)
    items: list[dict[str, Any]] = []
    for index, item in enumerate(body["items"]):
        try:
            items.append(_order(context, index, body["common"] | item))
        except TooManyRequests as error:
            if not any("id" in each for each in items):
                raise
            refused = {"status": "REFUSED", "code": error.problem_code}
            faults = [FieldError("", error.detail)._asdict()]
            items.append({"index": index, **refused, "errors": faults})
    _keep_first_faults(items)
    created = sum("id" in item for item in items)
    return json_response({"created": created, "rejected": len(items) - created, "items": items})


@blueprint.operation("GET", "/charting/active", Scope.READ)
@blueprint.response(200, list_of(ChartingSummarySchema))
def list_active_chartings(context: RequestContext) -> Response:
    """List all chartings that are queued or being planned, newest first."""
    found = charting_search.list_active(context.session, context.organization_id)
    return stored_response(present.listed(found, ChartingSummarySchema.write))


@blueprint.operation("GET", "/charting/<charting_id>", Scope.READ)
@blueprint.arguments(ChartingWaitQuerySchema, location="query")
@blueprint.response(200, ChartingRecordSchema)
def get_charting(context: RequestContext, query: dict[str, Any], charting_id: str) -> Response:
    """Get a charting: its latest status, its latest completed route and the request for it.

    With ``wait`` the response is sent when the status changes or the time is over. It is sent at
    once if planning has ended or too many requests are waiting.
    """
    revision, with_route = query["revision"], query["add_charting"]
    if query["wait"]:
        light = _view(context, charting_id, revision, with_plan=False)
        wait_for_change(light, query["wait"])
    view = _view(context, charting_id, revision, with_plan=with_route)
    shown = (ChartingRecordSchema if with_route else ChartingSummarySchema).write(view)
    return _tag_shown(
        stored_response(shown), view, shown, f"{'' if with_route else 'light'}{revision or ''}"
    )


@blueprint.operation(
    "PUT", "/charting/<charting_id>", Scope.PLAN, errors=(409, 412), most_bytes=MAX_BODY_BYTES
)
@blueprint.arguments(_SENT_BACK)
@blueprint.response(200, ChartingRecordSchema)
def update_charting(context: RequestContext, body: dict[str, Any], charting_id: str) -> Response:
    """Re-plan the route as the charting's next revision.

    The response shows the new revision. A GET without ``revision`` shows the latest completed
    revision until the new one is completed.
    """
    context.check_organization(body)
    charting = _get_matching(context, charting_id)
    _refuse_without_bulk(context, charting_id)
    view = chartings.resubmit(context.session, context.actor, charting, body)
    ordered = ChartingView(charting, view.state, view.state)
    shown = ChartingRecordSchema.write(ordered)
    return _tag_shown(stored_response(shown), view, shown, str(view.state.revision))


def _refuse_without_bulk(context: RequestContext, charting_id: str) -> None:
    """Raise :class:`Invalid` for a list item that is sent back without its areas.

    Lists leave areas out; the route would be planned through areas that it is to avoid.
    """
    sent = read_json(request)
    if _SENT_BACK.read_only.isdisjoint(sent):
        return
    view = _view(context, charting_id, with_plan=False)
    asked = view.state.request
    lost = [name for name in charting_statements.BULK if name not in sent and asked.get(name)]
    whole = f"send the value from GET /charting/{charting_id}, or null to plan without it."
    if lost:
        detail = f"It is missing, because lists leave it out, but the charting has one: {whole}"
        raise Invalid([FieldError(f"/{name}", detail) for name in lost])


@blueprint.operation("POST", "/charting/<charting_id>/cancel", Scope.PLAN)
@blueprint.response(200, ChartingRecordSchema)
def cancel_charting(context: RequestContext, charting_id: str) -> Response:
    """Cancel the planning; a running one stops within seconds."""
    charting = find_charting(context, charting_id)
    return _shown(chartings.cancel(context.session, charting))


@blueprint.operation("POST", "/charting/<charting_id>/archive", Scope.PLAN)
@blueprint.response(200, ChartingRecordSchema)
def archive_charting(context: RequestContext, charting_id: str) -> Response:
    """Archive the charting: lists leave it out, and it stays readable by its id."""
    view = _view(context, charting_id)
    chartings.archive(view.charting)
    return _shown(view)


@blueprint.operation("POST", "/charting/<charting_id>/restore", Scope.PLAN)
@blueprint.response(200, ChartingRecordSchema)
def restore_charting(context: RequestContext, charting_id: str) -> Response:
    """Restore an archived charting, so that lists include it again.

    One whose erasure is pending cannot be restored (409): cancel the erasure first.
    """
    view = _view(context, charting_id)
    chartings.restore(context.session, context.organization_id, [view.charting])
    return _shown(view)


@blueprint.operation(
    "DELETE", "/charting/<charting_id>", Scope.PLAN, role=Role.ADMIN, errors=(409, 412)
)
@blueprint.response(204)
def delete_charting(context: RequestContext, charting_id: str) -> Response:
    """Delete the charting with all its revisions; the audit log keeps its request.

    A voyage under way must be finished or abandoned first (409).
    """
    charting = _get_matching(context, charting_id)
    chartings.delete(context.session, context.actor, charting)
    return no_content()


@blueprint.operation("GET", "/charting/<charting_id>/csv", Scope.READ, produces=CSV, errors=(409,))
@blueprint.arguments(RevisionQuerySchema, location="query")
@blueprint.response(
    200,
    _TEXT,
    content_type=CSV,
    headers={
        "X-Content-Hash": {
            "description": "sha256: followed by the hexadecimal digest of the file",
            "schema": {"type": "string"},
        }
    },
)
def get_charting_csv(context: RequestContext, query: dict[str, Any], charting_id: str) -> Response:
    """Download the route as CSV (RFC 4180, UTF-8)."""
    view = get_planned(context, charting_id, query["revision"])
    content = render_csv(load_plan(view.planned))
    return file_response(content, CSV_UTF8, f"{name_route(view.planned)}.csv")


@blueprint.operation("GET", "/charting/<charting_id>/rtz", Scope.READ, produces=RTZ, errors=(409,))
@blueprint.arguments(RtzQuerySchema, location="query")
@blueprint.response(200, _FILE, content_type=RTZ)
def get_charting_rtz(context: RequestContext, query: dict[str, Any], charting_id: str) -> Response:
    """Download the route as RTZ for an ECDIS."""
    view = get_planned(context, charting_id, query["revision"])
    content = write_rtz(view.planned, RtzVersion(query["version"]))
    return file_response(content, RTZ, f"{name_route(view.planned)}.rtz")


def present_created(view: ChartingView) -> Response:
    """Return the response 201 for a new charting."""
    shown = ChartingRecordSchema.write(view)
    return _tag_shown(created(shown, f"/v1/charting/{view.charting.id}"), view, shown)


def find_charting(context: RequestContext, charting_id: str) -> Charting:
    """Return a charting of the caller's organization; raises :class:`NotFound`."""
    return chartings.get(context.session, context.organization_id, charting_id)


def get_planned(context: RequestContext, charting_id: str, revision: int | None) -> ChartingView:
    """Return a charting that has a route; raises :class:`Conflict` before there is one."""
    return chartings.get_planned(context.session, context.organization_id, charting_id, revision)


def _view(
    context: RequestContext,
    charting_id: str,
    revision: int | None = None,
    *,
    with_plan: bool = True,
) -> ChartingView:
    owner = context.organization_id
    return chartings.get_view(context.session, owner, charting_id, revision, with_plan=with_plan)


def _refuse_bulk(body: dict[str, Any]) -> None:
    """Reject common fields so large that reading them for each request would take too long."""
    common_bytes = len(json.dumps(body["common"]))
    if common_bytes * len(body["items"]) > MAX_BODY_BYTES:
        most = MAX_BODY_BYTES // common_bytes
        detail = (
            f"common has {common_bytes} bytes and items {len(body['items'])} items;"
            f" send up to {most} items, or less in common."
        )
        raise Invalid.at("/common", detail)


def _keep_first_faults(items: list[dict[str, Any]]) -> None:
    """Limit the errors of the whole batch to those that one response may list."""
    left = MOST_FAULTS
    for item in items:
        if "errors" in item:
            item["errors"] = item["errors"][:left]
            left -= len(item["errors"])


def _order(context: RequestContext, index: int, item: dict[str, Any]) -> dict[str, Any]:
    """Submit one request of a batch and return its result."""
    try:
        order = ChartingSchema().load(item)
        context.check_organization(order)
        view = chartings.submit(context.session, context.actor, order)
    except ma.ValidationError as error:
        others = find_contradictions(error.valid_data, error.messages)
        invalid = Invalid([*faults_of(error), *others])
    except Invalid as error:
        invalid = error
    else:
        return {"index": index, "status": "CREATED", "id": str(view.charting.id)}
    return {
        "index": index,
        "status": "INVALID",
        "code": invalid.problem_code,
        "errors": [fault._asdict() for fault in invalid.faults],
    }


def _get_matching(context: RequestContext, charting_id: str) -> Charting:
    """Lock and return a charting.

    Raises :class:`PreconditionFailed` if ``If-Match`` has another state.
    """
    chartings.lock(context.session, find_charting(context, charting_id))
    view = _view(context, charting_id, with_plan=False)
    check_preconditions(_tag(view))
    return view.charting


def _shown(view: ChartingView) -> Response:
    shown = ChartingRecordSchema.write(view)
    return _tag_shown(stored_response(shown), view, shown)


def _tag_shown(
    response: Response, view: ChartingView, shown: dict[str, Any], variant: str = ""
) -> Response:
    """Set the ETag of a charting; its queue position changes although the charting does not."""
    place = shown["queuePosition"]
    return tagged(response, _tag(view), f"{variant}q{place}" if place else variant)


def _tag(view: ChartingView) -> str:
    """Return a tag of everything that a charting shows except its queue position."""
    state = view.state
    return state_tag(
        view.charting.id, view.planned.revision, view.charting.latest_revision, state.revision,
        str(state.status), state.progress, state.stage, state.finished_at,
        view.charting.archived_at,
    )  # fmt: skip


def _cursor_of(view: ChartingView, order: Order) -> str:
    departs_at = parse_instant(view.planned.request["startDate"]) if order.by_departure else None
    return write_cursor(Cursor(departs_at, view.charting.id))
