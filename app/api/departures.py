"""Comparisons of a charting's departures."""

from typing import Any

from flask import Response

from app.api.charting_readings import blueprint
from app.api.chartings import CSV, CSV_UTF8, find_charting
from app.api.conditional import check_preconditions, state_tag, tagged
from app.api.operation import RequestContext, created, file_response, json_response
from app.api.schemas.departures import DepartureComparisonSchema
from app.exports.csv import render_departures
from app.models import Scope
from app.records.departures import DepartureWindowSchema
from app.services.chartings import departure_windows
from app.services.chartings.chartings import get_revision
from app.services.chartings.departure_windows import ComparisonView
from app.services.chartings.plan_reading import name_route

#: The blueprint of chartings, with these operations added.
__all__ = ["blueprint"]


@blueprint.operation("POST", "/charting/<charting_id>/departures", Scope.PLAN)
@blueprint.arguments(DepartureWindowSchema)
@blueprint.response(201, DepartureComparisonSchema)
def compare_charting_departures(
    context: RequestContext, body: dict[str, Any], charting_id: str
) -> Response:
    """Start a comparison of departures within a window for the charting's latest plan.

    Without a plan, the departures of a failed request are compared if its failure may be of that
    departure only: `LIMITS_TOO_TIGHT`, `NO_ROUTE`, `END_INSIDE_AREA` and `SEASON_CLOSED`.
    It runs in the background, after queued chartings. Each departure is optimised under the limits
    of the plan's request: coarsely at first, then the best ones as thoroughly as a plan. The plan
    itself is not changed.
    """
    charting = find_charting(context, charting_id)
    view = departure_windows.start(context.session, context.actor, charting, body)
    shown = DepartureComparisonSchema.write(view)
    address = f"/v1/charting/{charting.id}/departures"
    return tagged(created(shown, address), _tag(view), state_tag(shown))


@blueprint.operation("GET", "/charting/<charting_id>/departures", Scope.READ)
@blueprint.response(200, DepartureComparisonSchema)
def get_charting_departures(context: RequestContext, charting_id: str) -> Response:
    """Get the comparison of departures and its progress."""
    view = departure_windows.get_view(context.session, find_charting(context, charting_id))
    return _show(view)


@blueprint.operation("GET", "/charting/<charting_id>/departures/csv", Scope.READ, produces=CSV)
@blueprint.response(200, {"type": "string"}, content_type=CSV)
def get_charting_departures_csv(context: RequestContext, charting_id: str) -> Response:
    """Download the compared departures as CSV (RFC 4180, UTF-8)."""
    charting = find_charting(context, charting_id)
    view = departure_windows.get_view(context.session, charting)
    route = name_route(get_revision(context.session, charting, view.row.revision))
    return file_response(render_departures(view.departures), CSV_UTF8, f"{route}-departures.csv")


@blueprint.operation("DELETE", "/charting/<charting_id>/departures", Scope.PLAN, errors=(409, 412))
@blueprint.response(200, DepartureComparisonSchema)
def cancel_charting_departures(context: RequestContext, charting_id: str) -> Response:
    """Cancel the comparison; results found so far are kept."""
    charting = find_charting(context, charting_id)
    view = departure_windows.get_view(context.session, charting)
    check_preconditions(_tag(view))
    return _show(departure_windows.cancel(context.session, context.actor, charting))


def _show(view: ComparisonView) -> Response:
    shown = DepartureComparisonSchema.write(view)
    return tagged(json_response(shown), _tag(view), state_tag(shown))


def _tag(view: ComparisonView) -> str:
    """Return a tag of everything that a comparison shows except its progress and results."""
    return state_tag("departures", view.row.id, view.row.queued_at, str(view.row.status))
