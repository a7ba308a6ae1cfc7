"""A track: legs divided into short segments for the simulation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Final

import numpy as np

from app.engine.arrays import Bools, Floats, Ints
from app.engine.geodesy import great_circle_steps_nm, rhumb_courses_along, sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.request import Position
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg
from app.engine.units import direction_difference, wrap_longitude

#: Longest segment [nm]: short enough that no maximum of waves or wind lies unseen between its ends,
#: since wave fields have a resolution of 0.25 deg, 15 nm, at best.
LONGEST_SEGMENT_NM: Final = 5.0
#: Part of a segment within which a place is a point of the track: about a metre.
_AT_POINT: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Track:
    """A track of n segments between n + 1 points.

    Points, shape (n + 1,), have ``lats`` and ``lngs`` [deg] and the distance from the start,
    ``cumulative_nm``. Segments, shape (n,), have the number of their ``leg``, ``distance_nm``,
    ``course_deg``, the position of their middle, the highest speed allowed ``speed_cap_kn``
    (infinite if not limited), the customary wait before them ``wait_h``, and whether they lead
    through a passage, on inland waters or through ice.
    """

    lats: Floats
    lngs: Floats
    cumulative_nm: Floats
    leg: Ints
    distance_nm: Floats
    course_deg: Floats
    middle_lats: Floats
    middle_lngs: Floats
    speed_cap_kn: Floats
    wait_h: Floats
    in_passage: Bools
    is_inland: Bools
    in_ice: Bools

    @property
    def length_nm(self) -> float:
        """Length of the whole track [nm]."""
        return float(self.cumulative_nm[-1])

    @property
    def points_inland(self) -> Bools:
        """Mask of the points on inland waters, shape (n + 1,); those at their mouths are not."""
        return np.asarray(np.append(True, self.is_inland) & np.append(self.is_inland, True))

    def position(self, point: int) -> Position:
        """Return the position of a point of the track."""
        return Position(float(self.lats[point]), float(self.lngs[point]))

    def sample_segments(self, count: int) -> tuple[Floats, Floats]:
        """Return latitudes and longitudes along each segment [deg], two of shape (n, count).

        Longitudes are continuous across the antimeridian, so they may exceed 180.
        """
        share = np.linspace(0.0, 1.0, count)
        eastward = np.asarray(direction_difference(self.lngs[1:], self.lngs[:-1]))
        lats = self.lats[:-1, None] + share * np.diff(self.lats)[:, None]
        return lats, self.lngs[:-1, None] + share * eastward[:, None]

    def split(self, places: Floats) -> "Track":
        """Return the track with points added, in segments from its start: 2.5 halves the third.

        ``places`` are ordered; those at points of the track, within a metre, add none.
        """
        points = np.arange(self.lats.size)
        places = places[np.abs(places - np.round(places)) > _AT_POINT]
        at = np.insert(points.astype(np.float64), np.ceil(places).astype(np.int64), places)
        of, share = at[:-1].astype(np.int64), np.diff(at)
        lats, lngs = self._interpolate(at)
        middle_lats, middle_lngs = self._interpolate((at[:-1] + at[1:]) / 2.0)
        return Track(
            lats=lats,
            lngs=lngs,
            cumulative_nm=np.interp(at, points, self.cumulative_nm),
            leg=self.leg[of],
            distance_nm=self.distance_nm[of] * share,
            course_deg=self.course_deg[of],
            middle_lats=middle_lats,
            middle_lngs=middle_lngs,
            speed_cap_kn=self.speed_cap_kn[of],
            wait_h=np.where(at[:-1] == of, self.wait_h[of], 0.0),
            in_passage=self.in_passage[of],
            is_inland=self.is_inland[of],
            in_ice=self.in_ice[of],
        )

    def _interpolate(self, places: Floats) -> tuple[Floats, Floats]:
        """Return latitudes and longitudes at places in segments from the start [deg]."""
        of = np.minimum(places.astype(np.int64), self.distance_nm.size - 1)
        share = places - of
        eastward = np.asarray(direction_difference(self.lngs[of + 1], self.lngs[of]))
        lats = self.lats[of] + share * (self.lats[of + 1] - self.lats[of])
        return lats, np.asarray(wrap_longitude(self.lngs[of] + share * eastward))


def build_track(legs: Sequence[Leg], passages: Mapping[str, Passage]) -> Track:
    """Divide every leg along its own line into segments of at most 5 nm.

    ``passages`` are the passages by name, from which speed limits and waits are taken.
    """
    samples = [_sample(leg.start, leg.end, leg.geometry) for leg in legs]
    lats = np.concatenate([samples[0][0][:1], *(s[0][1:] for s in samples)])
    lngs = np.concatenate([samples[0][1][:1], *(s[1][1:] for s in samples)])
    counts = np.array([len(s[0]) - 1 for s in samples])
    through = [None if leg.passage is None else passages.get(leg.passage) for leg in legs]
    distance_nm = great_circle_steps_nm(lats, lngs)
    eastward = np.asarray(direction_difference(lngs[1:], lngs[:-1]))
    return Track(
        lats=lats,
        lngs=lngs,
        cumulative_nm=np.concatenate([[0.0], np.cumsum(distance_nm)]),
        leg=np.repeat(np.arange(len(legs)), counts),
        distance_nm=distance_nm,
        course_deg=rhumb_courses_along(lats, lngs),
        middle_lats=(lats[:-1] + lats[1:]) / 2.0,
        middle_lngs=np.asarray(wrap_longitude(lngs[:-1] + eastward / 2.0)),
        speed_cap_kn=np.repeat([_speed_cap_kn(passage) for passage in through], counts),
        wait_h=_passage_waits_h(through, counts, lats, lngs),
        in_passage=np.repeat([leg.passage is not None for leg in legs], counts),
        is_inland=np.repeat([leg.is_inland for leg in legs], counts),
        in_ice=np.zeros(int(counts.sum()), dtype=np.bool_),
    )


@lru_cache(maxsize=4096)
def _sample(start: Position, end: Position, geometry: LegGeometry) -> tuple[Floats, Floats]:
    """Divide a leg into segments; cached, because routes of a planning share most of their legs."""
    lats, lngs = sample_leg(start, end, geometry, LONGEST_SEGMENT_NM)
    lats.flags.writeable = lngs.flags.writeable = False
    return lats, lngs


def _speed_cap_kn(passage: Passage | None) -> float:
    prescribed = passage.speed_kn if passage else None
    return inf if prescribed is None else prescribed


def _passage_waits_h(
    through: Sequence[Passage | None], counts: Ints, lats: Floats, lngs: Floats
) -> Floats:
    """Return the usual wait before each segment [h], at each passage's first segment only."""
    waits = np.zeros(int(counts.sum()))
    waited_for = {each.id: each for each in through if each is not None and each.waiting_h}
    for passage in waited_for.values():
        is_in = np.repeat([each is not None and each.id == passage.id for each in through], counts)
        segments = np.flatnonzero(is_in)
        points = np.append(segments, segments[-1] + 1)
        waits[segments[0]] = passage.wait_along_h(lats[points], lngs[points])
    return waits
