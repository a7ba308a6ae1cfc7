"""Timed closures of a track, and the points where a ship may wait for them to end."""

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.refinement import Closed
from app.engine.sailing.track import Track

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Points = NDArray[np.int64]

#: Least distance along the track before an area at which the ship waits [nm].
_OFF_NM: Final = 3.0


@dataclass(frozen=True)
class TimedClosures:
    """Hours since 1970 between which the segments of a track touch an area in force.

    ``in_passage``, per segment: whether it leads through narrow waters, where no ship waits.
    """

    miles: Floats
    in_passage: Bools
    from_h: Floats
    to_h: Floats

    @classmethod
    def find(cls, track: Track, water: NavigableWater) -> Self:
        """Find the closures of a track by areas with a window."""
        lats, lngs = track.lats, track.lngs
        closed_h = water.find_closed_h(lats[:-1], lngs[:-1], lats[1:], lngs[1:])
        return cls(track.cumulative_nm, track.in_passage, *closed_h)

    @cached_property
    def _gates(self) -> Points:
        """Points where the track comes to an area, ascending."""
        is_shut = np.isfinite(self.to_h)
        return np.flatnonzero(is_shut & ~np.append(False, is_shut[:-1]))

    @cached_property
    def waiting_places(self) -> Points:
        """Last points far enough before each area, outside narrow waters, to wait there."""
        off_nm = self.miles[self._gates] - _OFF_NM
        far_enough = np.maximum(np.searchsorted(self.miles, off_nm, side="right") - 1, 0)
        points = np.arange(self.miles.size)
        has_room = np.append(True, ~self.in_passage)
        return np.asarray(np.maximum.accumulate(np.where(has_room, points, 0))[far_enough])

    def are_too_near(self, points: Points) -> Bools:
        """Return whether points lie beyond the last place to wait before an area."""
        places = np.append(self.waiting_places, self.miles.size)
        return np.asarray(points > places[np.searchsorted(self._gates, points)])

    @property
    def not_before_h(self) -> Floats:
        """Hours until which an early ship waits before each segment, shape (n,)."""
        not_before_h = np.full(self.to_h.size, -inf)
        if self._gates.size:
            open_h = np.maximum.reduceat(self.to_h, self._gates)
            np.maximum.at(not_before_h, self.waiting_places, open_h)
        return not_before_h

    def close_stretches(self, bounds: Points) -> Closed:
        """Return the hours between which the stretches between points are closed."""
        from_h = np.minimum.reduceat(self.from_h, bounds[:-1])[:, None, None]
        to_h = np.maximum.reduceat(self.to_h, bounds[:-1])[:, None, None]
        return lambda _lats, _lngs, _joined: (from_h, to_h)
