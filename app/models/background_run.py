"""Columns and constraints shared by tables of background runs."""

from typing import Any

from sqlalchemy import Index, SmallInteger, text
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import SchemaItem

from app.models.base import CreatedAt, Id, Instant, OrganizationId, one_of, refer_to
from app.models.charting import ChartingStatus


class BackgroundRun:
    """Columns of a run that a worker carries out.

    ``attempt`` counts the workers that have started it.
    """

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    created_at: Mapped[CreatedAt]
    status: Mapped[str] = mapped_column("run_status", default=ChartingStatus.QUEUED)
    progress: Mapped[float] = mapped_column(default=0.0, server_default=text("0"))
    stage: Mapped[str | None]
    attempt: Mapped[int] = mapped_column(SmallInteger, default=0, server_default=text("0"))
    failure: Mapped[dict[str, Any] | None]
    heartbeat_at: Mapped[Instant | None]
    finished_at: Mapped[Instant | None]
    cancel_requested_at: Mapped[Instant | None]


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
