"""Events, written in the transaction that makes them so."""

from typing import Any

from sqlalchemy.orm import Session

from app.models import ChartingRevision, Event, EventKind


def record_charting(
    session: Session, kind: EventKind, revision: ChartingRevision, **more: Any
) -> None:
    """Record what became of a charting's revision."""
    session.add(
        Event(
            organization_id=revision.organization_id,
            kind=kind,
            subject_id=revision.charting_id,
            payload={
                "chartingId": str(revision.charting_id),
                "revision": revision.revision,
                "status": revision.status,
            }
            | more,
        )
    )
