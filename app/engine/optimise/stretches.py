"""A route in stages: open stretches, where a search may leave the line, and prescribed ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.corridor import resample_line
from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.refinement import Problem
from app.engine.optimise.search_objective import SearchObjective
from app.engine.optimise.speeds import given_hops, split_at_intervals
from app.engine.optimise.surface import EARTH, hops_along
from app.engine.optimise.windows import longest_wait_for_areas_h, make_wait_limits_h
from app.engine.sailing.track import build_track
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg
from app.engine.units import wrap_longitude

Floats = NDArray[np.float64]

#: Shortest open water that is searched [nm].
_SHORTEST_OPEN_NM: Final = 100.0


@dataclass(frozen=True)
class Stretch:
    """Part of a route: prescribed legs, or open water from the first leg to the last."""

    is_open: bool
    legs: tuple[Leg, ...]


@dataclass(frozen=True)
class Line:
    """The first line in stages, and the stretch that follows each stage."""

    lats: Floats
    lngs: Floats
    stretch: NDArray[np.int64]
    stage_nm: float

    def points(self, number: int) -> slice:
        """Return the points of a stretch, those at both its ends included."""
        bounds = np.flatnonzero(self.stretch == number)
        return slice(int(bounds[0]), int(bounds[-1]) + 2)


def restage(
    track: tuple[Floats, Floats], line: Line, other: Line, stretches: Sequence[Stretch]
) -> tuple[Floats, Floats]:
    """Move a track from the stages of one line to those of another of the same route.

    Its positions lie at the same shares of each open stretch; elsewhere they are those of the
    other line.
    """
    lats, lngs = other.lats.copy(), other.lngs.copy()
    for number, stretch in enumerate(stretches):
        if stretch.is_open:
            old, new = line.points(number), other.points(number)
            shares, at = (_shares(each) for each in ((line, old), (other, new)))
            lats[new] = np.interp(at, shares, track[0][old])
            unwrapped = np.unwrap(track[1][old], period=360.0)
            lngs[new] = wrap_longitude(np.interp(at, shares, unwrapped))
    return lats, lngs


def _shares(part: tuple[Line, slice]) -> Floats:
    """Return shares of a line's length at the points of a part of it."""
    line, points = part
    hops = np.empty((points.stop - points.start - 1, 3))
    hops_along(EARTH, line.lats[points], line.lngs[points], hops)
    so_far_nm = np.concatenate([[0.0], np.cumsum(hops[:, 0])])
    return np.asarray(so_far_nm / so_far_nm[-1])


def list_stretches(legs: Sequence[Leg]) -> list[Stretch]:
    """Split a route's legs into stretches of open water and others, in order.

    Legs are open that are clear by a mile to each side and lead through no named and no unproven
    waters; an open stretch too short to gain in stays as it is.
    """
    runs = [tuple(run) for _, run in groupby(legs, key=_is_open)]
    return [
        Stretch(_is_open(run[0]) and sum(leg.distance_nm for leg in run) >= _SHORTEST_OPEN_NM, run)
        for run in runs
    ]


def _is_open(leg: Leg) -> bool:
    """Return whether a leg may be moved: unproven water is crossed by the shortest route."""
    return leg.passage is None and not leg.is_unproven


def build_problem(
    stretches: Sequence[Stretch],
    passages: Mapping[str, Passage],
    water: NavigableWater,
    ocean: Ocean,
    objective: SearchObjective,
    stage_nm: float,
) -> tuple[Line, Problem]:
    """Build the problem of a route, without prices yet, and its first line."""
    parts = [
        _stage_open(stretch, stage_nm)
        if stretch.is_open
        else _stage_given(stretch, passages, stage_nm)
        for stretch in stretches
    ]
    end = stretches[-1].legs[-1].end
    counts = np.concatenate([part.hop_counts for part in parts])
    edge_stretch = np.repeat(np.arange(len(parts)), [part.hop_counts.size for part in parts])
    straight = counts == 0
    moves = np.concatenate([[False], straight[:-1] & straight[1:], [False]])
    moves[1:-1] &= edge_stretch[:-1] == edge_stretch[1:]
    line = Line(
        np.append(np.concatenate([part.lats[:-1] for part in parts]), end.lat),
        np.append(np.concatenate([part.lngs[:-1] for part in parts]), end.lng),
        edge_stretch,
        stage_nm,
    )
    problem = Problem(
        medium=ocean,
        radius_nm=EARTH,
        departs_h=objective.departs_h,
        speed_min_kn=objective.speed_min_kn,
        speed_max_kn=objective.speed_max_kn,
        fuel_price=1.0,
        hour_price=0.0,
        hour_value=0.0,
        moves=moves,
        # the search for speeds waits for weather: open water leaves room to sail around
        longest_wait_h=make_wait_limits_h(
            longest_wait_for_areas_h(water, objective.departs_h),
            np.concatenate([part.in_passage for part in parts]),
        ),
        first_hop=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        hops=np.concatenate([part.hops for part in parts]),
        clear=water.clear,
        closed=water.closed if water.timed else None,
    )
    return line, problem


class _Part(NamedTuple):
    """A stretch in n stages: n + 1 positions.

    Of each stage the number of its prescribed hops and whether it ends in a passage; and those
    hops.
    """

    lats: Floats
    lngs: Floats
    hop_counts: NDArray[np.int64]
    in_passage: NDArray[np.bool_]
    hops: Floats


def _stage_open(stretch: Stretch, stage_nm: float) -> _Part:
    """Cut open water into stages without prescribed hops."""
    points = [stretch.legs[0].start, *(leg.end for leg in stretch.legs)]
    lats, lngs = np.array(points).T
    lats, lngs = resample_line(EARTH, lats, lngs, stage_nm)
    none = np.zeros(lats.size - 1, dtype=np.int64)
    return _Part(lats, lngs, none, none > 0, np.empty((0, 7)))


def _stage_given(stretch: Stretch, passages: Mapping[str, Passage], stage_nm: float) -> _Part:
    """Cut prescribed legs into stages, with their segments as hops."""
    track = build_track(stretch.legs, passages)
    bounds = split_at_intervals(track, stage_nm)
    unknown_m = np.full(track.distance_nm.shape, np.nan)
    return _Part(
        track.lats[bounds],
        track.lngs[bounds],
        np.diff(bounds),
        track.in_passage[bounds[1:] - 1],
        given_hops(track, unknown_m),
    )
