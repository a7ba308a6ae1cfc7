"""Progress and cancellation of planning."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import func, update
from sqlalchemy.sql.dml import ReturningUpdate

from app.models import ChartingRevision, ChartingStatus
from app.services.platform.run_progress import RunProgress
from app.services.platform.sessions import organization_session


def note_alive(organization_id: UUID, charting_id: UUID, revision: int) -> None:
    """Write a heartbeat for a running revision from outside of the planning itself."""
    running = (
        update(ChartingRevision)
        .where(
            ChartingRevision.organization_id == organization_id,
            ChartingRevision.charting_id == charting_id,
            ChartingRevision.revision == revision,
            ChartingRevision.status == ChartingStatus.RUNNING,
        )
        .values(heartbeat_at=func.now())
    )
    with organization_session(organization_id) as session:
        session.execute(running)


@dataclass
class PlanningProgress(RunProgress):
    """Progress of one attempt at planning a revision."""

    revision: int
    attempt: int

    def _note(self) -> ReturningUpdate[Any]:
        return (
            update(ChartingRevision)
            .where(
                ChartingRevision.organization_id == self.organization_id,
                ChartingRevision.charting_id == self.subject_id,
                ChartingRevision.revision == self.revision,
                ChartingRevision.attempt == self.attempt,
                ChartingRevision.status == ChartingStatus.RUNNING,
            )
            .values(heartbeat_at=func.now(), progress=self._fraction, stage=self._stage)
            .returning(ChartingRevision.cancel_requested_at)
        )
