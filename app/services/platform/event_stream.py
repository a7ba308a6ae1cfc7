"""The events of an organization in an order in which none comes late.

A transaction that began earlier may commit later, so an event's number alone does not say what was
seen. Events are read by transaction, and only those of transactions before which none is open any
more: whoever has read up to one has missed nothing.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from sqlalchemy import BigInteger, Text, cast, func, select, tuple_
from sqlalchemy.orm import Session

from app.models import Event, EventKind
from app.services.errors import FieldError, Invalid
from app.services.platform.events import payload_of

#: Media type of server-sent events.
MEDIA_TYPE: Final = "text/event-stream"
#: Events that one answer holds at most.
MOST_EVENTS: Final = 200

#: All transactions before this one have ended.
_ALL_ENDED_BEFORE: Final = cast(
    cast(func.pg_snapshot_xmin(func.pg_current_snapshot()), Text), BigInteger
)


class Place(NamedTuple):
    """A place in an organization's events: the last one read."""

    transaction: int
    sequence: int

    def __str__(self) -> str:
        return f"{self.transaction}-{self.sequence}"

    @classmethod
    def read(cls, text: str) -> "Place":
        """Read what was written; raises :class:`Invalid`."""
        transaction, _, sequence = text.partition("-")
        are_numbers = all(part.isascii() and part.isdigit() for part in (transaction, sequence))
        if not are_numbers or len(text) > 38:
            raise Invalid([FieldError("/Last-Event-ID", "This is not the id of an event.")])
        return cls(int(transaction), int(sequence))


def find_place(session: Session) -> Place:
    """Return the place behind all events that there are now."""
    return Place((session.scalar(select(_ALL_ENDED_BEFORE)) or 1) - 1, 2**62)


def list_after(session: Session, organization_id: UUID, place: Place) -> Sequence[Event]:
    """List an organization's next events after a place, in order."""
    query = (
        select(Event)
        .where(
            Event.organization_id == organization_id,
            Event.kind != EventKind.WEBHOOK_TEST,
            tuple_(Event.transaction, Event.sequence) > tuple_(*place),
            Event.transaction < _ALL_ENDED_BEFORE,
        )
        .order_by(Event.transaction, Event.sequence)
        .limit(MOST_EVENTS)
    )
    return session.scalars(query).all()


def write_events(events: Sequence[Event], retry_ms: int) -> str:
    """Write events as server-sent ones, each with its place as ``id``.

    A client connects again ``retry_ms`` after the answer [ms].
    """
    return _retry(retry_ms) + ("".join(map(_write, events)) or ": nothing happened\n\n")


def write_place(place: Place, retry_ms: int) -> str:
    """Write a place alone, from which a client goes on ``retry_ms`` after the answer [ms]."""
    return f"{_retry(retry_ms)}id: {place}\n\n"


def _retry(after_ms: int) -> str:
    return f"retry: {after_ms}\n\n"


def _write(event: Event) -> str:
    place = Place(event.transaction, event.sequence)
    return f"id: {place}\nevent: {event.kind}\ndata: {payload_of(event)}\n\n"
