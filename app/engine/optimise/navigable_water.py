"""Navigable water of a search: coasts, barriers, timed closures, and prices of fuel by place."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.area import Area
from app.engine.compiled import njit_borrowing
from app.engine.geodesy.shapes import contains_points, intersects_segments
from app.engine.sea.coast import is_land
from app.engine.sea.legs import XTD_M
from app.engine.sea.search.chords import is_chord_clear
from app.engine.sea.search.conditions import PRICE_CELLS, CoastData, Conditions
from app.engine.sea.search.open_water import is_all_open_water, is_in_open_water, make_known
from app.engine.weather.times import hours_since_epoch

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Greatest clearance of edges from coasts [m]: the rhumb line of a stage may come 100 m nearer
#: than its great circle.
_OFF_COASTS_M: Final = XTD_M + 100.0
#: Margin after an area's window before it is entered [h]: plans give times to the second.
_OVER_H: Final = 1.0 / 60.0


@dataclass(frozen=True)
class NavigableWater:
    """The coast, barriers and prices, and the areas that count in their windows.

    ``timed`` areas may not be entered in their windows. A tonne burnt in ``ecas`` counts
    ``eca_factor`` tonnes.
    """

    waters: CoastData
    conditions: Conditions
    timed: tuple[Area, ...] = ()
    ecas: tuple[Area, ...] = ()
    eca_factor: float = 1.0

    def clear(self, lats: Floats, lngs: Floats, joined: Bools) -> Bools:
        """Mark the edges of a lattice that keep off coasts, barriers and shoals; as ``Clear``.

        A stage with one edge keeps it: it is the route's own, which is clear. Edges from or to a
        fixed place may come as near to a coast as that place. The middle edge there is the route's
        own too and stays: the place may lie next to unproven water, which other edges keep off.
        """
        kept = joined.copy()
        lines = joined.sum(axis=(1, 2))
        ends = np.minimum(joined.any(axis=1).sum(axis=1), joined.any(axis=2).sum(axis=1))
        nearest_m = np.where(ends == 1, XTD_M, _OFF_COASTS_M)
        _test_lines(
            self.waters, self.conditions, self._open_water, lats, lngs, lines > 1, nearest_m, kept
        )
        middle = lats.shape[1] // 2
        kept[ends == 1, middle, middle] = joined[ends == 1, middle, middle]
        return kept

    @cached_property
    def _open_water(self) -> NDArray[np.uint8]:
        """Memory of cells known to be open at the greatest clearance of any edge."""
        return make_known()

    def closed(self, lats: Floats, lngs: Floats, joined: Bools) -> tuple[Floats, Floats]:
        """Return hours between which the edges of a lattice are closed; as ``Closed``."""
        from_h, to_h = np.full(joined.shape, inf), np.full(joined.shape, -inf)
        k, i, j = np.nonzero(joined)
        from_h[k, i, j], to_h[k, i, j] = self.find_closed_h(
            lats[k, i], lngs[k, i], lats[k + 1, j], lngs[k + 1, j]
        )
        return from_h, to_h

    def find_closed_h(
        self, lat0: Floats, lng0: Floats, lat1: Floats, lng1: Floats
    ) -> tuple[Floats, Floats]:
        """Return hours since 1970 in which segments touch an area in force, two of shape (n,)."""
        from_h, to_h = np.full(lat0.size, inf), np.full(lat0.size, -inf)
        for area in self.timed:
            touched = intersects_segments(area.geometry, lat0, lng0, lat1, lng1)
            starts_h, ends_h = window_h(area)
            from_h[touched] = np.minimum(from_h[touched], starts_h)
            to_h[touched] = np.maximum(to_h[touched], ends_h)
        return from_h, to_h

    def price(self, lats: Floats, lngs: Floats, joined: Bools) -> Floats:
        """Weigh the fuel burnt on the edges of a lattice, from end to end; as ``Price``."""
        factor = np.where(_hold(self.ecas, lats, lngs), self.eca_factor, 1.0)
        at_points = factor * find_prices(self.conditions.prices, lats, lngs)
        price = np.ones(joined.shape)
        k, i, j = np.nonzero(joined)
        price[k, i, j] = 0.5 * (at_points[k, i] + at_points[k + 1, j])
        return price


def window_h(area: Area) -> tuple[float, float]:
    """Return the window of an area in hours since 1970, both ends included.

    An end that is open is infinite.
    """
    starts_h = -inf if area.starts_at is None else hours_since_epoch(area.starts_at)
    return starts_h, inf if area.ends_at is None else hours_since_epoch(area.ends_at) + _OVER_H


def find_prices(prices: NDArray[np.float32], lats: Floats, lngs: Floats) -> Floats:
    """Return the price of a mile at places, arrays of one shape, by ``Conditions.prices``."""
    if prices.shape[0] == 0:
        return np.ones(lats.shape)
    rows = np.minimum(((lats + 90.0) * PRICE_CELLS).astype(np.int64), prices.shape[0] - 1)
    cols = (((lngs + 180.0) % 360.0) * PRICE_CELLS).astype(np.int64) % prices.shape[1]
    return np.asarray(prices[rows, cols], dtype=np.float64)


def _hold(areas: Sequence[Area], lats: Floats, lngs: Floats) -> Bools:
    """Return whether points lie in any of some areas."""
    held = np.zeros(lats.shape, dtype=np.bool_)
    for area in areas:
        west, south, east, north = area.geometry.bounds
        near = (lats >= south) & (lats <= north) & (lngs >= west) & (lngs <= east)
        if near.any():
            held[near] |= contains_points(area.geometry, lats[near], lngs[near])
    return held


@njit_borrowing(cache=True, nogil=True)
def _test_lines(waters, conditions, open_water, lats, lngs, asked, nearest_m, kept):  # type: ignore[no-untyped-def]
    for k in range(kept.shape[0]):
        if not asked[k] or is_all_open_water(
            waters, conditions, lats[k : k + 2], lngs[k : k + 2], _OFF_COASTS_M
        ):
            continue
        _drop_inland(waters, lats[k], lngs[k], kept[k])
        _drop_inland(waters, lats[k + 1], lngs[k + 1], kept[k].T)
        for i in range(kept.shape[1]):
            for j in range(kept.shape[2]):
                if kept[k, i, j]:
                    ends = lats[k, i], lngs[k, i], lats[k + 1, j], lngs[k + 1, j]
                    kept[k, i, j] = is_in_open_water(
                        waters, conditions, open_water, *ends, _OFF_COASTS_M
                    ) or is_chord_clear(waters, conditions, *ends, nearest_m[k])


@njit_borrowing(cache=True, nogil=True)
def _drop_inland(waters, lats, lngs, kept):  # type: ignore[no-untyped-def]
    """Drop the edges of points on land: inland they cross no coast, but lead nowhere."""
    for i in range(kept.shape[0]):
        if kept[i].any() and is_land(
            waters.inside, waters.shore, waters.edges, waters.edge_starts, lats[i], lngs[i]
        ):
            kept[i] = False
