"""What admins corrected and deleted, kept for good: rows are added, never changed."""

from typing import Any
from uuid import UUID

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, CreatedAt, Id, OrganizationId


class AuditEntry(Base):
    """One correction or deletion.

    ``action`` is such as ``telemetry.deleted``; ``subject_id`` the vessel or charting, ``before``
    and ``after`` what it was and became, as the API shows it. The working roles may read and
    insert, not update or delete.
    """

    __tablename__ = "audit_entry"
    __table_args__ = (Index("ix_audit_entry_organization_id_id", "organization_id", "id"),)

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    created_at: Mapped[CreatedAt]
    actor: Mapped[str]
    action: Mapped[str] = mapped_column()
    subject_id: Mapped[UUID]
    before: Mapped[dict[str, Any] | None]
    after: Mapped[dict[str, Any] | None]
