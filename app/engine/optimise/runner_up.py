"""The runner-up of a wide search: nearly as good as the best trajectory, and elsewhere.

The error of a lattice's few directions and speeds exceeds the difference between two sides
of a storm: only finer searches can decide. Past the storm the points on its far side still
keep the labels that came by that side. Each of them, joined to the rest of the best
trajectory, is another trajectory.
"""

import math
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit
from app.engine.optimise.labels import SearchedLattice, Trajectory
from app.engine.optimise.lattice import Lattice
from app.engine.optimise.refinement import Problem, cost_since_departure
from app.engine.optimise.surface import hop_between

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: Columns between two trajectories that run apart somewhere.
_APART: Final = 4
#: Greatest difference in time between compared labels, in bins.
_BINS: Final = 1
#: Distance ahead of a point at which its trajectory joins the best one [nm].
_JOIN_NM: Final = 500.0
#: Cost that a runner-up may add by the first estimate, as a share of the whole.
_MOST_EXCESS: Final = 0.01


def find_runner_up(problem: Problem, searched: SearchedLattice) -> Trajectory | None:
    """Find the best trajectory, by a first estimate, of those that run apart from the best."""
    nodes = searched.find_nodes(problem.fuel_price, problem.hour_price, problem.arrive_by_h)
    if nodes is None:
        return None
    best = searched.read_trajectory(nodes)
    whole = cost_since_departure(problem, best)
    hops_nm = _measure_hops(problem.radius_nm, searched.lattice)
    to = _join_stages(problem.moves, hops_nm, nodes[:, 0])
    excess, bins = _compare_labels(problem, searched, nodes)
    per_nm = whole / _along_nm(hops_nm, nodes[:, 0])[-1]
    excess += per_nm * _compare_joins(hops_nm, nodes[:, 0], to)
    stage, point = (int(n) for n in np.unravel_index(int(np.argmin(excess)), excess.shape))
    if excess[stage, point] > _MOST_EXCESS * whole:
        return None
    by = searched.trace(stage, point, int(bins[stage, point]))
    joined = _follow_join(hops_nm, nodes[:, 0], (stage, int(to[stage])), point)
    return _join(searched, best, searched.read_trajectory(by), joined)


def _compare_labels(
    problem: Problem, searched: SearchedLattice, nodes: Ints
) -> tuple[Floats, Ints]:
    """Find each point's best label apart from the best trajectory.

    Return its cost above the best trajectory's label at the stage, infinite where there is none,
    and its bin, two of shape (s, p).
    """
    labels, value_of_time = searched.labels, max(problem.hour_price, problem.hour_value)
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
    value[kept] = problem.fuel_price * fuel + value_of_time * time_h
    least = value.argmin(axis=2)
    return value.min(axis=2), np.take_along_axis(near, least, axis=1)


def _mark_apart(parent: NDArray[np.int16], best: Ints, moves: Bools) -> Bools:
    """Mark the labels, shape (s, p, bins), that ran apart from the best trajectory."""
    columns = np.arange(parent.shape[1])
    off = moves[:, None] & (np.abs(columns - best[:, None]) >= _APART)
    apart = np.zeros(parent.shape[:3], dtype=np.bool_)
    for k in range(1, parent.shape[0]):
        apart[k] = apart[k - 1][parent[k, ..., 0], parent[k, ..., 1]] | off[k, :, None]
    return apart


def _along_nm(hops_nm: Floats, best: Ints) -> Floats:
    """Return miles to each stage along the best trajectory."""
    rows = np.arange(best.size - 1)
    return np.concatenate([[0.0], np.cumsum(hops_nm[rows, best[:-1], best[1:]])])


def _join_stages(moves: Bools, hops_nm: Floats, best: Ints) -> Ints:
    """Return the stage at which a trajectory by each stage joins the best one."""
    along_nm = _along_nm(hops_nm, best)
    fixed = np.flatnonzero(~moves)
    next_fixed = fixed[np.searchsorted(fixed, np.arange(moves.size))]
    return np.minimum(np.searchsorted(along_nm, along_nm + _JOIN_NM), next_fixed)


@njit(cache=True, nogil=True, error_model="numpy")
def _measure_hops(radius_nm: float, lattice: Lattice) -> Floats:
    """Measure every edge of a lattice [nm], shape (s - 1, p, p); infinite where not clear."""
    hops_nm = np.full(lattice.clear.shape, math.inf)
    for k, i, j in np.argwhere(lattice.clear):
        hops_nm[k, i, j] = hop_between(
            radius_nm,
            lattice.lats[k, i],
            lattice.lngs[k, i],
            lattice.lats[k + 1, j],
            lattice.lngs[k + 1, j],
        )[0]
    return hops_nm


@njit(cache=True, nogil=True, error_model="numpy")
def _compare_joins(hops_nm: Floats, best: Ints, to: Ints) -> Floats:
    """Return the extra length of joining the best trajectory from each point [nm], shape (s, p).

    It is measured against the best trajectory's own point at the stage.
    """
    longer_nm = np.zeros((best.size, hops_nm.shape[1]))
    for k in range(best.size):
        left_nm, _ = _find_joins(hops_nm, k, to[k], best[to[k]])
        longer_nm[k] = left_nm - left_nm[best[k]]
    return longer_nm


@njit(cache=True, nogil=True, error_model="numpy")
def _find_joins(hops_nm: Floats, k: int, to: int, point: int) -> tuple[Floats, Ints]:
    """Find the shortest join from each point of stage ``k`` to a point of stage ``to``.

    Return its miles, shape (p,), and the point after each, shape (to - k, p).
    """
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


def _follow_join(hops_nm: Floats, best: Ints, lattice: tuple[int, int], point: int) -> Ints:
    """List the columns from a point by its join to the best trajectory and to the last stage."""
    first, to = lattice
    _, following = _find_joins(hops_nm, first, to, int(best[to]))
    points = [point]
    for after in following:
        points.append(int(after[points[-1]]))
    # an empty list has no type of its own
    return np.concatenate([np.array(points[:-1], dtype=np.int64), best[to:]])


def _join(searched: SearchedLattice, best: Trajectory, by: Trajectory, points: Ints) -> Trajectory:
    """Join the trajectory to a point with the rest of the best one.

    Time gained or lost is made good evenly by the end.
    """
    first = by.lats.size - 1
    rows = np.arange(first, best.lats.size)
    to_go_h = best.hours[-1] - best.hours[first:]
    later_h = (by.hours[-1] - best.hours[first]) * to_go_h / max(to_go_h[0], 1e-9)
    return Trajectory(
        lats=np.append(by.lats[:-1], searched.lattice.lats[rows, points]),
        lngs=np.append(by.lngs[:-1], searched.lattice.lngs[rows, points]),
        hours=np.append(by.hours[:-1], best.hours[first:] + later_h),
        left_h=np.append(by.left_h, best.left_h[first:] + later_h[:-1]),
        speeds_kn=np.append(by.speeds_kn, best.speeds_kn[first:]),
        fuel=best.fuel,
    )
