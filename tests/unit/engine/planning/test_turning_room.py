"""Splitting of sharp turns at sea; corners in passages and without room stay."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from app.engine.constants import NAUTICAL_MILE_M
from app.engine.planning.context import PlanningContext
from app.engine.planning.drawing import make_room_for_turns
from app.engine.request import TrackKind
from app.engine.sailing.turns import course_change_deg, plan_turns
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import SeaPath
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.sea.search.conditions import NO_CONDITIONS
from app.engine.vessel import build_ship
from tests.unit.engine.storms import make_crossing

pytestmark = pytest.mark.atlas

#: West into the Atlantic and almost straight back.
HAIRPIN = ((47.0, -12.0), (46.8, -20.0), (46.0, -12.0))
#: The same start, with a corner that needs only one turn.
GENTLE = ((47.0, -12.0), (46.8, -20.0), (43.0, -27.0))


@pytest.fixture(scope="module")
def context(sea: SeaAtlas) -> PlanningContext:
    request = make_crossing()
    return PlanningContext(request, sea, None, build_ship(request.ship, request.loading))


def make_path(*places: tuple[float, float], mark: int = OPEN_SEA) -> SeaPath:
    lats, lngs = np.array(places).T
    marks = np.full(lats.size - 1, mark, dtype=np.int16)
    return SeaPath(lats, lngs, marks, 0.0, 0.0, (), "drawn", NO_CONDITIONS)


def test_a_hairpin_is_split_into_two_turns_that_need_little_room(
    context: PlanningContext,
) -> None:
    path = make_room_for_turns(context, make_path(*HAIRPIN))
    legs = context.sea.build_legs(path, TrackKind.RHUMB)
    ability = context.ship.turning_ability
    narrow = [replace(leg, xtd_m=0.1 * NAUTICAL_MILE_M) for leg in legs]
    turns = plan_turns(narrow, ability)
    assert len(legs) == 3
    assert min(turn.radius_nm for turn in turns) > ability.least_radius_nm
    unsplit = _build_unsplit(context)
    sharp = plan_turns([replace(leg, xtd_m=0.1 * NAUTICAL_MILE_M) for leg in unsplit], ability)
    assert sharp[0].radius_nm < ability.least_radius_nm
    assert sum(leg.distance_nm for leg in legs) == pytest.approx(
        sum(leg.distance_nm for leg in unsplit), abs=1.5
    )


def test_both_turns_have_the_direction_of_the_corner(context: PlanningContext) -> None:
    for places in (HAIRPIN, HAIRPIN[::-1]):
        (corner,) = [course_change_deg(a, b) for a, b in pairwise(_build_unsplit(context, *places))]
        legs = context.sea.build_legs(
            make_room_for_turns(context, make_path(*places)), TrackKind.RHUMB
        )
        changes = [course_change_deg(a, b) for a, b in pairwise(legs)]
        assert sum(changes) == pytest.approx(corner, abs=1.0)
        assert np.sign(changes).tolist() == [np.sign(corner)] * 2


def _build_unsplit(context: PlanningContext, *places: tuple[float, float]):  # type: ignore[no-untyped-def]
    return context.sea.build_legs(make_path(*(places or HAIRPIN)), TrackKind.RHUMB)


def test_a_corner_too_close_to_a_passage_for_any_turn_is_left_out(
    context: PlanningContext,
) -> None:
    places = (47.4, -12.3), (47.0, -12.0), (46.999, -12.004), (46.9, -12.15)
    ability, drawn = context.ship.turning_ability, make_path(*places)
    assert make_room_for_turns(context, drawn) is drawn
    drawn = replace(drawn, leg_passages=np.array([OPEN_SEA, OPEN_SEA, 0], dtype=np.int16))
    path = make_room_for_turns(context, drawn)
    radii_nm = [
        min(turn.radius_nm for turn in plan_turns(legs, ability))
        for legs in (context.sea.build_legs(each, TrackKind.RHUMB) for each in (drawn, path))
    ]
    assert radii_nm[0] < ability.least_radius_nm
    assert radii_nm[1] > ability.least_radius_nm
    assert 47.0 not in path.lats


def test_other_corners_stay_as_they_are(context: PlanningContext) -> None:
    off_land = make_path((49.0, -5.6), (50.055, -5.73), (49.1, -5.8))  # close to Land's End
    for path in (make_path(*GENTLE), make_path(*HAIRPIN, mark=0), off_land):
        assert make_room_for_turns(context, path) is path
