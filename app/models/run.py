"""Runs that workers carry out: what their tables share, and those for vessels."""

from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import Index, SmallInteger, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import SchemaItem

from app.models.base import (
    DERIVED,
    Base,
    CreatedAt,
    Id,
    Instant,
    OrganizationId,
    one_of,
    refer_to,
    utc_now,
)


class ChartingStatus(StrEnum):
    """Status of a run: of a revision, a comparison, a calibration or an import."""

    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


ACTIVE = frozenset({ChartingStatus.QUEUED, ChartingStatus.RUNNING})


class Run(Base):
    """A run of a worker.

    ``attempt`` counts the workers that have started it, so that a superseded worker can be
    recognised.
    """

    __abstract__ = True

    organization_id: Mapped[OrganizationId]
    status: Mapped[str] = mapped_column(default=ChartingStatus.QUEUED)
    progress: Mapped[float] = mapped_column(default=0.0, server_default=text("0"))
    stage: Mapped[str | None]
    attempt: Mapped[int] = mapped_column(SmallInteger, default=0, server_default=text("0"))
    failure: Mapped[dict[str, Any] | None]
    heartbeat_at: Mapped[Instant | None]
    finished_at: Mapped[Instant | None]
    cancel_requested_at: Mapped[Instant | None]

    def end(self, status: ChartingStatus, failure: dict[str, Any] | None = None) -> None:
        """End the run with a status, and with the reason if it failed."""
        self.status, self.stage, self.failure = status, None, failure
        self.finished_at = utc_now()


class BackgroundRun(Run):
    """A run for a vessel."""

    __abstract__ = True

    id: Mapped[Id]
    vessel_id: Mapped[UUID]
    created_at: Mapped[CreatedAt]
    created_by: Mapped[str]
    status: Mapped[str] = mapped_column("run_status", default=ChartingStatus.QUEUED)


def constrain_runs(table: str) -> tuple[SchemaItem, ...]:
    """Return the constraints of runs for vessels: at most one of a vessel is queued or running."""
    return (
        refer_to("vessel"),
        one_of("run_status", ChartingStatus),
        Index(
            f"uq_{table}_active",
            "vessel_id",
            unique=True,
            postgresql_where=text("run_status IN ('QUEUED', 'RUNNING')"),
        ),
    )


class NoonImport(BackgroundRun):
    """Import of a file of a vessel's noon reports, with the request and the result.

    ``content`` is stored until the import has ended. At most one import of a vessel is queued or
    running.
    """

    __tablename__ = "noon_import"
    __table_args__ = constrain_runs("noon_import")

    content: Mapped[bytes | None] = mapped_column(deferred=True, info=DERIVED)
    asked: Mapped[dict[str, Any]]
    result: Mapped[dict[str, Any] | None]


class VesselCalibration(BackgroundRun):
    """A fit to a vessel's reports, with its evidence; the active one is copied to the vessel.

    ``particulars`` are those that it was fitted to, ``response`` the factors on the estimate
    from these. ``withdrawn_at`` marks an accepted version that was reverted.

    A worker fits it: ``response`` and ``evidence`` are set when it is COMPLETED. At most one
    calibration of a vessel is queued or running.
    """

    __tablename__ = "vessel_calibration"
    __table_args__ = (
        UniqueConstraint("vessel_id", "number"),
        *constrain_runs("vessel_calibration"),
    )

    number: Mapped[int]
    particulars: Mapped[dict[str, Any]]
    response: Mapped[dict[str, Any] | None]
    evidence: Mapped[dict[str, Any] | None]
    accepted_at: Mapped[Instant | None]
    accepted_by: Mapped[str | None]
    withdrawn_at: Mapped[Instant | None]
