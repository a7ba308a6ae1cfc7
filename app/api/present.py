"""Stored records as JSON."""

from collections.abc import Callable, Sequence
from typing import Any

from app.models import AreaRecord
from app.records.instants import write_instant
from app.records.record import Json
from app.services.areas.areas import describe, may_change
from app.services.areas.geojson import wrap_area
from app.services.platform.actor import Actor
from app.services.platform.paging import Page


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
    """Write a constraint or client data entry for one of its readers.

    An operator's constraint shows other organizations neither which others it applies to nor who
    created it.
    """
    is_own = row.organization_id == reader.organization_id
    listed = [id_ for id_ in row.organization_ids or [] if is_own or id_ == reader.organization_id]
    return {
        "id": str(row.id),
        "geometry": wrap_area(row.drawn),
        **describe(row),
        "orgIds": [str(id_) for id_ in listed],
        "vesselTypeIds": [str(code) for code in row.vessel_type_codes or []],
        "readOnly": not may_change(reader, row),
        "createdAt": write_instant(row.created_at),
        "createdBy": row.created_by if is_own else "operator",
        "updatedAt": write_instant(row.updated_at),
        "updatedBy": row.updated_by if is_own else "operator",
    }
