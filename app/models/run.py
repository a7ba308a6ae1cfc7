"""Runs that workers carry out: what their tables share."""

from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import Index, SmallInteger, text
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import SchemaItem

from app.models.base import (
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
