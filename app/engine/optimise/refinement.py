"""Search of a wide corridor, then of ever finer lattices around the best trajectory found.

A trajectory on a lattice is longer than the straight line because the lattice has few directions.
The excess falls with the square of the spacing of its nodes. Every round uses dynamic programming
and not gradient descent: it is not stopped by the kinks of interpolated weather, and it never
breaks a limit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Final

import numpy as np

from app.engine.arrays import Bools, Floats, Ints
from app.engine.geodesy.great_circle import great_circle_distance_nm
from app.engine.optimise.corridor import (
    find_middles,
    keep_connected_edges,
    mark_edges,
    place_nodes,
)
from app.engine.optimise.labels import SearchedLattice, Trajectory, run_search
from app.engine.optimise.lattice import DISTANCE_NM, Lattice, SearchSettings
from app.engine.optimise.search_objective import SearchObjective
from app.engine.optimise.surface import cumulative_nm, segment_lengths_nm
from app.engine.progress import Tick, no_tick

#: Function of a lattice's nodes and edges, (lats, lngs, has_edge), that returns the clear edges,
#: in the shape of has_edge, (s - 1, p, p).
Clear = Callable[[Floats, Floats, Bools], Bools]

#: Function of the same arguments that returns the hours from and to which each edge is closed,
#: two arrays of shape (s - 1, p, p, m), as in ``Lattice``.
Closed = Callable[[Floats, Floats, Bools], tuple[Floats, Floats]]

#: Function of the same arguments that returns a weight of each edge.
Price = Callable[[Floats, Floats, Bools], Floats]


def _no_price(_lats: Floats, _lngs: Floats, has_edge: Bools) -> Floats:
    """Return a weight of 1 for every edge."""
    return np.ones(has_edge.shape)


@dataclass(frozen=True)
class Problem:
    """An optimisation problem of track and speed over s stages.

    ``medium`` is the ship in its weather, see :mod:`.medium`. ``segments`` and ``first_segment``
    are the prescribed stages, as in ``Lattice``. ``is_movable``, shape (s,), marks the stages
    that may leave the line. ``longest_wait_h``, shape (s,), is the longest wait at each stage.
    ``price`` weighs the fuel burnt on an edge, and ``area_price`` its hours, ``None`` if no area
    has a price. ``heartbeat`` is called as the searches proceed.
    """

    medium: Any
    radius_nm: float
    objective: SearchObjective
    is_movable: Bools
    longest_wait_h: Floats
    first_segment: Ints
    segments: Floats
    clear: Clear
    closed: Closed | None = None
    price: Price = _no_price
    area_price: Price | None = None
    heartbeat: Tick = no_tick

    def price_hours(self, lats: Floats, lngs: Floats, has_edge: Bools) -> Floats:
        """Return the fuel that an hour on each edge costs more [t], as in ``Lattice``."""
        hour_t = self.objective.prices.priced_hour_t
        if self.area_price is None or hour_t == 0.0:
            return np.empty((0, 0, 0))
        return hour_t * (self.area_price(lats, lngs, has_edge) - 1.0)

    def measure_stages_nm(self, lats: Floats, lngs: Floats) -> Floats:
        """Return the lengths of a line's stages [nm], shape (s - 1,), prescribed ones as sailed."""
        so_far_nm = cumulative_nm(self.segments[:, DISTANCE_NM])
        prescribed_nm = np.diff(so_far_nm[self.first_segment])
        straight_nm = segment_lengths_nm(self.radius_nm, lats, lngs)
        return np.where(np.diff(self.first_segment) > 0, prescribed_nm, straight_nm)


@dataclass(frozen=True)
class LatticeResolution:
    """Resolution of a lattice around a trajectory.

    A stage has ``columns`` nodes ``spacing_nm`` apart, and an edge changes the column by at most
    ``reach``. Courses are averaged over ``smooth_nm`` to each side. ``speeds`` speeds are tried,
    ``speed_step_kn`` apart. The window of times at the last stage lasts ``span_h`` and has
    ``bins``. The rest is as in ``SearchSettings``, but no window has more than six time steps, or
    twelve where a limit closes an edge.
    """

    columns: int
    spacing_nm: float
    reach: int
    smooth_nm: float
    speeds: int
    speed_step_kn: float
    span_h: float
    bins: int
    weather_spacing_nm: float
    longest_step_h: float
    limited_spacing_nm: float = inf
    limited_step_h: float = inf

    def finer(self, share: float = 0.5) -> "LatticeResolution":
        """Return a resolution with spacing and speed step multiplied by ``share``.

        The window of times becomes no shorter than 0.6 of this one.
        """
        return replace(
            self,
            spacing_nm=self.spacing_nm * share,
            speed_step_kn=self.speed_step_kn * share,
            span_h=self.span_h * max(share, 0.6),
        )


@dataclass(frozen=True)
class Corridor:
    """Extent and resolution of the first lattice along a line.

    ``offsets_nm``, shape (p,), are the nodes' distances from the line, ascending, 0 in the
    middle. ``window_h``, two of shape (s,), are the earliest and the latest time at each stage,
    divided into ``bins``. ``speeds`` speeds are tried, from the lowest allowed to the highest.
    ``hour_prices``, shape (bins,), is the value of time by bin, if it varies [t/h]. The rest is
    as in ``LatticeResolution``.
    """

    offsets_nm: Floats
    reach: int
    smooth_nm: float
    speeds: int
    window_h: tuple[Floats, Floats]
    bins: int
    weather_spacing_nm: float
    longest_step_h: float
    hour_prices: Floats | None = None


#: Most time steps in the window of the last stage, and where a limit closes an edge.
_MAX_TIMES: Final = 6
_MAX_LIMITED_TIMES: Final = 12
#: Least share of the cost by which a rival must be better: drawing the track as legs changes the
#: cost by about as much.
_MIN_GAIN: Final = 0.001
#: Distance within which two trajectories converge when refined [nm]. Trajectories 60 nm apart have
#: been refined to results that differ by 0.7 % of the fuel.
_NEIGHBOURHOOD_NM: Final = 40.0
#: Largest share of stages at which a trajectory may lie at its lattice's edge; above it the search
#: is repeated at the same resolution, once in a refinement.
_MAX_SHARE_AT_EDGE: Final = 0.1


def search_corridor(
    problem: Problem,
    line: tuple[Floats, Floats],
    corridor: Corridor,
) -> SearchedLattice:
    """Search a corridor along a line, two arrays of shape (s,)."""
    rows = place_nodes(
        problem.radius_nm, line, problem.is_movable, corridor.offsets_nm, corridor.smooth_nm
    )
    objective = problem.objective
    tried = np.linspace(objective.speed_min_kn, objective.speed_max_kn, corridor.speeds)
    from_h, to_h = corridor.window_h
    search = SearchSettings(
        speeds_kn=np.tile(tried, (line[0].size - 1, 1)),
        from_h=from_h,
        width_h=np.maximum(to_h - from_h, 1e-6) / corridor.bins,
        bins=corridor.bins,
        fuel_price=objective.prices.fuel,
        hour_prices=(
            np.full(corridor.bins, objective.label_hour_price)
            if corridor.hour_prices is None
            else corridor.hour_prices
        ),
        weather_spacing_nm=corridor.weather_spacing_nm,
        longest_step_h=corridor.longest_step_h,
        limited_spacing_nm=inf,
        limited_step_h=inf,
        longest_wait_h=problem.longest_wait_h,
    )
    return _search_lattice(problem, rows, corridor.reach, search)


def find_clear_edges(
    radius_nm: float, rows: tuple[Floats, Floats], is_movable: Bools, reach: int, clear: Clear
) -> Bools:
    """Find the clear edges of a lattice that are part of a path from its first node to its last."""
    return keep_connected_edges(clear(*rows, mark_edges(radius_nm, rows, is_movable, reach)))


def _search_lattice(
    problem: Problem,
    rows: tuple[Floats, Floats],
    reach: int,
    search: SearchSettings,
) -> SearchedLattice:
    clear = find_clear_edges(problem.radius_nm, rows, problem.is_movable, reach, problem.clear)
    problem.heartbeat()
    if problem.closed is None:
        from_h, to_h = np.full((*clear.shape, 1), inf), np.full((*clear.shape, 1), -inf)
    else:
        from_h, to_h = problem.closed(*rows, clear)
    lattice = Lattice(
        *rows,
        clear,
        from_h,
        to_h,
        problem.first_segment,
        problem.segments,
        problem.price(*rows, clear),
        problem.price_hours(*rows, clear),
    )
    problem.heartbeat()
    begin = problem.medium, problem.radius_nm, problem.objective.departs_h
    return run_search(*begin, lattice, search, problem.heartbeat)


def find_best(problem: Problem, searched: SearchedLattice) -> Trajectory | None:
    """Return the best trajectory of a searched lattice, ``None`` if none is in time."""
    prices = problem.objective.prices.fuel, problem.objective.prices.hour
    return searched.find_best_trajectory(*prices, problem.objective.arrive_by_h)


def search_near_trajectory(
    problem: Problem, trajectory: Trajectory, resolution: LatticeResolution
) -> SearchedLattice:
    """Search a lattice around a trajectory."""
    objective = problem.objective
    steps = np.arange(resolution.columns) - resolution.columns // 2
    rows = place_nodes(
        problem.radius_nm,
        (trajectory.lats, trajectory.lngs),
        problem.is_movable,
        np.float64(resolution.spacing_nm) * steps,
        resolution.smooth_nm,
    )
    tried = np.arange(resolution.speeds) - resolution.speeds // 2
    speeds_kn = np.clip(
        trajectory.speeds_kn[:, None] + tried * resolution.speed_step_kn,
        objective.speed_min_kn,
        objective.speed_max_kn,
    )
    since_h = trajectory.hours - objective.departs_h
    share = np.sqrt(since_h / since_h[-1])
    span_h = np.maximum(resolution.span_h * share, 1e-6)
    search = SearchSettings(
        speeds_kn=speeds_kn,
        from_h=trajectory.hours - 0.5 * span_h,
        width_h=span_h / resolution.bins,
        bins=resolution.bins,
        fuel_price=objective.prices.fuel,
        hour_prices=np.full(resolution.bins, objective.label_hour_price),
        weather_spacing_nm=resolution.weather_spacing_nm,
        longest_step_h=max(resolution.longest_step_h, resolution.span_h / _MAX_TIMES),
        limited_spacing_nm=resolution.limited_spacing_nm,
        limited_step_h=max(resolution.limited_step_h, resolution.span_h / _MAX_LIMITED_TIMES),
        longest_wait_h=problem.longest_wait_h,
    )
    return _search_lattice(problem, rows, resolution.reach, search)


def compute_cost(problem: Problem, trajectory: Trajectory) -> float:
    """Return the objective's value for a trajectory; infinite if it arrives too late."""
    objective, hours = problem.objective, float(trajectory.hours[-1])
    if hours > objective.arrive_by_h:
        return inf
    return objective.prices.fuel * trajectory.fuel + objective.prices.hour * hours


def refine(
    problem: Problem,
    trajectory: Trajectory,
    resolution: LatticeResolution,
    *,
    rounds: int,
    shrink: float = 0.5,
    rivals: Sequence[Trajectory] = (),
) -> Trajectory:
    """Search around a trajectory, then around each result, at ever finer resolution.

    Returns the given trajectory if nothing is found. Its own cost is not compared, because it may
    be from coarser weather. The first round also searches around ``rivals`` and continues from a
    rival if it is clearly better. One round is repeated at the same resolution, the first whose
    best trajectory lies at the lattice's edge at many stages.
    """
    best, least, may_repeat = trajectory, inf, True
    while rounds > 0:
        is_stuck = False
        for start, needed in ((best, 0.0), *((rival, _MIN_GAIN) for rival in rivals)):
            searched = search_near_trajectory(problem, start, resolution)
            found = find_best(problem, searched)
            enough = least - needed * compute_cost_since_departure(problem, best)
            if found is not None and compute_cost(problem, found) <= enough:
                best, least = found, compute_cost(problem, found)
                is_stuck = searched.share_at_edge(found) > _MAX_SHARE_AT_EDGE
        rivals = ()
        if is_stuck and may_repeat:
            may_repeat = False
            continue
        rounds -= 1
        resolution = resolution.finer(shrink)
    return best


def compute_cost_since_departure(problem: Problem, trajectory: Trajectory) -> float:
    """Return the objective's value for a trajectory, with hours counted from departure."""
    objective = problem.objective
    hours = float(trajectory.hours[-1]) - objective.departs_h
    return objective.prices.fuel * trajectory.fuel + objective.prices.hour * hours


def are_close(one: Trajectory, other: Trajectory) -> bool:
    """Return whether two trajectories of the same stages are so close that refining joins them."""
    apart_nm = great_circle_distance_nm(one.lats, one.lngs, other.lats, other.lngs)
    return bool(apart_nm.max() < _NEIGHBOURHOOD_NM)


def halve_stages(problem: Problem, trajectory: Trajectory) -> tuple[Problem, Trajectory]:
    """Insert a stage in the middle of every straight edge of a problem and a trajectory."""
    straight = np.diff(problem.first_segment) == 0
    after = np.flatnonzero(straight) + 1
    lats, lngs = find_middles(problem.radius_nm, trajectory.lats, trajectory.lngs)
    hours = 0.5 * (trajectory.left_h + trajectory.hours[1:])
    finer = Trajectory(
        lats=np.insert(trajectory.lats, after, lats[straight]),
        lngs=np.insert(trajectory.lngs, after, lngs[straight]),
        hours=np.insert(trajectory.hours, after, hours[straight]),
        left_h=np.insert(trajectory.left_h, after, hours[straight]),
        speeds_kn=np.insert(trajectory.speeds_kn, after - 1, trajectory.speeds_kn[straight]),
        fuel=trajectory.fuel,
    )
    return replace(
        problem,
        is_movable=np.insert(problem.is_movable, after, True),
        longest_wait_h=np.insert(problem.longest_wait_h, after, problem.longest_wait_h[after - 1]),
        first_segment=np.insert(problem.first_segment, after, problem.first_segment[after]),
    ), finer
