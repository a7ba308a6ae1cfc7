"""Comparison of departures on the route page."""

from collections.abc import Mapping
from datetime import UTC
from typing import Any, Final

from flask import render_template, request
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields
from sqlalchemy.orm import Session

from app.models import Charting, Role
from app.pages.blueprint import answer_json, pages
from app.pages.presenters.departures import describe_comparison
from app.pages.web.access import actor, organization_id
from app.pages.web.forms import FormMessages, read_form
from app.records.departures import DepartureWindowSchema
from app.records.fields import Instant, Number
from app.services.chartings import chartings, departure_windows
from app.services.platform.sessions import organization_session

_MESSAGES: Final[Mapping[str | type, str]] = {
    Number: "Enter a number.",
    Instant: "Enter a time in UTC, like 14 Jan 2026 18:00.",
}
_DEPARTURE: Final = Schema.from_dict(
    {"departure": fields.AwareDateTime(required=True, format="iso", default_timezone=UTC)},
    name="DepartureForm",
)


class WindowForm(FormMessages, DepartureWindowSchema):
    """Form of the window."""

    messages = _MESSAGES


@pages.get("/voyages/<charting_id>/departures")
def departures(charting_id: str) -> ResponseReturnValue:
    """Return the comparison as HTML."""
    with organization_session(organization_id()) as session:
        return _show(session, _find(session, charting_id))


@pages.post("/voyages/<charting_id>/departures")
def compare_departures(charting_id: str) -> ResponseReturnValue:
    """Start a comparison of the departures in a window."""
    actor().require(Role.PLANNER)
    window = read_form(WindowForm(), request.get_json(silent=True))
    with organization_session(organization_id()) as session:
        charting = _find(session, charting_id)
        departure_windows.start(session, actor(), charting, window)
        return _show(session, charting)


@pages.post("/voyages/<charting_id>/departures/cancel")
def cancel_departures(charting_id: str) -> ResponseReturnValue:
    """Cancel the comparison; results so far are kept."""
    with organization_session(organization_id()) as session:
        charting = _find(session, charting_id)
        departure_windows.cancel(session, actor(), charting)
        return _show(session, charting)


@pages.post("/voyages/<charting_id>/departures/plan")
def plan_departure(charting_id: str) -> ResponseReturnValue:
    """Re-plan the voyage with a compared departure."""
    actor().require(Role.PLANNER)
    departure = read_form(_DEPARTURE(), request.get_json(silent=True))["departure"]
    with organization_session(organization_id()) as session:
        view = departure_windows.order_departure(session, actor(), charting_id, departure)
        return answer_json(revision=view.state.revision)


def _find(session: Session, charting_id: str) -> Charting:
    return chartings.get(session, organization_id(), charting_id)


def _show(session: Session, charting: Charting) -> ResponseReturnValue:
    compared: dict[str, Any] | None = describe_comparison(
        departure_windows.find_view(session, charting)
    )
    shown = render_template("_partials/departures.html", compared=compared)
    return answer_json(html=shown, isActive=bool(compared and compared["isActive"]))
