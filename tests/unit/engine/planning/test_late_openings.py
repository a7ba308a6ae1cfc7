"""Areas that open too late for any wait."""

from datetime import timedelta

import pytest

from app.engine.optimise.windows import LONGEST_WAIT_FOR_AREA
from app.engine.planning.areas import (
    find_entry_time,
    keep_late_openings_closed,
)
from tests.unit.engine.sailing_builders import make_area, make_simulation, make_track

HOUR = timedelta(hours=1)
SIMULATION = make_simulation(make_track((45.0, -50.0), (45.0, -38.0)))
ENTERED_AT = find_entry_time(make_area(-44.1, 40.0, -43.9, 50.0), SIMULATION)


@pytest.mark.parametrize(("after", "stays_closed"), [(-HOUR, False), (HOUR, True)])
def test_an_area_stays_closed_if_it_opens_later_than_the_longest_wait(
    after: timedelta, stays_closed: bool
) -> None:
    ends_at = ENTERED_AT + LONGEST_WAIT_FOR_AREA + after
    area = make_area(-44.1, 40.0, -43.9, 50.0, ends_at=ends_at)
    (kept,) = keep_late_openings_closed([area], SIMULATION)
    assert kept.ends_at == (None if stays_closed else ends_at)


def test_an_area_that_begins_later_may_still_be_passed_before() -> None:
    starts_at, ends_at = ENTERED_AT + HOUR, ENTERED_AT + 2 * LONGEST_WAIT_FOR_AREA
    area = make_area(-44.1, 40.0, -43.9, 50.0, starts_at=starts_at, ends_at=ends_at)
    (kept,) = keep_late_openings_closed([area], SIMULATION)
    assert (kept.starts_at, kept.ends_at) == (starts_at, None)


def test_an_area_beside_the_track_keeps_its_window() -> None:
    area = make_area(-44.1, 50.0, -43.9, 51.0, ends_at=ENTERED_AT + 2 * LONGEST_WAIT_FOR_AREA)
    assert keep_late_openings_closed([area], SIMULATION) == (area,)
    assert find_entry_time(area, SIMULATION) is None
