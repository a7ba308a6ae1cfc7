"""Notes on turns that are tighter than usual."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.engine.plan import Waypoint
from app.engine.report.passage_plan import add_turns
from app.engine.request import Position
from app.engine.vessel import TurningAbility
from tests.unit.engine.sailing_builders import DEPARTS_AT, make_leg


def turn(leg_deg: float, least_radius_nm: float) -> Waypoint:
    places = [Position(0.0, 0.0), Position(0.0, leg_deg), Position(-leg_deg, leg_deg)]
    waypoints = [
        Waypoint(
            index=number, position=place, eta=DEPARTS_AT, cumulative_nm=60.0 * leg_deg * number
        )
        for number, place in enumerate(places)
    ]
    ability = TurningAbility(usual_radius_nm=0.8, least_radius_nm=least_radius_nm, length_nm=0.1)
    return add_turns(waypoints, [make_leg(a, b) for a, b in pairwise(places)], ability)[1]


@given(st.floats(0.005, 0.012), st.floats(0.0001, 0.02))
def test_a_radius_that_is_too_small_reads_smaller_than_the_one_needed(
    leg_deg: float, missing_nm: float
) -> None:
    radius_nm = turn(leg_deg, 0.1).turn_radius_nm or 0.0
    stated = re.findall(r"(\d\.\d{3}) nm", turn(leg_deg, radius_nm + missing_nm).note or "")
    assert float(stated[0]) < float(stated[1])
