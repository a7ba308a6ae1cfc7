"""Progress of voyages now, and the age of their positions."""

from datetime import timedelta
from typing import Final

from sqlalchemy.orm import Session

from app.models import Charting, ExecutionState, VoyageExecution, utc_now
from app.records.instants import parse_instant
from app.services.chartings.chartings import get_planned
from app.services.chartings.expected_voyages import find_execution
from app.services.monitoring import position_reports
from app.services.monitoring.position_reports import STALE_AFTER

#: State of a voyage that is neither expected to depart nor was started.
PLANNED: Final = "PLANNED"


def measure(session: Session, charting: Charting) -> VoyageExecution:
    """Measure the progress of a charting's voyage now, store it, and return the voyage.

    The voyage is locked meanwhile, as by its monitoring. One that has ended is measured at its end,
    by the reports stored by now. One that is neither expected to depart nor was started is not
    stored.

    Raises :class:`Conflict` if there is no plan yet.
    """
    row = find_execution(session, charting, lock=True)
    if row is None:
        planned = get_planned(session, charting.organization_id, str(charting.id)).planned
        return VoyageExecution(
            charting_id=charting.id,
            vessel_id=charting.vessel_id,
            revision=planned.revision,
            state=PLANNED,
            is_ambiguous=False,
        )
    if row.state != ExecutionState.EXPECTED:
        # reports of an ended voyage arrive late or are corrected
        position_reports.update_progress(session, row, utc_now())
    return row


def find_current(session: Session, charting: Charting) -> VoyageExecution | None:
    """Find a charting's voyage, measured anew if that is due, as after a new plan under way."""
    row = find_execution(session, charting)
    if row is None or row.state != ExecutionState.UNDER_WAY or row.due_at > utc_now():
        return row
    return measure(session, charting)


def find_position_age_h(voyage: VoyageExecution) -> float | None:
    """Find the age of the last credible position [h]; zero if the ship's clock is ahead."""
    if voyage.progress is None:
        return None
    age = utc_now() - parse_instant(voyage.progress["time"])
    return max(age / timedelta(hours=1), 0.0)


def is_stale(voyage: VoyageExecution) -> bool:
    """Return whether a voyage is under way without a recent position."""
    age_h = find_position_age_h(voyage)
    is_old = age_h is None or timedelta(hours=age_h) > STALE_AFTER
    return is_old and voyage.state == ExecutionState.UNDER_WAY
