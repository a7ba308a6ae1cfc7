"""How stored things look as JSON."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from app.engine.codes import WarningCode
from app.models import AreaRecord
from app.records.facts import FactsSchema
from app.records.instants import format_instant
from app.records.record import Json
from app.services import queue
from app.services.actor import Actor
from app.services.areas import may_change
from app.services.chartings import ChartingView
from app.services.paging import Page
from app.services.plan_codec import read_facts


def instant(value: datetime | None) -> str | None:
    """A time, or ``null``."""
    return None if value is None else format_instant(value)


def listed(found: Sequence[Any], write: Callable[[Any], Json]) -> Json:
    """Write a whole list."""
    return {"items": [*map(write, found)], "total": len(found)}


def page(found: Page[Any], write: Callable[[Any], Json]) -> Json:
    """Write a page of a list."""
    return {
        "items": [*map(write, found.items)],
        "page": found.page,
        "pageSize": found.page_size,
        "total": found.total,
        "totalPages": found.total_pages,
    }


def area(row: AreaRecord, reader: Actor) -> Json:
    """A constraint or client data entry, as one of its readers may see it.

    Of an operator's constraint other organizations learn neither who else it
    binds nor who made it.
    """
    is_own = row.organization_id == reader.organization_id
    listed = [id_ for id_ in row.organization_ids or [] if is_own or id_ == reader.organization_id]
    return {
        "id": str(row.id),
        "name": row.name,
        "geometry": row.drawn,
        "type": row.type,
        "level": row.level,
        "start_date": row.start_date.isoformat() if row.start_date else None,
        "end_date": row.end_date.isoformat() if row.end_date else None,
        "is_active": row.is_active,
        "description": row.description,
        "orgIds": [str(id_) for id_ in listed],
        "vesselTypeIds": [str(code) for code in row.vessel_type_codes or []],
        "readOnly": not may_change(reader, row),
        "createdAt": instant(row.created_at),
        "createdBy": row.created_by if is_own else "operator",
        "updatedAt": instant(row.updated_at),
        "updatedBy": row.updated_by if is_own else "operator",
    }


def charting(view: ChartingView, *, with_route: bool = True) -> Json:
    """A charting: the newest plan and the request it answers, beside the newest state.

    ``revision`` is the one that plan and request are from. Where a newer one is
    not completed, a warning says so.
    """
    state, planned = view.state, view.planned
    plan = planned.plan if with_route and planned.plan else None
    shown = {
        "id": str(view.charting.id),
        "orgId": str(view.charting.organization_id),
        **planned.request,
        "vesselName": planned.vessel["name"],
        "status": state.status,
        "progress": state.progress,
        "stage": state.stage,
        "queuePosition": queue.place_of(state),
        "failure": state.failure,
        "revision": planned.revision,
        "latestRevision": view.charting.latest_revision,
        "createdAt": instant(view.charting.created_at),
        "archivedAt": instant(view.charting.archived_at),
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
        shown["facts"] = FactsSchema.write(read_facts(plan)) if plan else None
        shown["alternatives"] = plan["alternatives"] if plan else []
        shown["front"] = plan.get("front", []) if plan else []
    return shown


def _warnings(view: ChartingView) -> list[dict[str, str]]:
    state, planned = view.state, view.planned
    warnings = list(planned.warnings or [])
    if state is not planned:
        detail = (
            f"The request and the route shown are those of revision {planned.revision};"
            f" revision {state.revision} is {state.status}. Read it with"
            f" ?revision={state.revision}."
        )
        warnings.append({"code": str(WarningCode.PLAN_OF_EARLIER_REVISION), "detail": detail})
    return warnings
