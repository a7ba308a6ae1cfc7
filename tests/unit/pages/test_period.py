"""Period of statistics."""

from datetime import UTC, datetime

import pytest

from app.pages.presenters.period import read_period


def test_a_period_includes_both_its_days() -> None:
    period = read_period({"from": "2025-01-01", "to": "2025-12-31"})
    assert period.since == datetime(2025, 1, 1, tzinfo=UTC)
    assert period.until == datetime(2025, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    assert period.fault == ""


@pytest.mark.parametrize("typed", [{}, {"from": "2025-01-01"}, {"to": "2025-01-01"}])
def test_an_end_may_be_open(typed: dict[str, str]) -> None:
    period = read_period(typed)
    assert (period.since is None) == ("from" not in typed)
    assert (period.until is None) == ("to" not in typed)


def test_days_are_typed_in_words_too_and_shown_so() -> None:
    period = read_period({"from": "5 Jan 2025", "to": "2025-12-31"})
    assert (period.first_day, period.last_day) == ("5 Jan 2025", "31 Dec 2025")
    assert period.query == {"from": "2025-01-05", "to": "2025-12-31"}


@pytest.mark.parametrize(
    "typed", [{"from": "1 Jan"}, {"to": "2025-02-30"}, {"from": "2025-02-02", "to": "2025-02-01"}]
)
def test_an_invalid_period_is_reported_and_left_open(typed: dict[str, str]) -> None:
    period = read_period(typed)
    assert period.fault
    assert (period.since, period.until) == (None, None)
