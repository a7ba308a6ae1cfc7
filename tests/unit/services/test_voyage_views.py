"""Views of voyages under way."""

from datetime import UTC, datetime

from app.models import ExecutionState, VoyageExecution
from app.services.monitoring.voyage_views import view_of


def test_a_position_by_a_clock_that_is_ahead_is_new() -> None:
    now = datetime(2026, 11, 27, 6, tzinfo=UTC)
    progress = {"time": "2026-11-27T06:04:00Z"}
    row = VoyageExecution(state=ExecutionState.UNDER_WAY, progress=progress)
    assert view_of(row, now).position_age_h == 0.0
