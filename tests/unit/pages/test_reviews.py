"""Titles of critical points."""

import pytest

from app.engine.report.critical_points import Kind
from app.pages.views.reviews import TITLES, find_title


@pytest.mark.parametrize(
    ("kinds", "title"),
    [
        ((Kind.DEPARTURE, Kind.MAX_WAVE), "Departure"),
        ((Kind.DEPARTURE, Kind.UNPROVEN_WATER, Kind.MAX_WAVE), "Unproven water"),
        ((Kind.MAX_WIND, Kind.NARROW_PASSAGE, Kind.ALTER_COURSE), "Narrow passage"),
        ((Kind.MAX_WAVE, Kind.ROLLING_RISK), "Rolling risk"),
    ],
    ids=["departure in waves", "departure over unproven water", "narrows in wind", "rolling"],
)
def test_a_point_is_titled_by_what_needs_action_before_what_is_only_the_highest(
    kinds: tuple[Kind, ...], title: str
) -> None:
    assert find_title(kinds) == title


def test_every_kind_has_a_title() -> None:
    assert set(TITLES) == set(Kind)
