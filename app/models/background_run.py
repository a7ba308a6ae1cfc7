"""Columns shared by tables of background runs."""

from typing import Any

from sqlalchemy import SmallInteger, text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import CreatedAt, Id, Instant, OrganizationId
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
