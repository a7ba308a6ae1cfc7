"""The best speeds along a given track, each stretch in the weather of its time."""

from dataclasses import dataclass
from functools import cache, partial
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.errors import LimitsTooTight
from app.engine.optimise.labels import Heartbeat, Trajectory
from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.refinement import (
    Corridor,
    LatticeResolution,
    Problem,
    find_best,
    refine,
    search_corridor,
)
from app.engine.optimise.search_objective import LEAST_PRICE, SearchObjective
from app.engine.optimise.speed_profile import Profile, profile_of_trajectory
from app.engine.optimise.surface import EARTH
from app.engine.optimise.timed_closures import TimedClosures
from app.engine.optimise.windows import (
    LONGEST_WAIT_FOR_WEATHER_H,
    Timetable,
    add_late_bins,
    longest_wait_for_areas_h,
    make_wait_limits_h,
    windows_h,
)
from app.engine.sailing.arrival import find_change_of_speed
from app.engine.sailing.simulation import Simulation, Simulator
from app.engine.sailing.track import Track

Floats = NDArray[np.float64]

#: Stretch over which one speed is ordered [nm].
STRETCH_NM: Final = 40.0
#: Fewest stretches of a track, unless its segments are fewer.
_FEWEST: Final = 12
_SPEEDS: Final = 9
_BINS: Final = 128
#: Least number of times in the window of all arrivals at which a stretch is first computed.
_FEWEST_TIMES: Final = 64
#: Rounds of refinement, and the first window as a share of the hours. Bins that are too wide
#: cost more than windows that are too narrow: labels in one bin are compared by the value of
#: time on the whole voyage.
_ROUNDS: Final = 3
_SPAN: Final = 0.012
#: Step between times at which edges are computed [h], and where a limit closes one: it is closed
#: between two times of which one breaks a limit.
STEP_H: Final = 1.5
LIMITED_STEP_H: Final = 0.75
#: A ship is brought to arrive so long before the latest arrival [h], or as much sooner or later.
_CLOSE_H: Final = 0.002
_FAR_TOO_SOON_H: Final = 2.0
#: The ship slows down instead of waiting for no longer than this [h] where weather is limited:
#: much later it meets other weather.
_SHORT_WAIT_H: Final = 0.5


def optimise_speeds(
    track: Track,
    depth_m: Floats,
    water: NavigableWater,
    ocean: Ocean,
    objective: SearchObjective,
    simulate: Simulator,
    heartbeat: Heartbeat = lambda: None,
    near: Profile | None = None,
) -> Simulation | None:
    """Simulate a track at the best speed of each stretch; ``None`` where none keeps the limits.

    ``simulate`` simulates the track at speeds ordered per segment [kn], shape (n,). ``near`` are
    speeds that are good on a similar track: the search begins about them, and covers all speeds
    where none about them keeps the limits.
    """
    bounds, closures = _place_bounds(track, water)
    problem = _build_problem(track, depth_m, water, ocean, objective, bounds, closures)
    search = _SpeedSearch(problem, track, bounds, ocean, objective, simulate, heartbeat)
    trajectory = search.find_trajectory(near)
    return None if trajectory is None else search.simulate_trajectory(trajectory)


def _place_bounds(
    track: Track, water: NavigableWater
) -> tuple[NDArray[np.int64], TimedClosures | None]:
    """Return the points that split a track into stretches, and the areas closed to it for a time.

    The ship may wait at a bound; before each area that is closed for a time there is one.
    """
    bounds = split_at_intervals(track, min(STRETCH_NM, track.length_nm / _FEWEST))
    closures = TimedClosures.find(track, water) if water.timed else None
    if closures is not None:
        # nearer to an area nothing is closed yet, and there is no place to wait any more
        far_enough = ~closures.are_too_near(bounds)
        far_enough[0] = True
        bounds = np.union1d(bounds[far_enough], closures.waiting_places)
    return bounds, closures


@dataclass(frozen=True, slots=True)
class _SpeedSearch:
    """The search for the best speeds along the stretches of a track between ``bounds``."""

    problem: Problem
    track: Track
    bounds: NDArray[np.int64]
    ocean: Ocean
    objective: SearchObjective
    simulate: Simulator
    heartbeat: Heartbeat

    def find_trajectory(self, near: Profile | None) -> Trajectory | None:
        """Find the best speed of each stretch, around the speeds ``near`` first.

        ``None`` where no speeds keep the limits.
        """
        # the earliest arrival jumps by days where a limit closes for hours: search all speeds
        if near is not None and self.objective.fuel_price > LEAST_PRICE:
            trajectory = self._search_around(near)
            if trajectory is not None:
                return trajectory
        wide = self._search_all()
        if wide is None:
            return None
        found = (
            self._refine(wide)
            if wide.waits
            else self._search_around(profile_of_trajectory(self.problem, wide))
        )
        return found or wide

    def simulate_trajectory(self, trajectory: Trajectory) -> Simulation:
        """Simulate the track at a trajectory's speeds and with its waits.

        The ship slows down instead of a short wait where it arrives in time so and burns less.
        """
        objective, bounds = self.objective, self.bounds
        not_before_h = np.full(self.track.distance_nm.size, -inf)
        not_before_h[bounds[:-1]] = np.where(
            trajectory.left_h > trajectory.hours[:-1], trajectory.left_h, -inf
        )
        simulate_with_waits = partial(self.simulate, not_before_h=not_before_h)
        simulation = simulate_in_time(
            simulate_with_waits, np.repeat(trajectory.speeds_kn, np.diff(bounds)), objective
        )
        if not trajectory.waits:
            return simulation
        longest_h = _SHORT_WAIT_H if self.ocean.is_limited else inf
        slowed = simulate_with_waits(_slow_before_waits(simulation, objective, longest_h))
        # against a current a little less speed is a little later
        latest_h = max(simulation.total_h, objective.arrive_by_h - objective.departs_h)
        is_better = slowed.total_h <= latest_h and slowed.total_fuel_t < simulation.total_fuel_t
        return slowed if is_better else simulation

    def _search_around(self, profile: Profile) -> Trajectory | None:
        """Search around speeds of a profile; ``None`` where none there keep the limits."""
        start = self._start(profile)
        return None if start is None else self._refine(start)

    def _refine(self, start: Trajectory) -> Trajectory | None:
        """Refine a trajectory; ``None`` where none around it keeps the limits."""
        trajectory = refine(
            self.problem, start, self._resolution(start), rounds=_ROUNDS, heartbeat=self.heartbeat
        )
        return None if trajectory is start else trajectory

    def _resolution(self, trajectory: Trajectory) -> LatticeResolution:
        objective = self.objective
        step_kn = (objective.speed_max_kn - objective.speed_min_kn) / (_SPEEDS - 1)
        return LatticeResolution(
            columns=1,
            offset_nm=0.0,
            reach=0,
            smooth_nm=STRETCH_NM,
            speeds=5,
            speed_step_kn=0.5 * step_kn,
            span_h=_SPAN * float(trajectory.hours[-1] - objective.departs_h),
            bins=32,
            longest_hop_nm=inf,
            longest_step_h=STEP_H,
            limited_step_h=LIMITED_STEP_H,
        )

    def _search_all(self) -> Trajectory | None:
        """Search all speeds coarsely."""
        problem, objective = self.problem, self.objective
        line = self.track.lats[self.bounds], self.track.lngs[self.bounds]
        window_h, bins = add_late_bins(
            problem, line, windows_h(problem, line, 1.0), _BINS, self._simulate_slowest()
        )
        span_h = float(window_h[1][-1] - window_h[0][-1])
        corridor = Corridor(
            offsets_nm=np.zeros(1),
            reach=0,
            smooth_nm=STRETCH_NM,
            speeds=_SPEEDS,
            window_h=window_h,
            bins=bins,
            longest_hop_nm=inf,
            longest_step_h=max(
                2.0 * (LIMITED_STEP_H if self.ocean.is_limited else STEP_H), span_h / _FEWEST_TIMES
            ),
            hour_prices=objective.bin_prices(window_h, bins)
            if objective.fuel_price > LEAST_PRICE
            else None,
        )
        return find_best(problem, search_corridor(problem, line, corridor, self.heartbeat))

    def _simulate_slowest(self) -> Timetable | None:
        """Simulate the track at the lowest speed ordered; ``None`` where a current stops it."""
        track, bounds = self.track, self.bounds
        try:
            hours = self.simulate(self.objective.speed_min_kn).hours
        except LimitsTooTight:
            return None
        return Timetable(track.cumulative_nm[bounds] / track.length_nm, hours[bounds])

    def _start(self, profile: Profile) -> Trajectory | None:
        """Return the track in stretches at speeds of a profile, as simulated.

        With a latest arrival, speeds of a longer or shorter track are changed to take the same
        hours. ``None`` where a current stops the ship.
        """
        track, bounds, objective = self.track, self.bounds, self.objective
        at_nm = track.cumulative_nm[bounds]
        middle_share = 0.5 * (at_nm[:-1] + at_nm[1:]) / at_nm[-1]
        scale = 1.0 if objective.longest_h is None else track.length_nm / profile.length_nm
        speeds_kn = np.clip(
            scale * profile.at(middle_share), objective.speed_min_kn, objective.speed_max_kn
        )
        ordered_kn = np.repeat(speeds_kn, np.diff(bounds))
        try:
            simulation = simulate_in_time(self.simulate, ordered_kn, objective)
        except LimitsTooTight:
            return None
        return Trajectory(
            lats=track.lats[bounds],
            lngs=track.lngs[bounds],
            hours=objective.departs_h + simulation.hours[bounds],
            left_h=objective.departs_h + simulation.hours[bounds[:-1]],
            speeds_kn=np.broadcast_to(simulation.ordered_kn, track.distance_nm.size)[bounds[:-1]],
            fuel=simulation.total_fuel_t,
        )


def _slow_before_waits(
    simulation: Simulation, objective: SearchObjective, longest_h: float
) -> Floats:
    """Lower the speeds ordered [kn] before waits shorter than ``longest_h``."""
    ordered_kn = np.array(np.broadcast_to(simulation.ordered_kn, simulation.waited_h.size))
    waits_h = simulation.waited_h - simulation.track.wait_h
    begins = 0
    for point in np.flatnonzero(waits_h > 0.0).tolist():
        if waits_h[point] < longest_h:
            hours = simulation.hours[point] - simulation.left_h[begins]
            ordered_kn[begins:point] *= hours / (hours + waits_h[point])
        begins = point
    return np.asarray(np.maximum(ordered_kn, objective.speed_min_kn))


def simulate_in_time(
    simulate: Simulator, ordered_kn: Floats, objective: SearchObjective
) -> Simulation:
    """Simulate at speeds per segment, all shifted by one amount to arrive just in time.

    The search estimates times by the middle of its speeds; the simulation is exact. Speeds stay
    as they are without a latest arrival, and where the search arrives far too early: it then had
    a reason, such as a storm behind.
    """
    longest_h, as_found = objective.longest_h, simulate(ordered_kn)
    if longest_h is None or as_found.total_h < longest_h - _FAR_TOO_SOON_H:
        return as_found

    late_by_h = as_found.total_h - longest_h
    if -2.0 * _CLOSE_H <= late_by_h <= 0.0:
        return as_found

    @cache
    def shifted(by_kn: float) -> Simulation:
        if by_kn == 0.0:
            return as_found
        return simulate(np.clip(ordered_kn + by_kn, objective.speed_min_kn, objective.speed_max_kn))

    most_kn = float(np.copysign(objective.speed_max_kn - objective.speed_min_kn, late_by_h))
    by_kn = find_change_of_speed(
        lambda by_kn: shifted(by_kn).total_h - (longest_h - _CLOSE_H),
        likely=float(np.mean(ordered_kn)) * late_by_h / longest_h,
        most=most_kn,
        close_h=_CLOSE_H,
    )
    if by_kn == most_kn:  # not enough
        return shifted(by_kn) if late_by_h > 0.0 else as_found
    return shifted(by_kn)


def split_at_intervals(track: Track, stretch_nm: float) -> NDArray[np.int64]:
    """Return points that split a track at intervals [nm], both its ends included."""
    marks = np.arange(0.0, track.length_nm, stretch_nm)
    points = np.searchsorted(track.cumulative_nm, marks - 1e-9)
    last = track.lats.size - 1
    return np.unique(np.concatenate([points, [last]])).astype(np.int64)


def _build_problem(
    track: Track,
    depth_m: Floats,
    water: NavigableWater,
    ocean: Ocean,
    objective: SearchObjective,
    bounds: NDArray[np.int64],
    closures: TimedClosures | None,
) -> Problem:
    no_place_to_wait = track.in_passage[bounds[1:] - 1]
    if closures is not None:
        no_place_to_wait |= closures.are_too_near(bounds[1:])
    longest_wait_h = longest_wait_for_areas_h(water, objective.departs_h)
    if ocean.is_limited:
        longest_wait_h = max(longest_wait_h, LONGEST_WAIT_FOR_WEATHER_H)
    return Problem(
        medium=ocean,
        radius_nm=EARTH,
        departs_h=objective.departs_h,
        speed_min_kn=objective.speed_min_kn,
        speed_max_kn=objective.speed_max_kn,
        fuel_price=objective.fuel_price,
        hour_price=objective.hour_price,
        hour_value=objective.hour_value,
        moves=np.zeros(bounds.size, dtype=np.bool_),
        longest_wait_h=make_wait_limits_h(longest_wait_h, no_place_to_wait),
        first_hop=bounds,
        hops=given_hops(track, depth_m),
        clear=lambda lats, lngs, joined: joined,
        closed=None if closures is None else closures.close_stretches(bounds),
        arrive_by_h=objective.arrive_by_h,
        price=water.price,
    )


def given_hops(track: Track, depth_m: Floats) -> Floats:
    """Return the track's segments as ``Lattice.hops``."""
    columns = (
        track.middle_lats,
        track.middle_lngs,
        track.course_deg,
        track.distance_nm,
        track.speed_cap_kn,
        track.wait_h,
        np.where(np.isnan(depth_m), inf, depth_m),
    )
    return np.stack(columns, axis=1)
