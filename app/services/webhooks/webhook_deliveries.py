"""Delivery attempts of webhooks: claim, send, store the outcome.

No transaction is open while the service waits for a receiver. A lease prevents two
processes from sending the same delivery; if a process dies while sending, the lease
expires and the webhook is sent again with the same id (at-least-once delivery).
"""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy.orm import Session

from app.extensions import chartroom
from app.models import DeliveryStatus, EventKind, WebhookDelivery, WebhookEndpoint, utc_now
from app.records.instants import format_instant
from app.services.platform import events, queue
from app.services.platform.ids import find_row
from app.services.platform.sessions import organization_session
from app.services.webhooks.webhook_dispatch import (
    is_in_turn,
    is_overtaken,
    next_in_order,
    reschedule,
    resume,
)
from app.services.webhooks.webhook_endpoints import drop_pending
from app.services.webhooks.webhook_sending import Outcome, WebhookMessage, send

#: Delays after the first, second, … failed attempt [s]; the sum is just under a day.
DELAYS_S: Final = (5, 60, 300, 1800, 7200, 18_000, 28_800, 28_800)
#: Random relative change of a delay, so that retries do not coincide.
JITTER: Final = 0.2
#: Age of a delivery at its last attempt.
GIVEN_UP_AFTER: Final = timedelta(days=1)
#: Longest pause that a receiver can ask for.
LONGEST_PAUSE: Final = timedelta(hours=1)
#: Duration of a lease; the job's timeout is shorter.
LEASE: Final = timedelta(seconds=2 * queue.DELIVERY_TIMEOUT_S)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A claimed delivery and its message."""

    delivery_id: UUID
    endpoint_id: UUID
    number: int
    message: WebhookMessage


def deliver(organization_id: UUID, delivery_id: UUID) -> None:
    """Attempt a delivery, if it is due and no other process is sending it."""
    with organization_session(organization_id) as session:
        attempt = _claim(session, organization_id, delivery_id)
    if attempt is None:
        return
    outcome = send(attempt.message, chartroom().settings.webhooks_reach)
    with organization_session(organization_id) as session:
        _store_outcome(session, organization_id, attempt, outcome)


def _claim(session: Session, organization_id: UUID, delivery_id: UUID) -> _Attempt | None:
    now = utc_now()
    row = find_row(session, WebhookDelivery, organization_id, lock=True, id=delivery_id)
    if row is None or row.status != DeliveryStatus.PENDING or row.next_attempt_at > now:
        return None
    if row.leased_until is not None and row.leased_until > now:
        return None
    if not is_in_turn(session, row):
        return None
    endpoint = session.get_one(WebhookEndpoint, row.endpoint_id)
    if not endpoint.is_active:
        _end(row, DeliveryStatus.FAILED)
        _queue_next(session, row, endpoint)
        return None
    until = endpoint.paused_until
    if until is not None and not _is_test(row):
        reschedule(session, row, endpoint, until)
        return None
    row.attempt += 1
    row.leased_until = now + LEASE
    message = WebhookMessage(
        endpoint.url, str(row.event_id), events.payload_of(row.event), endpoint.secrets_at(now)
    )
    return _Attempt(row.id, endpoint.id, row.attempt, message)


def _store_outcome(session: Session, owner: UUID, attempt: _Attempt, outcome: Outcome) -> None:
    # the endpoint is locked first, as changes to it do, so that the two cannot deadlock
    endpoint = find_row(session, WebhookEndpoint, owner, lock=True, id=attempt.endpoint_id)
    row = find_row(session, WebhookDelivery, owner, lock=True, id=attempt.delivery_id)
    if endpoint is None or row is None or row.attempt != attempt.number:
        return
    row.attempts = [*row.attempts, _log(outcome)]
    row.leased_until = None
    endpoint.silent_since = (endpoint.silent_since or utc_now()) if outcome.is_slow else None
    if row.status != DeliveryStatus.PENDING:
        return
    if outcome.is_success:
        _end(row, DeliveryStatus.DELIVERED)
        endpoint.failing_since = None
        resume(session, endpoint)
    elif outcome.is_gone and not _is_test(row):
        endpoint.is_active, endpoint.gone_at = False, utc_now()
        drop_pending(session, endpoint)
        return
    else:
        _fail(session, row, endpoint, outcome)
    if row.status != DeliveryStatus.PENDING:
        _queue_next(session, row, endpoint)


def _fail(
    session: Session, row: WebhookDelivery, endpoint: WebhookEndpoint, outcome: Outcome
) -> None:
    """Schedule a retry or give up; ``Retry-After`` pauses the endpoint."""
    now = utc_now()
    is_sent_once = _is_test(row) or is_overtaken(session, row)
    wait_s = None if is_sent_once else _next_wait_s(row, now)
    if not _is_test(row):
        endpoint.failing_since = endpoint.failing_since or now
    pause_s = min(outcome.retry_after_s or 0, LONGEST_PAUSE.total_seconds())
    if pause_s:
        endpoint.rests_until = now + timedelta(seconds=pause_s)
    if wait_s is not None:
        latest = row.created_at + GIVEN_UP_AFTER
        wait = timedelta(seconds=max(wait_s, pause_s))
        reschedule(session, row, endpoint, min(now + wait, latest))
        return
    _end(row, DeliveryStatus.FAILED)


def _is_test(row: WebhookDelivery) -> bool:
    return row.event.kind == EventKind.WEBHOOK_TEST


def _next_wait_s(row: WebhookDelivery, now: datetime) -> float | None:
    """Return the delay before the next attempt [s], or ``None`` if there is none."""
    if row.attempt > len(DELAYS_S) or now >= row.created_at + GIVEN_UP_AFTER:
        return None
    spread = random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - nothing secret
    return DELAYS_S[row.attempt - 1] * spread


def _end(row: WebhookDelivery, status: DeliveryStatus) -> None:
    row.status, row.finished_at = status, utc_now()


def _queue_next(session: Session, row: WebhookDelivery, endpoint: WebhookEndpoint) -> None:
    """Queue the delivery that waited for this one."""
    waiting = next_in_order(session, row)
    if waiting is not None:
        reschedule(session, waiting, endpoint, max(waiting.next_attempt_at, utc_now()))


def _log(outcome: Outcome) -> dict[str, Any]:
    return {
        "at": format_instant(outcome.sent_at),
        "durationMs": outcome.duration_ms,
        "status": outcome.status,
        "error": outcome.error,
        "response": outcome.excerpt,
    }
