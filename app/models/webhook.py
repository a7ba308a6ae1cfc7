"""Webhooks: endpoints that receive an organization's events, and their deliveries."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import BigInteger, Index, LargeBinary, SmallInteger, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.models.base import (
    SECRET,
    Base,
    CreatedAt,
    Id,
    Instant,
    OrganizationId,
    one_of,
    refer_to,
    utc_now,
)
from app.models.event import Event

#: Time without a success after which an endpoint is ``FAILING``.
FAILING_AFTER: Final = timedelta(days=1)


class EndpointState(StrEnum):
    """State of an endpoint: ``GONE`` answered 410, ``FAILING`` has failed for a day."""

    ACTIVE = "ACTIVE"
    FAILING = "FAILING"
    GONE = "GONE"
    DISABLED = "DISABLED"


class DeliveryStatus(StrEnum):
    """Status of a delivery."""

    PENDING = "PENDING"
    DELIVERED = "DELIVERED"
    FAILED = "FAILED"


class WebhookEndpoint(Base):
    """An address that receives an organization's events.

    Signing needs the secret itself, so unlike a key's it is stored. The previous
    one also signs until ``previous_secret_until``. Nothing is sent before
    ``rests_until``, which follows from ``Retry-After``. ``failing_since`` is the time of
    the first failed attempt since the last success, tests apart. ``silent_since`` is the time
    of the first attempt without a prompt response since the last prompt response.
    """

    __tablename__ = "webhook_endpoint"
    __table_args__ = (
        UniqueConstraint("organization_id", "id", name="uq_webhook_endpoint_organization_id_id"),
    )

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    url: Mapped[str]
    event_kinds: Mapped[list[str]] = mapped_column(ARRAY(Text))
    description: Mapped[str | None]
    secret: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    previous_secret: Mapped[bytes | None] = mapped_column(LargeBinary, info=SECRET)
    previous_secret_until: Mapped[Instant | None]
    is_active: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    gone_at: Mapped[Instant | None]
    failing_since: Mapped[Instant | None]
    rests_until: Mapped[Instant | None]
    silent_since: Mapped[Instant | None]
    created_at: Mapped[CreatedAt]
    created_by: Mapped[str]
    updated_at: Mapped[CreatedAt]

    @property
    def state(self) -> EndpointState:
        """State of the endpoint."""
        if self.gone_at is not None:
            return EndpointState.GONE
        if not self.is_active:
            return EndpointState.DISABLED
        since = self.failing_since
        is_failing = since is not None and since + FAILING_AFTER <= utc_now()
        return EndpointState.FAILING if is_failing else EndpointState.ACTIVE

    @property
    def paused_until(self) -> datetime | None:
        """End of a pause that has not ended yet."""
        until = self.rests_until
        return until if until is not None and until > utc_now() else None

    def secrets_at(self, now: datetime) -> tuple[bytes, ...]:
        """The secrets to sign with, the present one first."""
        until = self.previous_secret_until
        if self.previous_secret is None or until is None or until <= now:
            return (self.secret,)
        return (self.secret, self.previous_secret)


class WebhookDelivery(Base):
    """Delivery of one event to one endpoint.

    Deliveries of one ``subject_id`` to one endpoint are sent in the order of ``sequence``,
    each after the previous one is no longer pending; see
    :func:`app.services.webhooks.webhook_dispatch.is_in_turn`. The sending process has a lease
    until ``leased_until``; ``attempts`` has the result of each attempt.
    """

    __tablename__ = "webhook_delivery"
    __table_args__ = (
        UniqueConstraint("event_id", "endpoint_id", name="uq_webhook_delivery_event_id"),
        refer_to("webhook_endpoint", "endpoint_id", cascade=True),
        refer_to("event", cascade=True),
        one_of("status", DeliveryStatus),
        Index("ix_webhook_delivery_endpoint_id", "endpoint_id", "id"),
        Index(
            "ix_webhook_delivery_pending",
            "endpoint_id",
            "subject_id",
            "sequence",
            postgresql_where=text("status = 'PENDING'"),
        ),
    )

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    endpoint_id: Mapped[UUID]
    event_id: Mapped[UUID]
    subject_id: Mapped[UUID]
    sequence: Mapped[int] = mapped_column(BigInteger)
    status: Mapped[str] = mapped_column(default=DeliveryStatus.PENDING)
    attempt: Mapped[int] = mapped_column(SmallInteger, default=0, server_default=text("0"))
    attempts: Mapped[list[dict[str, Any]]] = mapped_column(default=list)
    next_attempt_at: Mapped[Instant] = mapped_column(default=utc_now)
    leased_until: Mapped[Instant | None]
    created_at: Mapped[CreatedAt]
    finished_at: Mapped[Instant | None]

    event: Mapped[Event] = relationship(viewonly=True)
