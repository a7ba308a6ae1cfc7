"""How stored things look as JSON."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from app.models import Organization, Vessel
from app.services.paging import Page


def instant(value: datetime | None) -> str | None:
    """RFC 3339 in UTC with ``Z``; milliseconds only where there are some."""
    if value is None:
        return None
    spec = "milliseconds" if value.microsecond else "seconds"
    return value.astimezone(UTC).isoformat(timespec=spec).replace("+00:00", "Z")


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
