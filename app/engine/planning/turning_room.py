"""Room for turns: sharp corners of a path at sea become two turns that the ship can make."""

from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np

from app.engine.constants import NAUTICAL_MILE_M
from app.engine.geodesy import great_circle_destination, great_circle_distance_nm, leg_course_deg
from app.engine.plan import LegGeometry
from app.engine.planning.context import PlanningContext
from app.engine.request import Position
from app.engine.sailing.turns import measure_inside_nm, tangent_nm
from app.engine.sea.legs import XTD_M, measure_leg_gap_m
from app.engine.sea.path import SeaPath
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.units import direction_difference

#: A corner is turned in two where the tightest arc would pass so far inside it [m]: a path is
#: drawn taut around what it avoids, which may lie no farther off.
_INSIDE_M: Final = 50.0
#: Legs on either side are at least so many times as long as the one put in.
_LONGER: Final = 3.0


def make_turning_room(context: PlanningContext, path: SeaPath) -> SeaPath:
    """Put a short leg across each sharp corner at sea, on its outer side, where that is clear.

    Both its ends turn by half as much as the corner, at the ship's usual radius, and their arcs
    pass much nearer to the waypoints. Corners of passages stay: their line is held as data.
    """
    places = [
        Position(*place) for place in zip(path.lats.tolist(), path.lngs.tolist(), strict=True)
    ]
    marks = path.leg_passages.tolist()
    turned, turned_marks = [places[0]], []
    for n, (at, after) in enumerate(pairwise(places[1:]), 1):
        is_open = marks[n - 1] == marks[n] == OPEN_SEA
        around = _turn_in_two(context, path, turned[-1], at, after) if is_open else None
        turned += around or [at]
        turned_marks += [marks[n - 1]] if around is None else [OPEN_SEA, OPEN_SEA]
    if len(turned) == len(places) - 1:
        return path
    lats, lngs = np.array([*turned, places[-1]]).T
    kept = np.array([*turned_marks, marks[-1]], dtype=path.leg_passages.dtype)
    return replace(path, lats=lats, lngs=lngs, leg_passages=kept)


def _turn_in_two(
    context: PlanningContext, path: SeaPath, before: Position, at: Position, after: Position
) -> list[Position] | None:
    """Return the ends of a leg across a corner; ``None`` where it is not sharp or none is clear."""
    ability, great_circle = context.ship.turning_ability, LegGeometry.GREAT_CIRCLE
    course_deg = leg_course_deg(at, before, great_circle) + 180.0
    change_deg = float(direction_difference(leg_course_deg(at, after, great_circle), course_deg))
    inside_nm = measure_inside_nm(ability.least_radius_nm, change_deg)
    if inside_nm * NAUTICAL_MILE_M < _INSIDE_M:
        return None
    half_nm = tangent_nm(ability.usual_radius_nm, 0.5 * change_deg)
    if min(float(great_circle_distance_nm(*at, *to)) for to in (before, after)) < _LONGER * half_nm:
        return None
    across_deg = course_deg + 0.5 * change_deg
    ends = [_go(at, across_deg + 180.0, half_nm), _go(at, across_deg, half_nm)]
    legs = pairwise([before, *ends, after])
    return ends if all(_is_clear(context, path, a, b) for a, b in legs) else None


def _go(start: Position, course_deg: float, miles: float) -> Position:
    lat, lng = great_circle_destination(*start, course_deg, miles)
    return Position(float(lat), float(lng))


def _is_clear(context: PlanningContext, path: SeaPath, a: Position, b: Position) -> bool:
    waters = context.sea.waters
    return measure_leg_gap_m(waters, path.conditions, a, b, XTD_M) >= 0.9 * XTD_M
