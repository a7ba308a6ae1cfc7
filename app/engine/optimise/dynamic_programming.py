"""Dynamic programming over stage, node and arrival time (Bellman 1957).

A label is one trajectory to a node: its exact time and the fuel burnt so far. Among the labels
that reach a node within one bin of time, the one with the least weighted sum of fuel and time is
kept. Without the weight of time a late label would always replace an early one, because it had
more time to save fuel. The value of an hour depends on the bin: it is higher on a fast voyage.

A stage has many more labels than the weather has changes. Time and fuel of an edge are therefore
computed for a few times of departure and interpolated between them.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Floats, Ints
from app.engine.compiled import njit, njit_borrowing
from app.engine.optimise.edge_batch import (
    EdgeBatch,
    TimeGrid,
    add_rates,
    allocate_batch,
    build_time_grid,
)
from app.engine.optimise.label_extension import Extension, allocate_extension, extend_labels
from app.engine.optimise.lattice import (
    CAP_KN,
    COURSE_DEG,
    DEPTH_M,
    DISTANCE_NM,
    IS_INLAND,
    LAT,
    LNG,
    WAIT_H,
    Lattice,
    SearchSettings,
    StageLabels,
)
from app.engine.optimise.medium import CONDITIONS, PREPARED, fill_rates, prepare_speeds, sample
from app.engine.optimise.stage_edges import (
    StageEdges,
    add_cost_of_hours,
    build_stage_edges,
    edge_time_grid,
    is_closed,
    latest_departure_h,
    traverse_edges,
)
from app.engine.optimise.wait_windows import WaitWindow, find_wait_window
from app.engine.weather.kernels import zero_if_unknown


@njit(cache=True, nogil=True, error_model="numpy")
def allocate_labels(stages: int, nodes: int, bins: int) -> StageLabels:
    """Allocate the labels of a lattice: there are none yet."""
    shape = (stages, nodes, bins)
    time_h, fuel = np.full(shape, math.inf), np.full(shape, math.inf)
    return StageLabels(time_h, fuel, np.empty(shape), np.zeros((stages, nodes, bins, 3), np.int16))


@njit(cache=True, nogil=True, error_model="numpy")
def search_stages(
    medium: Any,
    radius_nm: float,
    lattice: Lattice,
    search: SearchSettings,
    first: int,
    last: int,
    labels: StageLabels,
) -> None:
    """Extend the labels of stage ``first`` up to stage ``last``, writing them to ``labels``."""
    m, p = search.speeds_kn.shape[1], lattice.lats.shape[1]
    prepared = np.empty((m, PREPARED))
    extension = allocate_extension(p, search.hour_prices)
    for k in range(first, last):
        extension.least[:, 1:-1] = math.inf
        prepare_speeds(medium, search.speeds_kn[k], prepared)
        if lattice.first_segment[k + 1] > lattice.first_segment[k]:
            _extend_along_segments(medium, prepared, lattice, search, k, labels, extension)
        else:
            _extend_along_edges(medium, radius_nm, prepared, lattice, search, k, labels, extension)


@njit(cache=True, nogil=True, error_model="numpy")
def _extend_along_edges(
    medium: Any,
    radius_nm: float,
    prepared: Floats,
    lattice: Lattice,
    search: SearchSettings,
    k: int,
    labels: StageLabels,
    extension: Extension,
) -> None:
    """Extend the labels of stage ``k`` along straight edges."""
    p = lattice.lats.shape[1]
    leaves_h = np.empty((p, 2))
    for i in range(p):
        leaves_h[i] = _find_label_times(labels.time_h[k, i], labels.fuel[k, i])
    edges = build_stage_edges(medium, radius_nm, lattice, search, k, leaves_h)
    batch = traverse_edges(medium, prepared, edges, search.speeds_kn[k])
    add_cost_of_hours(lattice, k, edges, batch)
    for n in range(p):
        # from the middle outwards: the best labels are usually there, and fewer are replaced later
        i = p // 2 + (n + 1) // 2 * (1 if n % 2 else -1)
        if edges.spans[i * p, 1] < edges.spans[(i + 1) * p, 1]:
            window = find_wait_window(
                medium, lattice, k, i, leaves_h[i, 0], edges.time_grid, edges.may_wait
            )
            _extend_from_node(lattice, search, edges, k, i, batch, window, labels, extension)


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _find_label_times(time_h: Floats, fuel: Floats) -> tuple[float, float]:
    """Return the first and the last time of a node's labels; the first is infinite without any."""
    first, last = math.inf, -math.inf
    for b in range(time_h.size):
        if fuel[b] < math.inf:
            first, last = min(first, time_h[b]), max(last, time_h[b])
    return first, last


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _extend_from_node(
    lattice: Lattice,
    search: SearchSettings,
    edges: StageEdges,
    k: int,
    i: int,
    batch: EdgeBatch,
    window: WaitWindow,
    labels: StageLabels,
    extension: Extension,
) -> None:
    """Extend the labels of node ``i`` of stage ``k`` along its edges."""
    p, spans = lattice.lats.shape[1], edges.spans
    for j in range(p):
        if spans[i * p + j, 1] < spans[i * p + j + 1, 1]:
            grid, column = edge_time_grid(edges, i, j), spans[i * p + j, 1]
            extend_labels(
                lattice, search, (k, i, j), grid, batch, column, window, labels, extension
            )


@njit(cache=True, nogil=True, error_model="numpy")
def _extend_along_segments(
    medium: Any,
    prepared: Floats,
    lattice: Lattice,
    search: SearchSettings,
    k: int,
    labels: StageLabels,
    extension: Extension,
) -> None:
    """Extend the labels of stage ``k`` along its prescribed segments."""
    p, speeds = lattice.lats.shape[1], search.speeds_kn[k]
    segments = lattice.segments[lattice.first_segment[k] : lattice.first_segment[k + 1]]
    for i in range(p):
        first_h, last_h = _find_label_times(labels.time_h[k, i], labels.fuel[k, i])
        if first_h == math.inf:
            continue
        time_grid = build_time_grid(first_h, last_h, search.longest_step_h)
        batch = traverse_segments(medium, prepared, segments, time_grid, speeds)
        is_limited = not batch.hours[-1].max() < math.inf
        waits_h = latest_departure_h(search, k, last_h, segments[:, DISTANCE_NM].sum())
        waits = waits_h > last_h and (
            is_limited or is_closed(lattice, k, i, p // 2, first_h, waits_h)
        )
        if waits or is_limited:
            time_grid = build_time_grid(
                first_h,
                waits_h if waits else last_h,
                min(search.limited_step_h if is_limited else math.inf, search.longest_step_h),
            )
            batch = traverse_segments(medium, prepared, segments, time_grid, speeds)
        window = find_wait_window(medium, lattice, k, i, first_h, time_grid, waits)
        for j in range(p):
            if lattice.clear[k, i, j]:
                extend_labels(
                    lattice, search, (k, i, j), time_grid, batch, 0, window, labels, extension
                )


@njit(cache=True, nogil=True, error_model="numpy")
def traverse_segments(
    medium: Any,
    prepared: Floats,
    segments: Floats,
    time_grid: TimeGrid,
    speeds_kn: Floats,
) -> EdgeBatch:
    """Compute hours and fuel of each speed along segments, columns as ``Lattice.segments``.

    The ship departs at the times of the grid. ``speeds_kn`` ascend, and ``prepared`` is for them.
    The weather of a segment is that of the time at which the ship passes its middle at the middle
    speed. Hours are infinite where a limit is exceeded on any segment.
    """
    last, batch = speeds_kn.size - 1, allocate_batch(speeds_kn.size, time_grid.times)
    ordered, capped, here = speeds_kn.copy(), False, np.empty(CONDITIONS)
    batch.ground_kn[:] = speeds_kn[speeds_kn.size // 2]
    for h in range(segments.shape[0]):
        if capped or segments[h, CAP_KN] < speeds_kn[last]:
            capped = segments[h, CAP_KN] < speeds_kn[last]
            ordered[:] = np.minimum(speeds_kn, segments[h, CAP_KN])
            prepare_speeds(medium, ordered, prepared)
        _traverse_segment(medium, prepared, segments[h], time_grid, ordered, here, batch)
    if capped:
        prepare_speeds(medium, speeds_kn, prepared)
    return batch


@njit_borrowing(cache=True, nogil=True, error_model="numpy")
def _traverse_segment(
    medium: Any,
    prepared: Floats,
    segment: Floats,
    time_grid: TimeGrid,
    ordered: Floats,
    here: Floats,
    batch: EdgeBatch,
) -> None:
    """Add time and fuel of a segment to a batch, whose ground speeds are those before it.

    ``here`` is working memory, shape (CONDITIONS,).
    """
    hours, edge_fuel, conditions, course, distance_nm, ground, rate, own = batch
    middle, last = ordered.size // 2, ordered.size - 1
    hours += segment[WAIT_H]
    for n in range(time_grid.times):
        made_good = ground[middle, n] if ground[middle, n] > 0.0 else ordered[middle]
        so_far_h = hours[middle, n] if hours[middle, n] < math.inf else hours[last, n]
        leaves_h = time_grid.from_h + n * time_grid.step_h
        passes_h = leaves_h + so_far_h + 0.5 * segment[DISTANCE_NM] / made_good
        if hours[last, n] == math.inf or not sample(
            medium, segment[LAT], segment[LNG], passes_h, segment[IS_INLAND] > 0.0, here
        ):
            hours[:, n] = math.inf
        for m in range(CONDITIONS):
            conditions[m, n] = zero_if_unknown(here[m])
    angle = math.radians(segment[COURSE_DEG])
    course[0], course[1] = math.sin(angle), math.cos(angle)
    distance_nm[:] = segment[DISTANCE_NM]
    fill_rates(medium, prepared, conditions, segment[DEPTH_M], course, ordered, ground, rate, own)
    add_rates(distance_nm, ground, rate, hours, edge_fuel)


@njit_borrowing(cache=True, error_model="numpy")
def find_cheapest(
    time_h: Floats, fuel: Floats, fuel_price: float, hour_price: float, arrive_by_h: float
) -> int:
    """Return the bin of a node's cheapest label that is in time; -1 without one."""
    cheapest, least = -1, math.inf
    for b in range(time_h.size):
        value = fuel_price * fuel[b] + hour_price * time_h[b]
        if fuel[b] < math.inf and time_h[b] <= arrive_by_h and value < least:
            cheapest, least = b, value
    return cheapest


@njit_borrowing(cache=True, error_model="numpy")
def trace_back(parent: NDArray[np.int16], node: int, bin_: int, trace: Ints) -> None:
    """Trace a label of the last stage back to the first.

    Fills ``trace``, shape (s, 3), with the node, the bin and the speed of departure at each stage.
    """
    last = trace.shape[0] - 1
    trace[last, 0], trace[last, 1], trace[last, 2] = node, bin_, 0
    for k in range(last, 0, -1):
        i, b = trace[k, 0], trace[k, 1]
        trace[k - 1, 0] = parent[k, i, b, 0]
        trace[k - 1, 1] = parent[k, i, b, 1]
        trace[k - 1, 2] = parent[k, i, b, 2]
