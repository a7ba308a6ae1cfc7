"""The record of what admins corrected and deleted."""

from typing import Any, Final
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models import AuditEntry, new_id, utc_now
from app.services.actor import Actor
from app.services.paging import Page, fetch_page

TELEMETRY_CORRECTED: Final = "telemetry.corrected"
TELEMETRY_DELETED: Final = "telemetry.deleted"
CHARTING_DELETED: Final = "charting.deleted"
ACTIONS: Final = (TELEMETRY_CORRECTED, TELEMETRY_DELETED, CHARTING_DELETED)


def record(
    session: Session,
    actor: Actor,
    action: str,
    subject_id: UUID,
    *,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None = None,
) -> None:
    """Keep what was done, in the transaction that does it.

    ``before`` and ``after`` hold JSON types.
    """
    session.add(
        AuditEntry(
            id=new_id(),
            organization_id=actor.organization_id,
            created_at=utc_now(),
            actor=actor.name,
            action=action,
            subject_id=subject_id,
            before=before,
            after=after,
        )
    )


def list_page(
    session: Session, organization_id: UUID, page: int, page_size: int
) -> Page[AuditEntry]:
    """A page of an organization's entries, newest first."""
    query = select(AuditEntry).where(AuditEntry.organization_id == organization_id)
    return fetch_page(session, query.order_by(AuditEntry.id.desc()), page, page_size)
