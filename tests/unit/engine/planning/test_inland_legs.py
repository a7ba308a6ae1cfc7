"""Tests of the legs that waves and currents of the sea do not enter."""

from dataclasses import replace

import pytest

from app.engine.planning.geometry import mark_inland_legs
from app.engine.request import Position
from app.engine.sea.passages import PassageKind
from tests.unit.engine.sailing_builders import make_canal, make_leg

OFF, MOUTH, ABOVE, QUAY = (Position(0.0, lng) for lng in (0.0, 1.0, 1.6, 1.7))
RIVER = replace(make_canal(), kind=PassageKind.RIVER, through_traffic=False)
TO_SEA = (make_leg(QUAY, ABOVE), make_leg(ABOVE, MOUTH, "Canal"), make_leg(MOUTH, OFF))


def mark(legs, passage=RIVER):
    return [leg.is_inland for leg in mark_inland_legs(legs, {"Canal": passage})]


def test_a_river_and_the_harbour_beside_it_are_inland_and_the_sea_is_not():
    assert mark(TO_SEA) == [True, True, False]
    inward = [make_leg(leg.end, leg.start, leg.passage) for leg in reversed(TO_SEA)]
    assert mark(inward) == [False, True, True]


@pytest.mark.parametrize("kind", [PassageKind.STRAIT, PassageKind.APPROACH, PassageKind.LANE])
def test_straits_approaches_and_lanes_are_at_sea(kind):
    assert mark(TO_SEA, replace(RIVER, kind=kind)) == [False, False, False]


def test_a_far_place_beside_a_river_is_at_sea():
    far = make_leg(Position(0.5, 1.6), ABOVE)
    assert mark([far, *TO_SEA[1:]]) == [False, True, False]


@pytest.mark.parametrize(("at_lng", "is_inland"), [(1.75, True), (1.95, False)])
def test_short_legs_from_one_river_to_the_next_are_inland(at_lng, is_inland):
    across = Position(0.0, at_lng)
    legs = [
        make_leg(MOUTH, ABOVE, "Canal"),
        make_leg(ABOVE, across),
        make_leg(across, Position(0.0, 3.0), "Canal"),
    ]
    assert mark(legs) == [True, is_inland, True]
