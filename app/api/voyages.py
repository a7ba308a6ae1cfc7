"""Voyages under way: started, followed, finished."""

from typing import Any

from flask import Response

from app.api import present
from app.api.chartings import CSV, CSV_UTF8, find_charting
from app.api.operation import ApiBlueprint, RequestContext, file_response, json_response
from app.api.schemas.common import PageQuerySchema, page_of
from app.api.schemas.voyage import (
    AdviceSchema,
    ReasonSchema,
    StartSchema,
    VoyageListQuerySchema,
    VoyageSchema,
)
from app.exports.voyage_report_csv import render_voyage_report
from app.models import Charting, Role, utc_now
from app.records.voyage_report import VoyageReportSchema
from app.services.monitoring import advices, executions, voyage_reports, voyage_views

blueprint = ApiBlueprint("Voyage", __name__, description="Voyages under way")


@blueprint.operation("GET", "/voyages")
@blueprint.arguments(VoyageListQuerySchema, location="query")
@blueprint.response(200, page_of(VoyageSchema))
def list_voyages(context: RequestContext, query: dict[str, Any]) -> Response:
    """List voyages under way, or in another state, with their progress as last measured."""
    found = executions.list_page(context.session, context.actor.organization_id, **query)
    now = utc_now()
    return json_response(
        present.page(found, lambda row: VoyageSchema.write(voyage_views.view_of(row, now)))
    )


@blueprint.operation("GET", "/charting/<charting_id>/progress", errors=(409,))
@blueprint.response(200, VoyageSchema)
def get_charting_progress(context: RequestContext, charting_id: str) -> Response:
    """Get how the charting is sailed, and the ship's progress by its last position report.

    Reports that one ship cannot have sent, more than 60 kn apart or ahead of the clock, are named
    and not used.
    """
    return _shown(context, find_charting(context, charting_id))


@blueprint.operation("POST", "/charting/<charting_id>/start", role=Role.MASTER, errors=(409,))
@blueprint.arguments(StartSchema)
@blueprint.response(200, VoyageSchema)
def start_charting(context: RequestContext, body: dict[str, Any], charting_id: str) -> Response:
    """Start the charting's voyage by its newest plan.

    It starts by itself when position reports leave the area of departure, from 24 hours before
    the planned time until 72 hours after it.
    """
    charting = find_charting(context, charting_id)
    executions.start(context.session, context.actor, charting, body["at"])
    return _shown(context, charting)


@blueprint.operation("POST", "/charting/<charting_id>/finish", role=Role.MASTER, errors=(409,))
@blueprint.arguments(StartSchema)
@blueprint.response(200, VoyageSchema)
def finish_charting(context: RequestContext, body: dict[str, Any], charting_id: str) -> Response:
    """Finish the charting's voyage.

    It is finished by itself when the ship is reported to lie still within 10 nm of the arrival.
    """
    charting = find_charting(context, charting_id)
    executions.finish(context.session, context.actor, charting, body["at"])
    return _shown(context, charting)


@blueprint.operation("POST", "/charting/<charting_id>/abandon", role=Role.MASTER, errors=(409,))
@blueprint.arguments(ReasonSchema)
@blueprint.response(200, VoyageSchema)
def abandon_charting(context: RequestContext, body: dict[str, Any], charting_id: str) -> Response:
    """Abandon the charting's voyage: its plan is followed no longer."""
    charting = find_charting(context, charting_id)
    executions.abandon(context.session, context.actor, charting, body["reason"])
    return _shown(context, charting)


@blueprint.operation("GET", "/charting/<charting_id>/report", errors=(409,))
@blueprint.response(200, VoyageReportSchema)
def get_charting_report(context: RequestContext, charting_id: str) -> Response:
    """Report a finished voyage against the plan that it departed with.

    Fuel and time are put down to weather, speed, track and the ship's model by simulating the
    voyage in steps from the plan to what was sailed, in the weather as it is known now.
    """
    report = voyage_reports.write(context.session, find_charting(context, charting_id))
    return json_response(VoyageReportSchema.write(report))


@blueprint.operation("GET", "/charting/<charting_id>/report/csv", produces=CSV, errors=(409,))
@blueprint.response(200, {"type": "string"}, content_type=CSV)
def get_charting_report_csv(context: RequestContext, charting_id: str) -> Response:
    """Download the report of a finished voyage as CSV (RFC 4180, UTF-8), a header and one line."""
    report = voyage_reports.write(context.session, find_charting(context, charting_id))
    return file_response(render_voyage_report(report), CSV_UTF8, "voyage-report.csv")


@blueprint.operation("GET", "/charting/<charting_id>/advice")
@blueprint.arguments(PageQuerySchema, location="query")
@blueprint.response(200, page_of(AdviceSchema))
def list_charting_advice(
    context: RequestContext, query: dict[str, Any], charting_id: str
) -> Response:
    """List the advice that the charting's voyage was given, newest first."""
    found = advices.list_page(context.session, find_charting(context, charting_id), **query)
    return json_response(present.page(found, AdviceSchema.write))


@blueprint.operation(
    "POST", "/charting/<charting_id>/advice/<advice_id>/accept", role=Role.MASTER, errors=(409,)
)
@blueprint.response(200, AdviceSchema)
def accept_charting_advice(context: RequestContext, charting_id: str, advice_id: str) -> Response:
    """Accept an advice: the rest is planned from the ship's last position as the next revision.

    It is optimised in the weather of that time. The voyage follows it once it is completed.
    """
    charting = find_charting(context, charting_id)
    advice = advices.get(context.session, charting, advice_id)
    advices.accept(context.session, context.actor, charting, advice)
    return json_response(AdviceSchema.write(advice))


@blueprint.operation(
    "POST", "/charting/<charting_id>/advice/<advice_id>/decline", role=Role.MASTER, errors=(409,)
)
@blueprint.arguments(ReasonSchema)
@blueprint.response(200, AdviceSchema)
def decline_charting_advice(
    context: RequestContext, body: dict[str, Any], charting_id: str, advice_id: str
) -> Response:
    """Decline an advice. The like is given again only where it avoids or saves more."""
    advice = advices.get(context.session, find_charting(context, charting_id), advice_id)
    advices.decline(context.session, context.actor, advice, body["reason"])
    return json_response(AdviceSchema.write(advice))


def _shown(context: RequestContext, charting: Charting) -> Response:
    return json_response(VoyageSchema.write(voyage_views.read(context.session, charting)))
