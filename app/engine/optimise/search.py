"""Dynamic programming over stage, place and arrival time (Bellman 1957).

A label is one way of reaching a point: its exact time, and the fuel so far. Of
the labels that reach a point within one bin of time, the one is kept whose fuel
and time together are worth least: weighed so, an early label isn't lost to a
late one only because it had less time to save fuel in.
"""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.engine.optimise.earth import hop_between
from app.engine.optimise.medium import fill_rates
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
Labels = tuple[Floats, Floats, NDArray[np.int32]]

#: Hops that a straight line is cut into at most.
_MOST_HOPS = 64


@njit(cache=True, error_model="numpy")
def search_stage(
    medium: Any,
    radius_nm: float,
    stages: Stages,
    search: Search,
    k: int,
    time_h: Floats,
    fuel: Floats,
    parent: NDArray[np.int32],
) -> None:
    """Carry the labels of stage k on to the next.

    ``time_h`` and ``fuel``, shape (s, p, bins), hold the labels, ``fuel`` infinite
    where there is none; ``parent``, shape (s, p, bins, 3), the point, bin and speed
    that each came from.
    """
    speeds = search.speeds_kn[k]
    hours, burnt = np.empty(speeds.size), np.empty(speeds.size)
    work = np.empty((3, speeds.size))
    straight = np.empty((_MOST_HOPS, 7))
    given = stages.first_hop[k + 1] > stages.first_hop[k]
    for i in range(stages.lats.shape[1]):
        for j in range(stages.lats.shape[1]):
            if not stages.clear[k, i, j]:
                continue
            if given:
                way = stages.hops[stages.first_hop[k] : stages.first_hop[k + 1]]
            else:
                way = straight[: _cut(radius_nm, stages, k, i, j, search.longest_hop_nm, straight)]
            for b in range(search.bins):
                if fuel[k, i, b] == math.inf:
                    continue
                if not sail_way(medium, way, time_h[k, i, b], speeds, hours, burnt, work):
                    continue
                for s in range(speeds.size):
                    _keep(stages, search, (k, i, j, b, s), hours[s], burnt[s], time_h, fuel, parent)


@njit(cache=True, error_model="numpy")
def _keep(
    stages: Stages,
    search: Search,
    at: tuple[int, int, int, int, int],
    hours: float,
    burnt: float,
    time_h: Floats,
    fuel: Floats,
    parent: NDArray[np.int32],
) -> None:
    """Keep a label at the next stage if it is the best of its bin."""
    k, i, j, b, s = at
    leaves_h = time_h[k, i, b]
    arrives_h = leaves_h + hours
    total = fuel[k, i, b] + burnt
    if not total < math.inf:
        return
    if leaves_h < stages.closed_to_h[k, i, j] and arrives_h > stages.closed_from_h[k, i, j]:
        return
    place = (arrives_h - search.from_h[k + 1]) / search.width_h[k + 1]
    if not 0.0 <= place < search.bins:
        return
    n = int(place)
    if fuel[k + 1, j, n] < math.inf:
        saved = fuel[k + 1, j, n] - total
        sooner_h = time_h[k + 1, j, n] - arrives_h
        if not search.fuel_price * saved + search.hour_price * sooner_h > 0.0:
            return
    time_h[k + 1, j, n] = arrives_h
    fuel[k + 1, j, n] = total
    parent[k + 1, j, n, 0] = i
    parent[k + 1, j, n, 1] = b
    parent[k + 1, j, n, 2] = s


@njit(cache=True, error_model="numpy")
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


@njit(cache=True, error_model="numpy")
def sail_way(
    medium: Any,
    way: Floats,
    leaves_h: float,
    speeds_kn: Floats,
    hours: Floats,
    burnt: Floats,
    work: Floats,
) -> bool:
    """Hours and fuel of each speed along a way, shape (n, 7), columns as ``Stages.hops``.

    The weather of each hop is that of the time at which the middle one of the
    speeds, which ascend, is there. Answers False where a limit forbids the way.
    """
    ordered, ground, rate = work[0], work[1], work[2]
    middle, last = speeds_kn.size // 2, speeds_kn.size - 1
    hours[:] = 0.0
    burnt[:] = 0.0
    ground[middle] = 0.0
    for h in range(way.shape[0]):
        for s in range(speeds_kn.size):
            hours[s] += way[h, WAIT_H]
            ordered[s] = min(speeds_kn[s], way[h, CAP_KN])
        made_good = ground[middle] if ground[middle] > 0.0 else ordered[middle]
        so_far_h = hours[middle] if hours[middle] < math.inf else hours[last]
        passes_h = leaves_h + so_far_h + 0.5 * way[h, DISTANCE_NM] / made_good
        place = (way[h, LAT], way[h, LNG], way[h, CAP_KN], way[h, DEPTH_M])
        if not fill_rates(medium, place, way[h, COURSE_DEG], passes_h, ordered, ground, rate):
            return False
        for s in range(speeds_kn.size):
            under_way_h = way[h, DISTANCE_NM] / ground[s] if ground[s] > 0.0 else math.inf
            hours[s] += under_way_h
            burnt[s] += rate[s] * under_way_h
        if hours[last] == math.inf:
            return False
    return True


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
