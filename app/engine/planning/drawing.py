"""Drawing of the lines that a search has found, as few legs that are clear."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.optimise.simplify import simplify_line
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import RouteGeometry
from app.engine.planning.turning_room import make_room_for_turns
from app.engine.request import Position, TrackKind
from app.engine.sea.leg_room import LEAST_XTD_M, is_leg_clear, measure_leg_gap_m
from app.engine.sea.path import Leg, SeaPath
from app.engine.sea.search.astar import OPEN_SEA

#: Least clearance of a part of a leg as a share of the leg's own: their rhumb lines differ.
_MIN_CLEARANCE_SHARE: Final = 0.9


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
        kept = simplify_line(lats, lngs, tolerance_nm, _clearance_check(problem, lats, lngs))
        path = _build_path(problem.path, lats[kept], lngs[kept])
        path = make_room_for_turns(problem.context, path)
        new_legs = problem.context.sea.build_legs(path, TrackKind.WEATHER)
        if not all(_is_safe(problem, leg) for leg in new_legs):
            return None
        legs += new_legs
    return problem.build_geometry(tuple(legs))


def _clearance_check(
    problem: RoutingProblem, lats: Floats, lngs: Floats
) -> Callable[[int, int], bool]:
    waters, conditions = problem.context.sea.waters, problem.path.conditions

    def is_clear(first: int, last: int) -> bool:
        a, b = (Position(float(lats[n]), float(lngs[n])) for n in (first, last))
        return is_leg_clear(waters, conditions, a, b)

    return is_clear


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


def _build_path(path: SeaPath, lats: Floats, lngs: Floats) -> SeaPath:
    """Return a path in open water along positions, with the conditions of another path."""
    marks = np.full(lats.size - 1, OPEN_SEA, dtype=np.int16)
    return replace(path, lats=lats, lngs=lngs, leg_passages=marks, uses=())
