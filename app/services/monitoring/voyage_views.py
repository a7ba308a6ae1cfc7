"""Views of voyages under way, with their progress."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy.orm import Session

from app.models import Charting, ExecutionState, VoyageExecution, utc_now
from app.records.instants import parse_instant
from app.services.chartings.chartings import get_planned
from app.services.chartings.expected_voyages import find_execution
from app.services.monitoring import monitor
from app.services.monitoring.position_reports import STALE_AFTER

#: State of a voyage that is neither expected to depart nor was started.
PLANNED: Final = "PLANNED"


@dataclass(frozen=True, slots=True)
class VoyageView:
    """Execution of a charting's voyage, and its progress at ``measured_at``.

    ``progress``, ``refused_positions`` and ``outlook`` are as stored and served.
    ``position_age_h`` is the age of the last credible position [h], zero if the ship's clock is
    ahead.
    """

    charting_id: UUID
    vessel_id: UUID
    revision: int
    state: str
    departed_at: datetime | None = None
    started_by: str | None = None
    ended_at: datetime | None = None
    ended_by: str | None = None
    end_reason: str | None = None
    measured_at: datetime | None = None
    position_age_h: float | None = None
    is_stale: bool = False
    is_ambiguous: bool = False
    progress: dict[str, Any] | None = None
    refused_positions: tuple[dict[str, Any], ...] = ()
    outlook: dict[str, Any] | None = None


def measure(session: Session, charting: Charting) -> VoyageView:
    """Measure the progress of a charting's voyage now, store it, and return the voyage.

    The voyage is locked meanwhile, as by its monitoring.

    Raises :class:`Conflict` if there is no plan yet.
    """
    planned = get_planned(session, charting.organization_id, str(charting.id)).planned
    row = find_execution(session, charting, lock=True)
    if row is None:
        return VoyageView(charting.id, charting.vessel_id, planned.revision, PLANNED)
    now = utc_now()
    if row.state in (ExecutionState.UNDER_WAY, ExecutionState.ABANDONED):
        monitor.update_progress(session, row, now)
    return view_of(row, now)


def view_of(row: VoyageExecution, now: datetime) -> VoyageView:
    """Build the view of a voyage with its last measured progress."""
    age = None if row.progress is None else now - parse_instant(row.progress["time"])
    is_under_way = row.state == ExecutionState.UNDER_WAY
    return VoyageView(
        row.charting_id,
        row.vessel_id,
        row.revision,
        row.state,
        row.departed_at,
        row.started_by,
        row.ended_at,
        row.ended_by,
        row.end_reason,
        row.monitored_at,
        None if age is None else max(age / timedelta(hours=1), 0.0),
        is_under_way and (age is None or age > STALE_AFTER),
        row.is_ambiguous,
        row.progress,
        tuple(row.position_faults or ()),
        row.outlook,
    )
