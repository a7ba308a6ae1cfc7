"""Chartings and vessels prepared for templates and scripts."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from flask import url_for
from sqlalchemy.orm import Session

from app.engine.codes import WarningCode
from app.engine.particulars import ShipParticulars
from app.engine.report.timetable import list_leaving_times
from app.engine.units import ms_to_kn
from app.engine.vessel import expected_mcr_kw, find_power_disagreement
from app.engine.vessel.hull_form import find_form_figures
from app.models import ACTIVE, Charting, ChartingRevision, Run, Vessel
from app.pages.presenters.filters import figure
from app.pages.web.visitor import current_user
from app.records.instants import format_instant
from app.records.plan import WaypointSchema
from app.services import charting_request
from app.services.chartings import route_orders
from app.services.chartings.charting_search import ChartingView
from app.services.chartings.expected_voyages import find_states
from app.services.platform import queue
from app.services.sea.sea_scales import wave_limit_m
from app.services.vessels.latest_positions import LatestPosition


def chartings(session: Session, found: Sequence[ChartingView]) -> list[dict[str, Any]]:
    """List chartings as rows: newest state, newest plan's figures, state of a voyage that began."""
    executions = find_states(session, [view.charting.id for view in found])
    return [
        charting(
            view.charting, view.state, view.planned if view.charting.completed_revision else None
        )
        | {"execution": executions.get(view.charting.id)}
        for view in found
    ]


def charting(
    row: Charting, state: ChartingRevision, planned: ChartingRevision | None
) -> dict[str, Any]:
    """Present a charting as a row: latest status, latest plan and its request."""
    asked = (planned or state).request
    return {
        "id": str(row.id),
        "address": url_for("pages.route", charting_id=row.id),
        "from": asked["portFromName"],
        "to": asked["portToName"],
        "departure": charting_request.name_departure(asked),
        "isFromSea": asked["isAlterFrom"],
        "fromPlace": charting_request.departure_of(asked),
        "toPlace": charting_request.arrival_of(asked),
        "vessel": row.current_vessel_name,
        "departsAt": asked["startDate"],
        "objective": asked["optimizationType"],
        "maxWaveM": wave_limit_m(asked),
        "windLimit": write_wind_limit(asked),
        **planning_state(row, state),
        "failure": state.failure["detail"] if state.failure else None,
        "summary": planned.summary if planned else None,
        "isLate": is_late(planned),
        "isOwn": _is_own(state),
    }


def _is_own(state: ChartingRevision) -> bool:
    """Return whether the user ordered a planning, or a key did whose request names the user."""
    named = state.request.get("triggeredBy") or ""
    orderer = state.queued_by if state.is_queued_by_user else named
    return orderer.casefold() == current_user.email.casefold()


def planning_state(row: Charting, state: ChartingRevision) -> dict[str, Any]:
    """Present a planning's progress and the address that cancels it."""
    return {
        "status": state.status,
        "progress": round(state.progress, 3),
        "stage": state.stage,
        "queuePosition": queue.place_of(state),
        "isCancelling": state.status in ACTIVE and state.cancel_requested_at is not None,
        "cancelAddress": url_for("pages.cancel_planning", charting_id=row.id)
        if current_user.may_plan
        else None,
    }


def run_state(row: Run) -> dict[str, Any]:
    """Present the progress of a run in the background."""
    return {
        "status": row.status,
        "isActive": row.status in ACTIVE,
        "isCancelling": row.cancel_requested_at is not None,
        "percent": round(100.0 * row.progress),
        "stage": row.stage,
    }


def is_late(planned: ChartingRevision | None) -> bool:
    """Return whether a plan arrives after the requested time."""
    warnings = (planned.warnings or []) if planned else []
    return any(warning["code"] == WarningCode.ENDDATE_UNREACHABLE for warning in warnings)


def write_wind_limit(asked: Mapping[str, Any]) -> str | None:
    """Write the wind limit of a request on its scale, or in knots."""
    limit = asked["maxWindBf"]
    if limit is None:
        return None
    return f"{limit:.0f} Bf" if asked["windUnit"] == "bf" else f"{float(ms_to_kn(limit)):.0f} kn"


def positions(
    latest: Sequence[LatestPosition], names: Mapping[UUID, str | None]
) -> list[dict[str, Any]]:
    """List each vessel's last reported position."""
    return [
        {
            "name": names[position.vessel_id],
            "address": url_for("pages.vessel", vessel_id=position.vessel_id),
            "lat": position.lat,
            "lng": position.lng,
            "speedKn": position.speed_kn,
            "headingDeg": position.heading_deg,
            "at": format_instant(position.time),
        }
        for position in latest
        if position.vessel_id in names
    ]


def vessel(row: Vessel) -> dict[str, Any]:
    """Present a vessel with the defaults of its requests."""
    return {
        "id": str(row.id),
        "name": row.name,
        "imo": row.imo,
        "dwt": row.dwt_t,
        "loa": row.loa_m,
        "draftScant": row.draft_scantling_m,
        "defaults": route_orders.find_defaults(row),
    }


def derived_figures(ship: ShipParticulars) -> list[tuple[str, str]]:
    """List a vessel's form ratios by name, and the power that such a ship usually has."""
    found = find_form_figures(ship)
    return [
        ("Displacement", f"{figure(found.displacement_t)} t"),
        ("Block coefficient", figure(found.block_coefficient, 2)),
        ("Length to breadth", figure(found.length_to_breadth, 1)),
        ("Breadth to draught", figure(found.breadth_to_draft, 1)),
        ("Froude number", figure(found.froude_number, 2)),
        ("Usual power", _usual_power(ship)),
    ]


def _usual_power(ship: ShipParticulars) -> str:
    """Describe the power usual for hull and service speed, and one given that disagrees."""
    usual = f"{figure(round(expected_mcr_kw(ship), -1))} kW"
    found = find_power_disagreement(ship)
    return usual if found is None else f"{usual}; check the {figure(found.installed_kw)} kW given"


def list_departures(waypoints: Sequence[Mapping[str, Any]]) -> list[str | None]:
    """List the departure from each waypoint where the ship waits, usual waits included."""
    times = list_leaving_times([WaypointSchema.read(waypoint) for waypoint in waypoints])
    return [None if time is None else format_instant(time) for time in times]
