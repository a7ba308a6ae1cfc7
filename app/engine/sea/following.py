"""Passages that follow one another, joined where they meet.

The sea graph joins two passages at points that they share, or by the open sea between points of
theirs. Fairways that meet at an angle, as of two ports on one bay, run on together beyond that
place: a path would follow one of them to its end and double back along the other.
"""

from typing import Final, NamedTuple, Self, TypeAlias

import numpy as np

from app.engine.arrays import Floats
from app.engine.constants import DEGREE_M, NAUTICAL_MILE_M
from app.engine.geodesy import great_circle_distance_nm, great_circle_steps_nm
from app.engine.geodesy.plane import project_on_segments
from app.engine.request import Position
from app.engine.sea.coast import is_land, segment_clearance_m
from app.engine.sea.leg_room import measure_leg_gap_m
from app.engine.sea.passages import Passage
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.sea.search.barriers import ANY_COSINE, is_barred
from app.engine.sea.search.chords import draw_chord, price_chord
from app.engine.sea.search.conditions import CoastData, Conditions
from app.engine.sea.string_pulling import NEAREST_M, Chain, find_runs
from app.engine.units import wrap_longitude

#: A passage, and the first and last points of a chain that follow it.
_Run: TypeAlias = tuple[int, int, int]

#: Distance between the places tried along a passage [nm].
_SPACING_NM: Final = 0.25
#: Least distance saved for which passages are joined at another place [nm].
_LEAST_SAVED_NM: Final = 0.05
#: Length of a track between passages in open water, over that of what it replaces, up to which a
#: ship on the latter would double back: the two passages meet at less than 60 degrees.
_DOUBLING_SHARE: Final = 0.5
#: Longest such track [nm]: ships of deep draught follow channels through wide, shallow bays.
_LONGEST_NM: Final = 5.0


class _Stretch(NamedTuple):
    """A stretch of a chain along a passage.

    ``lats``, ``lngs`` (n,) [deg], the latter without a jump; ``along_nm`` (n,) is the distance
    from its first point. Places on it are given in steps from there.
    """

    lats: Floats
    lngs: Floats
    along_nm: Floats

    @classmethod
    def of(cls, chain: Chain, first: int, last: int) -> Self:
        """Return the stretch of a chain between two of its points."""
        lats, lngs = chain.lats[first : last + 1], chain.lngs[first : last + 1]
        along_nm = np.concatenate([[0.0], np.cumsum(great_circle_steps_nm(lats, lngs))])
        return cls(lats, np.unwrap(lngs, period=360.0), along_nm)

    def list_places(self) -> Floats:
        """List places on the stretch, its points and more between them."""
        parts = np.ceil(np.diff(self.along_nm) / _SPACING_NM).astype(np.int64)
        steps = [n + np.arange(count) / count for n, count in enumerate(parts.tolist()) if count]
        return np.concatenate([*steps, [float(parts.size)]])

    def locate(self, places: Floats) -> tuple[Floats, Floats]:
        """Return the latitudes and longitudes of places [deg]."""
        points = np.arange(self.lats.size)
        return np.interp(places, points, self.lats), np.interp(places, points, self.lngs)

    def measure_nm(self, places: Floats) -> Floats:
        """Return the distances of places from the first point [nm]."""
        return np.asarray(np.interp(places, np.arange(self.lats.size), self.along_nm))

    def find_nearest(self, lats: Floats, lngs: Floats) -> Floats:
        """Find the places nearest to n others, (n,)."""
        x = np.asarray(wrap_longitude(self.lngs - lngs[:, None]))
        x *= np.cos(np.radians(lats))[:, None] * DEGREE_M
        gaps_m, shares = project_on_segments(x, (self.lats - lats[:, None]) * DEGREE_M)
        steps = gaps_m.argmin(axis=1)
        return np.asarray(steps + shares[np.arange(steps.size), steps])


def join_following(
    waters: CoastData, conditions: Conditions, passages: tuple[Passage, ...], chain: Chain
) -> Chain:
    """Join each passage of a chain to the next one by the shortest track between their lines.

    That track lies in the water of the two passages or, where they are near each other and the
    ship would double back otherwise, in clear, proven water. Lanes are joined at their points.
    """
    number = 0
    while len(runs := find_runs(chain.marks.tolist())) > number + 1:
        one, two = runs[number : number + 2]
        both = passages[one[0]], passages[two[0]]
        if one[0] != two[0] and all(passage.is_joined_beside for passage in both):
            joints = _Joints.between(chain, one, two)
            found = _find_joint(waters, conditions, both, joints)
            if found is not None:
                chain = joints.cut(chain, one, two, *found)
        number += 1
    return chain


class _Joints(NamedTuple):
    """Tracks from one stretch to another, the (k,) that may join them.

    ``leaves`` and ``joins`` (k,) are their ends, places on the stretches; ``begins`` and ``ends``
    (k, 2) those as latitude and longitude [deg]. ``direct_nm`` (k,) are their lengths, and
    ``along_nm`` (k,) those of what they replace.
    """

    leaves: Floats
    joins: Floats
    begins: Floats
    ends: Floats
    direct_nm: Floats
    along_nm: Floats

    @classmethod
    def between(cls, chain: Chain, one: _Run, two: _Run) -> Self:
        """List the joints of two runs of a chain: from each place to the nearest, and of points."""
        here, there = _Stretch.of(chain, *one[1:]), _Stretch.of(chain, *two[1:])
        leaves, joins = here.list_places(), there.list_places()
        points = np.meshgrid(np.arange(here.lats.size), np.arange(there.lats.size))
        leaves, joins = (
            np.concatenate([leaves, here.find_nearest(*there.locate(joins)), points[0].ravel()]),
            np.concatenate([there.find_nearest(*here.locate(leaves)), joins, points[1].ravel()]),
        )
        begins, ends = here.locate(leaves), there.locate(joins)
        left_nm = here.along_nm[-1] - here.measure_nm(leaves)
        between_nm = _Stretch.of(chain, one[2], two[1]).along_nm[-1]
        along_nm = left_nm + between_nm + there.measure_nm(joins)
        direct_nm = great_circle_distance_nm(*begins, *ends)
        return cls(leaves, joins, np.stack(begins, 1), np.stack(ends, 1), direct_nm, along_nm)

    def cut(
        self, chain: Chain, one: _Run, two: _Run, number: int, middle_share: float | None
    ) -> Chain:
        """Return a chain cut back to a joint, which has a middle where it lies in passages."""
        begin, end = self.begins[number], self.ends[number]
        last = one[1] + int(np.ceil(self.leaves[number]))
        first = two[1] + int(np.floor(self.joins[number])) + 1
        track, marks = [begin, end], [OPEN_SEA]
        if middle_share is not None:
            track.insert(1, begin + middle_share * (end - begin))
            marks = [one[0], two[0]]
        lats, lngs = np.array(track).T
        return Chain(
            np.concatenate([chain.lats[:last], lats, chain.lats[first:]]),
            np.concatenate([chain.lngs[:last], wrap_longitude(lngs), chain.lngs[first:]]),
            np.concatenate([chain.marks[:last], marks, chain.marks[first - 1 :]]).astype(np.int16),
        )


def _find_joint(
    waters: CoastData, conditions: Conditions, both: tuple[Passage, Passage], joints: _Joints
) -> tuple[int, float | None] | None:
    """Find the joint of two passages that saves most.

    Return its number and, if it lies in their water, the share of it in that of the first. None if
    there is no shorter one.
    """
    saved_nm = joints.along_nm - joints.direct_nm
    widths_m = [passage.half_width_m for passage in both]
    for number in np.argsort(-saved_nm, kind="stable").tolist():
        if saved_nm[number] < _LEAST_SAVED_NM:
            return None
        a, b = (Position(*each[number].tolist()) for each in (joints.begins, joints.ends))
        direct_nm, along_nm = float(joints.direct_nm[number]), float(joints.along_nm[number])
        if direct_nm * NAUTICAL_MILE_M <= sum(widths_m):
            if _is_free(waters, conditions, a, b):
                return number, widths_m[0] / sum(widths_m)
        elif direct_nm <= min(_DOUBLING_SHARE * along_nm, _LONGEST_NM) and _is_open(
            waters, conditions, a, b, along_nm
        ):
            return number, None
    return None


def _is_free(waters: CoastData, conditions: Conditions, a: Position, b: Position) -> bool:
    """Return whether a track in the water of passages crosses neither a shore nor a barrier."""
    barriers = conditions.segments, conditions.kinds, conditions.starts
    if is_barred(*barriers, *a, *b, False, ANY_COSINE):
        return False
    return bool(segment_clearance_m(waters.edges, waters.edge_starts, *a, *b, 1.0) > 0.0)


def _is_open(
    waters: CoastData, conditions: Conditions, a: Position, b: Position, limit: float
) -> bool:
    """Return whether a track between passages is clear, and costs less than a limit [nm]."""
    # the coastline data show some rivers as land, far from any shore
    if is_land(waters, *a) or price_chord(waters, conditions, draw_chord(*a, *b), limit) > limit:
        return False
    return measure_leg_gap_m(waters, conditions, a, b, NEAREST_M) >= NEAREST_M
