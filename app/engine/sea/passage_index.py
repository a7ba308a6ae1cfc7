"""Spatial index of the passages' water, and crossings of lanes."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.constants import DEGREE_M
from app.engine.geodesy import great_circle_course_deg, leg_distance_nm, sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position
from app.engine.sea.gates import list_lane_lines
from app.engine.sea.passages import Passage
from app.engine.sea.path import SeaPath
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.sea.search.barriers import LEG_ANGLE_DEG
from app.engine.sea.string_pulling import find_crossings
from app.engine.units import direction_difference, wrap_longitude

#: Distance between the samples of a leg [nm].
_SAMPLE_NM: Final = 0.25
#: Distance between those at which crossings of lanes are measured [nm].
_LANE_SAMPLE_NM: Final = 5.0
#: Excess of an angle that is ignored [deg]: planned legs are tested in other steps.
_SLACK_DEG: Final = 1.0
#: Longest leg that can follow a passage [nm]; centre lines turn more often.
_LONGEST_NM: Final = 150.0


class LaneCrossing(NamedTuple):
    """A lane that a leg crosses, the angle between them [deg], and a place near the crossing."""

    lane: Passage
    angle_deg: float
    place: Position


@dataclass(frozen=True)
class PassageIndex:
    """Index of passages by the bounds of their water."""

    passages: tuple[Passage, ...]

    def find_followed(
        self,
        a: Position,
        b: Position,
        geometry: LegGeometry,
        name: str | None = None,
        likely: Collection[str] = (),
        too_small: Collection[str] = (),
    ) -> Passage | None:
        """Find the passage whose water contains a whole leg.

        Of several, as fairways may share water, it is the one with the name given, else one with
        a ``likely`` name, else one that is not among those ``too_small`` for the ship, as of two
        canals with a reach in common, else the widest.
        """
        near = self._contain(a) & self._contain(b)
        if not near.any() or leg_distance_nm(a, b, geometry) > _LONGEST_NM:
            return None
        lats, lngs = sample_leg(a, b, geometry, _SAMPLE_NM)
        followed = [
            passage
            for passage in (self.passages[n] for n in np.flatnonzero(near))
            if (passage.distances_m(lats, lngs) <= passage.half_width_m).all()
        ]
        return max(
            followed,
            key=lambda each: (
                each.name == name,
                each.name in likely,
                each.name not in too_small,
                each.half_width_m,
            ),
            default=None,
        )

    def find_containing(self, place: Position) -> list[int]:
        """Find the indices of the passages whose water contains a place."""
        return [
            n
            for n in np.flatnonzero(self._contain(place)).tolist()
            if self.passages[n].distance_m(*place) <= self.passages[n].half_width_m
        ]

    def mark_inside(self, number: int, lats: Floats, lngs: Floats) -> Bools:
        """Mark the places that the water of a passage contains, shape (n,)."""
        passage = self.passages[number]
        is_inside = _lie_within(self._bounds[number], lats, lngs)
        gaps_m = passage.distances_m(lats[is_inside], lngs[is_inside])
        is_inside[is_inside] = gaps_m <= passage.half_width_m
        return is_inside

    def mark_lane_legs(self, path: SeaPath) -> SeaPath:
        """Mark as legs of a lane those next to it that lie in its water.

        Between two points of a lane a path may leave the graph of passages for a line of its own.
        """
        marks = path.leg_passages.copy()
        lanes = [None if mark == OPEN_SEA else self.passages[mark] for mark in marks.tolist()]
        lngs = np.asarray(wrap_longitude(path.lngs))
        places = [Position(*place) for place in zip(path.lats.tolist(), lngs.tolist(), strict=True)]
        open_legs = np.flatnonzero(marks == OPEN_SEA).tolist()
        for n, other in (*((n, n - 1) for n in open_legs), *((n, n + 1) for n in open_legs[::-1])):
            lane = lanes[other] if 0 <= other < len(lanes) else None
            if lane is None or not lane.is_scheme_lane or lanes[n] is not None:
                continue
            leg = places[n], places[n + 1], LegGeometry.RHUMB
            if self.find_followed(*leg, lane.name) is lane:
                marks[n], lanes[n] = marks[other], lane
        return replace(path, leg_passages=marks)

    def find_crossed_against(
        self, a: Position, b: Position, geometry: LegGeometry
    ) -> list[LaneCrossing]:
        """Find the lanes that a leg crosses against their direction, as no planned leg does.

        A lane that the leg crosses several times is listed with the greatest angle.
        """
        lats, lngs = sample_leg(a, b, geometry, _LANE_SAMPLE_NM)
        lanes, lines = self._lanes
        steps = find_crossings(lats, lngs, lines)
        worst: dict[str, LaneCrossing] = {}
        for lane, line, step in zip(lanes, lines.tolist(), steps.tolist(), strict=True):
            if step < 0:
                continue
            before, after = (Position(float(lats[n]), float(lngs[n])) for n in (step, step + 1))
            lng0, lat0, lng1, lat1 = line
            along = great_circle_course_deg(lat0, lng0, lat1, lng1)
            course = great_circle_course_deg(*before, *after)
            angle_deg = float(np.abs(direction_difference(course, along)))
            if lane.id not in worst or angle_deg > worst[lane.id].angle_deg:
                worst[lane.id] = LaneCrossing(lane, angle_deg, before)
        return [each for each in worst.values() if each.angle_deg > LEG_ANGLE_DEG + _SLACK_DEG]

    @cached_property
    def _lanes(self) -> tuple[list[Passage], Floats]:
        """The centre lines of the lanes of schemes, (m, 4) lng, lat [deg], and the lane of each."""
        lanes = [passage for passage in self.passages if passage.is_scheme_lane]
        of_lines = [lane for lane in lanes for _ in pairwise(lane.centre_line)]
        return of_lines, list_lane_lines(lanes).centre

    @cached_property
    def _bounds(self) -> Floats:
        """South, north, middle longitude and half the width [deg], shape (n, 4)."""
        return np.array([_bound(passage) for passage in self.passages])

    def _contain(self, place: Position) -> Bools:
        """Mask of the passages whose bounds contain a place, shape (n,)."""
        return _lie_within(self._bounds.T, *place)


def _lie_within(bounds: Floats, lats: Floats | float, lngs: Floats | float) -> Bools:
    """Mark the places that lie within bounds, as of a passage; either may be several."""
    south, north, middle, span = bounds
    east = np.abs(wrap_longitude(lngs - middle))
    return np.asarray((south <= lats) & (lats <= north) & (east <= span))


def _bound(passage: Passage) -> tuple[float, float, float, float]:
    lats, lngs = np.array(passage.centre_line).T
    lngs = np.unwrap(lngs, period=360.0)
    reach = passage.half_width_m / DEGREE_M
    wide = reach / max(0.05, float(np.cos(np.radians(np.abs(lats).max()))))
    middle = 0.5 * (lngs.min() + lngs.max())
    return lats.min() - reach, lats.max() + reach, middle, 0.5 * np.ptp(lngs) + wide
