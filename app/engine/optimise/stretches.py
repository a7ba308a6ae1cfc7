"""A route divided into stages: open stretches, which a search may move, and prescribed ones."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Bools, Floats, Ints, split_columns
from app.engine.constants import EARTH_RADIUS_NM
from app.engine.optimise.corridor import place_nodes, resample_line
from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.refinement import Problem, find_clear_edges
from app.engine.optimise.search_objective import SearchObjective
from app.engine.optimise.speed_problem import split_at_intervals, tabulate_segments
from app.engine.optimise.surface import cumulative_nm, segment_lengths_nm
from app.engine.optimise.wide_resolution import REACH, SMOOTH_NM, choose_resolution
from app.engine.optimise.windows import build_wait_limits, compute_longest_area_wait_h
from app.engine.sailing.track import build_track
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg
from app.engine.units import wrap_longitude

#: Shortest open water that is searched [nm].
_SHORTEST_OPEN_NM: Final = 100.0
#: Longest approach that is prescribed at an end of open water [nm].
_APPROACH_NM: Final = 60.0
#: Stages at an end of open water that must be connected.
_END_STAGES: Final = 4


@dataclass(frozen=True)
class Stretch:
    """Part of a route: prescribed legs, or open water between the ends of its legs."""

    is_open: bool
    legs: tuple[Leg, ...]


@dataclass(frozen=True)
class StagedLine:
    """The line about which a route is first searched, divided into stages.

    ``lats`` and ``lngs``, shape (s,), are the stages; ``stretch``, shape (s - 1,), is the number
    of the stretch that follows each; ``stage_nm`` is the greatest length of a stage.
    """

    lats: Floats
    lngs: Floats
    stretch: Ints
    stage_nm: float

    def points(self, number: int) -> slice:
        """Return the stages of a stretch, both its ends included."""
        bounds = np.flatnonzero(self.stretch == number)
        return slice(int(bounds[0]), int(bounds[-1]) + 2)


def transfer_track(
    track: tuple[Floats, Floats], line: StagedLine, other: StagedLine, stretches: Sequence[Stretch]
) -> tuple[Floats, Floats]:
    """Return a track at the stages of one line at those of another line of the same route.

    In each open stretch it is interpolated at the same shares of length. Elsewhere it is the
    other line.
    """
    lats, lngs = other.lats.copy(), other.lngs.copy()
    for number, stretch in enumerate(stretches):
        if stretch.is_open:
            old, new = line.points(number), other.points(number)
            shares, at = (_length_shares(each) for each in ((line, old), (other, new)))
            lats[new] = np.interp(at, shares, track[0][old])
            unwrapped = np.unwrap(track[1][old], period=360.0)
            lngs[new] = wrap_longitude(np.interp(at, shares, unwrapped))
    return lats, lngs


def _length_shares(part: tuple[StagedLine, slice]) -> Floats:
    """Return the share of its length at each stage of a part of a line."""
    line, points = part
    lengths_nm = segment_lengths_nm(EARTH_RADIUS_NM, line.lats[points], line.lngs[points])
    so_far_nm = cumulative_nm(lengths_nm)
    return np.asarray(so_far_nm / so_far_nm[-1])


def list_stretches(legs: Sequence[Leg], water: NavigableWater, *, coarse: bool) -> list[Stretch]:
    """Split a route's legs into open and prescribed stretches, in order.

    A leg is open if it leads through no named passage and no unproven water. Prescribed are also
    the fewest legs at each end of open water without which no lattice begins or ends there, as at
    a port in a bay, and open water that is too short for a gain. ``coarse`` is for a coarse search.
    """
    stage_nm, resolution = choose_resolution(legs, coarse=coarse)
    connects = partial(_connects, water, resolution.offsets_nm(stage_nm))
    marked: list[tuple[bool, Leg]] = []
    # unproven water is crossed on the shortest route
    for is_open, run in groupby(legs, key=lambda leg: leg.passage is None and not leg.is_unproven):
        kept = tuple(run)
        first = last = len(kept)
        if is_open:
            first = _count_approach(kept, stage_nm, connects)
            last -= _count_approach(kept[first:], stage_nm, connects, at_end=True)
        marked += [(first <= number < last, leg) for number, leg in enumerate(kept)]
    runs = [
        (is_open, tuple(leg for _, leg in run)) for is_open, run in groupby(marked, itemgetter(0))
    ]
    return [
        Stretch(is_open and sum(leg.distance_nm for leg in run) >= _SHORTEST_OPEN_NM, run)
        for is_open, run in runs
    ]


def _count_approach(
    legs: Sequence[Leg],
    stage_nm: float,
    connects: Callable[[Floats, Bools], bool],
    *,
    at_end: bool = False,
) -> int:
    """Count the legs at the start of open water without which a lattice is connected there.

    ``at_end`` counts those at its end. 0 if no number of legs in an approach is enough.
    """
    order = slice(None, None, -1 if at_end else 1)
    points = [legs[0].start, *(leg.end for leg in legs)][order]
    approach_nm = np.cumsum([leg.distance_nm for leg in legs[order]])
    for count in range(1 + int((approach_nm < _APPROACH_NM).sum())):
        lats, lngs = split_columns(points[count:])
        line = np.stack(resample_line(EARTH_RADIUS_NM, lats, lngs, stage_nm))[:, : _END_STAGES + 1]
        is_movable = np.arange(line.shape[1]) > 0
        if connects(np.ascontiguousarray(line[:, order]), is_movable[order].copy()):
            return count
    return 0


def _connects(water: NavigableWater, offsets_nm: Floats, line: Floats, is_movable: Bools) -> bool:
    """Return whether a lattice around a line, shape (2, s), is connected."""
    rows = place_nodes(EARTH_RADIUS_NM, (line[0], line[1]), is_movable, offsets_nm, SMOOTH_NM)
    return bool(find_clear_edges(EARTH_RADIUS_NM, rows, is_movable, REACH, water.clear).any())


def build_problem(
    stretches: Sequence[Stretch],
    passages: Mapping[str, Passage],
    water: NavigableWater,
    ocean: Ocean,
    objective: SearchObjective,
    stage_nm: float,
) -> tuple[StagedLine, Problem]:
    """Build a route's first line and its problem."""
    parts = [
        _stage_open_water(stretch, stage_nm)
        if stretch.is_open
        else _stage_prescribed(stretch, passages, stage_nm)
        for stretch in stretches
    ]
    end = stretches[-1].legs[-1].end
    counts = np.concatenate([part.segment_counts for part in parts])
    edge_stretch = np.repeat(np.arange(len(parts)), [part.segment_counts.size for part in parts])
    straight = counts == 0
    is_movable = np.concatenate([[False], straight[:-1] & straight[1:], [False]])
    is_movable[1:-1] &= edge_stretch[:-1] == edge_stretch[1:]
    line = StagedLine(
        np.append(np.concatenate([part.lats[:-1] for part in parts]), end.lat),
        np.append(np.concatenate([part.lngs[:-1] for part in parts]), end.lng),
        edge_stretch,
        stage_nm,
    )
    area_wait_h = compute_longest_area_wait_h(water, objective.departs_h, line.lats, line.lngs)
    problem = Problem(
        medium=ocean,
        radius_nm=EARTH_RADIUS_NM,
        objective=objective,
        is_movable=is_movable,
        # waits for weather are left to the speed search: in open water the track can avoid it
        longest_wait_h=build_wait_limits(
            area_wait_h,
            area_wait_h if water.may_wait_at_start(line.lats[:2], line.lngs[:2]) else 0.0,
            np.concatenate([part.in_passage for part in parts]),
        ),
        first_segment=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        segments=np.concatenate([part.segments for part in parts]),
        clear=water.clear,
        closed=water.closed if water.timed else None,
    )
    return line, problem


class _StagedStretch(NamedTuple):
    """A stretch divided into n stages.

    Positions, shape (n + 1,); for each stage the number of its prescribed segments and whether it
    ends in a passage, shape (n,); and all segments, columns as ``Lattice.segments``.
    """

    lats: Floats
    lngs: Floats
    segment_counts: Ints
    in_passage: Bools
    segments: Floats


def _stage_open_water(stretch: Stretch, stage_nm: float) -> _StagedStretch:
    """Divide an open stretch into stages without prescribed segments."""
    points = [stretch.legs[0].start, *(leg.end for leg in stretch.legs)]
    lats, lngs = split_columns(points)
    lats, lngs = resample_line(EARTH_RADIUS_NM, lats, lngs, stage_nm)
    none = np.zeros(lats.size - 1, dtype=np.int64)
    return _StagedStretch(lats, lngs, none, none > 0, np.empty((0, 8)))


def _stage_prescribed(
    stretch: Stretch, passages: Mapping[str, Passage], stage_nm: float
) -> _StagedStretch:
    """Divide prescribed legs into stages, and those into the segments of their track."""
    track = build_track(stretch.legs, passages)
    bounds = split_at_intervals(track, stage_nm)
    unknown_m = np.full(track.distance_nm.shape, np.nan)
    return _StagedStretch(
        track.lats[bounds],
        track.lngs[bounds],
        np.diff(bounds),
        track.in_passage[bounds[1:] - 1],
        tabulate_segments(track, unknown_m),
    )
