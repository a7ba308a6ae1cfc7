"""Cost of shallow water in a track search: a weight of the fuel burnt on an edge."""

import math
from math import inf
from typing import Final, Protocol

import numpy as np

from app.engine.arrays import Bools, Floats, Ints
from app.engine.compiled import njit_borrowing
from app.engine.optimise.refinement import Price
from app.engine.vessel import KernelParameters
from app.engine.vessel.kernels import DEPTH_LIMIT_M, DRAFT_M, attainable_speed_kn, fuel_rate
from app.engine.vessel.relative_sea import find_calm_sea

Edges = Ints


#: Number of depths at which the weight is computed, and the shallowest of them in draughts.
_DEPTHS: Final = 40
_MIN_DRAFTS: Final = 1.05
#: Number of positions along an edge at which the depth is read.
_PARTS: Final = 4


class DepthChart(Protocol):
    """Charted depths; implemented by the sea atlas."""

    def depth_m(self, lats: Floats, lngs: Floats) -> Floats:
        """Return the depths at positions [m]; NaN where they are unknown."""

    def mark_deep_stages(self, lats: Floats, lngs: Floats, depth_m: float) -> Bools:
        """Mark the stages of a lattice, shape (s - 1,), without a known depth below ``depth_m``."""


def price_shallow_water(
    price: Price, chart: DepthChart, ship: KernelParameters, speed_kn: float
) -> Price:
    """Return a price of fuel multiplied by a weight for the depth along an edge.

    The weight is the fuel for a mile in calm water of that depth, relative to deep water, at the
    ordered speed [kn] or what the engine can keep of it. Where the depth is unknown, for example
    near a coast, the nearest known depth of the stage counts. Otherwise a ship would appear to
    save fuel inshore.
    """
    deep_m = float(ship.scalars[DEPTH_LIMIT_M])
    depths_m = np.geomspace(_MIN_DRAFTS * float(ship.scalars[DRAFT_M]), deep_m, _DEPTHS)
    per_nm = np.array([_fuel_per_nm(ship, speed_kn, depth_m) for depth_m in depths_m])
    weights = np.maximum(per_nm / _fuel_per_nm(ship, speed_kn, inf), 1.0)

    def weigh(lats: Floats, lngs: Floats, has_edge: Bools) -> Floats:
        weight = price(lats, lngs, has_edge)
        is_shallow = ~chart.mark_deep_stages(lats, lngs, deep_m)
        # contiguous also if there is only one: kernels are compiled in advance for one layout
        edges = np.ascontiguousarray(np.argwhere(has_edge & is_shallow[:, None, None]))
        places = np.empty((2, _PARTS, edges.shape[0]))
        _place_soundings(lats, lngs, edges, places)
        rows = np.append(is_shallow, False) | np.append(False, is_shallow)
        at_nodes_m = np.full(lats.shape, deep_m)
        at_nodes_m[rows] = chart.depth_m(lats[rows], lngs[rows])
        _fill_rows(at_nodes_m, deep_m)
        _weigh_edges(edges, chart.depth_m(*places), at_nodes_m, depths_m, weights, weight)
        return weight

    return weigh


@njit_borrowing(cache=True, nogil=True)
def _place_soundings(lats: Floats, lngs: Floats, edges: Edges, places: Floats) -> None:
    """Fill ``places`` with the latitudes and longitudes of soundings along edges.

    They are the middles of equal parts. ``edges``, shape (n, 3), are the indices of stage, first
    node and last node; ``places`` has the shape (2, parts, n).
    """
    parts = places.shape[1]
    for n in range(edges.shape[0]):
        k, i, j = edges[n, 0], edges[n, 1], edges[n, 2]
        north = lats[k + 1, j] - lats[k, i]
        east = (lngs[k + 1, j] - lngs[k, i] + 180.0) % 360.0 - 180.0
        for part in range(parts):
            share = (part + 0.5) / parts
            places[0, part, n] = lats[k, i] + share * north
            places[1, part, n] = lngs[k, i] + share * east


@njit_borrowing(cache=True, nogil=True)
def _weigh_edges(
    edges: Edges,
    soundings_m: Floats,
    at_nodes_m: Floats,
    depths_m: Floats,
    weights: Floats,
    weight: Floats,
) -> None:
    """Multiply ``weight`` by the mean of the weights at the soundings of each edge.

    ``soundings_m``, shape (parts, n), are those of ``_place_soundings``; unknown depths are
    replaced by the mean of those at the edge's nodes. ``weights`` are those of ``depths_m``.
    """
    parts = soundings_m.shape[0]
    for n in range(edges.shape[0]):
        k, i, j = edges[n, 0], edges[n, 1], edges[n, 2]
        total = 0.0
        for part in range(parts):
            depth_m = soundings_m[part, n]
            if math.isnan(depth_m):
                depth_m = 0.5 * (at_nodes_m[k, i] + at_nodes_m[k + 1, j])
            total += _interpolate_weight(depth_m, depths_m, weights)
        weight[k, i, j] *= total / parts


@njit_borrowing(cache=True, nogil=True)
def _interpolate_weight(depth_m: float, depths_m: Floats, weights: Floats) -> float:
    """Return the weight of a depth: 1 beyond the last of ``depths_m``, the first before them."""
    if depth_m >= depths_m[-1]:
        return 1.0
    if depth_m <= depths_m[0]:
        return float(weights[0])
    above = np.searchsorted(depths_m, depth_m)
    share = (depth_m - depths_m[above - 1]) / (depths_m[above] - depths_m[above - 1])
    return float(weights[above - 1] + share * (weights[above] - weights[above - 1]))


@njit_borrowing(cache=True, nogil=True)
def _fill_rows(values: Floats, otherwise: float) -> None:
    """Fill unknown values, shape (s, p), from the nearest known in their row, or ``otherwise``.

    Of two that are equally near, the one before counts.
    """
    for k in range(values.shape[0]):
        last = -1
        for i in range(values.shape[1]):
            if math.isnan(values[k, i]):
                continue
            for empty in range(last + 1, i):
                is_nearer_to_last = last >= 0 and empty - last <= i - empty
                values[k, empty] = values[k, last if is_nearer_to_last else i]
            last = i
        for empty in range(last + 1, values.shape[1]):
            values[k, empty] = otherwise if last < 0 else values[k, last]


def _fuel_per_nm(ship: KernelParameters, ordered_kn: float, depth_m: float) -> float:
    """Return the fuel for a mile in calm water [t]."""
    calm_sea = find_calm_sea(depth_m)
    speed_kn = attainable_speed_kn(ship, ordered_kn, calm_sea)
    return float(fuel_rate(ship, speed_kn, calm_sea)[2] / speed_kn)
