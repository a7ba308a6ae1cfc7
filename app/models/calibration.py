"""Versions of what a vessel's own reports measure of it."""

from typing import Any
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    SmallInteger,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, CreatedAt, Id, Instant, OrganizationId
from app.models.charting import ChartingStatus


class VesselCalibration(Base):
    """A fit to a vessel's reports, with its evidence; the active one is copied to the vessel.

    ``particulars`` are those that it was fitted to, ``response`` the factors over the estimate
    from them. ``withdrawn_at`` marks an accepted version that was reverted.

    A worker fits it: ``run_status`` says how far that is, ``attempt`` counts how often a worker
    took it up. ``response`` and ``evidence`` are there once it is COMPLETED. A vessel has one
    that is queued or running at most.
    """

    __tablename__ = "vessel_calibration"
    __table_args__ = (
        UniqueConstraint("vessel_id", "number"),
        ForeignKeyConstraint(
            ["organization_id", "vessel_id"], ["vessel.organization_id", "vessel.id"]
        ),
        CheckConstraint(
            "run_status IN ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')",
            name="run_status",
        ),
        Index(
            "uq_vessel_calibration_active",
            "vessel_id",
            unique=True,
            postgresql_where=text("run_status IN ('QUEUED', 'RUNNING')"),
        ),
    )

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    vessel_id: Mapped[UUID]
    number: Mapped[int]
    particulars: Mapped[dict[str, Any]]
    response: Mapped[dict[str, Any] | None]
    evidence: Mapped[dict[str, Any] | None]
    created_at: Mapped[CreatedAt]
    created_by: Mapped[str]
    accepted_at: Mapped[Instant | None]
    accepted_by: Mapped[str | None]
    withdrawn_at: Mapped[Instant | None]
    run_status: Mapped[str] = mapped_column(default=ChartingStatus.QUEUED)
    progress: Mapped[float] = mapped_column(default=0.0, server_default=text("0"))
    stage: Mapped[str | None]
    attempt: Mapped[int] = mapped_column(SmallInteger, default=0, server_default=text("0"))
    failure: Mapped[dict[str, Any] | None]
    heartbeat_at: Mapped[Instant | None]
    finished_at: Mapped[Instant | None]
    cancel_requested_at: Mapped[Instant | None]
