"""From a wide corridor to ever finer lattices around the best trajectory found.

A trajectory on a lattice is longer than the straight line because the lattice has few
directions; each finer search lets every point move by less, so that this loss falls with the
square of the spacing. Dynamic programming at every size, instead of a descent, steps over
the kinks of interpolated weather and keeps hard limits hard.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.engine.geodesy.great_circle import great_circle_distance_nm
from app.engine.optimise.corridor import between, build_rows, join_rows, keep_joined_through
from app.engine.optimise.labels import Heartbeat, SearchedLattice, Trajectory, run_search
from app.engine.optimise.lattice import Lattice, SearchSettings

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Marks the edges of a lattice that aren't clear: (lats, lngs, joined) to joined.
Clear = Callable[[Floats, Floats, Bools], Bools]

#: Hours between which each edge is closed, for the same arguments: from, to.
Closed = Callable[[Floats, Floats, Bools], tuple[Floats, Floats]]

#: Weights of the fuel burnt on each edge, for the same arguments, shape (s - 1, p, p).
Price = Callable[[Floats, Floats, Bools], Floats]


def _no_price(_lats: Floats, _lngs: Floats, joined: Bools) -> Floats:
    """Weigh fuel alike everywhere."""
    return np.ones(joined.shape)


@dataclass(frozen=True)
class Problem:
    """A problem of joint track and speed.

    ``medium`` answers for ship and weather; ``hops`` and ``first_hop`` are the prescribed
    stages, as in ``Lattice``. ``moves``, shape (s,): which stages may leave the line.
    ``arrive_by_h`` is the latest arrival, in hours like ``departs_h``. The objective is fuel and
    hours at their prices; ``hour_value`` is the approximate fuel value of an hour where there is
    a latest arrival, and ranks labels that have different hours left. ``longest_wait_h``, shape
    (s,), is the longest wait at each stage.
    """

    medium: Any
    radius_nm: float
    departs_h: float
    speed_min_kn: float
    speed_max_kn: float
    fuel_price: float
    hour_price: float
    hour_value: float
    moves: Bools
    longest_wait_h: Floats
    first_hop: NDArray[np.int64]
    hops: Floats
    clear: Clear
    closed: Closed | None = None
    arrive_by_h: float = inf
    price: Price = _no_price


@dataclass(frozen=True)
class LatticeResolution:
    """Resolution of a lattice around a trajectory: half-widths in steps, and the steps' sizes.

    ``span_h`` is the length of the window of times at the last stage, ``bins`` how many it is
    cut into; ``longest_hop_nm`` and ``longest_step_h`` are as in ``SearchSettings``, and so is
    ``limited_step_h`` in windows that it cuts into no more than twelve.
    """

    columns: int
    offset_nm: float
    reach: int
    smooth_nm: float
    speeds: int
    speed_step_kn: float
    span_h: float
    bins: int
    longest_hop_nm: float
    longest_step_h: float
    limited_step_h: float = inf

    def finer(self, share: float = 0.5) -> "LatticeResolution":
        """Return a resolution whose steps are this share of these."""
        return replace(
            self,
            offset_nm=self.offset_nm * share,
            speed_step_kn=self.speed_step_kn * share,
            span_h=self.span_h * max(share, 0.6),
        )


@dataclass(frozen=True)
class Corridor:
    """Extent and resolution of the first lattice along a line.

    ``offsets_nm`` ascend, 0 in the middle; ``window_h``, two of shape (s,), are the earliest and
    the latest time at each stage, cut into ``bins``; ``speeds`` are tried between the least and
    the greatest. ``hour_prices``, shape (bins,), are the value of an hour by bin, if it varies.
    The others are as in ``LatticeResolution``.
    """

    offsets_nm: Floats
    reach: int
    smooth_nm: float
    speeds: int
    window_h: tuple[Floats, Floats]
    bins: int
    longest_hop_nm: float
    longest_step_h: float
    hour_prices: Floats | None = None


#: Most steps that the window of the last stage is cut into.
_MOST_TIMES: Final = 12
#: Share by which a rival must be better: the cost of drawing varies by about as much.
_CLEARLY: Final = 0.001
#: Distance within which two trajectories lie in one neighbourhood [nm]. Some that are 60 nm apart,
#: each refined, differ by 0.7 % of the fuel.
_TOGETHER_NM: Final = 40.0
#: Share of stages at which a trajectory may lie at its lattice's edge; and the most repeats at
#: one resolution where it lies there at more.
_AT_EDGE: Final = 0.1
_REPEATS: Final = 2


def _ignore() -> None:
    """Ignore a heartbeat."""


def search_corridor(
    problem: Problem,
    line: tuple[Floats, Floats],
    corridor: Corridor,
    heartbeat: Heartbeat = _ignore,
) -> SearchedLattice:
    """Search a corridor along a line."""
    rows = build_rows(
        problem.radius_nm, line, problem.moves, corridor.offsets_nm, corridor.smooth_nm
    )
    tried = np.linspace(problem.speed_min_kn, problem.speed_max_kn, corridor.speeds)
    from_h, to_h = corridor.window_h
    search = SearchSettings(
        speeds_kn=np.tile(tried, (line[0].size - 1, 1)),
        from_h=from_h,
        width_h=np.maximum(to_h - from_h, 1e-6) / corridor.bins,
        bins=corridor.bins,
        fuel_price=problem.fuel_price,
        hour_prices=(
            _hour_prices(problem, corridor.bins)
            if corridor.hour_prices is None
            else corridor.hour_prices
        ),
        longest_hop_nm=corridor.longest_hop_nm,
        longest_step_h=corridor.longest_step_h,
        limited_step_h=inf,
        longest_wait_h=problem.longest_wait_h,
    )
    return _search(problem, rows, corridor.reach, search, heartbeat)


def _hour_prices(problem: Problem, bins: int) -> Floats:
    return np.full(bins, max(problem.hour_price, problem.hour_value))


def _search(
    problem: Problem,
    rows: tuple[Floats, Floats],
    reach: int,
    search: SearchSettings,
    heartbeat: Heartbeat,
) -> SearchedLattice:
    joined = join_rows(problem.radius_nm, rows, problem.moves, reach)
    heartbeat()
    clear = keep_joined_through(problem.clear(*rows, joined))
    from_h, to_h = np.full(clear.shape, inf), np.full(clear.shape, -inf)
    if problem.closed is not None:
        from_h, to_h = problem.closed(*rows, clear)
    lattice = Lattice(
        *rows, clear, from_h, to_h, problem.first_hop, problem.hops, problem.price(*rows, clear)
    )
    heartbeat()
    return run_search(
        problem.medium, problem.radius_nm, problem.departs_h, lattice, search, heartbeat
    )


def find_best(problem: Problem, searched: SearchedLattice) -> Trajectory | None:
    """Return the best trajectory of a searched lattice; ``None`` where none is in time."""
    return searched.best_trajectory(problem.fuel_price, problem.hour_price, problem.arrive_by_h)


def search_near_trajectory(
    problem: Problem,
    trajectory: Trajectory,
    resolution: LatticeResolution,
    heartbeat: Heartbeat = _ignore,
) -> SearchedLattice:
    """Search a lattice around a trajectory."""
    steps = np.arange(resolution.columns) - resolution.columns // 2
    rows = build_rows(
        problem.radius_nm,
        (trajectory.lats, trajectory.lngs),
        problem.moves,
        np.float64(resolution.offset_nm) * steps,
        resolution.smooth_nm,
    )
    tried = np.arange(resolution.speeds) - resolution.speeds // 2
    speeds_kn = np.clip(
        trajectory.speeds_kn[:, None] + tried * resolution.speed_step_kn,
        problem.speed_min_kn,
        problem.speed_max_kn,
    )
    since_h = trajectory.hours - problem.departs_h
    share = np.sqrt(since_h / since_h[-1])
    span_h = np.maximum(resolution.span_h * share, 1e-6)
    search = SearchSettings(
        speeds_kn=speeds_kn,
        from_h=trajectory.hours - 0.5 * span_h,
        width_h=span_h / resolution.bins,
        bins=resolution.bins,
        fuel_price=problem.fuel_price,
        hour_prices=_hour_prices(problem, resolution.bins),
        longest_hop_nm=resolution.longest_hop_nm,
        longest_step_h=max(resolution.longest_step_h, resolution.span_h / _MOST_TIMES),
        limited_step_h=max(resolution.limited_step_h, resolution.span_h / _MOST_TIMES),
        longest_wait_h=problem.longest_wait_h,
    )
    return _search(problem, rows, resolution.reach, search, heartbeat)


def cost_of(problem: Problem, trajectory: Trajectory) -> float:
    """Return the objective of a trajectory; infinite where it arrives too late."""
    if trajectory.hours[-1] > problem.arrive_by_h:
        return inf
    return problem.fuel_price * trajectory.fuel + problem.hour_price * float(trajectory.hours[-1])


def refine(
    problem: Problem,
    trajectory: Trajectory,
    resolution: LatticeResolution,
    *,
    rounds: int,
    shrink: float = 0.5,
    heartbeat: Heartbeat = _ignore,
    rivals: Sequence[Trajectory] = (),
) -> Trajectory:
    """Search around a trajectory, around the result, and so on, each time more finely.

    The cost of the first trajectory does not count: it may be of coarser weather. Where nothing
    is found it is returned as it was. The first search is around ``rivals`` too; a rival is
    followed where it turns out clearly better. A search whose best trajectory lies at its
    lattice's edge for a good part is repeated at the same resolution, if any repeats are left.
    """
    best, least, repeats = trajectory, inf, _REPEATS
    while rounds > 0:
        is_stuck = False
        for start, needed in ((best, 0.0), *((rival, _CLEARLY) for rival in rivals)):
            searched = search_near_trajectory(problem, start, resolution, heartbeat)
            found = find_best(problem, searched)
            enough = least - needed * cost_since_departure(problem, best)
            if found is not None and cost_of(problem, found) <= enough:
                best, least = found, cost_of(problem, found)
                is_stuck = searched.share_at_edge(found) > _AT_EDGE
        rivals = ()
        if is_stuck and repeats > 0:
            repeats -= 1
            continue
        rounds -= 1
        resolution = resolution.finer(shrink)
    return best


def cost_since_departure(problem: Problem, trajectory: Trajectory) -> float:
    """Return the objective of a trajectory with hours counted from departure."""
    hours = float(trajectory.hours[-1]) - problem.departs_h
    return problem.fuel_price * trajectory.fuel + problem.hour_price * hours


def run_together(one: Trajectory, other: Trajectory) -> bool:
    """Return whether two trajectories of the same stages are close to each other everywhere.

    Finer searches around one then end where those around the other do.
    """
    apart_nm = great_circle_distance_nm(one.lats, one.lngs, other.lats, other.lngs)
    return bool(apart_nm.max() < _TOGETHER_NM)


def halve_stages(problem: Problem, trajectory: Trajectory) -> tuple[Problem, Trajectory]:
    """Insert a stage into the middle of every straight line of a problem and a trajectory."""
    straight = np.diff(problem.first_hop) == 0
    after = np.flatnonzero(straight) + 1
    lats, lngs = _middles(problem.radius_nm, trajectory)
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
        moves=np.insert(problem.moves, after, True),
        longest_wait_h=np.insert(problem.longest_wait_h, after, problem.longest_wait_h[after - 1]),
        first_hop=np.insert(problem.first_hop, after, problem.first_hop[after]),
    ), finer


def _middles(radius_nm: float, trajectory: Trajectory) -> tuple[Floats, Floats]:
    middles = [
        between(radius_nm, a, b, 2)
        for a, b in pairwise(zip(trajectory.lats, trajectory.lngs, strict=True))
    ]
    return np.array([m[0][0] for m in middles]), np.array([m[1][0] for m in middles])
