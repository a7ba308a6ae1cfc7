"""Executions of voyages."""

from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import Index, PrimaryKeyConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, Instant, OrganizationId, one_of, refer_to


class ExecutionState(StrEnum):
    """State of a voyage's execution."""

    EXPECTED = "EXPECTED"
    UNDER_WAY = "UNDER_WAY"
    FINISHED = "FINISHED"
    ABANDONED = "ABANDONED"


class VoyageExecution(Base):
    """Execution of a charting's plan, from its expected departure to the arrival.

    ``revision`` is the followed plan, ``departed_revision`` the one followed at the departure.
    ``progress``, ``position_faults`` and ``is_ambiguous`` are results of the last position check,
    at ``monitored_at``; the next one is due at ``due_at``.
    ``outlook`` is the result of the last re-planning check, at ``watched_at``, with the forecast
    runs in ``watched_weather``; the next one is due at ``watch_due_at``. ``end_reason`` is the
    reason for abandoning the voyage, ``reopened_at`` the time of its last start after it had
    finished.
    """

    __tablename__ = "voyage_execution"
    __table_args__ = (
        PrimaryKeyConstraint("charting_id"),
        refer_to("charting", cascade=True),
        refer_to("vessel"),
        one_of("state", ExecutionState),
        Index(
            "uq_voyage_execution_vessel_under_way",
            "organization_id",
            "vessel_id",
            unique=True,
            postgresql_where=text("state = 'UNDER_WAY'"),
        ),
        Index(
            "ix_voyage_execution_due",
            "due_at",
            postgresql_where=text("state IN ('EXPECTED', 'UNDER_WAY')"),
        ),
        Index(
            "ix_voyage_execution_watch_due",
            "watch_due_at",
            postgresql_where=text("state = 'UNDER_WAY' AND watch_due_at IS NOT NULL"),
        ),
    )

    organization_id: Mapped[OrganizationId]
    charting_id: Mapped[UUID]
    vessel_id: Mapped[UUID]
    revision: Mapped[int]
    departed_revision: Mapped[int | None]
    state: Mapped[str]
    departed_at: Mapped[Instant | None]
    started_by: Mapped[str | None]
    ended_at: Mapped[Instant | None]
    ended_by: Mapped[str | None]
    end_reason: Mapped[str | None]
    reopened_at: Mapped[Instant | None]
    progress: Mapped[dict[str, Any] | None]
    position_faults: Mapped[list[dict[str, Any]] | None]
    is_ambiguous: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    monitored_at: Mapped[Instant | None]
    due_at: Mapped[Instant]
    watched_at: Mapped[Instant | None]
    watch_due_at: Mapped[Instant | None]
    watched_weather: Mapped[str | None]
    outlook: Mapped[dict[str, Any] | None]
