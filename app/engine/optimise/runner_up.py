"""The runners-up of a wide search: almost as good as the best trajectory, but far from it.

A wide lattice has few directions and speeds. Its error exceeds the difference between the two
sides of a storm, and only finer searches can decide. Behind the storm, the nodes on its far side
still have labels that came along that side. Each of these, joined to the rest of the best
trajectory, is a candidate for a runner-up. The best of them are often variants of the best
trajectory, so that the best of those much farther apart is a runner-up too.
"""

import math
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit
from app.engine.optimise.labels import SearchedLattice, Trajectory
from app.engine.optimise.lattice import Lattice
from app.engine.optimise.refinement import Problem, are_close, compute_cost_since_departure
from app.engine.optimise.surface import measure_segment

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: Distances in columns from which a trajectory counts as apart from the best one.
_APART_COLUMNS: Final = (4, 10)
#: Greatest difference in time between compared labels, in bins.
_MAX_BINS_APART: Final = 1
#: Distance along the best trajectory after which another one joins it [nm].
_JOIN_NM: Final = 500.0
#: Largest estimated excess cost of a runner-up, as a share of the best cost.
_MAX_EXCESS: Final = 0.01


def find_runners_up(problem: Problem, searched: SearchedLattice) -> list[Trajectory]:
    """Return the trajectory of least estimated cost at each distance apart from the best one.

    Left out are those whose estimate exceeds the best cost by too much, and those close to another.
    """
    trace = searched.find_best_trace(problem.fuel_price, problem.hour_price, problem.arrive_by_h)
    if trace is None:
        return []
    best, best_nodes = searched.read_trajectory(trace), trace[:, 0]
    best_cost = compute_cost_since_departure(problem, best)
    edges_nm = _measure_edges(problem.radius_nm, searched.lattice)
    join_stages = _find_join_stages(problem.is_movable, edges_nm, best_nodes)
    per_nm = best_cost / _measure_along_nm(edges_nm, best_nodes)[-1]
    join_excess = per_nm * _measure_join_excess(edges_nm, best_nodes, join_stages)
    found: list[Trajectory] = []
    for apart_columns in _APART_COLUMNS:
        excess, bins = _compare_labels(problem, searched, trace, apart_columns)
        excess += join_excess
        stage, node = (int(n) for n in np.unravel_index(int(np.argmin(excess)), excess.shape))
        if excess[stage, node] > _MAX_EXCESS * best_cost:
            continue
        other = searched.trace_label(stage, node, int(bins[stage, node]))
        nodes = _list_join_nodes(edges_nm, best_nodes, (stage, int(join_stages[stage])), node)
        joined = _join_trajectories(searched, best, searched.read_trajectory(other), nodes)
        if not any(are_close(joined, each) for each in found):
            found.append(joined)
    return found


def _compare_labels(
    problem: Problem, searched: SearchedLattice, trace: Ints, apart_columns: int
) -> tuple[Floats, Ints]:
    """Find the best label of each node among those apart from the best trajectory's ``trace``.

    Return its cost above the best trajectory's label at the stage, infinite if there is no such
    label, and its bin; both of shape (s, p).
    """
    labels, value_of_time = searched.labels, max(problem.hour_price, problem.hour_value)
    best_nodes, best_bins = trace[:, 0], trace[:, 1]
    stages, columns = np.arange(trace.shape[0]), np.arange(labels.fuel.shape[1])
    bins = best_bins[:, None] + np.arange(-_MAX_BINS_APART, _MAX_BINS_APART + 1)
    bins = np.clip(bins, 0, labels.fuel.shape[2] - 1)
    compared = stages[:, None, None], columns[None, :, None], bins[:, None, :]
    is_apart = _mark_apart(labels.parent, best_nodes, problem.is_movable, apart_columns)[compared]
    is_apart &= labels.fuel[compared] < inf
    best = stages, best_nodes, best_bins
    value = np.full(is_apart.shape, inf)
    row = np.nonzero(is_apart)[0]
    fuel = labels.fuel[compared][is_apart] - labels.fuel[best][row]
    time_h = labels.time_h[compared][is_apart] - labels.time_h[best][row]
    value[is_apart] = problem.fuel_price * fuel + value_of_time * time_h
    least = value.argmin(axis=2)
    return value.min(axis=2), np.take_along_axis(bins, least, axis=1)


def _mark_apart(
    parent: NDArray[np.int16], best: Ints, is_movable: Bools, apart_columns: int
) -> Bools:
    """Mark the labels, shape (s, p, bins), whose trajectories were apart from the best one."""
    columns = np.arange(parent.shape[1])
    off = is_movable[:, None] & (np.abs(columns - best[:, None]) >= apart_columns)
    apart = np.zeros(parent.shape[:3], dtype=np.bool_)
    for k in range(1, parent.shape[0]):
        apart[k] = apart[k - 1][parent[k, ..., 0], parent[k, ..., 1]] | off[k, :, None]
    return apart


def _measure_along_nm(edges_nm: Floats, best: Ints) -> Floats:
    """Return the distance to each stage along the best trajectory [nm]."""
    rows = np.arange(best.size - 1)
    return np.concatenate([[0.0], np.cumsum(edges_nm[rows, best[:-1], best[1:]])])


def _find_join_stages(is_movable: Bools, edges_nm: Floats, best: Ints) -> Ints:
    """Return, for each stage, the later stage at which another trajectory joins the best one."""
    along_nm = _measure_along_nm(edges_nm, best)
    fixed = np.flatnonzero(~is_movable)
    next_fixed = fixed[np.searchsorted(fixed, np.arange(is_movable.size))]
    return np.minimum(np.searchsorted(along_nm, along_nm + _JOIN_NM), next_fixed)


@njit(cache=True, nogil=True, error_model="numpy")
def _measure_edges(radius_nm: float, lattice: Lattice) -> Floats:
    """Return the length of every edge of a lattice [nm], shape (s - 1, p, p).

    Infinite for edges that are not clear.
    """
    edges_nm = np.full(lattice.clear.shape, math.inf)
    for k, i, j in np.argwhere(lattice.clear):
        edges_nm[k, i, j] = measure_segment(
            radius_nm,
            lattice.lats[k, i],
            lattice.lngs[k, i],
            lattice.lats[k + 1, j],
            lattice.lngs[k + 1, j],
        )[0]
    return edges_nm


@njit(cache=True, nogil=True, error_model="numpy")
def _measure_join_excess(edges_nm: Floats, best: Ints, join_stages: Ints) -> Floats:
    """Return the extra distance to the join from each node [nm], shape (s, p).

    It is relative to the best trajectory's node of the same stage.
    """
    excess_nm = np.zeros((best.size, edges_nm.shape[1]))
    for k in range(best.size):
        to_go_nm, _ = _find_joins(edges_nm, k, join_stages[k], best[join_stages[k]])
        excess_nm[k] = to_go_nm - to_go_nm[best[k]]
    return excess_nm


@njit(cache=True, nogil=True, error_model="numpy")
def _find_joins(edges_nm: Floats, k: int, to: int, node: int) -> tuple[Floats, Ints]:
    """Find the shortest paths from the nodes of stage ``k`` to a node of stage ``to``.

    Return their lengths [nm], shape (p,), and the successor of each node, shape (to - k, p).
    """
    p = edges_nm.shape[1]
    to_go_nm, successors = np.full(p, math.inf), np.zeros((to - k, p), dtype=np.int64)
    to_go_nm[node] = 0.0
    for row in range(to - 1, k - 1, -1):
        next_nm = to_go_nm
        to_go_nm = np.full(p, math.inf)
        for i in range(p):
            for j in range(p):
                nm = edges_nm[row, i, j] + next_nm[j]
                if nm < to_go_nm[i]:
                    to_go_nm[i], successors[row - k, i] = nm, j
    return to_go_nm, successors


def _list_join_nodes(edges_nm: Floats, best: Ints, stages: tuple[int, int], node: int) -> Ints:
    """List the nodes from one of the first stage to the best trajectory, and then along it.

    ``stages`` are the node's stage and the stage of the join.
    """
    first, to = stages
    _, successors = _find_joins(edges_nm, first, to, int(best[to]))
    nodes = [node]
    for successor in successors:
        nodes.append(int(successor[nodes[-1]]))
    # an empty list would become an array of floats
    return np.concatenate([np.array(nodes[:-1], dtype=np.int64), best[to:]])


def _join_trajectories(
    searched: SearchedLattice, best: Trajectory, other: Trajectory, nodes: Ints
) -> Trajectory:
    """Join a trajectory to the rest of the best one by ``nodes``, from its last stage on.

    The difference in time at the join decreases evenly to zero at the end.
    """
    first = other.lats.size - 1
    rows = np.arange(first, best.lats.size)
    to_go_h = best.hours[-1] - best.hours[first:]
    later_h = (other.hours[-1] - best.hours[first]) * to_go_h / max(to_go_h[0], 1e-9)
    return Trajectory(
        lats=np.append(other.lats[:-1], searched.lattice.lats[rows, nodes]),
        lngs=np.append(other.lngs[:-1], searched.lattice.lngs[rows, nodes]),
        hours=np.append(other.hours[:-1], best.hours[first:] + later_h),
        left_h=np.append(other.left_h, best.left_h[first:] + later_h[:-1]),
        speeds_kn=np.append(other.speeds_kn, best.speeds_kn[first:]),
        fuel=best.fuel,
    )
