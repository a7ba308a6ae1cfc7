"""Drawing of the lines that a search has found, as few legs that are clear, and room for turns.

A sharp corner is split into two turns of half its angle, or left out.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np

from app.engine.arrays import Floats, Ints, split_columns
from app.engine.constants import EARTH_RADIUS_NM, NAUTICAL_MILE_M
from app.engine.geodesy import (
    great_circle_destination,
    great_circle_distance_nm,
    leg_course_deg,
    unit_vectors,
)
from app.engine.geodesy.leg import LegGeometry
from app.engine.planning.context import PlanningContext
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import RouteGeometry
from app.engine.request import Position, TrackKind
from app.engine.sailing.turns import measure_inside_nm, tangent_nm
from app.engine.sea.leg_room import LEAST_XTD_M, XTD_M, is_leg_clear, measure_leg_gap_m
from app.engine.sea.path import Leg, SeaPath
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.units import direction_difference

#: Distance between a corner and the ship's tightest arc from which the corner is split [m]. A taut
#: path touches what it avoids, and on the arc the ship would pass inside of it.
_INSIDE_M: Final = 50.0
#: Least length of the legs before and after, as a multiple of half the inserted leg.
_MIN_LENGTH_FACTOR: Final = 3.0
#: Least clearance of a part of a leg as a share of the leg's own: their rhumb lines differ.
_MIN_CLEARANCE_SHARE: Final = 0.9


def make_room_for_turns(context: PlanningContext, path: SeaPath) -> SeaPath:
    """Return a path with room for its sharp turns at sea, where the water is clear.

    A short leg is inserted at a sharp corner, outside of it. The turn at each of its ends is half
    the corner's, and at the ship's usual radius its arc passes much closer to the waypoint. A
    corner too close to a passage for any turn is left out where that leaves a mile of clear water.
    Corners of passages stay, because the lines of passages are data.
    """
    corners = [
        Position(lat, lng) for lat, lng in zip(path.lats.tolist(), path.lngs.tolist(), strict=True)
    ]
    passages = path.leg_passages.tolist()
    positions, new_passages = [corners[0]], []
    for n, (corner, after) in enumerate(pairwise(corners[1:]), 1):
        is_open = passages[n - 1] == passages[n] == OPEN_SEA
        joins = any(mark != OPEN_SEA for mark in passages[max(n - 2, 0) : n + 2])
        here = positions[-1], corner, after
        turns = _list_turning_points(context, path, *here, joins=joins) if is_open else [corner]
        positions += turns
        new_passages += [passages[n - 1]] * len(turns)
    positions.append(corners[-1])
    if positions == corners:
        return path
    lats, lngs = split_columns(positions)
    leg_passages = np.array([*new_passages, passages[-1]], dtype=path.leg_passages.dtype)
    return replace(path, lats=lats, lngs=lngs, leg_passages=leg_passages)


def _list_turning_points(
    context: PlanningContext,
    path: SeaPath,
    before: Position,
    at: Position,
    after: Position,
    *,
    joins: bool,
) -> list[Position]:
    """Return the waypoints at which a ship turns instead of at a corner, or that corner.

    ``joins`` is true if the legs at the corner join a passage.
    """
    ability, great_circle = context.ship.turning_ability, LegGeometry.GREAT_CIRCLE
    course_deg = leg_course_deg(at, before, great_circle) + 180.0
    change_deg = float(direction_difference(leg_course_deg(at, after, great_circle), course_deg))
    inside_nm = measure_inside_nm(ability.least_radius_nm, change_deg)
    if inside_nm * NAUTICAL_MILE_M < _INSIDE_M:
        return [at]
    waters, conditions = context.sea.waters, path.conditions
    room_nm = min(float(great_circle_distance_nm(*at, *to)) for to in (before, after))
    half_nm = tangent_nm(ability.usual_radius_nm, 0.5 * change_deg)
    if joins and room_nm < tangent_nm(ability.least_radius_nm, change_deg):
        is_clear = measure_leg_gap_m(waters, conditions, before, after, XTD_M) >= XTD_M
        return [] if is_clear else [at]
    if room_nm < _MIN_LENGTH_FACTOR * half_nm:
        return [at]
    across_deg = course_deg + 0.5 * change_deg
    ends = [
        _find_destination(at, across_deg + 180.0, half_nm),
        _find_destination(at, across_deg, half_nm),
    ]
    legs = pairwise([before, *ends, after])
    return ends if all(is_leg_clear(waters, conditions, a, b) for a, b in legs) else [at]


def _find_destination(start: Position, course_deg: float, distance_nm: float) -> Position:
    lat, lng = great_circle_destination(*start, course_deg, distance_nm)
    return Position(float(lat), float(lng))


def draw_track(
    problem: RoutingProblem, lines: Sequence[tuple[Floats, Floats]], tolerance_nm: float
) -> RouteGeometry | None:
    """Build the route geometry with lines for its open stretches; ``None`` if a leg is not clear.

    ``lines`` are latitudes and longitudes of each open stretch in order. The legs leave them by
    at most ``tolerance_nm``, except at corners that are split for the ship's turn.
    """
    legs: list[Leg] = []
    open_lines = iter(lines)
    for stretch in problem.stretches:
        if not stretch.is_open:
            legs += stretch.legs
            continue
        lats, lngs = next(open_lines)
        kept = _simplify_line(problem, lats, lngs, tolerance_nm)
        marks = np.full(len(kept) - 1, OPEN_SEA, dtype=np.int16)
        line = replace(problem.path, lats=lats[kept], lngs=lngs[kept], leg_passages=marks, uses=())
        path = make_room_for_turns(problem.context, line)
        new_legs = problem.context.sea.build_legs(path, TrackKind.WEATHER)
        if not all(_is_safe(problem, leg) for leg in new_legs):
            return None
        legs += new_legs
    return problem.build_geometry(tuple(legs))


def _simplify_line(
    problem: RoutingProblem, lats: Floats, lngs: Floats, tolerance_nm: float
) -> Ints:
    """Return the indices of the points of a line to keep, ascending.

    The line lies within the tolerance of the great circles between successive kept points, and
    the leg of each such pair is clear unless the two are neighbours in the line.

    Douglas and Peucker (1973), "Algorithms for the reduction of the number of points", The
    Canadian Cartographer 10(2), 112-122, with great circles instead of straight lines.
    """
    waters, conditions = problem.context.sea.waters, problem.path.conditions
    places = list(map(Position, lats.tolist(), lngs.tolist()))
    vectors = unit_vectors(lats, lngs)
    kept = [0, lats.size - 1]
    pending = [(0, lats.size - 1)]
    while pending:
        first, last = pending.pop()
        if last - first < 2:
            continue
        off_nm = _off_line_nm(vectors[first : last + 1])[1:-1]
        is_near = off_nm.max() <= tolerance_nm
        if not (is_near and is_leg_clear(waters, conditions, places[first], places[last])):
            farthest = first + 1 + int(np.argmax(off_nm))
            kept.append(farthest)
            pending += [(first, farthest), (farthest, last)]
    return np.array(sorted(kept))


def _off_line_nm(vectors: Floats) -> Floats:
    """Return the distances of points from the great circle through the first and the last [nm].

    The points are unit vectors, shape (n, 3).
    """
    (a, b, c), (d, e, f) = vectors[0], vectors[-1]
    pole = np.array([b * f - c * e, c * d - a * f, a * e - b * d])
    length = np.linalg.norm(pole)
    if length < 1e-12:
        return np.zeros(len(vectors))
    return np.asarray(
        EARTH_RADIUS_NM * np.abs(np.arcsin(np.clip(vectors @ pole / length, -1.0, 1.0)))
    )


def _is_safe(problem: RoutingProblem, leg: Leg) -> bool:
    """Return whether a leg keeps its clearance in proven water that is deep enough."""
    needed_m = problem.context.size.least_depth_m
    is_deep = leg.min_depth_m is None or leg.min_depth_m >= needed_m
    return leg.xtd_m >= LEAST_XTD_M and is_deep and not leg.is_unproven


def measure_new_legs(
    problem: RoutingProblem, legs: tuple[Leg, ...], new: Sequence[int]
) -> tuple[Leg, ...] | None:
    """Measure the clearance of the legs numbered ``new``; ``None`` if one is not clear.

    Each of them is a part of a leg and still has that leg's clearance.
    """
    waters, conditions = problem.context.sea.waters, problem.path.conditions
    measured = list(legs)
    for n in new:
        leg = legs[n]
        gap_m = measure_leg_gap_m(waters, conditions, leg.start, leg.end, leg.xtd_m)
        if gap_m < min(_MIN_CLEARANCE_SHARE * leg.xtd_m, LEAST_XTD_M):
            return None
        measured[n] = replace(leg, xtd_m=gap_m)
    return tuple(measured)
