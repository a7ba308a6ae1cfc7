"""Cost of shallow water in a track search: a weight of the fuel burnt on an edge."""

from math import inf
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.refinement import Price
from app.engine.sailing.simulation import attainable_speed_kn
from app.engine.vessel import KernelParameters
from app.engine.vessel import kernels as k
from app.engine.vessel.tables import DEEP_WATER_DRAFTS

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Points = NDArray[np.int64]


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
    deep_m = float(ship.scalars[k.DEPTH_LIMIT_M])
    depths_m = np.geomspace(_MIN_DRAFTS * deep_m / DEEP_WATER_DRAFTS, deep_m, _DEPTHS)
    per_nm = np.array([_fuel_per_nm(ship, speed_kn, depth_m) for depth_m in depths_m])
    weights = np.maximum(per_nm / _fuel_per_nm(ship, speed_kn, inf), 1.0)

    def weigh(lats: Floats, lngs: Floats, has_edge: Bools) -> Floats:
        weight, nearest_known_m = np.ones(has_edge.shape), np.full(lats.shape, deep_m)
        shallow = np.flatnonzero(~chart.mark_deep_stages(lats, lngs, deep_m))
        number, i, j = np.nonzero(has_edge[shallow])
        stage, rows = shallow[number], np.union1d(shallow, shallow + 1)
        depths = chart.depth_m(*_places_along(lats, lngs, (stage, i, j)))
        nearest_known_m[rows] = _fill_rows(chart.depth_m(lats[rows], lngs[rows]), deep_m)
        otherwise_m = 0.5 * (nearest_known_m[stage, i] + nearest_known_m[stage + 1, j])
        depths = np.where(np.isnan(depths), otherwise_m, depths)
        weight[stage, i, j] = np.interp(depths, depths_m, weights, right=1.0).mean(axis=0)
        return price(lats, lngs, has_edge) * weight

    return weigh


def _places_along(
    lats: Floats, lngs: Floats, edges: tuple[Points, Points, Points]
) -> tuple[Floats, Floats]:
    """Return the latitudes and longitudes of the middles of the parts of edges, shape (parts, n).

    ``edges`` are the indices of stage, first node and last node, each of shape (n,).
    """
    k, i, j = edges
    lat, lng = lats[k, i], lngs[k, i]
    north = lats[k + 1, j] - lat
    east = (lngs[k + 1, j] - lng + 180.0) % 360.0 - 180.0
    share = (np.arange(_PARTS)[:, None] + 0.5) / _PARTS
    return lat + share * north, lng + share * east


def _fuel_per_nm(ship: KernelParameters, ordered_kn: float, depth_m: float) -> float:
    """Return the fuel for a mile in calm water [t]."""
    calm_sea = k.RelativeSea(0.0, 0.0, 0.0, 0.0, 0.0, depth_m)
    speed_kn = attainable_speed_kn(ship, ordered_kn, calm_sea)
    return float(k.fuel_rate(ship, speed_kn, calm_sea)[2] / speed_kn)


def _fill_rows(values: Floats, otherwise: float) -> Floats:
    """Fill unknown values, shape (s, p), from the nearest known in their row, or ``otherwise``."""
    columns, last = np.arange(values.shape[1]), values.shape[1] - 1
    known = ~np.isnan(values)
    before = np.maximum.accumulate(np.where(known, columns, -inf), axis=1)
    after = np.minimum.accumulate(np.where(known, columns, inf)[:, ::-1], axis=1)[:, ::-1]
    nearest = np.where(columns - before <= after - columns, before, after)
    places = np.clip(nearest, 0, last).astype(np.int64)
    return np.nan_to_num(np.take_along_axis(values, places, axis=1), nan=otherwise)
