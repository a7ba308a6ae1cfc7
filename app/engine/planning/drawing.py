"""Drawing: the lines that a search has found as legs that are clear."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.simplify import simplify_line
from app.engine.optimise.stretches import list_stretches
from app.engine.planning.geometry import RouteGeometry, build_geometry
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.turning_room import make_turning_room
from app.engine.request import Position, TrackKind
from app.engine.sea.legs import XTD_M, measure_leg_gap_m
from app.engine.sea.path import Leg, SeaPath
from app.engine.sea.search.astar import OPEN_SEA

Floats = NDArray[np.float64]

#: Least clearance of a new leg [m]: a mile, less what the ends of open water need, which lie
#: a mile off.
_LEAST_XTD_M: Final = 0.9 * XTD_M
#: Least clearance of a part of a leg as a share of the whole leg's: its rhumb line differs.
_KEPT_CLEARANCE: Final = 0.9


def draw_track(
    problem: RoutingProblem, lines: Sequence[tuple[Floats, Floats]], tolerance_nm: float
) -> RouteGeometry | None:
    """Build the route with lines for its open stretches; ``None`` if a leg is not clear."""
    legs: list[Leg] = []
    open_lines = iter(lines)
    for stretch in list_stretches(problem.geometry.legs):
        if not stretch.is_open:
            legs += stretch.legs
            continue
        lats, lngs = next(open_lines)
        kept = simplify_line(lats, lngs, tolerance_nm, _clearance_check(problem, lats, lngs))
        path = _as_path(problem.path, lats[kept], lngs[kept])
        path = make_turning_room(problem.context, path)
        laid = problem.context.sea.build_legs(path, TrackKind.WEATHER)
        if not all(_is_safe(problem, leg) for leg in laid):
            return None
        legs += laid
    geometry = problem.geometry
    return build_geometry(
        problem.context, geometry.label, geometry.uses, tuple(legs), geometry.prices
    )


def _clearance_check(
    problem: RoutingProblem, lats: Floats, lngs: Floats
) -> Callable[[int, int], bool]:
    """Return the check that a leg between two points of a line keeps its clearance."""
    waters, conditions = problem.context.sea.waters, problem.path.conditions

    def is_clear(first: int, last: int) -> bool:
        a, b = (Position(float(lats[n]), float(lngs[n])) for n in (first, last))
        return measure_leg_gap_m(waters, conditions, a, b, XTD_M) >= _LEAST_XTD_M

    return is_clear


def _is_safe(problem: RoutingProblem, leg: Leg) -> bool:
    """Return whether a leg keeps its clearance, over water that is deep enough."""
    needed_m = problem.context.size.least_depth_m
    is_deep = leg.min_depth_m is None or leg.min_depth_m >= needed_m
    return leg.xtd_m >= _LEAST_XTD_M and is_deep and not leg.is_unproven


def measure_new_legs(
    problem: RoutingProblem, legs: tuple[Leg, ...], new: Sequence[int]
) -> tuple[Leg, ...] | None:
    """Measure the clearance of new legs; ``None`` where one is too near."""
    waters, conditions = problem.context.sea.waters, problem.path.conditions
    measured = list(legs)
    for n in new:
        leg = legs[n]
        gap_m = measure_leg_gap_m(waters, conditions, leg.start, leg.end, leg.xtd_m)
        if gap_m < min(_KEPT_CLEARANCE * leg.xtd_m, _LEAST_XTD_M):
            return None
        measured[n] = replace(leg, xtd_m=gap_m)
    return tuple(measured)


def _as_path(path: SeaPath, lats: Floats, lngs: Floats) -> SeaPath:
    """Return positions in open water as a path under the conditions of another."""
    marks = np.full(lats.size - 1, OPEN_SEA, dtype=np.int16)
    return replace(path, lats=lats, lngs=lngs, leg_passages=marks, uses=())
