"""Dispatch of events to webhook deliveries, and the sweep that queues lost ones again.

Events are rows of the transactions that caused them. Dispatching creates a delivery of
each new event for each subscribed endpoint, in one transaction. Jobs carry only ids: the
sweep restores a lost queue.
"""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import Select, delete, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, aliased, contains_eager

from app.models import (
    DeliveryStatus,
    Event,
    EventKind,
    WebhookDelivery,
    WebhookEndpoint,
    new_id,
    utc_now,
)
from app.records.texts import in_words
from app.services.errors import Conflict
from app.services.platform import queue
from app.services.platform.ids import get_row
from app.services.platform.paging import Page, fetch_page
from app.services.platform.sessions import after_commit, cross_tenant_session, organization_session

#: Retention of events and of their delivery log.
KEPT_FOR: Final = timedelta(days=30)
#: Age up to which an event may not have been dispatched yet.
GRACE: Final = timedelta(seconds=10)

#: Largest number of events in one dispatch.
_MOST_EVENTS: Final = 1000
#: Any number that no other user of the database takes as an advisory lock.
_SWEEP_LOCK: Final = 7_238_403


def dispatch(organization_id: UUID) -> int:
    """Create the deliveries of an organization's new events; return their number."""
    with organization_session(organization_id) as session:
        events = _claim_new_events(session, organization_id)
        endpoints = _lock_active_endpoints(session, organization_id)
        made = sum(
            _add(session, event, endpoint)
            for event in events
            for endpoint in endpoints
            if event.kind in endpoint.event_kinds
        )
        if len(events) == _MOST_EVENTS:
            after_commit(session, lambda: queue.enqueue_dispatch(organization_id))
    return made


def send_test(session: Session, endpoint: WebhookEndpoint) -> WebhookDelivery:
    """Send a test to an endpoint, once; raises :class:`Conflict` if it is switched off."""
    _require_active(endpoint)
    event = Event(
        organization_id=endpoint.organization_id,
        kind=EventKind.WEBHOOK_TEST,
        subject_id=new_id(),  # tests do not wait for each other
        payload={"webhookId": str(endpoint.id)},
        dispatched_at=utc_now(),
    )
    session.add(event)
    session.flush()
    _add(session, event, endpoint)
    query = select(WebhookDelivery).where(WebhookDelivery.event_id == event.id)
    return session.scalars(query).one()


def redeliver(session: Session, endpoint: WebhookEndpoint, delivery_id: str) -> WebhookDelivery:
    """Send a delivery again that was given up.

    A day after the event it is sent once; before, it is retried as usual.

    Raises :class:`NotFound`, and :class:`Conflict` if the endpoint is switched off or the
    delivery was not given up.
    """
    _require_active(endpoint)
    query = select(WebhookDelivery).where(WebhookDelivery.endpoint_id == endpoint.id)
    row = get_row(session, query.with_for_update(), delivery_id, "delivery")
    if row.status != DeliveryStatus.FAILED:
        raise Conflict(
            f"The delivery is {in_words(row.status)}; only one that has failed is sent again."
        )
    row.status, row.finished_at = DeliveryStatus.PENDING, None
    reschedule(session, row, endpoint, utc_now())
    return row


def _require_active(endpoint: WebhookEndpoint) -> None:
    if not endpoint.is_active:
        raise Conflict("The webhook is switched off; switch it on first.")


def list_page(
    session: Session, endpoint: WebhookEndpoint, page: int, page_size: int
) -> Page[WebhookDelivery]:
    """A page of an endpoint's deliveries with their events, newest first."""
    query = (
        select(WebhookDelivery)
        .join(WebhookDelivery.event)
        .where(WebhookDelivery.endpoint_id == endpoint.id)
        .options(contains_eager(WebhookDelivery.event))
        .order_by(WebhookDelivery.id.desc())
    )
    return fetch_page(session, query, page, page_size)


def find_newest(session: Session, organization_id: UUID) -> dict[UUID, WebhookDelivery]:
    """Find the newest delivery of each endpoint of an organization, by endpoint."""
    each = aliased(WebhookDelivery)
    newest = select(each.id).where(each.endpoint_id == WebhookEndpoint.id).order_by(each.id.desc())
    query = (
        select(WebhookDelivery)
        .join(
            WebhookEndpoint,
            WebhookDelivery.id == newest.limit(1).correlate(WebhookEndpoint).scalar_subquery(),
        )
        .where(WebhookEndpoint.organization_id == organization_id)
    )
    return {row.endpoint_id: row for row in session.scalars(query)}


def sweep() -> int:
    """Queue lost dispatches and deliveries again; return their number. One process at a time."""
    now = utc_now()
    with cross_tenant_session() as session:
        if not session.scalar(select(func.pg_try_advisory_xact_lock(_SWEEP_LOCK))):
            return 0
        session.execute(delete(Event).where(Event.created_at < now - KEPT_FOR))
        new = select(Event.organization_id).where(
            Event.dispatched_at.is_(None), Event.created_at < now - GRACE
        )
        waiting = session.scalars(new.distinct()).all()
        due = session.execute(_due(now)).all()
    for organization_id in waiting:
        queue.enqueue_dispatch(organization_id)
    for organization_id, delivery_id, at in due:
        queue.enqueue_delivery(organization_id, delivery_id, at, is_urgent=False)
    return len(waiting) + len(due)


def enqueue(
    session: Session,
    endpoint: WebhookEndpoint,
    delivery_id: UUID,
    at: datetime,
    *,
    is_test: bool = False,
) -> None:
    """Queue a delivery after the commit.

    Deliveries to slow receivers are less urgent, and so are tests, whose number is unlimited.
    """
    organization_id = endpoint.organization_id
    is_urgent = endpoint.silent_since is None and not is_test
    after_commit(
        session,
        lambda: queue.enqueue_delivery(organization_id, delivery_id, at, is_urgent=is_urgent),
    )


def reschedule(
    session: Session, row: WebhookDelivery, endpoint: WebhookEndpoint, at: datetime
) -> None:
    """Set the time of a delivery's next attempt, and queue it for then once committed."""
    row.next_attempt_at = at
    enqueue(session, endpoint, row.id, at)


def resume(session: Session, endpoint: WebhookEndpoint) -> None:
    """End a pause of an endpoint, and queue the deliveries that wait for its end."""
    if endpoint.paused_until is not None:
        query = select(WebhookDelivery).where(
            WebhookDelivery.endpoint_id == endpoint.id,
            WebhookDelivery.status == DeliveryStatus.PENDING,
            WebhookDelivery.next_attempt_at <= endpoint.rests_until,
        )
        for waiting in session.scalars(query.order_by(WebhookDelivery.sequence)):
            reschedule(session, waiting, endpoint, utc_now())
    endpoint.rests_until = None


def next_in_order(session: Session, delivery: WebhookDelivery) -> WebhookDelivery | None:
    """Find the first pending delivery of the same subject to the same endpoint."""
    query = _pending_of_same_subject(delivery).order_by(WebhookDelivery.sequence).limit(1)
    return session.scalar(query)


def is_overtaken(session: Session, delivery: WebhookDelivery) -> bool:
    """Return whether a failed ``charting.started`` is followed by a pending delivery."""
    if delivery.event.kind != EventKind.CHARTING_STARTED or delivery.attempt == 0:
        return False
    later = _pending_of_same_subject(delivery).where(WebhookDelivery.sequence > delivery.sequence)
    return session.scalar(later.limit(1)) is not None


def is_in_turn(session: Session, delivery: WebhookDelivery) -> bool:
    """Return whether a pending delivery may be sent: no earlier one of its subject is pending.

    A failed ``charting.started`` before it is given up: sent later, it would be misleading.
    """
    while (first := next_in_order(session, delivery)) is not delivery:
        if first is None or not _give_up_overtaken(session, first):
            return False
    return True


def _give_up_overtaken(session: Session, delivery: WebhookDelivery) -> bool:
    """Give up an overtaken delivery, unless a process is sending it."""
    query = select(WebhookDelivery).where(WebhookDelivery.id == delivery.id)
    free = session.scalar(
        query.with_for_update(skip_locked=True).execution_options(populate_existing=True)
    )
    now = utc_now()
    is_held = free is None or (free.leased_until is not None and free.leased_until > now)
    if is_held or not is_overtaken(session, delivery):
        return False
    delivery.status, delivery.finished_at = DeliveryStatus.FAILED, now
    return True


def _pending_of_same_subject(delivery: WebhookDelivery) -> Select[WebhookDelivery]:
    return select(WebhookDelivery).where(
        WebhookDelivery.endpoint_id == delivery.endpoint_id,
        WebhookDelivery.subject_id == delivery.subject_id,
        WebhookDelivery.status == DeliveryStatus.PENDING,
    )


def _claim_new_events(session: Session, organization_id: UUID) -> list[Event]:
    """Lock the new events and mark them as dispatched; concurrent dispatches share none."""
    query = (
        select(Event)
        .where(Event.organization_id == organization_id, Event.dispatched_at.is_(None))
        .order_by(Event.sequence)
        .limit(_MOST_EVENTS)
        .with_for_update()
    )
    events = list(session.scalars(query))
    for event in events:
        event.dispatched_at = utc_now()
    return events


def _lock_active_endpoints(session: Session, organization_id: UUID) -> list[WebhookEndpoint]:
    """Lock and return the active endpoints, so that none is deleted meanwhile."""
    query = select(WebhookEndpoint).where(
        WebhookEndpoint.organization_id == organization_id, WebhookEndpoint.is_active
    )
    return list(session.scalars(query.with_for_update(read=True, key_share=True)))


def _add(session: Session, event: Event, endpoint: WebhookEndpoint) -> bool:
    """Add a delivery, unless it exists already, and queue it."""
    delivery_id, now = new_id(), utc_now()
    values = {
        "id": delivery_id,
        "organization_id": event.organization_id,
        "endpoint_id": endpoint.id,
        "event_id": event.id,
        "subject_id": event.subject_id,
        "sequence": event.sequence,
        "next_attempt_at": now,
    }
    statement = insert(WebhookDelivery).values(values).on_conflict_do_nothing()
    is_new = session.scalar(statement.returning(WebhookDelivery.id)) is not None
    if is_new:
        is_test = event.kind == EventKind.WEBHOOK_TEST
        enqueue(session, endpoint, delivery_id, now, is_test=is_test)
    return is_new


def _due(now: datetime) -> Select[UUID, UUID, datetime]:
    """Overdue deliveries that no process is sending and no earlier untried one precedes."""
    row, earlier = WebhookDelivery, aliased(WebhookDelivery)
    waits = (
        select(earlier.id)
        .where(
            earlier.endpoint_id == row.endpoint_id,
            earlier.subject_id == row.subject_id,
            earlier.status == DeliveryStatus.PENDING,
            earlier.attempt == 0,
            earlier.sequence < row.sequence,
        )
        .exists()
    )
    return select(row.organization_id, row.id, row.next_attempt_at).where(
        row.status == DeliveryStatus.PENDING,
        row.next_attempt_at < now,
        or_(row.leased_until.is_(None), row.leased_until < now),
        ~waits,
    )
