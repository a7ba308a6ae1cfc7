"""Voyages under way."""

from typing import Any

from flask import Response

from app.api import present
from app.api.chartings import CSV, CSV_UTF8, find_charting
from app.api.operation import ApiBlueprint, RequestContext, file_response, json_response
from app.api.schemas.common import PageQuerySchema, page_of
from app.api.schemas.voyage import (
    AdviceSchema,
    MeasuredVoyageSchema,
    ReasonSchema,
    StartSchema,
    VoyageListQuerySchema,
    VoyageSchema,
)
from app.models import Charting, Role, Scope
from app.records.voyage_report import VoyageReportSchema
from app.services.monitoring import advices, executions, voyage_reports
from app.services.monitoring.voyage_progress import measure

blueprint = ApiBlueprint("Voyage", __name__, description="Voyages under way")


@blueprint.operation("GET", "/voyages", Scope.READ)
@blueprint.arguments(VoyageListQuerySchema, location="query")
@blueprint.response(200, page_of(VoyageSchema))
def list_voyages(context: RequestContext, query: dict[str, Any]) -> Response:
    """List voyages under way, or in another state, with their latest progress."""
    found = executions.list_page(context.session, context.organization_id, **query)
    return json_response(present.page(found, VoyageSchema.write))


@blueprint.operation("GET", "/charting/<charting_id>/progress", Scope.READ, errors=(409,))
@blueprint.response(200, MeasuredVoyageSchema)
def get_charting_progress(context: RequestContext, charting_id: str) -> Response:
    """Get the state of the charting's voyage, and its progress at the last position report.

    Implausible reports (more than 60 kn from the last, at 0° N 0° E, or in the future) are listed
    and not used.
    """
    return _shown(context, find_charting(context, charting_id))


@blueprint.operation("POST", "/charting/<charting_id>/start", Scope.PLAN, role=Role.MASTER)
@blueprint.arguments(StartSchema, required=False)
@blueprint.response(200, MeasuredVoyageSchema)
def start_charting(context: RequestContext, body: dict[str, Any], charting_id: str) -> Response:
    """Start the charting's voyage with its latest plan.

    A voyage starts automatically when position reports leave the departure area, from 24 hours
    before the planned departure until 72 hours after it. `at` is at most 14 days before it. An
    abandoned voyage keeps its departure unless `at` is given. A planner reopens a voyage that
    finished at most 7 days ago, likewise.
    """
    charting = find_charting(context, charting_id)
    executions.start(context.session, context.actor, charting, body["at"])
    return _shown(context, charting)


@blueprint.operation("POST", "/charting/<charting_id>/finish", Scope.PLAN, role=Role.MASTER)
@blueprint.arguments(StartSchema, required=False)
@blueprint.response(200, MeasuredVoyageSchema)
def finish_charting(context: RequestContext, body: dict[str, Any], charting_id: str) -> Response:
    """Finish the charting's voyage.

    A voyage finishes automatically when the ship is reported stopped within 10 nm of the arrival.
    With `at`, a planner corrects the time of a finished voyage.
    """
    charting = find_charting(context, charting_id)
    executions.finish(context.session, context.actor, charting, body["at"])
    return _shown(context, charting)


@blueprint.operation("POST", "/charting/<charting_id>/abandon", Scope.PLAN, role=Role.MASTER)
@blueprint.arguments(ReasonSchema)
@blueprint.response(200, MeasuredVoyageSchema)
def abandon_charting(context: RequestContext, body: dict[str, Any], charting_id: str) -> Response:
    """Abandon the charting's voyage; its plan is no longer followed."""
    charting = find_charting(context, charting_id)
    executions.abandon(context.session, context.actor, charting, body["reason"])
    return _shown(context, charting)


@blueprint.operation("GET", "/charting/<charting_id>/report", Scope.READ, errors=(409,))
@blueprint.response(200, VoyageReportSchema)
def get_charting_report(context: RequestContext, charting_id: str) -> Response:
    """Get the report of a finished voyage against the plan at departure.

    The differences in fuel and time are attributed to weather, speed, track and the ship's model:
    the voyage is simulated in steps from the plan to the actual voyage, in the latest weather.
    """
    report = voyage_reports.write(context.session, find_charting(context, charting_id))
    return json_response(VoyageReportSchema.write(report))


@blueprint.operation(
    "GET", "/charting/<charting_id>/report/csv", Scope.READ, produces=CSV, errors=(409,)
)
@blueprint.response(200, {"type": "string"}, content_type=CSV)
def get_charting_report_csv(context: RequestContext, charting_id: str) -> Response:
    """Download the report of a finished voyage as CSV (RFC 4180, UTF-8)."""
    file, name = voyage_reports.write_file(context.session, find_charting(context, charting_id))
    return file_response(file, CSV_UTF8, name)


@blueprint.operation("GET", "/charting/<charting_id>/advice", Scope.READ)
@blueprint.arguments(PageQuerySchema, location="query")
@blueprint.response(200, page_of(AdviceSchema))
def list_charting_advice(
    context: RequestContext, query: dict[str, Any], charting_id: str
) -> Response:
    """List the advice for the charting's voyage, newest first."""
    found = advices.list_page(context.session, find_charting(context, charting_id), **query)
    return json_response(present.page(found, AdviceSchema.write))


@blueprint.operation(
    "POST", "/charting/<charting_id>/advice/<advice_id>/accept", Scope.PLAN, role=Role.MASTER
)
@blueprint.response(200, AdviceSchema)
def accept_charting_advice(context: RequestContext, charting_id: str, advice_id: str) -> Response:
    """Accept an advice; the rest of the voyage is re-planned from the ship's last position.

    The plan is the charting's next revision, optimised in the latest weather. The voyage follows it
    once it is completed.
    """
    charting = find_charting(context, charting_id)
    advice = advices.get(context.session, charting, advice_id)
    advices.accept(context.session, context.actor, charting, advice)
    return json_response(AdviceSchema.write(advice))


@blueprint.operation(
    "POST", "/charting/<charting_id>/advice/<advice_id>/decline", Scope.PLAN, role=Role.MASTER
)
@blueprint.arguments(ReasonSchema)
@blueprint.response(200, AdviceSchema)
def decline_charting_advice(
    context: RequestContext, body: dict[str, Any], charting_id: str, advice_id: str
) -> Response:
    """Decline an advice; a similar one is given again only if it avoids or saves more."""
    advice = advices.get(context.session, find_charting(context, charting_id), advice_id)
    advices.decline(context.session, context.actor, advice, body["reason"])
    return json_response(AdviceSchema.write(advice))


def _shown(context: RequestContext, charting: Charting) -> Response:
    return json_response(MeasuredVoyageSchema.write(measure(context.session, charting)))
