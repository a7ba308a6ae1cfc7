"""Navigable water of a search: coasts, barriers, timed closures, and weights of fuel by place."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.area import Area
from app.engine.arrays import Bools, Floats, Ints
from app.engine.compiled import njit_borrowing
from app.engine.geodesy.shapes import (
    contains_points,
    do_bounds_overlap,
    measure_bounds,
    segments_within,
)
from app.engine.sea.coast import is_land
from app.engine.sea.leg_room import XTD_M
from app.engine.sea.search.chords import is_chord_clear
from app.engine.sea.search.conditions import CoastData, Conditions, find_prices
from app.engine.sea.search.open_water import is_all_open_water, is_in_open_water, make_known
from app.engine.times import hours_since_epoch

#: Clearance of edges from coasts [m]: the rhumb line of a stage may come 100 m nearer than its
#: great circle.
_OFF_COASTS_M: Final = XTD_M + 100.0
#: Margin between an area's window and the ship's stay in it [h]: plans give times to the second.
_WINDOW_MARGIN_H: Final = 1.0 / 60.0
#: Margin between a timed area and the edges of a lattice [deg]: a leg is drawn within 0.7 nm of the
#: edges, and its rhumb line and great circle differ by a quarter of a mile over a stage. Both lines
#: of a leg along an edge then stay outside.
_AREA_MARGIN_DEG: Final = 0.02


@dataclass(frozen=True)
class NavigableWater:
    """Coast, barriers and prices, timed closures and emission control areas.

    ``timed`` areas may not be entered in their windows. A tonne burnt in ``ecas`` counts as
    ``eca_factor`` tonnes.
    """

    waters: CoastData
    conditions: Conditions
    timed: tuple[Area, ...] = ()
    ecas: tuple[Area, ...] = ()
    eca_factor: float = 1.0

    def clear(self, lats: Floats, lngs: Floats, has_edge: Bools) -> Bools:
        """Mark the edges of a lattice that are clear of coasts, barriers and shoals, as ``Clear``.

        A stage with a single edge keeps it, because the route is known to be clear. Edges from or
        to a fixed position may come as near to a coast as that position. The middle edge there
        belongs to the route too and is kept: the position may lie next to unproven water, which
        all other edges avoid.
        """
        kept = has_edge.copy()
        edges = has_edge.sum(axis=(1, 2))
        ends = np.minimum(has_edge.any(axis=1).sum(axis=1), has_edge.any(axis=2).sum(axis=1))
        nearest_m = np.where(ends == 1, XTD_M, _OFF_COASTS_M)
        _test_edges(
            self.waters, self.conditions, self._open_water, lats, lngs, edges > 1, nearest_m, kept
        )
        middle = lats.shape[1] // 2
        kept[ends == 1, middle, middle] = has_edge[ends == 1, middle, middle]
        return kept

    @cached_property
    def _open_water(self) -> NDArray[np.uint8]:
        """Cache of the cells known to be open water at the edges' clearance."""
        return make_known()

    def closed(self, lats: Floats, lngs: Floats, has_edge: Bools) -> tuple[Floats, Floats]:
        """Return the hours between which the edges of a lattice are closed, as ``Closed``."""
        k, i, j = np.nonzero(has_edge)
        closures = self.find_segment_closures(
            lats[k, i], lngs[k, i], lats[k + 1, j], lngs[k + 1, j], _AREA_MARGIN_DEG
        )
        shape = *has_edge.shape, closures[0].shape[1]
        from_h, to_h = np.full(shape, inf), np.full(shape, -inf)
        from_h[k, i, j], to_h[k, i, j] = closures
        return from_h, to_h

    def find_segment_closures(
        self, lat0: Floats, lng0: Floats, lat1: Floats, lng1: Floats, margin_deg: float = 0.0
    ) -> tuple[Floats, Floats]:
        """Return the hours since 1970 between which segments are near an area in force.

        Two arrays of shape (n, m) of up to m separate closures of each segment, the first one
        first; the rest of a row is infinite in the first array and minus infinite in the second.
        A segment is near an area that it touches, or to which the distance is at most
        ``margin_deg``.
        """
        closures = SegmentClosures(lat0.size)
        around = measure_bounds(lat0, lng0, lat1, lng1, margin_deg)
        windows = (
            (*find_hours_in_force(area), area)
            for area in self.timed
            if do_bounds_overlap(area.geometry.bounds, around)
        )
        for starts_h, ends_h, area in sorted(windows, key=itemgetter(0, 1)):
            touched = segments_within(area.geometry, lat0, lng0, lat1, lng1, margin_deg)
            closures.add(np.flatnonzero(touched), starts_h, ends_h)
        return closures.from_h, closures.to_h

    def price(self, lats: Floats, lngs: Floats, _has_edge: Bools) -> Floats:
        """Return the weights of the fuel burnt on the edges of a lattice, as ``Price``.

        The weight of an edge is the mean of those at its ends.
        """
        at_nodes = self._weigh_fuel(lats, lngs) * find_prices(self.conditions.prices, lats, lngs)
        return _average_ends(at_nodes)

    def price_areas(self, lats: Floats, lngs: Floats, _has_edge: Bools) -> Floats:
        """Return the prices of areas alone on the edges of a lattice, as ``Price``."""
        return _average_ends(find_prices(self.conditions.prices, lats, lngs))

    def price_fuel(self, lats: Floats, lngs: Floats, _has_edge: Bools) -> Floats:
        """Return the weights without the prices of areas, for speeds along a given track."""
        return _average_ends(self._weigh_fuel(lats, lngs))

    def _weigh_fuel(self, lats: Floats, lngs: Floats) -> Floats:
        return np.where(_lie_in_areas(self.ecas, lats, lngs), self.eca_factor, 1.0)

    def may_wait_at_start(self, lats: Floats, lngs: Floats) -> bool:
        """Return whether a timed area that opens is near a line, but none contains its start."""
        opens = self.find_latest_opening_h(lats, lngs) > -inf
        return opens and not self.starts_inside(lats, lngs)

    def find_latest_opening_h(self, lats: Floats, lngs: Floats) -> float:
        """Return when the last of the timed areas near a line opens, in hours since 1970.

        Minus infinity if none opens.
        """
        segments = lats[:-1], lngs[:-1], lats[1:], lngs[1:]
        _, to_h = self.find_segment_closures(*segments, _AREA_MARGIN_DEG)
        return float(to_h.max(initial=-inf, where=np.isfinite(to_h)))

    def starts_inside(self, lats: Floats, lngs: Floats) -> bool:
        """Return whether a timed area contains the start of a line."""
        return bool(_lie_in_areas(self.timed, lats[:1], lngs[:1]).any())


class SegmentClosures:
    """Separate closures of n segments: hours from and to which they are closed, shape (n, m)."""

    def __init__(self, count: int) -> None:
        self.from_h, self.to_h = np.full((count, 1), inf), np.full((count, 1), -inf)
        self._last = np.full(count, -1)

    def add(self, segments: Ints, starts_h: float, ends_h: float) -> None:
        """Close segments for a window that begins no earlier than all before it.

        It is joined to the last closure of a segment that it overlaps.
        """
        last = self._last[segments]
        is_new = (last < 0) | (self.to_h[segments, np.maximum(last, 0)] < starts_h)
        new, joined = segments[is_new], segments[~is_new]
        self._last[new] += 1
        if new.size and self._last[new].max() == self.from_h.shape[1]:
            row = np.full((self.from_h.shape[0], 1), inf)
            self.from_h, self.to_h = np.hstack([self.from_h, row]), np.hstack([self.to_h, -row])
        self.from_h[new, self._last[new]] = starts_h
        self.to_h[new, self._last[new]] = ends_h
        at = joined, self._last[joined]
        self.to_h[at] = np.maximum(self.to_h[at], ends_h)


def _average_ends(at_nodes: Floats) -> Floats:
    """Return the means of the values at the ends of the edges of a lattice."""
    return np.asarray(0.5 * (at_nodes[:-1, :, None] + at_nodes[1:, None, :]))


def find_hours_in_force(area: Area) -> tuple[float, float]:
    """Return the window of an area in hours since 1970; an open end is infinite.

    It includes the margins after the area is left and before it is entered.
    """
    starts_at, ends_at = area.starts_at, area.ends_at
    starts_h = -inf if starts_at is None else hours_since_epoch(starts_at) - _WINDOW_MARGIN_H
    return starts_h, inf if ends_at is None else hours_since_epoch(ends_at) + _WINDOW_MARGIN_H


def _lie_in_areas(areas: Sequence[Area], lats: Floats, lngs: Floats) -> Bools:
    """Mark the positions that lie in any of the areas; arrays of one shape."""
    inside = np.zeros(lats.shape, dtype=np.bool_)
    for area in areas:
        west, south, east, north = area.geometry.bounds
        in_bounds = (lats >= south) & (lats <= north) & (lngs >= west) & (lngs <= east)
        inside[in_bounds] |= contains_points(area.geometry, lats[in_bounds], lngs[in_bounds])
    return inside


@njit_borrowing(cache=True, nogil=True)
def _test_edges(waters, conditions, open_water, lats, lngs, is_tested, nearest_m, kept):  # type: ignore[no-untyped-def]
    """Unmark the edges of the tested stages that are not clear, in ``kept``."""
    for k in range(kept.shape[0]):
        if not is_tested[k] or is_all_open_water(
            waters, conditions, lats[k : k + 2], lngs[k : k + 2], _OFF_COASTS_M
        ):
            continue
        _drop_edges_on_land(waters, lats[k], lngs[k], kept[k])
        _drop_edges_on_land(waters, lats[k + 1], lngs[k + 1], kept[k].T)
        for i in range(kept.shape[1]):
            for j in range(kept.shape[2]):
                if kept[k, i, j]:
                    ends = lats[k, i], lngs[k, i], lats[k + 1, j], lngs[k + 1, j]
                    kept[k, i, j] = is_in_open_water(
                        waters, conditions, open_water, *ends, _OFF_COASTS_M
                    ) or is_chord_clear(waters, conditions, *ends, nearest_m[k])


@njit_borrowing(cache=True, nogil=True)
def _drop_edges_on_land(waters, lats, lngs, kept):  # type: ignore[no-untyped-def]
    """Unmark the edges of nodes on land: an edge that lies inland crosses no coast."""
    for i in range(kept.shape[0]):
        if kept[i].any() and is_land(waters, lats[i], lngs[i]):
            kept[i] = False
