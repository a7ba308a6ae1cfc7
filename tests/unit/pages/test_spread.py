"""Cautions about limits that many cases of a forecast exceed."""

from typing import Any

import pytest

from app.pages.presenters.spread import caution_exceedances


def exceeded(limit: str, share: float) -> dict[str, Any]:
    """A spread in which this share of the cases exceeds one limit, most at the third waypoint."""
    place = {"waypointIndex": 2, "probability": share}
    return {"exceedances": [{"limit": limit, "probability": share, "place": place}]}


@pytest.mark.parametrize(
    ("limit", "words"), [("WAVE_HEIGHT", "wave limit"), ("WIND_SPEED", "wind limit")]
)
def test_a_limit_that_more_than_a_tenth_of_the_cases_exceed_is_a_caution(
    limit: str, words: str
) -> None:
    assert caution_exceedances(exceeded(limit, 0.11)) == [
        f"The {words} is exceeded in 11 % of cases, most near WP 3."
    ]
    assert caution_exceedances(exceeded(limit, 0.1)) == []


def test_rolling_and_plans_without_a_spread_give_no_caution_of_a_limit() -> None:
    assert caution_exceedances(exceeded("ROLLING", 0.9)) == []
    assert caution_exceedances(None) == []
