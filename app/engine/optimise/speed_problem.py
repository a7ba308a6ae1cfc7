"""The problem of the speeds along a given track: its stretches, closures, waits and segments."""

from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np

from app.engine.arrays import Floats, Ints
from app.engine.constants import EARTH_RADIUS_NM
from app.engine.optimise.labels import Trajectory
from app.engine.optimise.lattice import DISTANCE_NM, LAT, LNG, WAIT_H
from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.refinement import Problem
from app.engine.optimise.search_objective import SearchObjective
from app.engine.optimise.surface import cumulative_nm
from app.engine.optimise.timed_closures import TimedClosures
from app.engine.optimise.windows import (
    LONGEST_WAIT_FOR_WEATHER_H,
    build_wait_limits,
    compute_longest_area_wait_h,
)
from app.engine.sailing.simulation import Simulation
from app.engine.sailing.track import Track

#: Length of a stretch over which one speed is ordered [nm].
STRETCH_NM: Final = 40.0
#: Fewest stretches of a track, unless its segments are fewer.
_MIN_STRETCHES: Final = 12


def place_bounds(
    track: Track, water: NavigableWater, fastest_kn: float
) -> tuple[Ints, TimedClosures | None]:
    """Return the points that divide a track into stretches, and its timed closures, if any.

    The ship may wait at these bounds. The waiting point before each timed area is one of them, and
    so is the exit from each that closes: a whole stretch must be sailed before the area closes.
    """
    bounds = split_at_intervals(track, min(STRETCH_NM, track.length_nm / _MIN_STRETCHES))
    closures = TimedClosures.find(track, water, fastest_kn) if water.timed else None
    if closures is not None:
        # between a waiting point and its area no stretch is closed, but the ship may not wait there
        is_kept = ~closures.mark_too_near(bounds)
        is_kept[0] = True
        kept = bounds[is_kept], closures.waiting_points, closures.exits
        bounds = np.unique(np.concatenate(kept))
    return bounds, closures


def split_at_intervals(track: Track, stretch_nm: float) -> Ints:
    """Return the points that divide a track at intervals [nm], including both ends."""
    marks = np.arange(0.0, track.length_nm, stretch_nm)
    points = np.searchsorted(track.cumulative_nm, marks - 1e-9)
    last = track.lats.size - 1
    return np.unique(np.concatenate([points, [last]])).astype(np.int64)


def build_speed_problem(
    track: Track,
    depth_m: Floats,
    water: NavigableWater,
    ocean: Ocean,
    objective: SearchObjective,
    bounds: Ints,
    closures: TimedClosures | None,
) -> Problem:
    """Build the problem of the speeds on the stretches of a track between bounds."""
    first_segment, segments = bounds, tabulate_segments(track, depth_m)
    if ocean.is_limited:
        first_segment, segments = _add_arrival(bounds, segments, track)
    return Problem(
        medium=ocean,
        radius_nm=EARTH_RADIUS_NM,
        objective=objective,
        is_movable=np.zeros(bounds.size, dtype=np.bool_),
        longest_wait_h=_limit_waits(track, water, ocean, objective, bounds, closures),
        first_segment=first_segment,
        segments=segments,
        clear=lambda lats, lngs, has_edge: has_edge,
        closed=None if closures is None else closures.close_stretches(bounds),
        price=water.price_fuel,
    )


def _limit_waits(
    track: Track,
    water: NavigableWater,
    ocean: Ocean,
    objective: SearchObjective,
    bounds: Ints,
    closures: TimedClosures | None,
) -> Floats:
    """Return the longest wait at each of the bounds [h], for areas or weather, shape (s,)."""
    no_place_to_wait = track.in_passage[bounds[1:] - 1]
    if closures is not None:
        no_place_to_wait |= closures.mark_too_near(bounds[1:])
    longest_wait_h = area_wait_h = compute_longest_area_wait_h(
        water, objective.departs_h, track.lats, track.lngs
    )
    if ocean.is_limited:
        longest_wait_h = max(longest_wait_h, LONGEST_WAIT_FOR_WEATHER_H)
    first = track.lats[: bounds[1] + 1], track.lngs[: bounds[1] + 1]
    at_departure_h = area_wait_h if water.may_wait_at_start(*first) else 0.0
    # in harbour a ship would depart later for weather instead
    waits_for_weather = objective.is_under_way and ocean.is_limited
    if waits_for_weather and not water.starts_inside(*first):
        at_departure_h = max(at_departure_h, LONGEST_WAIT_FOR_WEATHER_H)
    return build_wait_limits(longest_wait_h, at_departure_h, no_place_to_wait)


def _add_arrival(bounds: Ints, segments: Floats, track: Track) -> tuple[Ints, Floats]:
    """Add a segment without length at the arrival to the last stage, as ``Lattice.segments``.

    The weather in the middle of segments keeps the limits on the way, but not yet at the arrival,
    where waves may rise until the ship is there.
    """
    arrival = segments[-1].copy()
    arrival[[LAT, LNG]] = track.lats[-1], track.lngs[-1]
    arrival[[DISTANCE_NM, WAIT_H]] = 0.0
    return np.append(bounds[:-1], bounds[-1] + 1), np.vstack([segments, arrival])


def tabulate_segments(track: Track, depth_m: Floats) -> Floats:
    """Return a track's segments as ``Lattice.segments``; an unknown depth (NaN) counts as deep."""
    columns = (
        track.middle_lats,
        track.middle_lngs,
        track.course_deg,
        track.distance_nm,
        track.speed_cap_kn,
        track.wait_h,
        np.where(np.isnan(depth_m), inf, depth_m),
        track.is_inland,
    )
    return np.stack(columns, axis=1)


@dataclass(frozen=True)
class SpeedProfile:
    """Speeds ordered [kn] on a route of ``length_nm``, each from a share of the length onwards.

    The shares ascend from 0.
    """

    from_share: Floats
    speeds_kn: Floats
    length_nm: float

    def at(self, shares: Floats) -> Floats:
        """Return the speeds ordered at shares of the length [kn], in the same shape."""
        number = np.searchsorted(self.from_share, shares, side="right") - 1
        return np.asarray(self.speeds_kn[number])


def read_trajectory_speeds(problem: Problem, trajectory: Trajectory) -> SpeedProfile:
    """Return the speeds ordered along a trajectory."""
    at_nm = cumulative_nm(problem.measure_stages_nm(trajectory.lats, trajectory.lngs))
    return SpeedProfile(at_nm[:-1] / at_nm[-1], trajectory.speeds_kn, float(at_nm[-1]))


def read_simulation_speeds(simulation: Simulation) -> SpeedProfile:
    """Return the speeds ordered along a simulated track."""
    at_nm = simulation.track.cumulative_nm
    speeds_kn = np.broadcast_to(simulation.ordered_kn, at_nm.size - 1)
    return SpeedProfile(at_nm[:-1] / at_nm[-1], speeds_kn, float(at_nm[-1]))
