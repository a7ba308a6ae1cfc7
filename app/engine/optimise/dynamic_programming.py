"""Dynamic programming over stage, place and arrival time (Bellman 1957).

A label is one way of reaching a point: its exact time, and the fuel so far. Of
the labels that reach a point within one bin of time, the one is kept whose fuel
and time together are worth least: weighed so, an early label isn't lost to a
late one only because it had less time to save fuel in. What an hour is worth goes
by the bin: more on a voyage in haste than on a slow one.

Weather changes far more slowly than labels come: what a line takes and burns is
worked out for a few times of leaving, and read off between them.
"""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.engine.optimise.edge_batch import (
    Clock,
    Passings,
    add_rates,
    lay_passings,
    make_memory,
    wind_clock,
)
from app.engine.optimise.lattice import (
    CAP_KN,
    COURSE_DEG,
    DEPTH_M,
    DISTANCE_NM,
    LAT,
    LNG,
    WAIT_H,
    Labels,
    Search,
    Stages,
)
from app.engine.optimise.medium import MET, READY, fill_rates, look, prepare_speeds
from app.engine.optimise.stage_edges import (
    gather_lines,
    is_closed,
    sail_lines,
    span_labels,
    span_lines,
    wait_until,
)
from app.engine.optimise.wait_windows import Stay, find_leaving, look_about, read, read_clock

Floats = NDArray[np.float64]


@njit(cache=True, nogil=True, error_model="numpy")
def search_stages(
    medium: Any,
    radius_nm: float,
    stages: Stages,
    search: Search,
    first: int,
    last: int,
    labels: Labels,
) -> None:
    """Carry the labels of the stages from ``first`` on to the next, up to stage ``last``."""
    m = search.speeds_kn.shape[1]
    ready, memory = np.empty((m, READY)), make_memory(m, stages.lats.shape[1])
    for k in range(first, last):
        prepare_speeds(medium, search.speeds_kn[k], ready)
        if stages.first_hop[k + 1] > stages.first_hop[k]:
            _carry_given(medium, ready, stages, search, k, labels, memory)
        else:
            _carry_straight(medium, radius_nm, ready, stages, search, k, labels, memory)


@njit(cache=True, nogil=True, error_model="numpy")
def _carry_straight(
    medium: Any,
    radius_nm: float,
    ready: Floats,
    stages: Stages,
    search: Search,
    k: int,
    labels: Labels,
    memory: Floats,
) -> None:
    """Carry the labels of stage ``k`` along straight lines."""
    p, speeds = stages.lats.shape[1], search.speeds_kn[k]
    bundle = gather_lines(medium, radius_nm, stages, search, k, labels.time_h[k], labels.fuel[k])
    from_h, step_h, _ = bundle.clock
    spans = np.empty((p + 1, 2), dtype=np.int64)
    for i in range(p):
        first_h, last_h = span_labels(labels.time_h[k, i], labels.fuel[k, i])
        if first_h == math.inf:
            continue
        stay = look_about(medium, stages, k, i, first_h, bundle.clock, bundle.waits)
        span_lines(stages.clear[k, i], bundle, i, first_h, last_h, spans)
        if spans[p, 1] == 0:
            continue
        sailed = sail_lines(medium, ready, bundle, i, spans, speeds, memory)
        for j in range(p):
            one, two = spans[j, 1], spans[j + 1, 1]
            if one == two:
                continue
            half_h = 0.5 * bundle.distance_nm[i, j] / bundle.middle_kn
            clock = Clock(from_h + spans[j, 0] * step_h - half_h, step_h, two - one)
            hours, burnt = sailed.hours[:, one:two], sailed.burnt[:, one:two]
            _extend(stages, search, (k, i, j), clock, hours, burnt, stay, labels)


@njit(cache=True, nogil=True, error_model="numpy")
def _carry_given(
    medium: Any,
    ready: Floats,
    stages: Stages,
    search: Search,
    k: int,
    labels: Labels,
    memory: Floats,
) -> None:
    """Carry the labels of stage ``k`` along the way that is given."""
    p, speeds = stages.lats.shape[1], search.speeds_kn[k]
    way = stages.hops[stages.first_hop[k] : stages.first_hop[k + 1]]
    for i in range(p):
        first_h, last_h = span_labels(labels.time_h[k, i], labels.fuel[k, i])
        if first_h == math.inf:
            continue
        clock = wind_clock(first_h, last_h, search.longest_step_h)
        sailed = sail_way(medium, ready, way, clock, speeds, memory)
        waits_h = wait_until(search, k, last_h, way[:, DISTANCE_NM].sum())
        waits = waits_h > last_h
        if waits:
            is_open = sailed.hours[-1].max() < math.inf
            waits = not is_open or is_closed(stages, k, i, p // 2, first_h, waits_h)
        if waits:
            clock = wind_clock(first_h, waits_h, search.longest_step_h)
            sailed = sail_way(medium, ready, way, clock, speeds, memory)
        stay = look_about(medium, stages, k, i, first_h, clock, waits)
        hours, burnt = sailed.hours[:, : clock.times], sailed.burnt[:, : clock.times]
        for j in range(p):
            if stages.clear[k, i, j]:
                _extend(stages, search, (k, i, j), clock, hours, burnt, stay, labels)


@njit(cache=True, nogil=True, error_model="numpy")
def _extend(
    stages: Stages,
    search: Search,
    at: tuple[int, int, int],
    clock: Clock,
    hours: Floats,
    burnt: Floats,
    stay: Stay,
    labels: Labels,
) -> None:
    """Carry every label of a point along one line, keeping what is best of its bin.

    ``hours`` and ``burnt``, shape (m, times), are what the line takes and burns when it is
    left at the clock's times; hours are infinite where a limit forbids it.
    """
    k, i, j = at
    time_h, fuel, left_h, parent = labels
    price = stages.price[k, i, j]
    closed_from_h, closed_to_h = stages.closed_from_h[k, i, j], stages.closed_to_h[k, i, j]
    next_h, per_bin = search.from_h[k + 1], 1.0 / search.width_h[k + 1]
    fuel_price, hour_prices = search.fuel_price, search.hour_prices
    times_there, fuel_there = time_h[k + 1, j], fuel[k + 1, j]
    left_there, parent_there = left_h[k + 1, j], parent[k + 1, j]
    for b in range(search.bins):
        if fuel[k, i, b] == math.inf:
            continue
        leaves_h, so_far = time_h[k, i, b], fuel[k, i, b]
        reached_h, at_once = leaves_h, read_clock(clock, leaves_h)
        for s in range(hours.shape[0]):
            leaves_h, ticks = reached_h, at_once
            arrives_h = leaves_h + read(hours, s, ticks)
            if not arrives_h < math.inf or (leaves_h < closed_to_h and arrives_h > closed_from_h):
                if stay.allowed.size == 0:
                    continue
                leaves_h = find_leaving(stages, search, at, clock, hours, s, stay, labels, b)
                if leaves_h == math.inf:
                    continue
                ticks = read_clock(clock, leaves_h)
                arrives_h = leaves_h + read(hours, s, ticks)
            where = (arrives_h - next_h) * per_bin
            if not 0.0 <= where < search.bins:
                continue
            total = so_far + price * read(burnt, s, ticks)
            n = int(where)
            if fuel_there[n] < math.inf:
                saved, sooner_h = fuel_there[n] - total, times_there[n] - arrives_h
                if not fuel_price * saved + hour_prices[n] * sooner_h > 0.0:
                    continue
            times_there[n] = arrives_h
            fuel_there[n] = total
            left_there[n] = leaves_h
            parent_there[n, 0] = i
            parent_there[n, 1] = b
            parent_there[n, 2] = s


@njit(cache=True, nogil=True, error_model="numpy")
def sail_way(
    medium: Any,
    ready: Floats,
    way: Floats,
    clock: Clock,
    speeds_kn: Floats,
    memory: Floats,
) -> Passings:
    """Hours and fuel of each speed along a way, shape (h, 7), columns as ``Stages.hops``.

    It is left at the clock's times. The weather of each hop is that of the time at which the
    middle one of the speeds, which ascend, is there. ``ready`` is prepared for the speeds. Hours
    are infinite where a limit forbids the way.
    """
    times, middle, last = clock.times, speeds_kn.size // 2, speeds_kn.size - 1
    passings, here = lay_passings(memory, speeds_kn.size, times), np.empty(MET)
    hours, burnt, met, course, distance_nm, ground, rate, own = passings
    ordered, capped = speeds_kn.copy(), False
    ground[middle] = speeds_kn[middle]
    for h in range(way.shape[0]):
        if capped or way[h, CAP_KN] < speeds_kn[last]:
            capped = way[h, CAP_KN] < speeds_kn[last]
            ordered[:] = np.minimum(speeds_kn, way[h, CAP_KN])
            prepare_speeds(medium, ordered, ready)
        hours += way[h, WAIT_H]
        for n in range(times):
            made_good = ground[middle, n] if ground[middle, n] > 0.0 else ordered[middle]
            so_far_h = hours[middle, n] if hours[middle, n] < math.inf else hours[last, n]
            leaves_h = clock.from_h + n * clock.step_h
            passes_h = leaves_h + so_far_h + 0.5 * way[h, DISTANCE_NM] / made_good
            if hours[last, n] == math.inf or not look(
                medium, way[h, LAT], way[h, LNG], passes_h, here
            ):
                hours[:, n] = math.inf
            for m in range(MET):
                met[m, n] = here[m]
        angle = math.radians(way[h, COURSE_DEG])
        course[0], course[1] = math.sin(angle), math.cos(angle)
        distance_nm[:] = way[h, DISTANCE_NM]
        fill_rates(medium, ready, met, way[h, DEPTH_M], course, ordered, ground, rate, own)
        add_rates(distance_nm, ground, rate, hours, burnt)
    if capped:
        prepare_speeds(medium, speeds_kn, ready)
    return passings


@njit(cache=True, error_model="numpy")
def trace_back(parent: NDArray[np.int16], point: int, bin_: int, nodes: NDArray[np.int64]) -> None:
    """Fill ``nodes``, shape (s, 3), with point, bin and speed left at, back from the last."""
    last = nodes.shape[0] - 1
    nodes[last, 0], nodes[last, 1], nodes[last, 2] = point, bin_, 0
    for k in range(last, 0, -1):
        i, b = nodes[k, 0], nodes[k, 1]
        nodes[k - 1, 0] = parent[k, i, b, 0]
        nodes[k - 1, 1] = parent[k, i, b, 1]
        nodes[k - 1, 2] = parent[k, i, b, 2]
