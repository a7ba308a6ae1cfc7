"""Dynamic programming over stage, place and arrival time (Bellman 1957).

A label is one history of a point: its exact time, and the fuel so far. Of the labels that
reach a point within one bin of time, the one with the least weighted sum of fuel and time is
kept: weighed so, an early label is not lost to a late one only because it had less time to
save fuel in. The value of an hour goes by the bin: it is higher on a fast voyage.

Weather changes far more slowly than labels come: time and fuel of an edge are computed for a
few times of departure and interpolated between them.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit, njit_borrowing
from app.engine.optimise.edge_batch import (
    EdgeBatch,
    TimeGrid,
    add_rates,
    allocate_batch,
    make_memory,
    make_time_grid,
)
from app.engine.optimise.label_extension import Extension, extend_labels, make_extension
from app.engine.optimise.lattice import (
    CAP_KN,
    COURSE_DEG,
    DEPTH_M,
    DISTANCE_NM,
    LAT,
    LNG,
    WAIT_H,
    Lattice,
    SearchSettings,
    StageLabels,
)
from app.engine.optimise.medium import CONDITIONS, READY, fill_rates, prepare_speeds, sample
from app.engine.optimise.stage_edges import (
    build_stage_edges,
    is_closed,
    latest_departure_h,
    span_edges,
    span_labels,
    traverse_edges,
)
from app.engine.optimise.wait_windows import find_wait_window

Floats = NDArray[np.float64]


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
    """Carry labels on from stage ``first`` to stage ``last``."""
    m, p = search.speeds_kn.shape[1], lattice.lats.shape[1]
    ready, memory, extension = (
        np.empty((m, READY)),
        make_memory(m, p),
        make_extension(p, search.bins),
    )
    for k in range(first, last):
        extension.least[:] = math.inf
        prepare_speeds(medium, search.speeds_kn[k], ready)
        if lattice.first_hop[k + 1] > lattice.first_hop[k]:
            _carry_given(medium, ready, lattice, search, k, labels, memory, extension)
        else:
            _carry_straight(medium, radius_nm, ready, lattice, search, k, labels, memory, extension)


@njit(cache=True, nogil=True, error_model="numpy")
def _carry_straight(
    medium: Any,
    radius_nm: float,
    ready: Floats,
    lattice: Lattice,
    search: SearchSettings,
    k: int,
    labels: StageLabels,
    memory: Floats,
    extension: Extension,
) -> None:
    """Carry the labels of stage ``k`` along straight edges."""
    p, speeds = lattice.lats.shape[1], search.speeds_kn[k]
    edges = build_stage_edges(
        medium, radius_nm, lattice, search, k, labels.time_h[k], labels.fuel[k]
    )
    from_h, step_h, _ = edges.time_grid
    spans = np.empty((p + 1, 2), dtype=np.int64)
    for n in range(p):
        # the best labels lie in the middle: after these, few comparisons find a better one
        i = p // 2 + (n + 1) // 2 * (1 if n % 2 else -1)
        first_h, last_h = span_labels(labels.time_h[k, i], labels.fuel[k, i])
        if first_h == math.inf:
            continue
        window = find_wait_window(medium, lattice, k, i, first_h, edges.time_grid, edges.waits)
        span_edges(lattice.clear[k, i], edges, i, first_h, last_h, spans)
        if spans[p, 1] == 0:
            continue
        sailed = traverse_edges(medium, ready, edges, i, spans, speeds, memory)
        for j in range(p):
            one, two = spans[j, 1], spans[j + 1, 1]
            if one == two:
                continue
            half_h = 0.5 * edges.distance_nm[i, j] / edges.middle_kn
            time_grid = TimeGrid(from_h + spans[j, 0] * step_h - half_h, step_h, two - one)
            hours, burnt = sailed.hours[:, one:two], sailed.burnt[:, one:two]
            extend_labels(
                lattice, search, (k, i, j), time_grid, hours, burnt, window, labels, extension
            )


@njit(cache=True, nogil=True, error_model="numpy")
def _carry_given(
    medium: Any,
    ready: Floats,
    lattice: Lattice,
    search: SearchSettings,
    k: int,
    labels: StageLabels,
    memory: Floats,
    extension: Extension,
) -> None:
    """Carry the labels of stage ``k`` along its prescribed hops."""
    p, speeds = lattice.lats.shape[1], search.speeds_kn[k]
    hops = lattice.hops[lattice.first_hop[k] : lattice.first_hop[k + 1]]
    for i in range(p):
        first_h, last_h = span_labels(labels.time_h[k, i], labels.fuel[k, i])
        if first_h == math.inf:
            continue
        time_grid = make_time_grid(first_h, last_h, search.longest_step_h)
        sailed = traverse_hops(medium, ready, hops, time_grid, speeds, memory)
        is_limited = not sailed.hours[-1].max() < math.inf
        waits_h = latest_departure_h(search, k, last_h, hops[:, DISTANCE_NM].sum())
        waits = waits_h > last_h and (
            is_limited or is_closed(lattice, k, i, p // 2, first_h, waits_h)
        )
        if waits or is_limited:
            time_grid = make_time_grid(
                first_h,
                waits_h if waits else last_h,
                min(search.limited_step_h if is_limited else math.inf, search.longest_step_h),
            )
            sailed = traverse_hops(medium, ready, hops, time_grid, speeds, memory)
        window = find_wait_window(medium, lattice, k, i, first_h, time_grid, waits)
        hours, burnt = sailed.hours[:, : time_grid.times], sailed.burnt[:, : time_grid.times]
        for j in range(p):
            if lattice.clear[k, i, j]:
                extend_labels(
                    lattice, search, (k, i, j), time_grid, hours, burnt, window, labels, extension
                )


@njit(cache=True, nogil=True, error_model="numpy")
def traverse_hops(
    medium: Any,
    ready: Floats,
    hops: Floats,
    time_grid: TimeGrid,
    speeds_kn: Floats,
    memory: Floats,
) -> EdgeBatch:
    """Compute hours and fuel of each speed along hops, columns as ``Lattice.hops``.

    They are left at the times of the grid. The weather of each hop is that of the time at which
    the middle one of the speeds, which ascend, is there. ``ready`` is prepared for the speeds.
    Hours are infinite where a limit forbids a hop.
    """
    times, middle, last = time_grid.times, speeds_kn.size // 2, speeds_kn.size - 1
    batch, here = allocate_batch(memory, speeds_kn.size, times), np.empty(CONDITIONS)
    hours, burnt, conditions, course, distance_nm, ground, rate, own = batch
    ordered, capped = speeds_kn.copy(), False
    ground[middle] = speeds_kn[middle]
    for h in range(hops.shape[0]):
        if capped or hops[h, CAP_KN] < speeds_kn[last]:
            capped = hops[h, CAP_KN] < speeds_kn[last]
            ordered[:] = np.minimum(speeds_kn, hops[h, CAP_KN])
            prepare_speeds(medium, ordered, ready)
        hours += hops[h, WAIT_H]
        for n in range(times):
            made_good = ground[middle, n] if ground[middle, n] > 0.0 else ordered[middle]
            so_far_h = hours[middle, n] if hours[middle, n] < math.inf else hours[last, n]
            leaves_h = time_grid.from_h + n * time_grid.step_h
            passes_h = leaves_h + so_far_h + 0.5 * hops[h, DISTANCE_NM] / made_good
            if hours[last, n] == math.inf or not sample(
                medium, hops[h, LAT], hops[h, LNG], passes_h, here
            ):
                hours[:, n] = math.inf
            for m in range(CONDITIONS):
                conditions[m, n] = here[m]
        angle = math.radians(hops[h, COURSE_DEG])
        course[0], course[1] = math.sin(angle), math.cos(angle)
        distance_nm[:] = hops[h, DISTANCE_NM]
        fill_rates(medium, ready, conditions, hops[h, DEPTH_M], course, ordered, ground, rate, own)
        add_rates(distance_nm, ground, rate, hours, burnt)
    if capped:
        prepare_speeds(medium, speeds_kn, ready)
    return batch


@njit_borrowing(cache=True, error_model="numpy")
def trace_back(parent: NDArray[np.int16], point: int, bin_: int, nodes: NDArray[np.int64]) -> None:
    """Fill ``nodes``, shape (s, 3), with point, bin and speed left at, back from the last."""
    last = nodes.shape[0] - 1
    nodes[last, 0], nodes[last, 1], nodes[last, 2] = point, bin_, 0
    for k in range(last, 0, -1):
        i, b = nodes[k, 0], nodes[k, 1]
        nodes[k - 1, 0] = parent[k, i, b, 0]
        nodes[k - 1, 1] = parent[k, i, b, 1]
        nodes[k - 1, 2] = parent[k, i, b, 2]
