"""Where and when a sailed track touches an area."""

from datetime import timedelta

import pytest

from app.engine.areas import eca_segments, touched
from app.engine.voyage import AreaKind, AreaRule
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_area, make_sailing, make_track

#: Ten hours along the equator from 0 to 2 E.
SAILING = make_sailing(make_track((0.0, 0.0), (0.0, 2.0)), 12.0)


def test_an_area_narrower_than_a_segment_is_touched() -> None:
    sliver = make_area(1.0101, -1.0, 1.0102, 1.0)
    assert touched([sliver], SAILING) == [sliver]


def test_an_area_beside_the_track_is_not() -> None:
    assert touched([make_area(0.5, 0.01, 1.5, 1.0)], SAILING) == []


@pytest.mark.parametrize(
    ("begins_h", "ends_h", "met"),
    [(None, 3.0, False), (None, 5.0, True), (6.0, None, False), (4.0, None, True), (3, 7, True)],
)
def test_an_area_counts_only_while_the_ship_is_there(
    begins_h: float | None, ends_h: float | None, met: bool
) -> None:
    begins, ends = (
        None if hours is None else DEPARTS_AT + timedelta(hours=hours)
        for hours in (begins_h, ends_h)
    )
    area = make_area(0.9, -0.1, 1.1, 0.1, starts_at=begins, ends_at=ends)
    assert bool(touched([area], SAILING)) is met


@pytest.mark.parametrize("west", [179.5, -180.0, -179.6])
def test_an_area_at_the_antimeridian_is_touched_from_either_side(west: float) -> None:
    sailing = make_sailing(make_track((5.0, 179.0), (5.0, -179.0)))
    assert touched([make_area(west, 4.0, west + 0.01, 6.0)], sailing)


def test_a_track_across_the_antimeridian_touches_nothing_on_the_far_side_of_the_world() -> None:
    sailing = make_sailing(make_track((5.0, 179.0), (5.0, -179.0)))
    assert touched([make_area(-170.0, 4.0, 170.0, 6.0)], sailing) == []


def test_miles_in_an_emission_control_area_are_those_inside_it() -> None:
    eca = make_area(1.0, -1.0, 3.0, 1.0, kind=AreaKind.ECA, rule=AreaRule.REPORTED)
    inside = eca_segments([eca], SAILING)
    assert SAILING.track.distance_nm[inside].sum() == pytest.approx(60.0, abs=5.0)


def test_an_emission_control_area_not_yet_in_force_counts_no_miles() -> None:
    later = DEPARTS_AT + timedelta(days=30)
    eca = make_area(1.0, -1.0, 3.0, 1.0, kind=AreaKind.ECA, rule=AreaRule.REPORTED, starts_at=later)
    assert not eca_segments([eca], SAILING).any()
