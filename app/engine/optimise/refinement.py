"""From a first line to the best way: one wide search, then ever finer ones around its answer.

A lattice's way is longer than the straight line by what its few directions
cost; each finer search lets every point move by less, so that what is lost to
the lattice goes with the square of its spacing. Dynamic programming at every
size, instead of a descent, steps over the kinks of interpolated weather and
keeps hard limits hard.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.corridor import between, join_rows, keep_joined_through, lay_rows
from app.engine.optimise.labels import Heartbeat, Reached, Way, run_search
from app.engine.optimise.lattice import Search, Stages

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Marks the lines of a lattice that aren't clear: (lats, lngs, joined) to joined.
Clear = Callable[[Floats, Floats, Bools], Bools]

#: Hours between which each line is closed, for the same arguments: from, to.
Closed = Callable[[Floats, Floats, Bools], tuple[Floats, Floats]]

#: What weighs the fuel burnt on each line, for the same arguments, shape (s - 1, p, p).
Price = Callable[[Floats, Floats, Bools], Floats]


def _free(_lats: Floats, _lngs: Floats, joined: Bools) -> Floats:
    """Fuel is weighed alike everywhere."""
    return np.ones(joined.shape)


@dataclass(frozen=True)
class Problem:
    """What is asked.

    ``medium`` answers for ship and weather; ``given`` and ``first_hop`` are the
    ways between stages that are given, as in ``Stages``. ``moves``, shape (s,):
    which stages may leave the line. ``arrive_by_h`` is when to arrive at the
    latest, in hours like ``departs_h``. What is least is fuel and hours at their
    prices; ``hour_worth`` is what an hour's delay is about worth where there is a
    latest arrival, and ranks ways that have different hours left. ``longest_wait_h``,
    shape (s,), is how long the ship may wait at a stage for what is closed to open.
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
    longest_wait_h: Floats
    first_hop: NDArray[np.int64]
    hops: Floats
    clear: Clear
    closed: Closed | None = None
    arrive_by_h: float = inf
    price: Price = _free


@dataclass(frozen=True)
class Fineness:
    """How finely to search around a way: half-widths in steps, and the steps' sizes.

    ``span_h`` is the length of the window of times at the last stage, ``bins``
    how many it is cut into; ``longest_hop_nm`` and ``longest_step_h`` as in ``Search``.
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


@dataclass(frozen=True)
class Corridor:
    """How widely to search along a line.

    ``offsets_nm`` ascend, 0 in the middle; ``window_h``, two of shape (s,), are the
    earliest and the latest time at each stage that is looked at, cut into ``bins``;
    ``speeds`` are tried between the least and the greatest. ``hour_prices``, shape
    (bins,), are what an hour is worth by the bin, if it isn't the same in all. The others
    are as in ``Fineness``.
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


#: Times in the window of the last stage that lines are worked out at, where a step more
#: often than that isn't needed yet: windows narrow as a search gets finer.
_FEWEST_TIMES: Final = 12
#: A rival is taken that is better by this share: what drawing costs differs by about as much.
_CLEARLY: Final = 0.001
#: A way may lie at its lattice's edge at this share of the stages; and how often searches as
#: fine are repeated at most where it lies there at more.
_AT_EDGE: Final = 0.1
_REPEATS: Final = 2


def _unheard() -> None:
    """Nobody listens."""


def search_widely(
    problem: Problem,
    line: tuple[Floats, Floats],
    corridor: Corridor,
    heartbeat: Heartbeat = _unheard,
) -> Reached:
    """What is reached within a corridor along a line."""
    rows = lay_rows(problem.radius_nm, line, problem.moves, corridor.offsets_nm, corridor.smooth_nm)
    tried = np.linspace(problem.speed_min_kn, problem.speed_max_kn, corridor.speeds)
    from_h, to_h = corridor.window_h
    search = Search(
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
        longest_wait_h=problem.longest_wait_h,
    )
    return _search(problem, rows, corridor.reach, search, heartbeat)


def _hour_prices(problem: Problem, bins: int) -> Floats:
    return np.full(bins, max(problem.hour_price, problem.hour_worth))


def _search(
    problem: Problem,
    rows: tuple[Floats, Floats],
    reach: int,
    search: Search,
    heartbeat: Heartbeat,
) -> Reached:
    joined = join_rows(problem.radius_nm, rows, problem.moves, reach)
    heartbeat()
    clear = keep_joined_through(problem.clear(*rows, joined))
    from_h, to_h = np.full(clear.shape, inf), np.full(clear.shape, -inf)
    if problem.closed is not None:
        from_h, to_h = problem.closed(*rows, clear)
    stages = Stages(
        *rows, clear, from_h, to_h, problem.first_hop, problem.hops, problem.price(*rows, clear)
    )
    heartbeat()
    return run_search(
        problem.medium, problem.radius_nm, problem.departs_h, stages, search, heartbeat
    )


def find_best(problem: Problem, reached: Reached) -> Way | None:
    """The best way of those reached; ``None`` where none arrives in time."""
    return reached.find_way(problem.fuel_price, problem.hour_price, problem.arrive_by_h)


def search_around(
    problem: Problem, way: Way, fine: Fineness, heartbeat: Heartbeat = _unheard
) -> Reached:
    """What is reached within a lattice around a way."""
    steps = np.arange(fine.columns) - fine.columns // 2
    rows = lay_rows(
        problem.radius_nm,
        (way.lats, way.lngs),
        problem.moves,
        np.float64(fine.offset_nm) * steps,
        fine.smooth_nm,
    )
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
        speeds_kn=speeds_kn,
        from_h=way.hours - 0.5 * span_h,
        width_h=span_h / fine.bins,
        bins=fine.bins,
        fuel_price=problem.fuel_price,
        hour_prices=_hour_prices(problem, fine.bins),
        longest_hop_nm=fine.longest_hop_nm,
        longest_step_h=max(fine.longest_step_h, fine.span_h / _FEWEST_TIMES),
        longest_wait_h=problem.longest_wait_h,
    )
    return _search(problem, rows, fine.reach, search, heartbeat)


def cost_of(problem: Problem, way: Way) -> float:
    """What the problem has least of; infinite where the way arrives too late."""
    if way.hours[-1] > problem.arrive_by_h:
        return inf
    return problem.fuel_price * way.fuel + problem.hour_price * float(way.hours[-1])


def refine(
    problem: Problem,
    way: Way,
    fine: Fineness,
    *,
    rounds: int,
    shrink: float = 0.5,
    heartbeat: Heartbeat = _unheard,
    rivals: Sequence[Way] = (),
) -> Way:
    """Search around a way, around what is found, and so on, each time more finely.

    What the first way itself costs is not asked: it may have been found on coarser
    weather. Where nothing is found the way comes back as it was. The first search is around
    ``rivals`` too, one of which is gone on with where it turns out to be clearly better. A search
    whose best way lies at its lattice's edge for a good part is repeated as finely, if any
    repeats are left.
    """
    best, least, repeats = way, inf, _REPEATS
    while rounds > 0:
        is_stuck = False
        for start, needed in ((best, 0.0), *((rival, _CLEARLY) for rival in rivals)):
            reached = search_around(problem, start, fine, heartbeat)
            found = find_best(problem, reached)
            enough = least - needed * whole_cost(problem, best)
            if found is not None and cost_of(problem, found) <= enough:
                best, least = found, cost_of(problem, found)
                is_stuck = reached.share_at_edge(found) > _AT_EDGE
        rivals = ()
        if is_stuck and repeats > 0:
            repeats -= 1
            continue
        rounds -= 1
        fine = replace(
            fine,
            offset_nm=fine.offset_nm * shrink,
            speed_step_kn=fine.speed_step_kn * shrink,
            span_h=fine.span_h * max(shrink, 0.6),
        )
    return best


def whole_cost(problem: Problem, way: Way) -> float:
    """What a way costs, of which hours count from its departure."""
    hours = float(way.hours[-1]) - problem.departs_h
    return problem.fuel_price * way.fuel + problem.hour_price * hours


def halve(problem: Problem, way: Way) -> tuple[Problem, Way]:
    """The same problem and way with a stage put into the middle of every straight line."""
    straight = np.diff(problem.first_hop) == 0
    after = np.flatnonzero(straight) + 1
    lats, lngs = _middles(problem.radius_nm, way)
    hours = 0.5 * (way.left_h + way.hours[1:])
    finer = Way(
        lats=np.insert(way.lats, after, lats[straight]),
        lngs=np.insert(way.lngs, after, lngs[straight]),
        hours=np.insert(way.hours, after, hours[straight]),
        left_h=np.insert(way.left_h, after, hours[straight]),
        speeds_kn=np.insert(way.speeds_kn, after - 1, way.speeds_kn[straight]),
        fuel=way.fuel,
    )
    return replace(
        problem,
        moves=np.insert(problem.moves, after, True),
        longest_wait_h=np.insert(problem.longest_wait_h, after, problem.longest_wait_h[after - 1]),
        first_hop=np.insert(problem.first_hop, after, problem.first_hop[after]),
    ), finer


def _middles(radius_nm: float, way: Way) -> tuple[Floats, Floats]:
    middles = [
        between(radius_nm, a, b, 2) for a, b in pairwise(zip(way.lats, way.lngs, strict=True))
    ]
    return np.array([m[0][0] for m in middles]), np.array([m[1][0] for m in middles])
