"""Estimate of the cost from every node of a searched lattice to its end."""

import math
from typing import Any, NamedTuple

import numpy as np

from app.engine.arrays import Floats, Ints
from app.engine.compiled import njit, njit_borrowing
from app.engine.optimise.dynamic_programming import traverse_segments
from app.engine.optimise.edge_batch import TimeGrid
from app.engine.optimise.lattice import Lattice, SearchSettings
from app.engine.optimise.medium import PREPARED, prepare_speeds
from app.engine.optimise.stage_edges import (
    add_cost_of_hours,
    build_stage_edges,
    edge_time_grid,
    is_closed,
    traverse_edges,
)
from app.engine.optimise.wait_windows import interpolate, locate_in_grid


class Departures(NamedTuple):
    """Times at which the nodes are left, and the prices of fuel [1/t] and time [1/h].

    ``time_h``, shape (s, p), is infinite at nodes that are not reached.
    """

    time_h: Floats
    fuel_price: float
    hour_price: float


class CostToGo(NamedTuple):
    """The cost from every node to the end, and its successor on that path, shape (s, p).

    The cost is infinite where no path to the end is known.
    """

    cost: Floats
    successor: Ints


@njit(cache=True, nogil=True, error_model="numpy")
def estimate_cost_to_go(
    medium: Any, radius_nm: float, lattice: Lattice, search: SearchSettings, departures: Departures
) -> CostToGo:
    """Estimate the cost from every node to the end by dynamic programming from the end.

    It is an estimate because an edge counts as at the departure from its node, whatever the time
    of arrival there is, and because the ship does not wait.
    """
    stages, p = lattice.lats.shape
    m = search.speeds_kn.shape[1]
    prepared = np.empty((m, PREPARED))
    to_go = CostToGo(np.full((stages, p), math.inf), np.zeros((stages, p), dtype=np.int64))
    to_go.cost[stages - 1, p // 2] = 0.0
    for k in range(stages - 2, -1, -1):
        prepare_speeds(medium, search.speeds_kn[k], prepared)
        if lattice.first_segment[k + 1] > lattice.first_segment[k]:
            _extend_along_segments(medium, prepared, lattice, search, k, departures, to_go)
        else:
            _extend_along_edges(medium, radius_nm, prepared, lattice, search, k, departures, to_go)
    return to_go


@njit(cache=True, nogil=True, error_model="numpy")
def _extend_along_segments(
    medium: Any,
    prepared: Floats,
    lattice: Lattice,
    search: SearchSettings,
    k: int,
    departures: Departures,
    to_go: CostToGo,
) -> None:
    """Fill the costs of stage ``k``, which is prescribed."""
    segments = lattice.segments[lattice.first_segment[k] : lattice.first_segment[k + 1]]
    for i in range(lattice.lats.shape[1]):
        if departures.time_h[k, i] < math.inf:
            time_grid = TimeGrid(departures.time_h[k, i], 1.0, 1)
            batch = traverse_segments(medium, prepared, segments, time_grid, search.speeds_kn[k])
            for j in range(lattice.lats.shape[1]):
                if lattice.clear[k, i, j]:
                    _keep_cheapest(
                        lattice,
                        (k, i, j),
                        time_grid,
                        batch.hours,
                        batch.edge_fuel,
                        departures,
                        to_go,
                    )


@njit(cache=True, nogil=True, error_model="numpy")
def _extend_along_edges(
    medium: Any,
    radius_nm: float,
    prepared: Floats,
    lattice: Lattice,
    search: SearchSettings,
    k: int,
    departures: Departures,
    to_go: CostToGo,
) -> None:
    """Fill the costs of stage ``k`` from its straight edges."""
    p = lattice.lats.shape[1]
    leaves_h = np.empty((p, 2))
    leaves_h[:, 0], leaves_h[:, 1] = departures.time_h[k], departures.time_h[k]
    edges = build_stage_edges(medium, radius_nm, lattice, search, k, leaves_h)
    batch = traverse_edges(medium, prepared, edges, search.speeds_kn[k])
    add_cost_of_hours(lattice, k, edges, batch)
    for i in range(p):
        for j in range(p):
            start, stop = edges.spans[i * p + j, 1], edges.spans[i * p + j + 1, 1]
            if start < stop:
                _keep_cheapest(
                    lattice,
                    (k, i, j),
                    edge_time_grid(edges, i, j),
                    batch.hours[:, start:stop],
                    batch.edge_fuel[:, start:stop],
                    departures,
                    to_go,
                )


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _keep_cheapest(
    lattice: Lattice,
    edge: tuple[int, int, int],
    time_grid: TimeGrid,
    hours: Floats,
    edge_fuel: Floats,
    departures: Departures,
    to_go: CostToGo,
) -> None:
    """Store the cost by way of an edge, at its best speed, if it is the least of its node."""
    k, i, j = edge
    leaves_h = departures.time_h[k, i]
    grid_position = locate_in_grid(time_grid, leaves_h)
    for s in range(hours.shape[0]):
        edge_h = interpolate(hours, s, grid_position)
        fuel = lattice.price[k, i, j] * interpolate(edge_fuel, s, grid_position)
        cost = departures.fuel_price * fuel + departures.hour_price * edge_h + to_go.cost[k + 1, j]
        # false also if it is not a number
        if cost < to_go.cost[k, i] and not is_closed(lattice, k, i, j, leaves_h, leaves_h + edge_h):
            to_go.cost[k, i], to_go.successor[k, i] = cost, j
