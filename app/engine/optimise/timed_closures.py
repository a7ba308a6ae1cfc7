"""Timed closures of a track, and the points where a ship waits for them to end."""

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Final, Self

import numpy as np

from app.engine.arrays import Bools, Floats, Ints
from app.engine.optimise.navigable_water import NavigableWater, SegmentClosures
from app.engine.optimise.refinement import Closed
from app.engine.sailing.track import Track

#: Least distance from a waiting point to the area along the track [nm].
_STANDOFF_NM: Final = 3.0
#: Distance to an area from which a ship proceeds only once it is open [nm]. From a waiting point
#: farther off, at the end of narrow waters, it proceeds as early as is safe.
_NEAR_NM: Final = 10.0
#: Following current that is assumed between there and the area [kn].
_CURRENT_KN: Final = 2.0


@dataclass(frozen=True)
class TimedClosures:
    """Hours since 1970 between which the segments of a track touch an area in force.

    ``from_h`` and ``to_h``, shape (n, m), are up to m separate closures of each segment, as of
    :meth:`NavigableWater.find_segment_closures`. ``cumulative_nm``, shape (n + 1,), is the distance
    to each point of the track. ``in_passage``, shape (n,), is whether a segment leads through
    narrow waters, where no ship waits. ``fastest_kn`` is the highest ordered speed.
    """

    cumulative_nm: Floats
    in_passage: Bools
    from_h: Floats
    to_h: Floats
    fastest_kn: float

    @classmethod
    def find(cls, track: Track, water: NavigableWater, fastest_kn: float) -> Self:
        """Return the closures of a track by the water's timed areas."""
        lats, lngs = track.lats, track.lngs
        closed_h = water.find_segment_closures(lats[:-1], lngs[:-1], lats[1:], lngs[1:])
        return cls(track.cumulative_nm, track.in_passage, *closed_h, fastest_kn)

    @cached_property
    def _entrances(self) -> Ints:
        """Points at which the track enters an area that opens, ascending."""
        is_closed = np.asarray(np.isfinite(self.to_h).any(axis=1))
        return np.flatnonzero(is_closed & ~np.append(False, is_closed[:-1]))

    @property
    def exits(self) -> Ints:
        """Points at which the track leaves an area that closes during or after the voyage."""
        is_closing = np.asarray(np.isfinite(self.from_h).any(axis=1))
        return 1 + np.flatnonzero(is_closing & ~np.append(is_closing[1:], False))

    @cached_property
    def waiting_points(self) -> Ints:
        """Last point outside narrow waters and far enough before each entrance."""
        off_nm = self.cumulative_nm[self._entrances] - _STANDOFF_NM
        far_enough = np.maximum(np.searchsorted(self.cumulative_nm, off_nm, side="right") - 1, 0)
        points = np.arange(self.cumulative_nm.size)
        in_open_water = np.append(True, ~self.in_passage)
        return np.asarray(np.maximum.accumulate(np.where(in_open_water, points, 0))[far_enough])

    def mark_too_near(self, points: Ints) -> Bools:
        """Mark the points that lie between an area and the waiting point before it."""
        waiting_points = np.append(self.waiting_points, self.cumulative_nm.size)
        return np.asarray(points > waiting_points[np.searchsorted(self._entrances, points)])

    @property
    def not_before_h(self) -> Floats:
        """Hours before which a ship does not start each segment, shape (n,).

        Minus infinity but at waiting points, where it is the time from which no closure ahead can
        be reached before its end.
        """
        not_before_h = np.full(self.to_h.shape[0], -inf)
        if self._entrances.size:
            counts = np.diff(self._entrances, append=self.to_h.shape[0])
            starts = np.repeat(self.waiting_points, counts)
            segments = np.arange(self._entrances[0], self.to_h.shape[0])
            ahead_nm = self.cumulative_nm[segments] - self.cumulative_nm[starts]
            leave_h = self._find_leaving_h(self.to_h[segments].max(axis=1), ahead_nm)
            np.maximum.at(not_before_h, starts, leave_h)
        return not_before_h

    def _find_leaving_h(self, opens_h: Floats, ahead_nm: Floats) -> Floats:
        """Return the time from which a ship so far off reaches areas only after they open, (n,)."""
        off_nm = np.maximum(ahead_nm - _NEAR_NM, 0.0)
        return np.asarray(opens_h - off_nm / (self.fastest_kn + _CURRENT_KN))

    def close_stretches(self, bounds: Ints) -> Closed:
        """Return the hours between which the stretches between ``bounds`` are closed.

        A stretch is no longer closed once its area cannot be reached before it opens.
        """
        segments, numbers = np.nonzero(self.from_h < inf)
        stretches = np.searchsorted(bounds, segments, side="right") - 1
        ahead_nm = self.cumulative_nm[segments] - self.cumulative_nm[bounds[stretches]]
        from_h, to_h = self.from_h[segments, numbers], self.to_h[segments, numbers]
        ends_h = np.maximum(self._find_leaving_h(to_h, ahead_nm), from_h)
        closures = SegmentClosures(bounds.size - 1)
        found = zip(from_h.tolist(), ends_h.tolist(), stretches.tolist(), strict=True)
        for starts_h, end_h, stretch in sorted(set(found)):
            closures.add(np.array([stretch]), starts_h, end_h)
        closed = closures.from_h[:, None, None], closures.to_h[:, None, None]
        return lambda _lats, _lngs, _has_edge: closed
