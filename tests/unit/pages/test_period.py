"""Period of statistics."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import cast

import pytest

from app.pages.presenters.period import qualify_rating, read_period
from app.services.vessels.vessel_statistics import VesselStatistics


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


@pytest.mark.parametrize(
    ("since", "until", "hours", "doubt"),
    [
        ((2026, 1, 1), (2026, 12, 31), 4000, None),
        ((2025, 1, 1), (2025, 12, 31), 8700, None),
        (
            (2026, 5, 1),
            (2026, 5, 31),
            744,
            "indicative: records cover 21 % of the year to 31 May 2026",
        ),
        (
            (2026, 1, 1),
            (2026, 12, 31),
            16,
            "indicative: records cover less than 1 % of the year to 19 Jun 2026",
        ),
        ((2025, 3, 1), (2026, 6, 19), 9000, "indicative: the period is no calendar year"),
    ],
)
def test_a_rating_of_less_than_a_calendar_year_says_so(
    since: tuple[int, ...], until: tuple[int, ...], hours: float, doubt: str | None
) -> None:
    found = SimpleNamespace(
        since=datetime(*since, tzinfo=UTC),
        until=datetime(*until, 23, tzinfo=UTC),
        recorded=SimpleNamespace(hours=hours),
        carbon_intensity=object(),
    )
    now = datetime(2026, 6, 19, 12, tzinfo=UTC)
    assert qualify_rating(cast(VesselStatistics, found), now) == doubt
    found.carbon_intensity = None
    assert qualify_rating(cast(VesselStatistics, found), now) is None
