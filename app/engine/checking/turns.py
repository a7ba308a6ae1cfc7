"""Findings of turns that a ship cannot make on the legs given."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from app.engine.checking.findings import CORRIDOR_SLACK_M, Finding, FindingCode, Severity
from app.engine.checking.waters import measure_clear_m
from app.engine.constants import NAUTICAL_MILE_M
from app.engine.geodesy import great_circle_distance_nm
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint
from app.engine.sailing.turns import course_change_deg, measure_inside_nm, plan_turns, tangent_nm
from app.engine.sea.leg_room import XTD_M
from app.engine.sea.path import Leg
from app.engine.vessel import TurningAbility

#: Least change of course that needs a turn [deg].
_LEAST_CHANGE_DEG: Final = 1.0
#: Tolerance of radii and lengths for the rounding of files and of messages [nm].
_SLACK_NM: Final = 0.005
#: Distance from the ends of a voyage within which ships sail slowly [nm].
_HARBOUR_WATERS_NM: Final = 10.0


def find_turns(
    context: PlanningContext, legs: Sequence[Leg], waypoints: Sequence[GivenWaypoint]
) -> Iterator[Finding]:
    """Find turns that are too tight, legs too short for them, and arcs outside the corridor.

    Without a given radius, the ship's usual one or the largest that fits is used. Turns from or
    to a leg that touches land are skipped, as such a leg has no clear water.
    """
    ability = context.ship.turning_ability
    changes = [course_change_deg(a, b) for a, b in pairwise(legs)]
    fitting = plan_turns(legs, ability)
    radii_nm = [
        turn.radius_nm if given.turn_radius_nm is None else given.turn_radius_nm
        for turn, given in zip(fitting, waypoints[1:-1], strict=True)
    ]
    room_nm = [0.0] * (len(legs) + 1)
    for number, (change, radius_nm) in enumerate(zip(changes, radii_nm, strict=True), 1):
        is_ashore = min(legs[number - 1].xtd_m, legs[number].xtd_m) <= 0.0
        if abs(change) < _LEAST_CHANGE_DEG or is_ashore:
            continue
        room_nm[number] = tangent_nm(radius_nm, change)
        yield from _find_tight(legs, number, change, radius_nm, ability)
        yield from _find_outside(context, legs, number, change, radius_nm)
    for number, (leg, ends) in enumerate(zip(legs, pairwise(room_nm), strict=True)):
        if sum(ends) > leg.distance_nm + _SLACK_NM:
            yield Finding(
                FindingCode.LEG_TOO_SHORT,
                Severity.WARNING,
                f"The leg is {leg.distance_nm:.2f} nm long; its turns need {sum(ends):.2f} nm.",
                leg_index=number,
                position=leg.start,
                measured=leg.distance_nm,
                required=sum(ends),
            )


def _find_tight(
    legs: Sequence[Leg], number: int, change: float, radius_nm: float, ability: TurningAbility
) -> Iterator[Finding]:
    """Find a turn tighter than the ship's least radius at service speed.

    It is a note near harbours and in narrow waters, where ships slow down.
    """
    after = legs[number]
    if radius_nm >= ability.least_radius_nm - _SLACK_NM:
        return
    ends = legs[0].start, legs[-1].end
    is_narrow = any(
        leg.xtd_m < NAUTICAL_MILE_M or leg.passage for leg in (legs[number - 1], after)
    ) or any(great_circle_distance_nm(*end, *after.start) < _HARBOUR_WATERS_NM for end in ends)
    yield Finding(
        FindingCode.TURN_TOO_TIGHT,
        Severity.NOTE if is_narrow else Severity.WARNING,
        f"The turn of {abs(change):.0f}° has a radius of {radius_nm:.3f} nm; at service speed the"
        f" ship needs {ability.least_radius_nm:.3f} nm.",
        waypoint_index=number,
        position=after.start,
        measured=radius_nm,
        required=ability.least_radius_nm,
    )


def _find_outside(
    context: PlanningContext, legs: Sequence[Leg], number: int, change: float, radius_nm: float
) -> Iterator[Finding]:
    before_and_after = legs[number - 1 : number + 1]
    clear_m = min(leg.xtd_m for leg in before_and_after)
    inside_m = measure_inside_nm(radius_nm, change) * NAUTICAL_MILE_M
    if math.isfinite(inside_m) and inside_m > clear_m >= XTD_M:
        # the legs' own distances end there
        clear_m = min(measure_clear_m(context, leg, inside_m) for leg in before_and_after)
    if not math.isfinite(inside_m) or inside_m > max(clear_m, 0.0) + CORRIDOR_SLACK_M:
        yield Finding(
            FindingCode.TURN_OUTSIDE_CORRIDOR,
            Severity.WARNING,
            f"The arc passes {inside_m:.0f} m inside the waypoint; {clear_m:.0f} m are clear.",
            waypoint_index=number,
            position=legs[number].start,
            measured=inside_m,
            required=clear_m,
        )
