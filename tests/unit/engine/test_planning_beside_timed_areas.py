"""Voyages on which the timed areas of the request make no difference to the best ship."""

from dataclasses import replace
from datetime import timedelta

import pytest

from app.engine.planner import plan_voyage
from app.engine.request import TrackKind
from app.engine.sea.atlas import SeaAtlas
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_area
from tests.unit.engine.storms import make_crossing, make_rough_north

pytestmark = pytest.mark.atlas


@pytest.mark.parametrize("days", [None, 9.5])
def test_an_area_that_opens_far_from_all_tracks_changes_nothing(
    sea: SeaAtlas, days: float | None
) -> None:
    arrive_by = None if days is None else DEPARTS_AT + timedelta(days=days)
    asked = replace(make_crossing(), arrive_by=arrive_by)
    far = make_area(-30.0, -40.0, -20.0, -30.0, ends_at=DEPARTS_AT + timedelta(days=20))
    free, beside = (
        plan_voyage(replace(asked, areas=areas), sea, make_rough_north()) for areas in ((), (far,))
    )
    assert beside.waypoints == free.waypoints


def test_a_ship_on_a_given_line_sails_slowly_to_an_area_that_opens_late(sea: SeaAtlas) -> None:
    # off the Channel, where a ship at its lowest speed arrives a little before it opens
    shortest = replace(make_crossing(), track=TrackKind.GREAT_CIRCLE)
    barrier = make_area(-10.0, 20.0, -9.0, 65.0, ends_at=DEPARTS_AT + timedelta(days=12.5))
    free, later = (
        plan_voyage(replace(shortest, areas=areas), sea, make_rough_north())
        for areas in ((), (barrier,))
    )
    assert later.summary.duration_h > free.summary.duration_h
    assert later.summary.fuel_t == pytest.approx(free.summary.fuel_t, rel=1e-3)
