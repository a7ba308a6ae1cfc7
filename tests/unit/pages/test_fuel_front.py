"""Arrivals of the trade-off curve on the route page."""

from typing import Any

import pytest

from app.pages.views.departures import list_arrivals

SUMMARY = {"eta": "2026-01-26T12:00:00Z", "durationH": 282.0, "fuelMt": 250.0}


def point(eta: str, hours: float, fuel_t: float) -> dict[str, Any]:
    return {"eta": eta, "durationH": hours, "fuelMt": fuel_t}


PLANNED = point(SUMMARY["eta"], 282.0, 250.0)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (
            point("2026-01-25T10:00:00Z", 260.0, 275.04),
            "Sun 25 Jan 10:00 UTC, 275.0 mt: 22 h 00 min sooner, costs 25.0 mt (10.0 %)",
        ),
        (
            point("2026-01-27T14:30:00Z", 308.5, 240.0),
            "Tue 27 Jan 14:30 UTC, 240.0 mt: 1 d 3 h later, saves 10.0 mt (4.0 %)",
        ),
        (
            point("2026-01-26T13:00:00Z", 283.0, 249.98),
            "Mon 26 Jan 13:00 UTC, 250.0 mt: 1 h 00 min later",
        ),
    ],
    ids=["sooner", "later", "the same fuel"],
)
def test_an_arrival_is_reported_with_its_fuel_and_what_it_saves_or_costs(
    other: dict[str, Any], words: str
) -> None:
    planned, told = list_arrivals({"front": [PLANNED, other]}, SUMMARY)
    assert told["words"] == words
    assert not told["isPlanned"]
    assert planned["isPlanned"]
    assert planned["words"] == "Mon 26 Jan 12:00 UTC, 250.0 mt: this route"


def test_an_arrival_in_another_year_than_the_departure_shows_its_year() -> None:
    front = [
        point("2026-12-31T23:00:00Z", 230.0, 260.0),
        point("2027-01-01T01:00:00Z", 232.0, 250.0),
    ]
    words = [told["words"] for told in list_arrivals({"front": front}, SUMMARY)]
    assert [each.partition(",")[0] for each in words] == [
        "Thu 31 Dec 23:00 UTC",
        "Fri 1 Jan 2027 01:00 UTC",
    ]


@pytest.mark.parametrize("plan", [{}, {"front": []}, {"front": [PLANNED]}])
def test_a_single_arrival_is_not_offered(plan: dict[str, Any]) -> None:
    assert list_arrivals(plan, SUMMARY) == []
