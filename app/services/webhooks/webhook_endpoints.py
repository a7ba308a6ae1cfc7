"""Webhook endpoints of an organization, and their secrets."""

import base64
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.engine.formatting import format_time
from app.extensions import chartroom
from app.models import DeliveryStatus, EventKind, Role, WebhookDelivery, WebhookEndpoint, utc_now
from app.services.errors import Conflict
from app.services.identity import organizations
from app.services.platform.actor import Actor
from app.services.platform.ids import get_row, lock_row
from app.services.problem_codes import ProblemCode
from app.services.webhooks.webhook_addresses import check_url
from app.services.webhooks.webhook_dispatch import resume

#: Events that an endpoint can subscribe to; a test needs no subscription.
SUBSCRIBABLE_EVENTS: Final = tuple(kind for kind in EventKind if kind != EventKind.WEBHOOK_TEST)

#: Largest number of endpoints of an organization.
MOST_ENDPOINTS: Final = 20

_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Revealed:
    """An endpoint with its secret as text, ``whsec_…``, returned only once."""

    endpoint: WebhookEndpoint
    secret: str


def find_required_role(session: Session, actor: Actor) -> Role:
    """Role that manages webhooks: admins, or planners if their organization's settings allow it."""
    organization = organizations.get(session, actor.organization_id)
    return Role.PLANNER if organization.planners_manage_webhooks else Role.ADMIN


def require_right(session: Session, actor: Actor) -> None:
    """Raise :class:`NotAllowed` unless the actor may manage webhooks."""
    actor.require(find_required_role(session, actor))


def create(session: Session, actor: Actor, wanted: Mapping[str, Any]) -> Revealed:
    """Register an endpoint; raises :class:`Invalid` for a URL that is not allowed."""
    require_right(session, actor)
    check_url(wanted["url"], chartroom().settings.webhooks_reach)
    if _count(session, actor.organization_id) >= MOST_ENDPOINTS:
        raise Conflict(f"An organization has at most {MOST_ENDPOINTS} webhooks; delete one first.")
    endpoint = WebhookEndpoint(
        organization_id=actor.organization_id,
        secret=secrets.token_bytes(_SECRET_BYTES),
        created_by=actor.name,
        **wanted,
    )
    session.add(endpoint)
    session.flush()
    return Revealed(endpoint, format_secret(endpoint.secret))


def list_endpoints(session: Session, actor: Actor) -> list[WebhookEndpoint]:
    """All endpoints of the actor's organization, newest first."""
    require_right(session, actor)
    query = select(WebhookEndpoint).where(WebhookEndpoint.organization_id == actor.organization_id)
    return list(session.scalars(query.order_by(WebhookEndpoint.id.desc())))


def get(session: Session, actor: Actor, endpoint_id: str) -> WebhookEndpoint:
    """Get an endpoint that the actor may manage; raises :class:`NotFound`."""
    require_right(session, actor)
    query = select(WebhookEndpoint).filter_by(organization_id=actor.organization_id)
    return get_row(session, query, endpoint_id, "webhook")


def change(
    session: Session, endpoint: WebhookEndpoint, wanted: Mapping[str, Any]
) -> WebhookEndpoint:
    """Change an endpoint; switching it off drops its pending deliveries.

    Any change ends a pause; switching it on or changing its URL resets its record of failures.
    Raises :class:`Invalid` for a URL that is not allowed, unless it stays as it is: then the
    endpoint can be changed and switched off, but not on.
    """
    # waits for dispatches that have found the endpoint active, and drops what they made
    lock_row(session, endpoint, "webhook")
    is_new = wanted["url"] != endpoint.url or not endpoint.is_active
    is_on = wanted.get("is_active", endpoint.is_active)
    if wanted["url"] != endpoint.url or (is_on and not endpoint.is_active):
        check_url(wanted["url"], chartroom().settings.webhooks_reach)
    for name, value in wanted.items():
        setattr(endpoint, name, value)
    endpoint.updated_at = utc_now()
    if endpoint.is_active and is_new:
        endpoint.gone_at = endpoint.failing_since = endpoint.silent_since = None
    session.flush()
    if not endpoint.is_active:
        drop_pending(session, endpoint)
    resume(session, endpoint)
    return endpoint


def rotate(session: Session, endpoint: WebhookEndpoint, overlap: timedelta) -> Revealed:
    """Create a new secret of an endpoint; the old one also signs for ``overlap``.

    Raises :class:`Conflict` while the one before it still signs, unless there is no overlap:
    only two secrets sign at a time.
    """
    lock_row(session, endpoint, "webhook")
    now = utc_now()
    if overlap and len(endpoint.secrets_at(now)) > 1:
        until = format_time(endpoint.previous_secret_until or now)
        raise Conflict(
            f"The secret was rotated already, and the previous one signs until {until}. Rotate"
            " again after that, or without an overlap, which ends both secrets at once.",
            code=ProblemCode.SECRET_ROTATED,
        )
    endpoint.previous_secret = endpoint.secret if overlap else None
    endpoint.previous_secret_until = now + overlap if overlap else None
    endpoint.secret = secrets.token_bytes(_SECRET_BYTES)
    endpoint.updated_at = now
    session.flush()
    return Revealed(endpoint, format_secret(endpoint.secret))


def delete(session: Session, endpoint: WebhookEndpoint) -> None:
    """Delete an endpoint with its log; pending deliveries are not sent again."""
    session.delete(endpoint)
    session.flush()


def drop_pending(session: Session, endpoint: WebhookEndpoint) -> None:
    """Give up pending deliveries to an endpoint that is switched off."""
    session.execute(
        update(WebhookDelivery)
        .where(
            WebhookDelivery.endpoint_id == endpoint.id,
            WebhookDelivery.status == DeliveryStatus.PENDING,
        )
        .values(status=DeliveryStatus.FAILED, finished_at=utc_now())
    )


def _count(session: Session, organization_id: UUID) -> int:
    mine = WebhookEndpoint.organization_id == organization_id
    return session.scalar(select(func.count()).select_from(WebhookEndpoint).where(mine)) or 0


def format_secret(secret: bytes) -> str:
    """Format a secret as clients use it."""
    return f"whsec_{base64.b64encode(secret).decode()}"
