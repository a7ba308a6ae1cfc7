"""Departures of a charting compared: started, followed, cancelled, exported."""

from typing import Any

from flask import Response

from app.api.charting_readings import blueprint
from app.api.chartings import CSV, CSV_UTF8, find_charting
from app.api.operation import RequestContext, created, file_response, json_response
from app.api.schemas.departures import DepartureComparisonSchema
from app.exports.departures_csv import render_departures
from app.models import Role
from app.records.departures import DepartureWindowSchema
from app.services.chartings import departure_windows

#: chartings' own blueprint with their readings, and with these operations added
__all__ = ["blueprint"]


@blueprint.operation("POST", "/charting/<charting_id>/departures", role=Role.PLANNER)
@blueprint.arguments(DepartureWindowSchema)
@blueprint.response(201, DepartureComparisonSchema)
def compare_charting_departures(
    context: RequestContext, body: dict[str, Any], charting_id: str
) -> Response:
    """Compare the departures of a window for the charting's newest plan, in the background.

    Each is optimised under the limits of the plan's request: coarsely first, the best ones then as
    thoroughly as a plan. Orders are planned first. The plan stays as it is.
    """
    charting = find_charting(context, charting_id)
    view = departure_windows.start(context.session, context.actor, charting, body)
    shown = DepartureComparisonSchema.write(view)
    return created(shown, f"/v1/charting/{charting.id}/departures")


@blueprint.operation("GET", "/charting/<charting_id>/departures")
@blueprint.response(200, DepartureComparisonSchema)
def get_charting_departures(context: RequestContext, charting_id: str) -> Response:
    """Get the departures of the charting's window, as far as they are compared."""
    view = departure_windows.get_view(context.session, find_charting(context, charting_id))
    return json_response(DepartureComparisonSchema.write(view))


@blueprint.operation("GET", "/charting/<charting_id>/departures/csv", produces=CSV)
@blueprint.response(200, {"type": "string"}, content_type=CSV)
def get_charting_departures_csv(context: RequestContext, charting_id: str) -> Response:
    """Download the departures that were compared as CSV (RFC 4180, UTF-8)."""
    view = departure_windows.get_view(context.session, find_charting(context, charting_id))
    return file_response(render_departures(view.departures), CSV_UTF8, "departures.csv")


@blueprint.operation(
    "DELETE", "/charting/<charting_id>/departures", role=Role.PLANNER, errors=(409,)
)
@blueprint.response(200, DepartureComparisonSchema)
def cancel_charting_departures(context: RequestContext, charting_id: str) -> Response:
    """Cancel the comparison: at once when it waits, soon when under way. What was found stays."""
    view = departure_windows.cancel(
        context.session, context.actor, find_charting(context, charting_id)
    )
    return json_response(DepartureComparisonSchema.write(view))
