"""Windows of departures."""

from datetime import UTC, datetime, timedelta

import pytest

from app.engine.departures.window import DepartureWindow

FIRST = datetime(2026, 1, 10, tzinfo=UTC)


def test_ten_days_by_six_hours_are_41_departures() -> None:
    departures = DepartureWindow(FIRST, FIRST + timedelta(days=10), 6.0).list_departures()
    assert len(departures) == 41
    assert (departures[0], departures[-1]) == (FIRST, FIRST + timedelta(days=10))


def test_with_a_step_that_does_not_divide_the_window_the_last_departure_is_before_its_end() -> None:
    departures = DepartureWindow(FIRST, FIRST + timedelta(hours=12), 5.0).list_departures()
    assert departures == [FIRST + timedelta(hours=hours) for hours in (0, 5, 10)]


def test_a_window_of_zero_length_is_one_departure() -> None:
    assert DepartureWindow(FIRST, FIRST).list_departures() == [FIRST]


@pytest.mark.parametrize(
    ("hours", "step_h", "said"),
    [
        (-1.0, 6.0, "ends before it begins"),
        (241.0, 6.0, "at most 10 are compared"),
        (24.0, 0.5, "The step is 0.5 h; between 1 and 12 h"),
        (24.0, 13.0, "The step is 13 h; between 1 and 12 h"),
    ],
)
def test_an_invalid_window_is_an_error_with_an_explanation(
    hours: float, step_h: float, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        DepartureWindow(FIRST, FIRST + timedelta(hours=hours), step_h)
