"""Automatic audit entries for changes to an organization's rows, in the changing transaction.

A session event adds an entry for each row of an :data:`AUDITED` table that is created, changed or
deleted. ``g.acting`` holds the actor and the network address; secrets are never recorded.
"""

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from enum import Enum
from typing import Any, Final
from uuid import UUID

from flask import g
from sqlalchemy import event, inspect
from sqlalchemy.orm import ColumnProperty, Session, UOWTransaction

from app.datasources.geojson import list_positions
from app.extensions import chartroom
from app.models import (
    ApiKey,
    AreaRecord,
    AuditEntry,
    Base,
    Charting,
    Organization,
    User,
    Vessel,
    WebhookEndpoint,
    new_id,
)

#: Audited tables, with the name of each kind in the record.
AUDITED: Final[dict[type[Base], str]] = {
    ApiKey: "key",
    AreaRecord: "area",
    Charting: "charting",
    Organization: "organization",
    User: "user",
    Vessel: "vessel",
    WebhookEndpoint: "webhook",
}
#: Columns that are not recorded: bookkeeping, and the geometry that is derived from ``drawn``.
_LEFT_OUT: Final = frozenset(
    {"id", "organization_id", "created_at", "updated_at", "version", "geometry",
     "last_used_at", "last_signed_in_at", "silent_since", "completed_revision"}
)  # fmt: skip
_OPERATOR: Final = "operator"


def name_actor(actor: str, origin: str | None) -> None:
    """Set the actor and the network address of this request's further changes."""
    g.acting = (actor, origin)


@event.listens_for(Session, "before_flush")
def _record_changes(session: Session, _context: UOWTransaction, _instances: object) -> None:
    """Add an entry for each change that is about to be written."""
    if chartroom().settings.process_role != "web":
        return
    entries = [*_entries(session)]
    session.add_all(entries)


def _entries(session: Session) -> Iterator[AuditEntry]:
    for row, verb in (
        *((row, "created") for row in session.new),
        *((row, "changed") for row in session.dirty),
        *((row, "deleted") for row in session.deleted),
    ):
        kind = AUDITED.get(type(row))
        if kind is None or (kind == "organization" and verb == "created"):
            continue
        if row.id is None:  # the database would assign it later, but the entry needs it now
            row.id = new_id()
        before, after = _difference(row)
        if verb == "deleted":
            before, after = _shown(row), {}
        if before or after:
            organization_id = row.id if kind == "organization" else row.organization_id
            yield build_entry(organization_id, f"{kind}.{verb}", row.id, before, after)


def build_entry(
    organization_id: UUID,
    action: str,
    subject_id: UUID,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
    actor: str | None = None,
) -> AuditEntry:
    """Build an entry by ``actor``, or else by who is acting; values are in JSON types."""
    acting, origin = g.get("acting", (_OPERATOR, None))
    return AuditEntry(
        organization_id=organization_id,
        actor=actor or acting,
        origin=origin,
        action=action,
        subject_id=subject_id,
        before=before or None,
        after=after or None,
    )


def _difference(row: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the changed columns' old and new values."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for attribute in inspect(row).mapper.column_attrs:
        history = inspect(row).attrs[attribute.key].history
        if attribute.key in _LEFT_OUT or not history.has_changes():
            continue
        is_secret = _is_secret(attribute)
        for values, kept in ((history.deleted, before), (history.added, after)):
            if values and values[0] is not None:
                name = f"{attribute.key.split('_')[0]}Changed" if is_secret else attribute.key
                kept[name] = True if is_secret else _recorded(attribute, values[0])
    return before, after


def _shown(row: Any) -> dict[str, Any]:
    return {
        attribute.key: _recorded(attribute, getattr(row, attribute.key))
        for attribute in inspect(row).mapper.column_attrs
        if attribute.key not in _LEFT_OUT and not _is_secret(attribute)
    }


def _is_secret(attribute: ColumnProperty[Any]) -> bool:
    return bool(attribute.columns[0].info.get("secret")) or "secret" in attribute.key


def _recorded(attribute: ColumnProperty[Any], value: Any) -> Any:
    """A column's value in JSON types; an area's outline, which is large, as its description."""
    return _describe_outline(value) if attribute.key == "drawn" else _plain(value)


def _describe_outline(drawn: dict[str, Any]) -> dict[str, Any]:
    """Extent, size and digest of a GeoJSON geometry; outlines that differ differ in the digest."""
    positions = list_positions(drawn)
    lngs, lats = zip(*(position[:2] for position in positions), strict=True)
    digest = hashlib.sha256(json.dumps(drawn, sort_keys=True).encode()).hexdigest()
    return {
        "type": drawn["type"],
        "vertices": len(positions),
        "bbox": [round(float(each), 4) for each in (min(lngs), min(lats), max(lngs), max(lats))],
        "sha256": digest,
    }


def _plain(value: Any) -> Any:
    """A value in JSON types."""
    if isinstance(value, Enum):
        return str(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    return str(value) if isinstance(value, UUID) else str(value)[:1000]
