"""Time windows of the stages, over which a first search lays its bins, and longest waits."""

from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.lattice import CAP_KN, DISTANCE_NM, WAIT_H
from app.engine.optimise.navigable_water import NavigableWater, window_h
from app.engine.optimise.refinement import Problem
from app.engine.optimise.surface import hops_along

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Greatest effect of currents over a short distance, and on the mean of a long route [kn];
#: the strongest ocean currents set 4 kn, but over a few hundred miles only.
_CURRENT_KN: Final = 3.0
_MEAN_CURRENT_KN: Final = 0.7
#: Hours that a stretch of the strongest currents may gain over the mean.
_GAINED_H: Final = 6.0
#: Bins added for arrivals of a ship that the sea holds back, at most.
_MOST_LATE_BINS: Final = 160
#: Factor by which a search may arrive at a point later than the simulation.
_LATER: Final = 1.02
#: Waiting for weather to pass, and for an area to open, at most [h].
LONGEST_WAIT_FOR_WEATHER_H: Final = 48.0
_LONGEST_WAIT_FOR_AREA_H: Final = 120.0


@dataclass(frozen=True)
class Timetable:
    """Hours since departure at points of a route, given as shares of its length."""

    shares: Floats
    hours: Floats

    def along(self, line: tuple[Floats, Floats], radius_nm: float) -> Floats:
        """Return hours at the same shares of another line, shape (s,)."""
        straight = np.empty((line[0].size - 1, 3))
        hops_along(radius_nm, *line, straight)
        so_far_nm = np.concatenate([[0.0], np.cumsum(straight[:, 0])])
        return np.asarray(np.interp(so_far_nm / so_far_nm[-1], self.shares, self.hours))


def longest_wait_for_areas_h(water: NavigableWater, departs_h: float) -> float:
    """Return the longest useful wait for an area to open [h]; 0 where none opens."""
    opens_h = [window_h(area)[1] - departs_h for area in water.timed]
    return min(max((h for h in opens_h if h < inf), default=0.0), _LONGEST_WAIT_FOR_AREA_H)


def make_wait_limits_h(longest_h: float, no_place_to_wait: Bools) -> Floats:
    """Return the longest wait at each stage [h], shape (s,).

    ``no_place_to_wait``, shape (s - 1,), is about each stage but the first: there the ship would
    depart later instead.
    """
    return np.concatenate([[0.0], np.where(no_place_to_wait, 0.0, max(longest_h, 0.0))])


def windows_h(
    problem: Problem, line: tuple[Floats, Floats], detour: float, aside_nm: float = 0.0
) -> tuple[Floats, Floats]:
    """Return the earliest and the latest time at each stage of a line, two of shape (s,).

    They are those of a ship that keeps the speed ordered. ``detour`` is how much longer than the
    line a track may be, if the ship doesn't wait, or a track that leads as far off it as
    ``aside_nm``.
    """
    fastest_kn, slowest_kn = problem.speed_max_kn, problem.speed_min_kn
    earliest = np.maximum(
        _reached_h(problem, line, fastest_kn, _CURRENT_KN),
        _reached_h(problem, line, fastest_kn, _MEAN_CURRENT_KN) - _GAINED_H,
    )
    latest = np.minimum(
        _reached_h(problem, line, slowest_kn, -_CURRENT_KN),
        _reached_h(problem, line, slowest_kn, -_MEAN_CURRENT_KN) + _GAINED_H,
    )
    waits = np.concatenate([[0.0], np.maximum.accumulate(problem.longest_wait_h[:-1])])
    aside = _lengthen_aside(problem, line, aside_nm)
    latest = np.maximum(np.maximum(detour, aside) * latest, latest + waits)
    if problem.arrive_by_h < inf:
        by_h = _in_time_by_h(problem, earliest) - problem.departs_h
        latest = np.maximum(np.minimum(latest, by_h + 1e-6), earliest + 1e-3)
    return problem.departs_h + earliest - 1e-6, problem.departs_h + latest + 1e-6


def _lengthen_aside(problem: Problem, line: tuple[Floats, Floats], aside_nm: float) -> Floats:
    """Return how much longer than a line a track so far off it is to each stage, shape (s,).

    It leads straight to the place abeam of the stage in the first half, and in the second by the
    place abeam of the middle to the stage itself.
    """
    straight = np.empty((line[0].size - 1, 3))
    hops_along(problem.radius_nm, *line, straight)
    at_nm = np.concatenate([[0.0], np.cumsum(straight[:, 0])])
    middle_nm = 0.5 * at_nm[-1]
    out_nm = np.hypot(np.minimum(at_nm, middle_nm), aside_nm)
    back_nm = np.hypot(at_nm - middle_nm, aside_nm)
    length_nm = np.where(at_nm <= middle_nm, out_nm, out_nm + back_nm)
    return np.asarray(length_nm / np.maximum(at_nm, 1.0))


def add_late_bins(
    problem: Problem,
    line: tuple[Floats, Floats],
    window_h: tuple[Floats, Floats],
    bins: int,
    slowest: Timetable | None,
) -> tuple[tuple[Floats, Floats], int]:
    """Extend windows to the arrivals of a ship that the sea holds back; return them and the bins.

    ``slowest`` is the simulation at the lowest speed ordered, in the weather. The bins keep their
    width while few are added: only seas that the ship can't push through add any.
    """
    if slowest is None:
        return window_h, bins
    from_h, to_h = window_h
    late_h = problem.departs_h + _LATER * slowest.along(line, problem.radius_nm)
    late_h = np.minimum(late_h, _in_time_by_h(problem, from_h))
    width_h = np.maximum(to_h - from_h, 1e-3) / bins
    needed = max(int(np.ceil((late_h - to_h) / width_h).max()), 0)
    return (from_h, to_h + needed * width_h), bins + min(needed, _MOST_LATE_BINS)


def _in_time_by_h(problem: Problem, earliest_h: Floats) -> Floats:
    """Return when each stage must be left for an arrival in time, at the highest speed."""
    return np.asarray(problem.arrive_by_h - (earliest_h[-1] - earliest_h))


def _reached_h(
    problem: Problem, line: tuple[Floats, Floats], ordered_kn: float, current_kn: float
) -> Floats:
    """Return hours to each stage with a constant current; half of the speed is kept."""
    straight = np.empty((line[0].size - 1, 3))
    hops_along(problem.radius_nm, *line, straight)
    slowest_kn = 0.5 * ordered_kn
    hours = straight[:, 0] / max(ordered_kn + current_kn, slowest_kn)
    given = problem.hops
    capped_kn = np.minimum(ordered_kn, given[:, CAP_KN])
    speed_kn = np.maximum(capped_kn + current_kn, 0.5 * capped_kn)
    hop_h = given[:, DISTANCE_NM] / speed_kn + given[:, WAIT_H]
    so_far_h = np.concatenate([[0.0], np.cumsum(hop_h)])[problem.first_hop]
    is_given = np.diff(problem.first_hop) > 0
    hours[is_given] = np.diff(so_far_h)[is_given]
    return np.concatenate([[0.0], np.cumsum(hours)])
