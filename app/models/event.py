"""Events of the outbox, and responses stored for repeated requests."""

from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    Identity,
    Index,
    LargeBinary,
    PrimaryKeyConstraint,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import SECRET, Base, CreatedAt, Id, Instant, OrganizationId


class EventKind(StrEnum):
    """Kinds of events."""

    CHARTING_STARTED = "charting.started"
    CHARTING_COMPLETED = "charting.completed"
    CHARTING_FAILED = "charting.failed"
    CHARTING_CANCELLED = "charting.cancelled"
    CHARTING_DEPARTURES = "charting.departures"
    CHARTING_ADVICE = "charting.advice"
    VOYAGE_STARTED = "voyage.started"
    VOYAGE_FINISHED = "voyage.finished"
    VOYAGE_ABANDONED = "voyage.abandoned"
    WEBHOOK_TEST = "webhook.test"


class Event(Base):
    """An event, written in the transaction that causes it (outbox).

    ``sequence`` numbers the events. ``transaction`` is the id of the transaction that wrote it,
    plus 2^40 for each epoch: a restore begins one, because another cluster counts transactions
    from the beginning. ``dispatched_at`` is set when its deliveries to all subscribed endpoints
    are created.
    """

    __tablename__ = "event"
    __table_args__ = (
        UniqueConstraint("organization_id", "id", name="uq_event_organization_id_id"),
        Index("ix_event_created_at", "created_at"),
        Index("ix_event_pending", "sequence", postgresql_where=text("dispatched_at IS NULL")),
        Index("ix_event_stream", "organization_id", "transaction", "sequence"),
    )

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    sequence: Mapped[int] = mapped_column(BigInteger, Identity(always=True))
    transaction: Mapped[int] = mapped_column(
        BigInteger, server_default=text("event_transaction(pg_current_xact_id())")
    )
    kind: Mapped[str]
    subject_id: Mapped[UUID]
    payload: Mapped[dict[str, Any]]
    created_at: Mapped[CreatedAt]
    dispatched_at: Mapped[Instant | None]


class IdempotencyRecord(Base):
    """The stored response of a request with an idempotency key.

    It is written in the transaction that did the work, so that both are stored or
    neither is.
    """

    __tablename__ = "idempotency_record"
    __table_args__ = (PrimaryKeyConstraint("organization_id", "key"),)

    organization_id: Mapped[OrganizationId]
    key: Mapped[str]
    request_sha256: Mapped[bytes] = mapped_column(LargeBinary(32), info=SECRET)
    status: Mapped[int]
    headers: Mapped[dict[str, Any]]
    body: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[CreatedAt]
