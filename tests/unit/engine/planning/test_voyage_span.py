"""Tests of the span of time for which the weather of a voyage is chosen."""

from dataclasses import replace
from datetime import timedelta

import pytest

from app.engine.planning.context import estimate_latest_arrival
from app.engine.request import Position
from tests.unit.engine.ensemble.builders import REQUEST

FROM_HERE = replace(REQUEST, departure=Position(0.0, 0.0), speed_min_kn=10.0, arrive_by=None)


@pytest.mark.parametrize(("east_deg", "hours"), [(20.0, 180.0), (1.0, 48.0)])
def test_the_span_ends_when_the_slowest_voyage_with_a_detour_arrives(
    east_deg: float, hours: float
) -> None:
    request = replace(FROM_HERE, arrival=Position(0.0, east_deg))
    span = estimate_latest_arrival(request) - request.departs_at
    assert span / timedelta(hours=1) == pytest.approx(hours, rel=0.01)


def test_the_span_ends_at_the_required_arrival() -> None:
    due = FROM_HERE.departs_at + timedelta(hours=130)
    request = replace(FROM_HERE, arrival=Position(0.0, 20.0), arrive_by=due)
    assert estimate_latest_arrival(request) == due
