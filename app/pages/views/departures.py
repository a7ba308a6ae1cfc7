"""Comparison of departures on the route page."""

from collections.abc import Mapping
from typing import Any, Final

from flask import render_template
from flask.typing import ResponseReturnValue
from marshmallow import Schema
from sqlalchemy.orm import Session

from app.models import Charting, Role
from app.pages.blueprint import answer_json, pages
from app.pages.presenters.departures import describe_comparison
from app.pages.web.access import actor
from app.pages.web.forms import FormMessages, read_sent, time_field
from app.pages.web.own import own_charting, own_session
from app.records.departures import DepartureWindowSchema
from app.records.fields import Instant, Number
from app.services.chartings import departure_windows

_MESSAGES: Final[Mapping[str | type, str]] = {
    Number: "Enter a number.",
    Instant: "Enter a time in UTC, like 14 Jan 2026 18:00.",
}
_DEPARTURE: Final = Schema.from_dict({"departure": time_field()}, name="DepartureForm")


class WindowForm(FormMessages, DepartureWindowSchema):
    """Form of the window."""

    messages = _MESSAGES


@pages.get("/voyages/<charting_id>/departures")
def departures(charting_id: str) -> ResponseReturnValue:
    """Return the comparison as HTML."""
    with own_charting(charting_id) as found:
        return _show(*found)


@pages.post("/voyages/<charting_id>/departures")
def compare_departures(charting_id: str) -> ResponseReturnValue:
    """Start a comparison of the departures in a window."""
    actor().require(Role.PLANNER)
    window = read_sent(WindowForm())
    with own_charting(charting_id) as (session, charting):
        departure_windows.start(session, actor(), charting, window)
        return _show(session, charting)


@pages.post("/voyages/<charting_id>/departures/cancel")
def cancel_departures(charting_id: str) -> ResponseReturnValue:
    """Cancel the comparison; results so far are kept."""
    with own_charting(charting_id) as (session, charting):
        departure_windows.cancel(session, actor(), charting)
        return _show(session, charting)


@pages.post("/voyages/<charting_id>/departures/plan")
def plan_departure(charting_id: str) -> ResponseReturnValue:
    """Re-plan the voyage with a compared departure."""
    actor().require(Role.PLANNER)
    departure = read_sent(_DEPARTURE())["departure"]
    with own_session() as session:
        view = departure_windows.order_departure(session, actor(), charting_id, departure)
        return answer_json(revision=view.state.revision)


def _show(session: Session, charting: Charting) -> ResponseReturnValue:
    compared: dict[str, Any] | None = describe_comparison(
        departure_windows.find_view(session, charting)
    )
    shown = render_template("_partials/departures.html", compared=compared)
    return answer_json(html=shown, isActive=bool(compared and compared["isActive"]))
