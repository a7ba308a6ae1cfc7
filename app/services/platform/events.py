"""Events: stored in the transaction that causes them, dispatched after its commit."""

import json
from typing import Any, Final

from sqlalchemy.orm import Session

from app.models import ChartingRevision, Event, EventKind
from app.records.instants import format_instant
from app.services.platform import queue
from app.services.platform.sessions import after_commit

#: Fields of the request that are repeated, so that a receiver can match its own records.
_ECHOED: Final = ("vesselId", "owner", "triggeredBy")


def record_charting(
    session: Session, kind: EventKind, revision: ChartingRevision, **more: Any
) -> None:
    """Record the result of a charting's revision."""
    session.add(
        Event(
            organization_id=revision.organization_id,
            kind=kind,
            subject_id=revision.charting_id,
            payload={
                "chartingId": str(revision.charting_id),
                "revision": revision.revision,
                "status": revision.status,
                **{name: revision.request.get(name) for name in _ECHOED},
            }
            | more,
        )
    )
    after_commit(session, lambda: queue.enqueue_dispatch(revision.organization_id))


def payload_of(event: Event) -> str:
    """The JSON body of an event in webhooks and streams; the same bytes at every attempt."""
    payload = {
        "type": event.kind,
        "timestamp": format_instant(event.created_at),
        "data": event.payload,
    }
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"), sort_keys=False)
