"""The event stream of an organization, in an order in which no event appears late.

A transaction that began earlier may commit later, so sequence numbers alone do not give a safe
position. Events are ordered by transaction, and an event is read only after all earlier
transactions have ended: a client that has read up to a position has missed no event.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from sqlalchemy import BigInteger, func, select, tuple_
from sqlalchemy.orm import Session

from app.models import Event, EventKind
from app.services.errors import Invalid
from app.services.platform.events import payload_of

#: Media type of server-sent events.
MEDIA_TYPE: Final = "text/event-stream"
#: Largest number of events in one response.
MOST_EVENTS: Final = 200

#: All transactions before this one have ended.
_ALL_ENDED_BEFORE: Final = func.event_transaction(
    func.pg_snapshot_xmin(func.pg_current_snapshot()), type_=BigInteger
)

_PLACE: Final = re.compile(r"([0-9]{1,19})-([0-9]{1,19})")
#: Greatest integer of 8 bytes.
_GREATEST: Final = 2**63 - 1


class Place(NamedTuple):
    """A position in an organization's events: the last event read."""

    transaction: int
    sequence: int

    def __str__(self) -> str:
        return f"{self.transaction}-{self.sequence}"

    @classmethod
    def read(cls, text: str) -> "Place":
        """Parse the text form of a position; raises :class:`Invalid`."""
        read = _PLACE.fullmatch(text)
        place = read and cls(*map(int, read.groups()))
        if not place or max(place) > _GREATEST:
            raise Invalid.at("/Last-Event-ID", "This is not the id of an event.")
        return place


def find_place(session: Session) -> Place:
    """Return the position after all present events."""
    return Place((session.scalar(select(_ALL_ENDED_BEFORE)) or 1) - 1, 2**62)


def list_after(session: Session, organization_id: UUID, place: Place) -> Sequence[Event]:
    """List an organization's next events after a position, in order."""
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
    """Write events as server-sent events, each with its position as ``id``.

    A client reconnects ``retry_ms`` after the response [ms].
    """
    return _retry(retry_ms) + ("".join(map(_write, events)) or ": nothing happened\n\n")


def write_place(place: Place, retry_ms: int) -> str:
    """Write a position alone; a client reconnects from it ``retry_ms`` after the response [ms]."""
    return f"{_retry(retry_ms)}id: {place}\n\n"


def _retry(after_ms: int) -> str:
    return f"retry: {after_ms}\n\n"


def _write(event: Event) -> str:
    place = Place(event.transaction, event.sequence)
    return f"id: {place}\nevent: {event.kind}\ndata: {payload_of(event)}\n\n"
