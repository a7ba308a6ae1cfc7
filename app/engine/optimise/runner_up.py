"""The runners-up of a wide search: almost as good as the best trajectory, but far from it.

A wide lattice has few directions and speeds. Its error exceeds the difference between the two
sides of a storm, and only finer searches can decide. Each node's best label, joined to the
cheapest path from there to the end, is a trajectory by that node, and one by a node far from the
best trajectory is a candidate for a runner-up. The cheapest is often a variant of the best, so that
the cheapest of those farther away are runners-up too.
"""

from math import inf
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Floats, Ints
from app.engine.optimise.cost_to_go import CostToGo, Departures, estimate_cost_to_go
from app.engine.optimise.labels import SearchedLattice, Trajectory
from app.engine.optimise.refinement import Problem, are_close
from app.engine.optimise.search_objective import SearchObjective

#: Greatest differences in time between a label and the best trajectory at its stage, in bins. From
#: the cheapest labels within the first there may be no path to the end, where a limit closes the
#: sea soon after the best trajectory has passed; then those of its own times are taken.
_MAX_BINS_APART: Final = (2, 0)


class Separation(NamedTuple):
    """Distances from the best trajectory, in columns, at which runners-up are sought.

    ``max_excess`` is the largest excess of their estimated cost, as a share of the best one's, the
    value of its time included.
    """

    columns: tuple[int, ...]
    max_excess: float


IN_SEARCHES: Final = Separation((4, 7, 10), 0.025)
#: In surveys columns are twice as far apart, and costs are less exact.
IN_SURVEYS: Final = Separation((3, 6, 10), 0.03)


class _NodeLabels(NamedTuple):
    """The best label of each node: its cost, infinite without a label, time [h] and bin.

    All have the shape (s, p).
    """

    cost: Floats
    time_h: Floats
    bin_: Ints


def find_runners_up(
    problem: Problem, searched: SearchedLattice, separation: Separation
) -> list[Trajectory]:
    """Return the cheapest trajectory by a node at each distance from the best one.

    Left out are those that cost too much more than the best, and those close to another.
    """
    objective = problem.objective
    fuel_price, hour_price = objective.prices.fuel, objective.label_hour_price
    trace = searched.find_best_trace(fuel_price, objective.prices.hour, objective.arrive_by_h)
    if trace is None:
        return []
    best, best_nodes = searched.read_trajectory(trace), trace[:, 0]
    for bins_apart in _MAX_BINS_APART:
        nodes = _select_labels(objective, searched, trace[:, 1], bins_apart)
        to_go = estimate_cost_to_go(
            problem.medium,
            problem.radius_nm,
            searched.lattice,
            searched.search,
            Departures(nodes.time_h, fuel_price, hour_price),
        )
        if np.isfinite(to_go.cost[0, best_nodes[0]]):
            break
    excess = _compute_excess(nodes.cost + to_go.cost, best_nodes)
    off_columns = np.abs(np.arange(excess.shape[1]) - best_nodes[:, None])
    hours = float(best.hours[-1]) - objective.departs_h
    most = separation.max_excess * (fuel_price * best.fuel + hour_price * hours)
    found: list[Trajectory] = []
    for columns in separation.columns:
        is_apart = problem.is_movable[:, None] & (off_columns >= columns)
        allowed = np.where(is_apart, excess, inf)
        stage, node = (int(n) for n in np.unravel_index(int(allowed.argmin()), allowed.shape))
        if allowed[stage, node] > most:
            break
        before = searched.read_trajectory(
            searched.trace_label(stage, node, int(nodes.bin_[stage, node]))
        )
        joined = _join_trajectories(searched, best, before, _list_nodes(to_go, stage, node))
        if not any(are_close(joined, each) for each in (best, *found)):
            found.append(joined)
    return found


def _select_labels(
    objective: SearchObjective, searched: SearchedLattice, best_bins: Ints, bins_apart: int
) -> _NodeLabels:
    """Select each node's label of least cost within so many bins of the best trajectory's time."""
    labels = searched.labels
    bins = best_bins[:, None] + np.arange(-bins_apart, bins_apart + 1)
    bins = np.clip(bins, 0, labels.fuel.shape[2] - 1)[:, None, :]
    fuel = np.take_along_axis(labels.fuel, bins, axis=2)
    time_h = np.take_along_axis(labels.time_h, bins, axis=2)
    cost, is_label = np.full(fuel.shape, inf), fuel < inf
    hour_price = objective.label_hour_price
    cost[is_label] = objective.prices.fuel * fuel[is_label] + hour_price * time_h[is_label]
    least = cost.argmin(axis=2)[..., None]
    cost, time_h, bin_ = (
        np.take_along_axis(each, least, axis=2)[..., 0]
        for each in (cost, time_h, np.broadcast_to(bins, cost.shape))
    )
    return _NodeLabels(cost, time_h, bin_)


def _compute_excess(cost: Floats, best_nodes: Ints) -> Floats:
    """Return the cost of a trajectory by each node above that by the best node of its stage."""
    of_best = np.take_along_axis(cost, best_nodes[:, None], axis=1)
    excess = np.full(cost.shape, inf)
    np.subtract(cost, of_best, out=excess, where=(cost < inf) & (of_best < inf))
    return excess


def _list_nodes(to_go: CostToGo, stage: int, node: int) -> Ints:
    """List the nodes of the cheapest path from one to the end, one per stage."""
    nodes = [node]
    for successor in to_go.successor[stage:-1]:
        nodes.append(int(successor[nodes[-1]]))
    return np.array(nodes)


def _join_trajectories(
    searched: SearchedLattice, best: Trajectory, other: Trajectory, nodes: Ints
) -> Trajectory:
    """Join a trajectory to a path to the end by ``nodes``, from its last stage on.

    From there on speeds are those of the best trajectory, and the difference in time decreases
    evenly to zero at the end.
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
