"""Failures of planning, as stored and served."""

from datetime import UTC, datetime

from app.engine.errors import LimitsTooTight
from app.services.platform.run_progress import explain_voyage

TIME = datetime(2026, 3, 1, 6, tzinfo=UTC)


def test_the_values_of_a_failure_are_rounded_and_its_times_end_in_z() -> None:
    error = LimitsTooTight(
        "Too high.",
        met=3.2251611542102845,
        lat=48.123456789,
        time=TIME,
        gate={"depth_m": 1 / 3},
        at=[TIME],
    )
    failure = explain_voyage(error)
    assert failure is not None
    assert failure["data"] == {
        "met": 3.225,
        "lat": 48.123457,
        "time": "2026-03-01T06:00:00Z",
        "gate": {"depth_m": 0.333},
        "at": ["2026-03-01T06:00:00Z"],
    }
