"""Advice to ships under way."""

from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import Index, text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, CreatedAt, Id, Instant, OrganizationId, one_of, refer_to


class AdviceState(StrEnum):
    """State of an advice."""

    OPEN = "OPEN"
    ACCEPTED = "ACCEPTED"
    DECLINED = "DECLINED"
    EXPIRED = "EXPIRED"
    SUPERSEDED = "SUPERSEDED"


class VoyageAdvice(Base):
    """An advice to a voyage that follows ``revision``, by the forecast runs in ``weather``.

    ``content`` is the advice as served. ``accepted_revision`` is the revision planned after its
    acceptance. ``mail_due_at`` is the time of its next mail attempt, if any.
    """

    __tablename__ = "voyage_advice"
    __table_args__ = (
        refer_to("charting", cascade=True),
        one_of("state", AdviceState),
        Index("ix_voyage_advice_charting_id", "organization_id", "charting_id"),
        Index(
            "ix_voyage_advice_mail_due",
            "mail_due_at",
            postgresql_where=text("mail_due_at IS NOT NULL"),
        ),
    )

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    charting_id: Mapped[UUID]
    revision: Mapped[int]
    weather: Mapped[str]
    content: Mapped[dict[str, Any]]
    act_by: Mapped[Instant]
    state: Mapped[str] = mapped_column(default=AdviceState.OPEN)
    created_at: Mapped[CreatedAt]
    answered_at: Mapped[Instant | None]
    answered_by: Mapped[str | None]
    answer_reason: Mapped[str | None]
    accepted_revision: Mapped[int | None]
    mail_due_at: Mapped[Instant | None]
