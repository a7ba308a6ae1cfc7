"""From a first line to the best way: one wide search, then ever finer ones around its answer.

A lattice's way is longer than the straight line by what its few directions
cost; each finer search lets every point move by less, so that what is lost to
the lattice goes with the square of its spacing. Dynamic programming at every
size, instead of a descent, steps over the kinks of interpolated weather and
keeps hard limits hard.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.corridor import between, join_rows, lay_rows
from app.engine.optimise.search import search_stage, trace_back
from app.engine.optimise.stages import Search, Stages

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Told after each stage; may raise to end the search.
Heartbeat = Callable[[], None]

#: Marks the lines of a lattice that aren't clear: (lats, lngs, joined) to joined.
Clear = Callable[[Floats, Floats, Bools], Bools]

#: Hours between which each line is closed, for the same arguments: from, to.
Closed = Callable[[Floats, Floats, Bools], tuple[Floats, Floats]]


@dataclass(frozen=True)
class Problem:
    """What is asked.

    ``medium`` answers for ship and weather; ``given`` and ``first_hop`` are the
    ways between stages that are given, as in ``Stages``. ``moves``, shape (s,):
    which stages may leave the line. ``arrive_by_h`` is when to arrive at the
    latest, in hours like ``departs_h``. What is least is fuel and hours at their
    prices; ``hour_worth`` is what an hour's delay is about worth where there is a
    latest arrival, and ranks ways that have different hours left.
    """

    medium: Any
    radius_nm: float
    departs_h: float
    speed_min_kn: float
    speed_max_kn: float
    fuel_price: float
    hour_price: float
    hour_worth: float
    moves: Bools
    first_hop: NDArray[np.int64]
    hops: Floats
    clear: Clear
    closed: Closed | None = None
    arrive_by_h: float = inf


@dataclass(frozen=True)
class Way:
    """One way through the stages: positions and arrival times, shape (s,), and the
    speed ordered from each, shape (s - 1,); ``fuel`` in all, and the fuel-against-
    arrival front of the search that found it, shape (n, 2)."""

    lats: Floats
    lngs: Floats
    hours: Floats
    speeds_kn: Floats
    fuel: float
    front: Floats


@dataclass(frozen=True)
class Fineness:
    """How finely to search around a way: half-widths in steps, and the steps' sizes.

    ``span_h`` is the length of the window of times at the last stage, ``bins``
    how many it is cut into.
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


def search_widely(
    problem: Problem,
    line: tuple[Floats, Floats],
    *,
    offsets_nm: Floats,
    reach: int,
    smooth_nm: float,
    speeds: int,
    window_h: tuple[Floats, Floats],
    bins: int,
    longest_hop_nm: float,
    heartbeat: Heartbeat = lambda: None,
) -> Way | None:
    """The best way within a corridor along a line; ``None`` where there is none.

    ``offsets_nm`` ascend, 0 in the middle; ``window_h``, two of shape (s,), are the
    earliest and the latest time at each stage that is looked at.
    """
    rows = lay_rows(problem.radius_nm, line, problem.moves, offsets_nm, smooth_nm)
    joined = join_rows(problem.radius_nm, rows, problem.moves, reach)
    tried = np.linspace(problem.speed_min_kn, problem.speed_max_kn, speeds)
    search = Search(
        np.tile(tried, (line[0].size - 1, 1)),
        window_h[0],
        np.maximum(window_h[1] - window_h[0], 1e-6) / bins,
        bins,
        problem.fuel_price,
        max(problem.hour_price, problem.hour_worth),
        longest_hop_nm,
    )
    return run_search(problem, _build_stages(problem, rows, joined), search, heartbeat)


def _build_stages(problem: Problem, rows: tuple[Floats, Floats], joined: Bools) -> Stages:
    clear = problem.clear(*rows, joined)
    from_h, to_h = np.full(clear.shape, inf), np.full(clear.shape, -inf)
    if problem.closed is not None:
        from_h, to_h = problem.closed(*rows, clear)
    return Stages(*rows, clear, from_h, to_h, problem.first_hop, problem.hops)


def search_around(
    problem: Problem, way: Way, fine: Fineness, heartbeat: Heartbeat = lambda: None
) -> Way | None:
    """The best way within a lattice around a way; ``None`` where there is none in it."""
    steps = np.arange(fine.columns) - fine.columns // 2
    line = (way.lats, way.lngs)
    rows = lay_rows(
        problem.radius_nm, line, problem.moves, np.float64(fine.offset_nm) * steps, fine.smooth_nm
    )
    joined = join_rows(problem.radius_nm, rows, problem.moves, fine.reach)
    stages = _build_stages(problem, rows, joined)
    tried = np.arange(fine.speeds) - fine.speeds // 2
    speeds_kn = np.clip(
        way.speeds_kn[:, None] + tried * fine.speed_step_kn,
        problem.speed_min_kn,
        problem.speed_max_kn,
    )
    since_h = way.hours - problem.departs_h
    share = np.sqrt(since_h / since_h[-1])
    span_h = np.maximum(fine.span_h * share, 1e-6)
    search = Search(
        speeds_kn,
        way.hours - 0.5 * span_h,
        span_h / fine.bins,
        fine.bins,
        problem.fuel_price,
        max(problem.hour_price, problem.hour_worth),
        fine.longest_hop_nm,
    )
    return run_search(problem, stages, search, heartbeat)


def run_search(
    problem: Problem, stages: Stages, search: Search, heartbeat: Heartbeat = lambda: None
) -> Way | None:
    """The best way through a lattice; ``None`` where no label reaches its end in time."""
    shape = (*stages.lats.shape, search.bins)
    time_h, fuel = np.full(shape, inf), np.full(shape, inf)
    parent = np.zeros((*shape, 3), dtype=np.int32)
    middle = stages.lats.shape[1] // 2
    time_h[0, middle, search.bins // 2] = problem.departs_h
    fuel[0, middle, search.bins // 2] = 0.0
    for k in range(stages.lats.shape[0] - 1):
        search_stage(problem.medium, problem.radius_nm, stages, search, k, time_h, fuel, parent)
        heartbeat()
    last_h, last_fuel = time_h[-1, middle], fuel[-1, middle]
    in_time = (last_fuel < inf) & (last_h <= problem.arrive_by_h)
    value = np.full(search.bins, inf)
    value[in_time] = _value(problem, last_fuel[in_time], last_h[in_time])
    chosen = int(np.argmin(value))
    if not value[chosen] < inf:
        return None
    nodes = np.empty((shape[0], 3), dtype=np.int64)
    trace_back(parent, middle, chosen, nodes)
    rows = np.arange(shape[0])
    return Way(
        lats=stages.lats[rows, nodes[:, 0]],
        lngs=stages.lngs[rows, nodes[:, 0]],
        hours=time_h[rows, nodes[:, 0], nodes[:, 1]],
        speeds_kn=search.speeds_kn[rows[:-1], nodes[:-1, 2]],
        fuel=float(last_fuel[chosen]),
        front=_front(last_h, last_fuel),
    )


def _front(hours: Floats, fuel: Floats) -> Floats:
    """The (hours, fuel) that no other is both earlier and thriftier than, the earliest first."""
    reached = fuel < inf
    order = np.lexsort((fuel[reached], hours[reached]))
    points = np.stack([hours[reached][order], fuel[reached][order]], axis=1)
    best = np.minimum.accumulate(np.concatenate([[inf], points[:-1, 1]]))
    return points[points[:, 1] < best]


def cost_of(problem: Problem, way: Way) -> float:
    """What the problem has least of; infinite where the way arrives too late."""
    if way.hours[-1] > problem.arrive_by_h:
        return inf
    return float(_value(problem, np.array(way.fuel), way.hours[-1]))


def _value(problem: Problem, fuel: Floats, hours: Floats) -> Floats:
    return problem.fuel_price * fuel + problem.hour_price * hours


def refine(
    problem: Problem,
    way: Way,
    fine: Fineness,
    *,
    rounds: int,
    shrink: float = 0.5,
    heartbeat: Heartbeat = lambda: None,
) -> Way:
    """Search around a way, around what is found, and so on, each time more finely.

    What the first way itself costs is not asked: it may have been found on coarser
    weather. Where nothing is found the way comes back as it was.
    """
    best, least = way, inf
    for _ in range(rounds):
        found = search_around(problem, best, fine, heartbeat)
        if found is not None and cost_of(problem, found) <= least:
            best, least = found, cost_of(problem, found)
        fine = replace(
            fine,
            offset_nm=fine.offset_nm * shrink,
            speed_step_kn=fine.speed_step_kn * shrink,
            span_h=fine.span_h * max(shrink, 0.6),
        )
    return best


def halve(problem: Problem, way: Way) -> tuple[Problem, Way]:
    """The same problem and way with a stage put into the middle of every straight line."""
    straight = np.diff(problem.first_hop) == 0
    after = np.flatnonzero(straight) + 1
    lats, lngs = _middles(problem.radius_nm, way)
    hours = 0.5 * (way.hours[:-1] + way.hours[1:])
    finer = Way(
        lats=np.insert(way.lats, after, lats[straight]),
        lngs=np.insert(way.lngs, after, lngs[straight]),
        hours=np.insert(way.hours, after, hours[straight]),
        speeds_kn=np.insert(way.speeds_kn, after - 1, way.speeds_kn[straight]),
        fuel=way.fuel,
        front=way.front,
    )
    return replace(
        problem,
        moves=np.insert(problem.moves, after, True),
        first_hop=np.insert(problem.first_hop, after, problem.first_hop[after]),
    ), finer


def _middles(radius_nm: float, way: Way) -> tuple[Floats, Floats]:
    middles = [
        between(radius_nm, a, b, 2) for a, b in pairwise(zip(way.lats, way.lngs, strict=True))
    ]
    return np.array([m[0][0] for m in middles]), np.array([m[1][0] for m in middles])
