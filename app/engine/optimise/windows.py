"""Windows of arrival times at the stages of a first search, and the longest waits there."""

from datetime import timedelta
from math import inf
from typing import Final

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.optimise.lattice import CAP_KN, DISTANCE_NM, WAIT_H
from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.refinement import Problem
from app.engine.optimise.search_objective import Timetable
from app.engine.optimise.surface import cumulative_nm, segment_lengths_nm

#: Greatest effect of currents over a short distance, and on the mean of a long route [kn]. The
#: strongest ocean currents reach 4 kn, but only over a few hundred miles.
_MAX_CURRENT_KN: Final = 3.0
_MEAN_CURRENT_KN: Final = 0.7
#: Most hours gained on a stretch of the strongest currents over the mean current.
_MAX_CURRENT_GAIN_H: Final = 6.0
#: Most bins added for the late arrivals of a ship with high speed loss.
_MAX_LATE_BINS: Final = 160
#: Largest ratio of the search's time at a stage to the simulation's.
_LATE_FACTOR: Final = 1.02
#: Longest wait for weather to pass [h].
LONGEST_WAIT_FOR_WEATHER_H: Final = 48.0
#: Longest wait at sea for an area to open. Longer ones widen the times of every search; another
#: departure is better then, and areas that open later stay closed.
LONGEST_WAIT_FOR_AREA: Final = timedelta(days=14)
#: The same [h], with half a day for waits at a stage well before the area.
_LONGEST_WAIT_FOR_AREA_H: Final = LONGEST_WAIT_FOR_AREA / timedelta(hours=1) + 12.0


def compute_longest_area_wait_h(
    water: NavigableWater, departs_h: float, lats: Floats, lngs: Floats
) -> float:
    """Return the longest useful wait on a line for an area to open [h]; 0 if none there opens.

    Areas elsewhere do not count, though a track may meet them: waits widen the times of a search,
    and labels of fast and slow ships then share their bins.
    """
    opens_h = water.find_latest_opening_h(lats, lngs)
    return min(max(opens_h - departs_h, 0.0), _LONGEST_WAIT_FOR_AREA_H)


def build_wait_limits(longest_h: float, at_departure_h: float, no_place_to_wait: Bools) -> Floats:
    """Return the longest wait at each stage [h], shape (s,), ``at_departure_h`` at the first.

    ``no_place_to_wait``, shape (s - 1,), marks the stages after the first at which no ship may
    wait.
    """
    after_h = np.where(no_place_to_wait, 0.0, max(longest_h, 0.0))
    return np.concatenate([[max(at_departure_h, 0.0)], after_h])


def compute_arrival_windows(
    problem: Problem, line: tuple[Floats, Floats], detour: float, aside_nm: float = 0.0
) -> tuple[Floats, Floats]:
    """Return the earliest and the latest time at each stage of a line, two of shape (s,).

    They assume that the ship keeps the ordered speed. ``detour`` is the largest ratio of a
    track's length to the line's, for a ship that does not wait. Tracks as far off the line as
    ``aside_nm`` are covered too.
    """
    objective = problem.objective
    fastest_kn, slowest_kn = objective.speed_max_kn, objective.speed_min_kn
    earliest = np.maximum(
        _hours_to_stages(problem, line, fastest_kn, _MAX_CURRENT_KN),
        _hours_to_stages(problem, line, fastest_kn, _MEAN_CURRENT_KN) - _MAX_CURRENT_GAIN_H,
    )
    latest = np.minimum(
        _hours_to_stages(problem, line, slowest_kn, -_MAX_CURRENT_KN),
        _hours_to_stages(problem, line, slowest_kn, -_MEAN_CURRENT_KN) + _MAX_CURRENT_GAIN_H,
    )
    waits = np.concatenate([[0.0], np.maximum.accumulate(problem.longest_wait_h[:-1])])
    aside = _detour_factors(problem, line, aside_nm)
    latest = np.maximum(np.maximum(detour, aside) * latest, latest + waits)
    if objective.arrive_by_h < inf:
        by_h = _latest_passing_h(problem, earliest) - objective.departs_h
        latest = np.maximum(np.minimum(latest, by_h + 1e-6), earliest + 1e-3)
    return objective.departs_h + earliest - 1e-6, objective.departs_h + latest + 1e-6


def _detour_factors(problem: Problem, line: tuple[Floats, Floats], aside_nm: float) -> Floats:
    """Return the ratio of a track's length to a line's at each stage, shape (s,).

    The track runs ``aside_nm`` off the line: up to the middle straight to the position abeam of
    the stage, after it through the position abeam of the middle to the stage itself.
    """
    at_nm = cumulative_nm(segment_lengths_nm(problem.radius_nm, *line))
    middle_nm = 0.5 * at_nm[-1]
    out_nm = np.hypot(np.minimum(at_nm, middle_nm), aside_nm)
    back_nm = np.hypot(at_nm - middle_nm, aside_nm)
    length_nm = np.where(at_nm <= middle_nm, out_nm, out_nm + back_nm)
    return np.asarray(length_nm / np.maximum(at_nm, 1.0))


def extend_arrival_windows(
    problem: Problem,
    line: tuple[Floats, Floats],
    window_h: tuple[Floats, Floats],
    bins: int,
    slowest: Timetable | None,
) -> tuple[tuple[Floats, Floats], int]:
    """Extend windows to the arrivals of a ship with high speed loss; return them and their bins.

    ``slowest`` is the simulation at the lowest ordered speed in the weather. Bins are added only
    if that ship is later than the windows. They keep their width unless too many are needed.
    """
    if slowest is None:
        return window_h, bins
    from_h, to_h = window_h
    slowest_h = slowest.along(problem.measure_stages_nm(*line))
    late_h = problem.objective.departs_h + _LATE_FACTOR * slowest_h
    late_h = np.minimum(late_h, _latest_passing_h(problem, from_h))
    width_h = np.maximum(to_h - from_h, 1e-3) / bins
    needed = max(int(np.ceil((late_h - to_h) / width_h).max()), 0)
    return (from_h, to_h + needed * width_h), bins + min(needed, _MAX_LATE_BINS)


def _latest_passing_h(problem: Problem, earliest_h: Floats) -> Floats:
    """Return the latest time at each stage from which the ship can still arrive in time [h]."""
    return np.asarray(problem.objective.arrive_by_h - (earliest_h[-1] - earliest_h))


def _hours_to_stages(
    problem: Problem, line: tuple[Floats, Floats], ordered_kn: float, current_kn: float
) -> Floats:
    """Return the hours to each stage with a constant current; half of the speed always remains."""
    slowest_kn = 0.5 * ordered_kn
    straight_nm = segment_lengths_nm(problem.radius_nm, *line)
    hours = straight_nm / max(ordered_kn + current_kn, slowest_kn)
    segments = problem.segments
    capped_kn = np.minimum(ordered_kn, segments[:, CAP_KN])
    speed_kn = np.maximum(capped_kn + current_kn, 0.5 * capped_kn)
    segment_h = segments[:, DISTANCE_NM] / speed_kn + segments[:, WAIT_H]
    so_far_h = np.concatenate([[0.0], np.cumsum(segment_h)])[problem.first_segment]
    is_prescribed = np.diff(problem.first_segment) > 0
    hours[is_prescribed] = np.diff(so_far_h)[is_prescribed]
    return np.concatenate([[0.0], np.cumsum(hours)])
