"""Comparison of departures, and arrivals by their fuel, on the route page."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from flask import render_template
from flask.typing import ResponseReturnValue
from marshmallow import Schema
from sqlalchemy.orm import Session

from app.models import Charting, Role
from app.pages.blueprint import answer_json, pages
from app.pages.presenters.departures import describe_comparison
from app.pages.presenters.filters import duration, figure, full_time, mass
from app.pages.web.access import actor
from app.pages.web.forms import FormMessages, read_sent, time_field
from app.pages.web.own import own_charting, own_session
from app.records.departures import DepartureWindowSchema
from app.records.fields import Instant, Number
from app.records.instants import parse_instant
from app.services.chartings import departure_windows

_MESSAGES: Final[Mapping[str | type, str]] = {
    Number: "Enter a number.",
    Instant: "Enter a time in UTC, like 14 Jan 2026 18:00.",
}
_DEPARTURE: Final = Schema.from_dict({"departure": time_field()}, name="DepartureForm")
_ARRIVAL: Final = Schema.from_dict({"endDate": time_field()}, name="ArrivalForm")
#: Smaller differences are not shown: a minute [h], half the last digit of fuel [t].
_NO_HOURS: Final = 1 / 60
_NO_FUEL_MT: Final = 0.05


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


@pages.post("/voyages/<charting_id>/arrival")
def order_with_arrival(charting_id: str) -> ResponseReturnValue:
    """Re-plan the voyage with a chosen arrival."""
    actor().require(Role.PLANNER)
    arrival = read_sent(_ARRIVAL())["endDate"]
    with own_session() as session:
        view = departure_windows.order_arrival(session, actor(), charting_id, arrival)
        return answer_json(revision=view.state.revision)


def list_arrivals(plan: Mapping[str, Any], summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List the arrivals to choose from, earliest first; empty if the plan is the only one."""
    front = plan.get("front", [])
    if len(front) < 2:
        return []
    planned = min(front, key=lambda point: abs(point["durationH"] - summary["durationH"]))
    return [_point(point, summary, is_planned=point is planned) for point in front]


def _point(
    point: Mapping[str, Any], summary: Mapping[str, Any], *, is_planned: bool
) -> dict[str, Any]:
    fuel = f"{mass(point['fuelMt'], 1)} mt"
    departure = parse_instant(point["eta"]) - timedelta(hours=point["durationH"])
    difference = "this route" if is_planned else _difference(point, summary)
    return {
        "eta": point["eta"],
        "fuelMt": point["fuelMt"],
        "isPlanned": is_planned,
        "words": f"{full_time(point['eta'], departure)}, {fuel}: {difference}",
    }


def _difference(point: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    """Describe the difference, e.g. "14 h 20 min later, saves 3.2 mt (1.3 %)"."""
    more_h = point["durationH"] - summary["durationH"]
    saved_t = summary["fuelMt"] - point["fuelMt"]
    parts = []
    if abs(more_h) >= _NO_HOURS:
        parts.append(f"{duration(abs(more_h))} {'later' if more_h > 0 else 'sooner'}")
    if abs(saved_t) >= _NO_FUEL_MT:
        share = f"{figure(100 * abs(saved_t) / summary['fuelMt'], 1)} %"
        does = "saves" if saved_t > 0 else "costs"
        parts.append(f"{does} {mass(abs(saved_t), 1)} mt ({share})")
    return ", ".join(parts) or "as this route"
