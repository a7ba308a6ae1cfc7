"""Progress of voyages now, and the age of their positions."""

from datetime import timedelta

from app.models import ExecutionState, VoyageExecution, utc_now
from app.records.instants import format_instant
from app.services.monitoring.voyage_progress import find_position_age_h


def test_a_position_by_a_clock_that_is_ahead_is_new() -> None:
    progress = {"time": format_instant(utc_now() + timedelta(minutes=4))}
    row = VoyageExecution(state=ExecutionState.UNDER_WAY, progress=progress)
    assert find_position_age_h(row) == 0.0
