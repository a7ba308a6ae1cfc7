"""Sharp corners at sea are turned in two; corners of passages and without room stay."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from app.engine.constants import NAUTICAL_MILE_M
from app.engine.planning.context import PlanningContext
from app.engine.planning.turning_room import make_turning_room
from app.engine.request import TrackKind
from app.engine.sailing.turns import course_change_deg, plan_turns
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import SeaPath
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.sea.search.conditions import NO_CONDITIONS
from app.engine.vessel import build_ship
from tests.unit.engine.storms import make_crossing

pytestmark = pytest.mark.atlas

#: West into the Atlantic and nearly straight back.
HAIRPIN = ((47.0, -12.0), (46.8, -20.0), (46.0, -12.0))
#: The same by a corner that a ship takes in one.
GENTLE = ((47.0, -12.0), (46.8, -20.0), (43.0, -27.0))


@pytest.fixture(scope="module")
def context(sea: SeaAtlas) -> PlanningContext:
    request = make_crossing()
    return PlanningContext(request, sea, None, build_ship(request.ship, request.loading))


def draw(*places: tuple[float, float], mark: int = OPEN_SEA) -> SeaPath:
    lats, lngs = np.array(places).T
    marks = np.full(lats.size - 1, mark, dtype=np.int16)
    return SeaPath(lats, lngs, marks, 0.0, 0.0, (), "drawn", NO_CONDITIONS)


def test_a_hairpin_at_sea_is_turned_in_two_that_the_ship_can_make_in_little_room(
    context: PlanningContext,
) -> None:
    path = make_turning_room(context, draw(*HAIRPIN))
    legs = context.sea.build_legs(path, TrackKind.RHUMB)
    ability = context.ship.turning_ability
    narrow = [replace(leg, xtd_m=0.1 * NAUTICAL_MILE_M) for leg in legs]
    turns = plan_turns(narrow, ability)
    assert len(legs) == 3
    assert min(turn.radius_nm for turn in turns) > ability.least_radius_nm
    sharp = plan_turns([replace(leg, xtd_m=0.1 * NAUTICAL_MILE_M) for leg in _lay_sharp(context)],
                       ability)  # fmt: skip
    assert sharp[0].radius_nm < ability.least_radius_nm
    assert sum(leg.distance_nm for leg in legs) == pytest.approx(
        sum(leg.distance_nm for leg in _lay_sharp(context)), abs=1.5
    )


def test_both_turns_lead_the_way_that_the_corner_did(context: PlanningContext) -> None:
    for places in (HAIRPIN, HAIRPIN[::-1]):
        (corner,) = [course_change_deg(a, b) for a, b in pairwise(_lay_sharp(context, *places))]
        legs = context.sea.build_legs(make_turning_room(context, draw(*places)), TrackKind.RHUMB)
        changes = [course_change_deg(a, b) for a, b in pairwise(legs)]
        assert sum(changes) == pytest.approx(corner, abs=1.0)
        assert np.sign(changes).tolist() == [np.sign(corner)] * 2


def _lay_sharp(context: PlanningContext, *places: tuple[float, float]):  # type: ignore[no-untyped-def]
    return context.sea.build_legs(draw(*(places or HAIRPIN)), TrackKind.RHUMB)


def test_other_corners_stay_as_they_are(context: PlanningContext) -> None:
    off_land = draw((49.0, -5.6), (50.055, -5.73), (49.1, -5.8))  # close to Land's End
    for path in (draw(*GENTLE), draw(*HAIRPIN, mark=0), off_land):
        assert make_turning_room(context, path) is path
