"""Versions of what a vessel's own reports measure of it."""

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKeyConstraint, UniqueConstraint
from sqlalchemy.orm import Mapped

from app.models.base import Base, CreatedAt, Id, Instant, OrganizationId


class VesselCalibration(Base):
    """A fit to a vessel's reports, with its evidence; the active one is copied to the vessel.

    ``particulars`` are those that it was fitted to, ``response`` the factors over the estimate
    from them. ``withdrawn_at`` marks an accepted version that was reverted.
    """

    __tablename__ = "vessel_calibration"
    __table_args__ = (
        UniqueConstraint("vessel_id", "number"),
        ForeignKeyConstraint(
            ["organization_id", "vessel_id"], ["vessel.organization_id", "vessel.id"]
        ),
    )

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    vessel_id: Mapped[UUID]
    number: Mapped[int]
    particulars: Mapped[dict[str, Any]]
    response: Mapped[dict[str, Any]]
    evidence: Mapped[dict[str, Any]]
    created_at: Mapped[CreatedAt]
    created_by: Mapped[str]
    accepted_at: Mapped[Instant | None]
    accepted_by: Mapped[str | None]
    withdrawn_at: Mapped[Instant | None]
