"""Events, written in the transaction that causes them and sent after it."""

from typing import Any, Final

from sqlalchemy.orm import Session

from app.models import ChartingRevision, Event, EventKind
from app.services.platform import queue
from app.services.platform.sessions import after_commit

#: Fields of the request by which a receiver finds its own records.
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
