"""Windows of departures in a request: errors with pointers to their fields."""

from datetime import UTC, datetime, timedelta
from typing import Any

import marshmallow as ma
import pytest

from app.records.charting import ChartingSchema
from app.services import charting_request
from tests.integration.client import CHARTING

FIRST = datetime(2026, 3, 1, 6, tzinfo=UTC)
DAY = timedelta(days=1)


def find_faults(**asked: Any) -> dict[str, str]:
    """Faults of an order with a window, by pointer."""
    times = {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in asked.items()
    }
    order = ChartingSchema().load(CHARTING | {"vesselId": "a vessel"} | times)
    return dict(charting_request.find_window_faults(order))


def test_an_order_has_no_window_unless_it_asks_for_one() -> None:
    assert find_faults() == {}
    assert find_faults(departFrom=None, departTo=None, departStepH=None) == {}


@pytest.mark.parametrize("step_h", [1, 6.5, 12])
def test_a_window_of_ten_days_is_taken_with_steps_of_1_to_12_hours(step_h: float) -> None:
    assert find_faults(departFrom=FIRST, departTo=FIRST + 10 * DAY, departStepH=step_h) == {}


def test_a_window_need_not_hold_the_start_of_the_plan() -> None:
    assert find_faults(departFrom=FIRST + 20 * DAY, departTo=FIRST + 21 * DAY) == {}


@pytest.mark.parametrize(
    ("asked", "pointer", "said"),
    [
        (
            {"departFrom": FIRST},
            "/departTo",
            "the first departure is Sun 1 Mar 2026 06:00 UTC. Give the last departure too, or"
            " neither.",
        ),
        (
            {"departTo": FIRST},
            "/departFrom",
            "the last departure is Sun 1 Mar 2026 06:00 UTC. Give the first departure too, or"
            " neither.",
        ),
        (
            {"departStepH": 6},
            "/departStepH",
            "6 h without departures to compare. Give the first and the last departure too.",
        ),
        ({"departDurationH": 90}, "/departDurationH", "90 h without departures to compare"),
        (
            {"departFrom": FIRST, "departTo": FIRST - DAY},
            "/departTo",
            "Sat 28 Feb 2026 06:00 UTC lies before the first departure, Sun 1 Mar 2026 06:00 UTC.",
        ),
        (
            {"departFrom": FIRST, "departTo": FIRST + 10.5 * DAY},
            "/departTo",
            "10.5 days after the first departure; at most 10 are compared. Give"
            " Wed 11 Mar 2026 06:00 UTC",
        ),
        (
            {"departFrom": datetime(1979, 1, 1, tzinfo=UTC), "departTo": FIRST},
            "/departFrom",
            "Mon 1 Jan 1979 00:00 UTC lies outside the years 1980 to 2099",
        ),
        (
            {"departFrom": FIRST + DAY, "departTo": FIRST + 2 * DAY, "endDate": FIRST + DAY},
            "/departFrom",
            "does not lie before the latest arrival, Mon 2 Mar 2026 06:00 UTC",
        ),
    ],
)
def test_a_window_that_cannot_be_is_refused_with_its_value_and_what_would_be_right(
    asked: dict[str, Any], pointer: str, said: str
) -> None:
    faults = find_faults(**asked)
    assert said in faults[pointer]


def test_a_time_for_each_departure_stands_in_for_the_latest_arrival() -> None:
    late = {"departFrom": FIRST + DAY, "departTo": FIRST + 2 * DAY, "endDate": FIRST + DAY}
    assert find_faults(**late, departDurationH=48) == {}


@pytest.mark.parametrize(("step_h", "said"), [(0.5, "0.5 h between"), (13, "1 to 12 h")])
def test_a_step_out_of_range_is_refused_with_the_range(step_h: float, said: str) -> None:
    with pytest.raises(ma.ValidationError) as refused:
        find_faults(departFrom=FIRST, departTo=FIRST + DAY, departStepH=step_h)
    assert said in str(refused.value.messages)
