"""Error of the search on problems with a known optimum.

The search runs each case as it runs at sea, with another medium and, for cases in the plane, a
flat earth: currents and speeds are formulas instead of weather and ship. ``--cases FILE`` names
the cases.
"""

import argparse
import json
import math
import time
from itertools import pairwise
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from app.engine.arrays import Bools, Floats, Ints
from app.engine.optimise.corridor import divide_segment
from app.engine.optimise.labels import Trajectory
from app.engine.optimise.refinement import (
    Corridor,
    LatticeResolution,
    Problem,
    find_best,
    halve_stages,
    refine,
    search_corridor,
)
from app.engine.optimise.search_objective import Prices, SearchObjective
from app.engine.optimise.surface import (
    PLANE_RADIUS_NM,
    find_destination,
    measure_segment,
    segment_lengths_nm,
)
from benchmarks.formula_media import CURRENTS, Formula, read_formula
from benchmarks.report import print_result, print_table

#: Stages of the first search, and the curvature of the lines that it follows.
STAGES = 25
BENDS = (0.0, -1.0, 1.0)


def main() -> None:
    """Solve every case; the last line is JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=Path, required=True, help="the cases, as JSON")
    parser.add_argument("--only", default="", help="cases whose name contains this text")
    arguments = parser.parse_args()
    cases = [
        c for c in json.loads(arguments.cases.read_text())["cases"] if arguments.only in c["id"]
    ]
    results = [Result(case) for case in cases]
    print_table(("case", "known", "found", "error %", "s"), [result.row for result in results])
    errors = [abs(result.error_pct) for result in results if result.error_pct is not None]
    print_result(
        {
            "cases": len(cases),
            "solved": sum(result.is_solved for result in results),
            "unmapped": [r.case["id"] for r in results if r.is_unmapped],
            "unsolved": [r.case["id"] for r in results if not (r.is_solved or r.is_unmapped)],
            "median_error_pct": round(median(errors), 5) if errors else None,
            "max_error_pct": round(max(errors), 5) if errors else None,
        }
    )


class Result:
    """Result of one case; the error is ``None`` where the case cannot be posed."""

    def __init__(self, case: dict[str, Any]) -> None:
        started = time.perf_counter()
        self.case = case
        self.known: float | None = case["expect"].get("value")
        self.found = solve(case)
        self.seconds = time.perf_counter() - started

    @property
    def is_unmapped(self) -> bool:
        """Return whether the search cannot be given this case."""
        return _is_unmapped(self.case)

    @property
    def error_pct(self) -> float | None:
        """Error of the result [%]; ``None`` without a value to compare."""
        if self.found is None or self.known is None:
            return None
        return 100.0 * (self.found - self.known) / self.known

    @property
    def is_solved(self) -> bool:
        """Return whether the error is within the tolerance, or rightly nothing was found."""
        if self.known is None:
            return self.found is None and not self.is_unmapped
        error_pct = self.error_pct
        return error_pct is not None and abs(error_pct) <= self.case["tolerance_pct"]

    @property
    def row(self) -> tuple[str, ...]:
        """Cells of the table."""
        known = "infeasible" if self.known is None else f"{self.known:.4f}"
        found = "-" if self.found is None else f"{self.found:.4f}"
        error = "-" if self.error_pct is None else f"{self.error_pct:+.4f}"
        return self.case["id"], known, found, error, f"{self.seconds:.2f}"


def solve(case: dict[str, Any]) -> float | None:
    """Return what the search finds for a case, in the quantity that is compared.

    ``None`` if it finds nothing or cannot be given the case.
    """
    if _is_unmapped(case):
        return None
    return solve_speeds(case) if "fuel_per_h" in case else solve_track(case)


def _is_unmapped(case: dict[str, Any]) -> bool:
    """Return whether the ship has no speed at the start, which no midpoint of a hop shows."""
    return bool(case.get("ship_speed", {}).get("type") == "sqrt_y")


def ends(case: dict[str, Any]) -> tuple[tuple[float, float], tuple[float, float], float]:
    """Return start and goal as (y, x) or (latitude, longitude), and the earth's radius."""
    if case["earth"] == "plane":
        (x0, y0), (x1, y1) = case["start"], case["goal"]
        return (y0, x0), (y1, x1), PLANE_RADIUS_NM
    start, goal = case["start_lat_lon"], case["goal_lat_lon"]
    return tuple(start), tuple(goal), case["earth"]["sphere_radius_nm"]


def solve_track(case: dict[str, Any]) -> float | None:
    """Return the least time, or the least distance round an obstacle."""
    start, goal, radius_nm = ends(case)
    medium = read_formula(case)
    length_nm = _length_nm(radius_nm, _bow(radius_nm, start, goal, 0.0))
    speed_kn = float(medium.speed_terms[0])
    is_movable = np.ones(STAGES, dtype=np.bool_)
    is_movable[[0, -1]] = False
    problem = Problem(
        medium=medium,
        radius_nm=radius_nm,
        objective=SearchObjective(
            departs_h=0.0,
            speed_min_kn=speed_kn,
            speed_max_kn=speed_kn,
            prices=Prices(0.0, 1.0),
            value_of_time=(np.zeros(1), np.zeros(1)),
            longest_h=None,
        ),
        is_movable=is_movable,
        longest_wait_h=np.zeros(STAGES),
        first_segment=np.zeros(STAGES, dtype=np.int64),
        segments=np.empty((0, 8)),
        clear=_keep_out(case, radius_nm),
    )
    found = [
        _search_along(problem, _bow(radius_nm, start, goal, bend), length_nm, speed_kn)
        for bend in BENDS
    ]
    trajectories = [trajectory for trajectory in found if trajectory is not None]
    if not trajectories:
        return None
    trajectory = min(trajectories, key=lambda trajectory: float(trajectory.hours[-1]))
    for halving in range(3):
        if halving:
            problem, trajectory = halve_stages(problem, trajectory)
        trajectory = refine(
            problem, trajectory, _resolution(length_nm, halving), rounds=8, shrink=0.5
        )
    hours = float(trajectory.hours[-1])
    return hours * speed_kn if case["expect"].get("quantity") == "distance_nm" else hours


def _bow(
    radius_nm: float, start: tuple[float, float], goal: tuple[float, float], bend: float
) -> tuple[Floats, Floats]:
    """Return a line from start to goal that is curved to one side by a share of half its length."""
    lats, lngs = divide_segment(radius_nm, start, goal, STAGES - 1)
    lats, lngs = np.insert(lats, 0, start[0]), np.insert(lngs, 0, start[1])
    lengths_nm, courses = np.vectorize(measure_segment)(
        radius_nm, lats[:-1], lngs[:-1], lats[1:], lngs[1:]
    )
    turn = np.linspace(0.0, math.pi, STAGES)
    half_nm, course = 0.5 * lengths_nm.sum(), np.append(courses, courses[-1])
    along_nm = half_nm * (1.0 - np.cos(turn) - np.linspace(0.0, 2.0, STAGES)) * abs(bend)
    find_destinations = np.vectorize(find_destination)
    lats, lngs = find_destinations(radius_nm, lats, lngs, course, along_nm)
    return find_destinations(radius_nm, lats, lngs, course + 90.0, bend * half_nm * np.sin(turn))


def _length_nm(radius_nm: float, line: tuple[Floats, Floats]) -> float:
    return float(segment_lengths_nm(radius_nm, *line).sum())


def _search_along(
    problem: Problem, line: tuple[Floats, Floats], length_nm: float, speed_kn: float
) -> Trajectory | None:
    corridor = Corridor(
        offsets_nm=(np.arange(61) - 30) * length_nm / 45.0,
        reach=6,
        smooth_nm=length_nm / 8.0,
        speeds=1,
        window_h=(np.zeros(STAGES), np.full(STAGES, 4.0 * length_nm / speed_kn)),
        bins=128,
        weather_spacing_nm=length_nm / 96.0,
        longest_step_h=length_nm / speed_kn / 64.0,
    )
    return find_best(problem, search_corridor(problem, line, corridor))


def _resolution(length_nm: float, halving: int) -> LatticeResolution:
    return LatticeResolution(
        columns=9,
        spacing_nm=length_nm / 120.0 / 3.0**halving,
        reach=8,
        smooth_nm=length_nm / 24.0,
        speeds=1,
        speed_step_kn=0.0,
        span_h=0.3 * length_nm / 10.0,
        bins=32,
        weather_spacing_nm=length_nm / 400.0,
        longest_step_h=length_nm / 1000.0,
    )


def _keep_out(case: dict[str, Any], radius_nm: float) -> Any:
    """Return a test for points outside the case's round obstacle, if it has one."""
    obstacle = case.get("obstacle")
    if obstacle is None:
        return lambda lats, lngs, has_edge: has_edge
    if radius_nm == PLANE_RADIUS_NM:
        x, y = obstacle["centre"]
        centre, nearest_nm = (y, x), obstacle["radius_nm"]
    else:
        centre = tuple(obstacle["centre_lat_lon"])
        nearest_nm = math.radians(obstacle["radius_deg"]) * radius_nm

    def clear(lats: Floats, lngs: Floats, has_edge: Bools) -> Bools:
        kept = has_edge.copy()
        for k, i, j in np.argwhere(has_edge):
            a, b = (lats[k, i], lngs[k, i]), (lats[k + 1, j], lngs[k + 1, j])
            ys, xs = divide_segment(radius_nm, a, b, 16)
            kept[k, i, j] = _nearest_nm(radius_nm, centre, ys, xs) >= nearest_nm
        return kept

    return clear


def _nearest_nm(radius_nm: float, centre: tuple[float, float], ys: Floats, xs: Floats) -> float:
    if radius_nm == PLANE_RADIUS_NM:
        return float(np.hypot(ys - centre[0], xs - centre[1]).min())
    p, q = np.radians(ys), np.radians(xs - centre[1])
    c = math.radians(centre[0])
    cosine = math.sin(c) * np.sin(p) + math.cos(c) * np.cos(p) * np.cos(q)
    return float(radius_nm * np.arccos(np.clip(cosine, -1.0, 1.0)).min())


def solve_speeds(case: dict[str, Any]) -> float | None:
    """Return the least fuel on a straight track, or the speed that burns it."""
    legs_nm = case.get("straight_legs_nm", [300.0])
    edges_nm = np.concatenate([[0.0], np.cumsum(legs_nm)])
    parts = [np.linspace(a, b, 11)[1:] for a, b in pairwise(edges_nm)]
    at_nm = np.concatenate([[0.0], *parts])
    leg = np.repeat(np.arange(len(legs_nm)), 10)
    lattice = at_nm.size
    arrive_h = case.get("arrival_h", inf)
    mean_kn = edges_nm[-1] / arrive_h if arrive_h < inf else 11.0
    fuel = case["fuel_per_h"]
    cubic = fuel.get("cubic", 1.0)
    problem = Problem(
        medium=_straight_medium(case, edges_nm),
        radius_nm=PLANE_RADIUS_NM,
        objective=SearchObjective(
            departs_h=0.0,
            speed_min_kn=4.5,
            speed_max_kn=24.0,
            prices=Prices(1.0, 0.0),
            # Fuel over a distance is proportional to v^2: d(fuel)/d(time) = -2 v^3.
            value_of_time=(np.zeros(1), np.array([2.0 * cubic * mean_kn**3])),
            longest_h=arrive_h if arrive_h < inf else None,
        ),
        is_movable=np.zeros(lattice, dtype=np.bool_),
        longest_wait_h=np.zeros(lattice),
        first_segment=np.arange(lattice),
        segments=_straight_segments(case, at_nm, leg),
        clear=lambda lats, lngs, has_edge: has_edge,
        closed=_close_gate(case, leg),
    )
    longest_h = arrive_h if arrive_h < inf else 600.0
    corridor = Corridor(
        offsets_nm=np.zeros(1),
        reach=0,
        smooth_nm=1.0,
        speeds=40,
        window_h=(np.zeros(lattice), np.full(lattice, longest_h * 1.001)),
        bins=400,
        weather_spacing_nm=inf,
        longest_step_h=longest_h / 100.0,
    )
    trajectory = find_best(problem, search_corridor(problem, (np.zeros(lattice), at_nm), corridor))
    if trajectory is None:
        return None
    resolution = LatticeResolution(
        1, 0.0, 0, 1.0, 9, 0.5, 0.1 * longest_h, 100, inf, longest_h / 100.0
    )
    trajectory = refine(problem, trajectory, resolution, rounds=10, shrink=0.6)
    return (
        trajectory.fuel
        if case["expect"].get("quantity") == "fuel"
        else float(trajectory.speeds_kn.mean())
    )


def _straight_medium(case: dict[str, Any], edges_nm: Floats) -> Formula:
    legs = edges_nm.size - 1
    currents = np.broadcast_to(case.get("along_track_current_kn", 0.0), legs).astype(np.float64)
    fuel = case["fuel_per_h"]
    return Formula(
        0,
        np.array([1.0]),
        CURRENTS.index("by_leg"),
        np.zeros(1),
        np.stack([edges_nm[1:], currents, np.zeros(legs)], axis=1),
        np.array([fuel.get("constant", 0.0), fuel.get("cubic", 1.0), fuel.get("exponent", 3.0)]),
    )


def _straight_segments(case: dict[str, Any], at_nm: Floats, leg: Ints) -> Floats:
    """Return hops along the track; the column of depth holds the roughness of the leg."""
    factors = np.array(case.get("weather_factor_per_leg", np.ones(leg[-1] + 1)), dtype=np.float64)
    middle, nothing = 0.5 * (at_nm[:-1] + at_nm[1:]), np.zeros(leg.size)
    columns = (nothing, middle, nothing + 90.0, np.diff(at_nm), nothing + inf, nothing)
    return np.stack([*columns, factors[leg], nothing], axis=1)


def _close_gate(case: dict[str, Any], leg: Ints) -> Any:
    """Close the second leg until the case's gate opens."""
    opens_h = case.get("gate_opens_h")
    if opens_h is None:
        return None

    def closed(lats: Floats, lngs: Floats, has_edge: Bools) -> tuple[Floats, Floats]:
        shape = *has_edge.shape, 1
        until_h = np.where(leg == 1, opens_h, -inf)[:, None, None, None]
        return np.full(shape, -inf), np.broadcast_to(until_h, shape).copy()

    return closed


if __name__ == "__main__":
    main()
