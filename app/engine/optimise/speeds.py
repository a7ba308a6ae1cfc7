"""Optimisation of the speeds along a given track, with one ordered speed per stretch."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from math import inf
from typing import Final

import numpy as np

from app.engine.arrays import Floats, Ints
from app.engine.optimise.labels import Trajectory
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
from app.engine.optimise.search_objective import SearchObjective, Timetable
from app.engine.optimise.speed_problem import (
    STRETCH_NM,
    SpeedProfile,
    build_speed_problem,
    place_bounds,
    read_trajectory_speeds,
)
from app.engine.optimise.windows import compute_arrival_windows, extend_arrival_windows
from app.engine.progress import Tick
from app.engine.sailing.arrival import estimate_change_of_speed, find_change_of_speed
from app.engine.sailing.simulation import Simulation, Simulator, simulate_if_headway
from app.engine.sailing.track import Track

_SPEEDS: Final = 9
_BINS: Final = 128
#: Fewest times at which a stretch is computed over the window of all arrivals.
_MIN_TIMES: Final = 64
#: Rounds of refinement, and the first window as a share of the voyage's hours. Too wide bins lose
#: more than too narrow windows: labels in one bin are compared by the value of time on the whole
#: voyage.
_ROUNDS: Final = 3
_WINDOW_SHARE: Final = 0.012
#: Share of the first window by which the arrival changes in a refinement that the window may have
#: stopped, and most refinements in turn.
_STOPPED_SHARE: Final = 0.4
_MAX_REFINEMENTS: Final = 4
#: Step between times at which edges are computed [h], and where a limit closes an edge. It counts
#: as closed between two times if a limit is exceeded at one of them.
STEP_H: Final = 1.5
LIMITED_STEP_H: Final = 0.75
#: Time before the latest arrival at which a simulation is made to arrive, and its tolerance [h].
_ARRIVAL_TOLERANCE_H: Final = 0.002
_MAX_EARLY_H: Final = 2.0
#: Longest wait that is replaced by a lower speed where weather is limited [h]. To replace a longer
#: one, the ship would pass other weather.
_SHORT_WAIT_H: Final = 0.5


def optimise_speeds(
    track: Track,
    depth_m: Floats,
    water: NavigableWater,
    ocean: Ocean,
    objective: SearchObjective,
    simulate: Simulator,
    heartbeat: Tick,
    near: SpeedProfile | None,
) -> Iterator[Simulation]:
    """Yield simulations of a track at the best speed of each stretch, the best first.

    The first arrives just in time. If the search kept a limit by arriving earlier, that may break
    it: the second arrives when the search did. There is none if no speeds keep the limits.

    ``depth_m`` is the depth of each segment, shape (n,), NaN where unknown. ``simulate`` simulates
    the track at speeds ordered per segment [kn], shape (n,). ``near`` are good speeds of a similar
    track: the search begins around them, and covers all speeds if none around them keep the limits.
    """
    bounds, closures = place_bounds(track, water, objective.speed_max_kn)
    problem = build_speed_problem(track, depth_m, water, ocean, objective, bounds, closures)
    problem = replace(problem, heartbeat=heartbeat)
    search = _SpeedSearch(problem, track, bounds, ocean, simulate)
    trajectory = search.find_trajectory(near)
    if trajectory is not None:
        yield from search.simulate_trajectory(trajectory)


@dataclass(frozen=True, slots=True)
class _SpeedSearch:
    """Search for the best speeds along the stretches of a track, which end at ``bounds``."""

    problem: Problem
    track: Track
    bounds: Ints
    ocean: Ocean
    simulate: Simulator

    def find_trajectory(self, near: SpeedProfile | None) -> Trajectory | None:
        """Return the trajectory of the best speeds, searched around ``near`` first.

        ``None`` if no speeds keep the limits.
        """
        # for the earliest arrival all speeds are searched: a limit that closes a stretch for hours
        # can delay speeds around the given ones by days
        if near is not None and not self.problem.objective.prices.is_time_alone:
            trajectory = self._search_around(near)
            if trajectory is not None:
                return trajectory
        wide = self._search_all()
        if wide is None:
            return None
        if wide.has_waits:
            return self._refine(wide) or wide
        return self._search_around(read_trajectory_speeds(self.problem, wide)) or wide

    def simulate_trajectory(self, trajectory: Trajectory) -> Iterator[Simulation]:
        """Yield simulations at a trajectory's speeds: just in time, then at its own arrival."""
        objectives = [self.problem.objective]
        longest_h = objectives[0].longest_h
        found_h = float(trajectory.hours[-1] - objectives[0].departs_h)
        if self.ocean.is_limited and longest_h is not None and found_h < longest_h:
            objectives.append(replace(objectives[0], longest_h=found_h))
        yield from filter(None, (self._simulate_in_time(trajectory, each) for each in objectives))

    def _simulate_in_time(
        self, trajectory: Trajectory, objective: SearchObjective
    ) -> Simulation | None:
        """Return a simulation of the track at a trajectory's speeds and with its waits.

        Short waits are replaced by lower speeds if the ship then arrives in time and burns less.
        ``None`` if a current stops the ship.
        """
        bounds = self.bounds
        not_before_h = np.full(self.track.distance_nm.size, -inf)
        not_before_h[bounds[:-1]] = np.where(
            trajectory.left_h > trajectory.hours[:-1], trajectory.left_h, -inf
        )
        simulate_with_waits = partial(self.simulate, not_before_h=not_before_h)
        simulation = _simulate_in_time(
            simulate_with_waits, np.repeat(trajectory.speeds_kn, np.diff(bounds)), objective
        )
        if simulation is None or not trajectory.has_waits:
            return simulation
        longest_h = _SHORT_WAIT_H if self.ocean.is_limited else inf
        slowed = simulate_if_headway(
            simulate_with_waits, _slow_before_waits(simulation, objective, longest_h)
        )
        if slowed is None:
            return simulation
        # a lower speed through the water loses more time against a current
        latest_h = max(simulation.total_h, objective.arrive_by_h - objective.departs_h)
        is_better = slowed.total_h <= latest_h and slowed.total_fuel_t < simulation.total_fuel_t
        return slowed if is_better else simulation

    def _search_around(self, profile: SpeedProfile) -> Trajectory | None:
        """Return the best trajectory around the speeds of a profile.

        ``None`` if none there keeps the limits.
        """
        start = self._build_start(profile)
        return None if start is None else self._refine(start)

    def _refine(self, start: Trajectory) -> Trajectory | None:
        """Refine a trajectory until no window stops it; ``None`` if none keeps the limits."""
        trajectory = start
        for _ in range(_MAX_REFINEMENTS):
            before, resolution = trajectory, self._resolution(trajectory)
            trajectory = refine(self.problem, before, resolution, rounds=_ROUNDS)
            moved_h = abs(float(trajectory.hours[-1] - before.hours[-1]))
            if moved_h < _STOPPED_SHARE * resolution.span_h:
                break
        return None if trajectory is start else trajectory

    def _resolution(self, trajectory: Trajectory) -> LatticeResolution:
        objective = self.problem.objective
        step_kn = (objective.speed_max_kn - objective.speed_min_kn) / (_SPEEDS - 1)
        return LatticeResolution(
            columns=1,
            spacing_nm=0.0,
            reach=0,
            smooth_nm=STRETCH_NM,
            speeds=5,
            speed_step_kn=0.5 * step_kn,
            span_h=_WINDOW_SHARE * float(trajectory.hours[-1] - objective.departs_h),
            bins=32,
            weather_spacing_nm=inf,
            longest_step_h=STEP_H,
            limited_step_h=LIMITED_STEP_H,
        )

    def _search_all(self) -> Trajectory | None:
        """Return the best trajectory over all speeds at a coarse resolution, if any."""
        problem, objective = self.problem, self.problem.objective
        line = self.track.lats[self.bounds], self.track.lngs[self.bounds]
        window_h, bins = extend_arrival_windows(
            problem,
            line,
            compute_arrival_windows(problem, line, 1.0),
            _BINS,
            self._simulate_slowest(),
        )
        span_h = float(window_h[1][-1] - window_h[0][-1])
        corridor = Corridor(
            offsets_nm=np.zeros(1),
            reach=0,
            smooth_nm=STRETCH_NM,
            speeds=_SPEEDS,
            window_h=window_h,
            bins=bins,
            weather_spacing_nm=inf,
            longest_step_h=max(
                2.0 * (LIMITED_STEP_H if self.ocean.is_limited else STEP_H), span_h / _MIN_TIMES
            ),
            # an hour is worth fuel only if the arrival is limited
            hour_prices=objective.bin_prices(window_h, bins)
            if objective.longest_h is not None and not objective.prices.is_time_alone
            else None,
        )
        return find_best(problem, search_corridor(problem, line, corridor))

    def _simulate_slowest(self) -> Timetable | None:
        """Simulate the track at the lowest ordered speed; ``None`` if a current stops the ship."""
        track, bounds = self.track, self.bounds
        slowest = simulate_if_headway(self.simulate, self.problem.objective.speed_min_kn)
        if slowest is None:
            return None
        return Timetable(track.cumulative_nm[bounds] / track.length_nm, slowest.hours[bounds])

    def _build_start(self, profile: SpeedProfile) -> Trajectory | None:
        """Return the trajectory of the track simulated at the speeds of a profile.

        With a latest arrival, the speeds of a longer or shorter track are scaled to take the same
        hours. ``None`` if a current stops the ship.
        """
        track, bounds, objective = self.track, self.bounds, self.problem.objective
        at_nm = track.cumulative_nm[bounds]
        middle_share = 0.5 * (at_nm[:-1] + at_nm[1:]) / at_nm[-1]
        scale = 1.0 if objective.longest_h is None else track.length_nm / profile.length_nm
        speeds_kn = np.clip(
            scale * profile.at(middle_share), objective.speed_min_kn, objective.speed_max_kn
        )
        ordered_kn = np.repeat(speeds_kn, np.diff(bounds))
        simulation = _simulate_in_time(self.simulate, ordered_kn, objective)
        if simulation is None:
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
    """Return speeds [kn] per segment, lowered so that waits below ``longest_h`` are not needed.

    The speed is lowered evenly from the wait before, or from the departure.
    """
    ordered_kn = np.array(np.broadcast_to(simulation.ordered_kn, simulation.waited_h.size))
    waits_h = simulation.waited_h - simulation.track.wait_h
    first = 0
    for point in np.flatnonzero(waits_h > 0.0).tolist():
        if point > 0 and waits_h[point] < longest_h:
            hours = simulation.hours[point] - simulation.left_h[first]
            ordered_kn[first:point] *= hours / (hours + waits_h[point])
        first = point
    return np.asarray(np.maximum(ordered_kn, objective.speed_min_kn))


def _simulate_in_time(
    simulate: Simulator, ordered_kn: Floats, objective: SearchObjective
) -> Simulation | None:
    """Simulate at speeds per segment [kn], all changed by the same amount to arrive just in time.

    This corrects the times of the search, which are approximate. The speeds are kept without a
    latest arrival, and if the ship arrives much too early: the search then had a reason, for
    example a storm astern. ``None`` if a current stops the ship.
    """
    longest_h, as_found = objective.longest_h, simulate_if_headway(simulate, ordered_kn)
    if as_found is None:
        return None
    if longest_h is None or as_found.total_h < longest_h - _MAX_EARLY_H:
        return as_found

    late_by_h = as_found.total_h - longest_h
    if -2.0 * _ARRIVAL_TOLERANCE_H <= late_by_h <= 0.0:
        return as_found

    @cache
    def shifted(by_kn: float) -> Simulation:
        if by_kn == 0.0:
            return as_found
        return simulate(np.clip(ordered_kn + by_kn, objective.speed_min_kn, objective.speed_max_kn))

    limit_kn = float(np.copysign(objective.speed_max_kn - objective.speed_min_kn, late_by_h))
    by_kn = find_change_of_speed(
        lambda by_kn: shifted(by_kn).total_h - (longest_h - _ARRIVAL_TOLERANCE_H),
        estimate=estimate_change_of_speed(as_found, 1.0, late_by_h + _ARRIVAL_TOLERANCE_H),
        limit=limit_kn,
        tolerance_h=_ARRIVAL_TOLERANCE_H,
    )
    if by_kn == limit_kn:  # no change of speed is enough
        return shifted(by_kn) if late_by_h > 0.0 else as_found
    return shifted(by_kn)
