"""Comparison of departures on a page."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from app.engine.departures.window import DepartureFigures
from app.pages.presenters.departures import find_even_words, list_days
from app.records.departures import DepartureState, DepartureView

FIRST = datetime(2026, 12, 1, 6, tzinfo=UTC)


def departures(fuels_t: Sequence[float], duration_h: float = 300.0) -> list[DepartureView]:
    times = [FIRST + timedelta(hours=6 * i) for i in range(len(fuels_t))]
    return [
        DepartureView(
            departure=at,
            state=DepartureState.REFINED,
            figures=DepartureFigures(
                at + timedelta(hours=duration_h), duration_h, fuel_t, 3400.0, None, "direct"
            ),
        )
        for at, fuel_t in zip(times, fuels_t, strict=True)
    ]


def shades(found: Sequence[DepartureView]) -> list[int]:
    return [each["shade"] for day in list_days(found) for each in day["departures"]]


def test_departures_that_differ_by_less_than_the_accuracy_are_pale_and_none_is_best() -> None:
    found = departures([206.5, 206.7, 206.9])
    assert max(shades(found)) <= 1
    assert "fuel differs by 0.2 %" in (find_even_words(found) or "")


def test_departures_that_differ_span_all_shades() -> None:
    found = departures([200.0, 210.0, 220.0])
    assert shades(found) == [0, 2, 4]
    assert find_even_words(found) is None
