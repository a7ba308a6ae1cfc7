"""The runner-up of a wide search: about as good as the best way at first sight, and elsewhere.

What a lattice's few directions and speeds cost is more than what one side of a storm is
better than the other: only finer searches can tell which is. Past the storm the points
on its far side still keep the labels that came by that side. Each of them, joined
to the rest of the best way, is a way of its own.
"""

import math
from math import inf
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.engine.optimise.labels import Reached, Way
from app.engine.optimise.lattice import Stages
from app.engine.optimise.refinement import Problem, whole_cost
from app.engine.optimise.surface import hop_between

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: A way runs apart from another that leaves it by so many columns somewhere.
_APART: Final = 4
#: Labels are looked at whose times are so many bins from the best way's at most.
_BINS: Final = 1
#: How far ahead of a point its way is joined to the best way [nm].
_JOIN_NM: Final = 500.0
#: What a runner-up may cost more at first sight, as a share of the whole.
_MOST_EXCESS: Final = 0.01


def find_runner_up(problem: Problem, reached: Reached) -> Way | None:
    """The best way at first sight of those that run apart from the best of all."""
    nodes = reached.find_nodes(problem.fuel_price, problem.hour_price, problem.arrive_by_h)
    if nodes is None:
        return None
    best = reached.read_way(nodes)
    whole = whole_cost(problem, best)
    hops_nm = _measure_hops(problem.radius_nm, reached.stages)
    to = _join_stages(problem.moves, hops_nm, nodes[:, 0])
    excess, bins = _compare_labels(problem, reached, nodes)
    per_nm = whole / _along_nm(hops_nm, nodes[:, 0])[-1]
    excess += per_nm * _compare_joins(hops_nm, nodes[:, 0], to)
    stage, point = (int(n) for n in np.unravel_index(int(np.argmin(excess)), excess.shape))
    if excess[stage, point] > _MOST_EXCESS * whole:
        return None
    by = reached.trace(stage, point, int(bins[stage, point]))
    joined = _follow_join(hops_nm, nodes[:, 0], (stage, int(to[stage])), point)
    return _join(reached, best, reached.read_way(by), joined)


def _compare_labels(problem: Problem, reached: Reached, nodes: Ints) -> tuple[Floats, Ints]:
    """What each point's best label that came apart from the best way is worth more than that
    way's label at the stage, infinite where there is none, and its bin, two of shape (s, p)."""
    labels, worth = reached.labels, max(problem.hour_price, problem.hour_worth)
    stages = np.arange(nodes.shape[0])
    columns = np.arange(labels.fuel.shape[1])
    near = nodes[:, 1:2] + np.arange(-_BINS, _BINS + 1)
    near = np.clip(near, 0, labels.fuel.shape[2] - 1)
    at = stages[:, None, None], columns[None, :, None], near[:, None, :]
    kept = _mark_apart(labels.parent, nodes[:, 0], problem.moves)[at] & (labels.fuel[at] < inf)
    own = stages, nodes[:, 0], nodes[:, 1]
    value = np.full(kept.shape, inf)
    row = np.nonzero(kept)[0]
    fuel = labels.fuel[at][kept] - labels.fuel[own][row]
    time_h = labels.time_h[at][kept] - labels.time_h[own][row]
    value[kept] = problem.fuel_price * fuel + worth * time_h
    least = value.argmin(axis=2)
    return value.min(axis=2), np.take_along_axis(near, least, axis=1)


def _mark_apart(parent: NDArray[np.int16], best: Ints, moves: Bools) -> Bools:
    """The labels, shape (s, p, bins), that came apart from the best way somewhere."""
    columns = np.arange(parent.shape[1])
    off = moves[:, None] & (np.abs(columns - best[:, None]) >= _APART)
    apart = np.zeros(parent.shape[:3], dtype=np.bool_)
    for k in range(1, parent.shape[0]):
        apart[k] = apart[k - 1][parent[k, ..., 0], parent[k, ..., 1]] | off[k, :, None]
    return apart


def _along_nm(hops_nm: Floats, best: Ints) -> Floats:
    """Miles to each stage by the best way."""
    rows = np.arange(best.size - 1)
    return np.concatenate([[0.0], np.cumsum(hops_nm[rows, best[:-1], best[1:]])])


def _join_stages(moves: Bools, hops_nm: Floats, best: Ints) -> Ints:
    """The stage at which a way by each stage joins the best way."""
    along_nm = _along_nm(hops_nm, best)
    fixed = np.flatnonzero(~moves)
    next_fixed = fixed[np.searchsorted(fixed, np.arange(moves.size))]
    return np.minimum(np.searchsorted(along_nm, along_nm + _JOIN_NM), next_fixed)


@njit(cache=True, nogil=True, error_model="numpy")
def _measure_hops(radius_nm: float, stages: Stages) -> Floats:
    """Miles of every line of a lattice, shape (s - 1, p, p); infinite where it isn't clear."""
    hops_nm = np.full(stages.clear.shape, math.inf)
    for k, i, j in np.argwhere(stages.clear):
        hops_nm[k, i, j] = hop_between(
            radius_nm,
            stages.lats[k, i],
            stages.lngs[k, i],
            stages.lats[k + 1, j],
            stages.lngs[k + 1, j],
        )[0]
    return hops_nm


@njit(cache=True, nogil=True, error_model="numpy")
def _compare_joins(hops_nm: Floats, best: Ints, to: Ints) -> Floats:
    """How much longer each point's shortest way to where it joins the best way is than that from
    the best way's point at the stage [nm], shape (s, p)."""
    longer_nm = np.zeros((best.size, hops_nm.shape[1]))
    for k in range(best.size):
        left_nm, _ = _find_joins(hops_nm, k, to[k], best[to[k]])
        longer_nm[k] = left_nm - left_nm[best[k]]
    return longer_nm


@njit(cache=True, nogil=True, error_model="numpy")
def _find_joins(hops_nm: Floats, k: int, to: int, point: int) -> tuple[Floats, Ints]:
    """Miles of the shortest way from each point of stage ``k`` to one of another, shape (p,), and
    the point after each, shape (to - k, p)."""
    p = hops_nm.shape[1]
    left_nm, following = np.full(p, math.inf), np.zeros((to - k, p), dtype=np.int64)
    left_nm[point] = 0.0
    for row in range(to - 1, k - 1, -1):
        further_nm = left_nm
        left_nm = np.full(p, math.inf)
        for i in range(p):
            for j in range(p):
                nm = hops_nm[row, i, j] + further_nm[j]
                if nm < left_nm[i]:
                    left_nm[i], following[row - k, i] = nm, j
    return left_nm, following


def _follow_join(hops_nm: Floats, best: Ints, stages: tuple[int, int], point: int) -> Ints:
    """Columns of the way from a point by its join to the best way and on, to the last stage."""
    first, to = stages
    _, following = _find_joins(hops_nm, first, to, int(best[to]))
    points = [point]
    for after in following:
        points.append(int(after[points[-1]]))
    # where the point is on the best way's stage there is nothing before it, not even a type
    return np.concatenate([np.array(points[:-1], dtype=np.int64), best[to:]])


def _join(reached: Reached, best: Way, by: Way, points: Ints) -> Way:
    """The way by a point, and on by the points that join it to the best way, with what it is
    later or sooner made good by the end."""
    first = by.lats.size - 1
    rows = np.arange(first, best.lats.size)
    to_go_h = best.hours[-1] - best.hours[first:]
    later_h = (by.hours[-1] - best.hours[first]) * to_go_h / max(to_go_h[0], 1e-9)
    return Way(
        lats=np.append(by.lats[:-1], reached.stages.lats[rows, points]),
        lngs=np.append(by.lngs[:-1], reached.stages.lngs[rows, points]),
        hours=np.append(by.hours[:-1], best.hours[first:] + later_h),
        left_h=np.append(by.left_h, best.left_h[first:] + later_h[:-1]),
        speeds_kn=np.append(by.speeds_kn, best.speeds_kn[first:]),
        fuel=best.fuel,
    )
