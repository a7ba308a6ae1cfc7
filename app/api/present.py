"""How stored things look as JSON."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from app.models import Organization, Vessel
from app.services.chartings import ChartingView
from app.services.instants import format_instant
from app.services.paging import Page


def instant(value: datetime | None) -> str | None:
    """A time, or ``null``."""
    return None if value is None else format_instant(value)


def page(found: Page[Any], present: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """A page of a list."""
    return {
        "items": [present(item) for item in found.items],
        "page": found.page,
        "pageSize": found.page_size,
        "total": found.total,
        "totalPages": found.total_pages,
    }


def organization(row: Organization) -> dict[str, Any]:
    """An organization."""
    return {
        "id": str(row.id),
        "name": row.name,
        "ukcMarginM": row.ukc_margin_m,
        "createdAt": instant(row.created_at),
    }


def vessel(row: Vessel) -> dict[str, Any]:
    """A vessel."""
    return {
        "id": str(row.id),
        "orgId": str(row.organization_id),
        "name": row.name,
        "image": row.image,
        "dateConstructed": row.date_constructed.isoformat(),
        "captain": row.captain,
        "dwt": row.dwt_t,
        "loa": row.loa_m,
        "lbp": row.lbp_m,
        "breadth": row.breadth_m,
        "depth": row.depth_m,
        "draftDesign": row.draft_design_m,
        "serviceSpeed": row.service_speed_kn,
        "draftScant": row.draft_scantling_m,
        "pitch": row.pitch_m,
        "imo": row.imo,
        "type": row.type_code,
        "registrarId": row.registrar_id,
        "owner": row.owner,
        "gt": row.gross_tonnage,
        "fuelType": row.fuel_type,
        "installedPowerKw": row.installed_power_kw,
        "propellerDiameter": row.propeller_diameter_m,
        "createdAt": instant(row.created_at),
        "updatedAt": instant(row.updated_at),
    }


def charting(view: ChartingView, *, with_route: bool = True) -> dict[str, Any]:
    """A charting: the newest request and state, beside the newest plan.

    ``revision`` is the one that the plan is from. Where a newer one is not
    completed, a warning says so.
    """
    state, planned = view.state, view.planned
    plan = planned.plan if with_route and planned.plan else None
    shown = {
        "id": str(view.charting.id),
        "orgId": str(view.charting.organization_id),
        **state.request,
        "vesselName": state.vessel["name"],
        "status": state.status,
        "progress": state.progress,
        "stage": state.stage,
        "failure": state.failure,
        "revision": planned.revision,
        "latestRevision": view.charting.latest_revision,
        "createdAt": instant(view.charting.created_at),
        "queuedAt": instant(state.queued_at),
        "startedAt": instant(state.started_at),
        "finishedAt": instant(state.finished_at),
        "summary": planned.summary,
        "provenance": planned.provenance,
        "warnings": _warnings(view),
        "label": planned.label,
    }
    if with_route:
        shown["waypoints"] = plan["waypoints"] if plan else []
        shown["alternatives"] = plan["alternatives"] if plan else []
    return shown


def _warnings(view: ChartingView) -> list[dict[str, str]]:
    state, planned = view.state, view.planned
    warnings = list(planned.warnings or [])
    if state is not planned:
        detail = (
            f"The route shown is that of revision {planned.revision};"
            f" revision {state.revision} is {state.status}."
        )
        warnings.append({"code": "PLAN_OF_EARLIER_REVISION", "detail": detail})
    return warnings
