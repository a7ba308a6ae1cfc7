"""Final legs, each clear of the coast both as great circle and as rhumb line.

Some ECDIS sail rhumb lines whatever the route file says. Therefore a leg on which the two lines
are far apart is split until both are in the same clear water.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.geodesy import leg_distance_nm, sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.geodesy.longitudes import wrap
from app.engine.request import Position, TrackKind
from app.engine.sea.leg_room import (
    XTD_M,
    find_open_run,
    is_line_shoal,
    measure_coast_gap_m,
    measure_depth_m,
    measure_leg_gap_m,
    measure_line_gap_m,
)
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg, SeaPath
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.sea.search.conditions import NO_CONDITIONS, CoastData, Conditions
from app.engine.sea.search.sphere import (
    angle_between,
    distance_nm,
    on_great_circle,
    on_rhumb,
    to_vector,
)
from app.engine.units import wrap_longitude

#: Least cross-track distance in narrow waters [m].
_NARROWEST_XTD_M: Final = 25.0

#: Greatest separation of great circle and rhumb line on one leg [nm].
_SEPARATION_NM: Final = 5.0
#: Least length of a leg sailed on a great circle [nm].
_GREAT_CIRCLE_NM: Final = 120.0
_SHORTEST_NM: Final = 0.05
#: Greatest distance of points that count as one [nm]: ten metres.
_CLOSE_NM: Final = 0.005
#: Length at a gate's ends over which legs may touch it [deg]: about 50 m.
_GATE_END_DEG: Final = 0.0005
#: Least length of open and of narrow water at which a leg is split between them [nm].
_OPEN_RUN_NM: Final = 10.0
#: Step between the samples of a leg in a passage [nm], and the distance from the centre line that
#: counts as none, as a share of half the width: a rhumb line of 40 nm leaves a lane by 9 m.
_OFF_LINE_STEP_NM: Final = 0.25
_ON_THE_LINE_SHARE: Final = 0.02

#: Distance from an end within which the coastline data, which lack berths and basins, are
#: unreliable [nm].
BERTH_NM: Final = 3.0
#: Distance from an end within which narrow water is the approach to its harbour [nm].
_HARBOUR_APPROACH_NM: Final = 40.0
_HARBOUR_APPROACH: Final = "harbour approach"
_COASTAL_WATERS: Final = "inshore waters"
#: Names of narrow water outside passages.
UNNAMED_NARROWS: Final = (_HARBOUR_APPROACH, _COASTAL_WATERS)


def build_legs(
    waters: CoastData,
    conditions: Conditions,
    depths: NDArray[np.int16],
    passages: Sequence[Passage],
    path: SeaPath,
    track: TrackKind,
) -> tuple[Leg, ...]:
    """Build the legs of a path, split where one of the two lines is not clear.

    Points within metres of the previous one are dropped.
    """
    lngs = np.asarray(wrap_longitude(path.lngs))
    places = map(Position, path.lats.tolist(), lngs.tolist())
    marked = _drop_close([*zip(places, [OPEN_SEA, *path.leg_passages.tolist()], strict=True)])
    builder = _LegBuilder(waters, conditions, depths, track, (marked[0][0], marked[-1][0]))
    for (a, _), (b, mark) in pairwise(marked):
        if mark == OPEN_SEA:
            builder.add(a, b)
        else:
            builder.add_passage(a, b, passages[mark])
    return tuple(builder.legs)


def _drop_close(marked: Sequence[tuple[Position, int]]) -> list[tuple[Position, int]]:
    """Drop points that are too near to the previous one for a leg; the ends are kept.

    Each point has the mark of the leg that leads to it.
    """
    kept = [marked[0]]
    for point, mark in marked[1:]:
        if distance_nm(*kept[-1][0], *point) >= _CLOSE_NM:
            kept.append((point, mark))
    end = marked[-1][0]
    if kept[-1][0] != end:
        kept = [*kept[:-1], (end, kept[-1][1])] if len(kept) > 1 else [*kept, marked[-1]]
    return kept


class _LegBuilder:
    """Builder of consecutive legs."""

    def __init__(
        self,
        waters: CoastData,
        conditions: Conditions,
        depths: NDArray[np.int16],
        track: TrackKind,
        ends: tuple[Position, Position],
    ) -> None:
        self.waters = waters
        # the path was searched in other steps: it may pass the end of a gate within metres
        self.conditions = conditions.shorten_gates(_GATE_END_DEG)
        self.depths = depths
        self.track = track
        self.ends = ends
        self.legs: list[Leg] = []

    def add_passage(self, a: Position, b: Position, passage: Passage) -> None:
        """Add a leg in the water of a passage."""
        half_width_m, geometry, gap_m = passage.half_width_m, LegGeometry.RHUMB, 0.0
        if off_m := measure_off_line_m(passage, a, b, geometry):
            waters, _ = self._choose_waters(a, b)
            # lanes are no coast: a ramp leads over the side of one
            depth_alone = NO_CONDITIONS._replace(depth_steps=self.conditions.depth_steps)
            gap_m = measure_leg_gap_m(waters, depth_alone, a, b, half_width_m + 1.0)
        coast_m = measure_coast_gap_m(self.waters, a, b, half_width_m + 1.0)
        xtd_m = find_xtd_in_passage_m(passage, off_m, gap_m, coast_m)
        self._append(a, b, geometry, xtd_m, passage.name, passage.depth_m)

    def add(self, a: Position, b: Position) -> None:
        """Add legs over open water from a to b."""
        length = float(distance_nm(*a, *b))
        if length < 1e-6:
            return
        waters, is_unproven = self._choose_waters(a, b)
        gap_m = measure_leg_gap_m(waters, self.conditions, a, b, XTD_M)
        if gap_m < XTD_M and (run := self._find_open_run(a, b, length)):
            for start, end in pairwise([a, *run, b]):
                self.add(start, end)
            return
        too_near = gap_m < min(XTD_M, self._allowed_m(waters, a, b))
        if (too_near or self._do_lines_separate(a, b)) and length > _SHORTEST_NM:
            middle = _find_middle(a, b)
            self.add(a, middle)
            self.add(middle, b)
            return
        depth_m = measure_depth_m(self.waters, self.depths, a, b)
        name = name_narrows(self.ends, a, b) if is_unproven or gap_m < XTD_M else None
        if is_unproven:
            depth_m = None
        self._append(a, b, self._choose_geometry(length), gap_m, name, depth_m, is_unproven)

    def _choose_waters(self, a: Position, b: Position) -> tuple[CoastData, bool]:
        """Return the waters to check a leg against, and whether it crosses unproven water."""
        need = self.conditions.depth_steps
        is_unproven = is_line_shoal(self.waters, a, b, need)
        return (self.waters.trust() if is_unproven else self.waters), is_unproven

    def _find_open_run(self, a: Position, b: Position, length_nm: float) -> list[Position]:
        """Find the ends of the longest run of a leg with the full cross-track distance.

        There a leg is split into narrow and open water. Empty if the run is short, or the whole
        leg.
        """
        if length_nm < 2.0 * _OPEN_RUN_NM:
            return []
        count = round(length_nm)
        first, last = find_open_run(self.waters, self.conditions, *a, *b, count, XTD_M)
        if last - first < _OPEN_RUN_NM or last - first == count:
            return []
        return [_find_between(a, b, i / count) for i in (first, last) if 0 < i < count]

    def _allowed_m(self, waters: CoastData, a: Position, b: Position) -> float:
        """Return the least clearance of a leg between two points [m].

        The path was searched on great circles: the rhumb line must have nine tenths of the great
        circle's clearance.
        """
        along = float(measure_line_gap_m(waters, self.conditions, *a, *b, XTD_M, False))
        return max(_NARROWEST_XTD_M, 0.9 * along)

    def _do_lines_separate(self, a: Position, b: Position) -> bool:
        if self.track is TrackKind.RHUMB:
            return False
        return _separation_nm(a, b) > _SEPARATION_NM

    def _choose_geometry(self, length_nm: float) -> LegGeometry:
        if self.track is TrackKind.RHUMB or length_nm < _GREAT_CIRCLE_NM:
            return LegGeometry.RHUMB
        return LegGeometry.GREAT_CIRCLE

    def _append(
        self,
        a: Position,
        b: Position,
        geometry: LegGeometry,
        xtd_m: float,
        name: str | None,
        depth_m: float | None,
        is_unproven: bool = False,
    ) -> None:
        length = leg_distance_nm(a, b, geometry)
        xtd_m = math.floor(10.0 * xtd_m) / 10.0
        self.legs.append(Leg(a, b, geometry, xtd_m, name, depth_m, length, is_unproven))


def name_narrows(ends: tuple[Position, Position], a: Position, b: Position) -> str:
    """Name the narrow water of a leg from a to b by the ends of its voyage."""
    for end in ends:
        if min(distance_nm(*end, *a), distance_nm(*end, *b)) < _HARBOUR_APPROACH_NM:
            return _HARBOUR_APPROACH
    return _COASTAL_WATERS


def measure_off_line_m(passage: Passage, a: Position, b: Position, geometry: LegGeometry) -> float:
    """Return the greatest distance of a leg from the centre line of its passage [m].

    It is 0 for a leg along the line, which has both ends on it.
    """
    least_m = _ON_THE_LINE_SHARE * passage.half_width_m
    if passage.distances_m(*np.array([a, b]).T).max() <= least_m:
        return 0.0
    off_m = float(passage.distances_m(*sample_leg(a, b, geometry, _OFF_LINE_STEP_NM)).max())
    return off_m if off_m > least_m else 0.0


def find_xtd_in_passage_m(passage: Passage, off_m: float, gap_m: float, coast_m: float) -> float:
    """Return the cross-track distance of a leg in a passage [m].

    On the centre line it is half the passage's width. A leg ``off_m`` away from it has less of
    that water on one side, but at least ``gap_m``, clear of coast and shoals. Neither has more
    than the distance to the coast, ``coast_m``, unless that is zero: the coastline data lack the
    channel.
    """
    half_width_m = passage.half_width_m
    inside_m = max(half_width_m - off_m, _NARROWEST_XTD_M) if off_m else half_width_m
    room_m = min(max(inside_m, gap_m), half_width_m)
    return min(room_m, max(coast_m, _NARROWEST_XTD_M)) if coast_m else room_m


def _separation_nm(a: Position, b: Position) -> float:
    """Return the distance between great circle and rhumb line at their middles [nm]."""
    great = _find_middle(a, b)
    lat, lng = on_rhumb(a.lat, a.lng, b.lat, wrap(b.lng - a.lng), 0.5)
    return float(distance_nm(*great, lat, lng))


def _find_middle(a: Position, b: Position) -> Position:
    return _find_between(a, b, 0.5)


def _find_between(a: Position, b: Position, share: float) -> Position:
    one, two = to_vector(*a), to_vector(*b)
    lat, lng = on_great_circle(one, two, angle_between(one, two), share)
    return Position(float(lat), float(wrap_longitude(float(lng))))
