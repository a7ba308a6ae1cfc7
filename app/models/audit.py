"""Audit record of actions with actor and origin; rows are added, never changed."""

from typing import Any
from uuid import UUID

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, CreatedAt, Id, OrganizationId


class AuditEntry(Base):
    """One change, sign-in or export.

    ``action`` is a name such as ``telemetry.deleted``; ``origin`` the network address, ``None``
    for an operator's command; ``subject_id`` the vessel, charting, key or user; ``before`` and
    ``after`` its changed values. The web and worker roles may read and insert, but not update or
    delete.
    """

    __tablename__ = "audit_entry"
    __table_args__ = (
        Index("ix_audit_entry_organization_id_id", "organization_id", "id"),
        Index(
            "ix_audit_entry_organization_id_subject_id_id", "organization_id", "subject_id", "id"
        ),
    )

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    created_at: Mapped[CreatedAt]
    actor: Mapped[str]
    origin: Mapped[str | None]
    action: Mapped[str] = mapped_column()
    subject_id: Mapped[UUID]
    before: Mapped[dict[str, Any] | None]
    after: Mapped[dict[str, Any] | None]
