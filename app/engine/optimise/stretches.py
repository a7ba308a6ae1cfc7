"""A way in stages: open stretches, where a search may leave the line, and those that stay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.optimise.corridor import spread
from app.engine.optimise.navigable_water import SeaRoom
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.refinement import Problem
from app.engine.optimise.speeds import Aim, cut_stretches, given_hops
from app.engine.optimise.surface import EARTH, hops_along
from app.engine.optimise.windows import find_longest_wait_h, lay_waits_h
from app.engine.sailing.track import build_track
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg
from app.engine.units import wrap_longitude

Floats = NDArray[np.float64]

#: Open water shorter than this is sailed as it is [nm].
_SHORTEST_OPEN_NM: Final = 100.0


@dataclass(frozen=True)
class Stretch:
    """Part of a way: legs that stay as they are, or open water from the first to the last."""

    is_open: bool
    legs: tuple[Leg, ...]


@dataclass(frozen=True)
class Line:
    """The first line in stages, and the stretch that the way on from each is part of."""

    lats: Floats
    lngs: Floats
    stretch: NDArray[np.int64]
    stage_nm: float

    def points(self, number: int) -> slice:
        """The points of a stretch, those at both its ends among them."""
        edges = np.flatnonzero(self.stretch == number)
        return slice(int(edges[0]), int(edges[-1]) + 2)


def restage(
    track: tuple[Floats, Floats], line: Line, other: Line, stretches: Sequence[Stretch]
) -> tuple[Floats, Floats]:
    """Positions at the stages of another line of the same route, of a track at those of a line.

    They lie at the same shares of each open stretch; elsewhere they are those of the other line.
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
    """Shares of a line's length at the points of a part of it."""
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
    """Whether a leg may be moved: unproven water is left as it was, by the shortest way."""
    return leg.passage is None and not leg.is_unproven


def pose(
    stretches: Sequence[Stretch],
    passages: Mapping[str, Passage],
    room: SeaRoom,
    ocean: Ocean,
    aim: Aim,
    stage_nm: float,
) -> tuple[Line, Problem]:
    """The problem of a way, for no aim yet, and the line it starts from."""
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
        departs_h=aim.departs_h,
        speed_min_kn=aim.speed_min_kn,
        speed_max_kn=aim.speed_max_kn,
        fuel_price=1.0,
        hour_price=0.0,
        hour_worth=0.0,
        moves=moves,
        # waiting for weather is left to the search for speeds: amid open water there is a way about
        longest_wait_h=lay_waits_h(
            find_longest_wait_h(room, aim.departs_h),
            np.concatenate([part.in_passage for part in parts]),
        ),
        first_hop=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        hops=np.concatenate([part.hops for part in parts]),
        clear=room.clear,
        closed=room.closed if room.timed else None,
    )
    return line, problem


class _Part(NamedTuple):
    """A stretch in n stages: n + 1 positions, and of each stage how many hops are given to it and
    whether it ends in a passage; and those hops."""

    lats: Floats
    lngs: Floats
    hop_counts: NDArray[np.int64]
    in_passage: NDArray[np.bool_]
    hops: Floats


def _stage_open(stretch: Stretch, stage_nm: float) -> _Part:
    """Open water in stages, which no hops are given to."""
    points = [stretch.legs[0].start, *(leg.end for leg in stretch.legs)]
    lats, lngs = np.array(points).T
    lats, lngs = spread(EARTH, lats, lngs, stage_nm)
    none = np.zeros(lats.size - 1, dtype=np.int64)
    return _Part(lats, lngs, none, none > 0, np.empty((0, 7)))


def _stage_given(stretch: Stretch, passages: Mapping[str, Passage], stage_nm: float) -> _Part:
    """Legs that stay, in stages, and their segments as given hops."""
    track = build_track(stretch.legs, passages)
    edges = cut_stretches(track, stage_nm)
    unknown_m = np.full(track.distance_nm.shape, np.nan)
    return _Part(
        track.lats[edges],
        track.lngs[edges],
        np.diff(edges),
        track.in_passage[edges[1:] - 1],
        given_hops(track, unknown_m),
    )
