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

from app.engine.optimise.earth import hop_between
from app.engine.optimise.medium import READY_ROWS, fill_rates, prepare_speeds
from app.engine.optimise.stages import (
    CAP_KN,
    COURSE_DEG,
    DEPTH_M,
    DISTANCE_NM,
    LAT,
    LNG,
    WAIT_H,
    Search,
    Stages,
)

Floats = NDArray[np.float64]

#: Hops that a straight line is cut into at most.
_MOST_HOPS = 64
#: Times at which a line is worked out at most.
_MOST_TIMES = 256


@njit(cache=True, nogil=True, error_model="numpy")
def search_stages(
    medium: Any,
    radius_nm: float,
    stages: Stages,
    search: Search,
    first: int,
    last: int,
    time_h: Floats,
    fuel: Floats,
    parent: NDArray[np.int32],
) -> None:
    """Carry the labels of the stages from ``first`` on to the next, up to stage ``last``.

    ``time_h`` and ``fuel``, shape (s, p, bins), hold the labels, ``fuel`` infinite
    where there is none; ``parent``, shape (s, p, bins, 3), the point, bin and speed
    that each came from.
    """
    m = search.speeds_kn.shape[1]
    hours, burnt = np.empty((_MOST_TIMES, m)), np.empty((_MOST_TIMES, m))
    work, ready = np.empty((3, m)), np.empty((READY_ROWS, m))
    straight = np.empty((_MOST_HOPS, 7))
    for k in range(first, last):
        speeds = search.speeds_kn[k]
        prepare_speeds(medium, speeds, ready)
        given = stages.first_hop[k + 1] > stages.first_hop[k]
        for i in range(stages.lats.shape[1]):
            from_h, step_h, times = _choose_times(search, time_h[k, i], fuel[k, i])
            if times == 0:
                continue
            for j in range(stages.lats.shape[1]):
                if not stages.clear[k, i, j]:
                    continue
                if given:
                    way = stages.hops[stages.first_hop[k] : stages.first_hop[k + 1]]
                else:
                    n = _cut(radius_nm, stages, k, i, j, search.longest_hop_nm, straight)
                    way = straight[:n]
                for t in range(times):
                    leaves_h = from_h + t * step_h
                    if not sail_way(medium, ready, way, leaves_h, speeds, hours[t], burnt[t], work):
                        hours[t, :] = math.inf
                    for s in range(m):
                        burnt[t, s] *= 0.5 * (stages.price[k, i] + stages.price[k + 1, j])
                tables = (from_h, step_h, times, hours, burnt)
                _extend(stages, search, (k, i, j), tables, time_h, fuel, parent)


@njit(cache=True, nogil=True, error_model="numpy")
def _choose_times(search: Search, time_h: Floats, fuel: Floats) -> tuple[float, float, int]:
    """First time, step and number of the times at which a point's lines are worked out.

    They span the labels of the point; none where it has none.
    """
    first, last = math.inf, -math.inf
    for b in range(search.bins):
        if fuel[b] < math.inf:
            first, last = min(first, time_h[b]), max(last, time_h[b])
    if first == math.inf:
        return 0.0, 1.0, 0
    if last - first < 1e-9:
        return first, 1.0, 1
    steps = min(math.ceil((last - first) / search.longest_step_h), _MOST_TIMES - 1)
    return first, (last - first) / steps, int(steps) + 1


@njit(cache=True, nogil=True, error_model="numpy")
def _extend(
    stages: Stages,
    search: Search,
    at: tuple[int, int, int],
    tables: tuple[float, float, int, Floats, Floats],
    time_h: Floats,
    fuel: Floats,
    parent: NDArray[np.int32],
) -> None:
    """Carry every label of a point along one line, keeping what is best of its bin.

    ``tables`` are the first time, the step, the number of times, and hours and fuel
    at each, shape (times, m); hours are infinite where a limit forbids the line.
    """
    k, i, j = at
    from_h, step_h, times, hours, burnt = tables
    closed_from_h, closed_to_h = stages.closed_from_h[k, i, j], stages.closed_to_h[k, i, j]
    next_h, per_bin = search.from_h[k + 1], 1.0 / search.width_h[k + 1]
    fuel_price, hour_prices = search.fuel_price, search.hour_prices
    times_there, fuel_there, parent_there = time_h[k + 1, j], fuel[k + 1, j], parent[k + 1, j]
    for b in range(search.bins):
        if fuel[k, i, b] == math.inf:
            continue
        leaves_h, so_far = time_h[k, i, b], fuel[k, i, b]
        place = (leaves_h - from_h) / step_h
        one = min(int(place), times - 1)
        two = min(one + 1, times - 1)
        share = min(place - one, 1.0) if two > one else 0.0
        if share < 1e-9:
            two = one
        for s in range(hours.shape[1]):
            arrives_h = leaves_h + hours[one, s] + share * (hours[two, s] - hours[one, s])
            where = (arrives_h - next_h) * per_bin
            if not 0.0 <= where < search.bins:
                continue
            if leaves_h < closed_to_h and arrives_h > closed_from_h:
                continue
            total = so_far + burnt[one, s] + share * (burnt[two, s] - burnt[one, s])
            n = int(where)
            if fuel_there[n] < math.inf:
                saved, sooner_h = fuel_there[n] - total, times_there[n] - arrives_h
                if not fuel_price * saved + hour_prices[n] * sooner_h > 0.0:
                    continue
            times_there[n] = arrives_h
            fuel_there[n] = total
            parent_there[n, 0] = i
            parent_there[n, 1] = b
            parent_there[n, 2] = s


@njit(cache=True, nogil=True, error_model="numpy")
def _cut(
    radius_nm: float, stages: Stages, k: int, i: int, j: int, longest_nm: float, out: Floats
) -> int:
    """Cut a straight line into even hops, and answer how many."""
    lat0, lng0 = stages.lats[k, i], stages.lngs[k, i]
    lat1, lng1 = stages.lats[k + 1, j], stages.lngs[k + 1, j]
    distance_nm, course_deg, dlng = hop_between(radius_nm, lat0, lng0, lat1, lng1)
    n = min(max(math.ceil(distance_nm / longest_nm), 1), out.shape[0])
    for h in range(n):
        share = (h + 0.5) / n
        out[h, LAT] = lat0 + share * (lat1 - lat0)
        out[h, LNG] = lng0 + share * dlng
        out[h, COURSE_DEG] = course_deg
        out[h, DISTANCE_NM] = distance_nm / n
        out[h, CAP_KN] = math.inf
        out[h, WAIT_H] = 0.0
        out[h, DEPTH_M] = math.inf
    return int(n)


@njit(cache=True, nogil=True, error_model="numpy")
def sail_way(
    medium: Any,
    ready: Floats,
    way: Floats,
    leaves_h: float,
    speeds_kn: Floats,
    hours: Floats,
    burnt: Floats,
    work: Floats,
) -> bool:
    """Hours and fuel of each speed along a way, shape (n, 7), columns as ``Stages.hops``.

    The weather of each hop is that of the time at which the middle one of the
    speeds, which ascend, is there. ``ready`` is prepared for the speeds. Answers False
    where a limit forbids the way.
    """
    ordered, ground, rate = work[0], work[1], work[2]
    middle, last = speeds_kn.size // 2, speeds_kn.size - 1
    hours[:] = 0.0
    burnt[:] = 0.0
    ordered[:] = speeds_kn
    ground[middle] = 0.0
    capped = False
    for h in range(way.shape[0]):
        if capped or way[h, CAP_KN] < speeds_kn[last]:
            capped = way[h, CAP_KN] < speeds_kn[last]
            for s in range(speeds_kn.size):
                ordered[s] = min(speeds_kn[s], way[h, CAP_KN])
            prepare_speeds(medium, ordered, ready)
        hours += way[h, WAIT_H]
        made_good = ground[middle] if ground[middle] > 0.0 else ordered[middle]
        so_far_h = hours[middle] if hours[middle] < math.inf else hours[last]
        passes_h = leaves_h + so_far_h + 0.5 * way[h, DISTANCE_NM] / made_good
        place = (way[h, LAT], way[h, LNG], way[h, DEPTH_M])
        course_deg = way[h, COURSE_DEG]
        if not fill_rates(medium, ready, place, course_deg, passes_h, ordered, ground, rate):
            hours[last] = math.inf
            break
        for s in range(speeds_kn.size):
            under_way_h = way[h, DISTANCE_NM] / ground[s] if ground[s] > 0.0 else math.inf
            hours[s] += under_way_h
            burnt[s] += rate[s] * under_way_h
        if hours[last] == math.inf:
            break
    if capped:
        prepare_speeds(medium, speeds_kn, ready)
    return bool(hours[last] < math.inf)


@njit(cache=True, error_model="numpy")
def trace_back(parent: NDArray[np.int32], point: int, bin_: int, nodes: NDArray[np.int64]) -> None:
    """Fill ``nodes``, shape (s, 3), with point, bin and speed left at, back from the last."""
    last = nodes.shape[0] - 1
    nodes[last, 0], nodes[last, 1], nodes[last, 2] = point, bin_, 0
    for k in range(last, 0, -1):
        i, b = nodes[k, 0], nodes[k, 1]
        nodes[k - 1, 0] = parent[k, i, b, 0]
        nodes[k - 1, 1] = parent[k, i, b, 1]
        nodes[k - 1, 2] = parent[k, i, b, 2]
