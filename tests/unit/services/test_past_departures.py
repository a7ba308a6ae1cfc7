"""Warnings of departures in the past."""

from datetime import timedelta

import pytest

from app.services.chartings.request_warnings import find_past_departure
from tests.unit.engine.sailing_builders import DEPARTS_AT


@pytest.mark.parametrize(("hours_ago", "warns"), [(-24.0, False), (23.0, False), (25.0, True)])
def test_a_plan_warns_of_a_departure_more_than_a_day_before_its_request(
    hours_ago: float, warns: bool
) -> None:
    found = [*find_past_departure(DEPARTS_AT, DEPARTS_AT + timedelta(hours=hours_ago))]
    assert bool(found) is warns


def test_the_warning_names_the_departure() -> None:
    (warning,) = find_past_departure(DEPARTS_AT, DEPARTS_AT + timedelta(days=3650))
    assert "departs on Wed 14 Jan 2026 18:00 UTC, which is past" in warning.detail
