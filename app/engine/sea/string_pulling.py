"""String pulling of a chain of nodes, and its crossings of gates."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Bools, Floats, Ints
from app.engine.compiled import njit
from app.engine.constants import EARTH_RADIUS_NM
from app.engine.sea.approach import Approach
from app.engine.sea.search.astar import OPEN_SEA, SeaGraph
from app.engine.sea.search.barriers import do_segments_touch
from app.engine.sea.search.chords import is_chord_clear
from app.engine.sea.search.conditions import CoastData, Conditions
from app.engine.sea.search.pull import cut_corners, relax, string_pull
from app.engine.sea.search.sphere import angle_between, distance_nm, on_great_circle, to_vector
from app.engine.sea.shoals import SHOAL_MARGIN_CELLS, is_shoal

#: Greatest length of a chain whose points move in both directions [nm]. On long voyages the
#: corners near harbours matter less, and the optimiser moves the rest of the track.
_SHORT_NM: Final = 500.0
#: Least distance to the coast after string pulling [m], in harbours too.
NEAREST_M: Final = 60.0
_RELAX_ROUNDS: Final = 3
#: Most rounds of cutting corners.
_CUT_ROUNDS: Final = 6
_GATE_STEP_NM: Final = 60.0


@dataclass(frozen=True)
class Chain:
    """A chain of points with, for each step between them, its passage or OPEN_SEA."""

    lats: Floats
    lngs: Floats
    marks: NDArray[np.int16]

    @property
    def points(self) -> list[tuple[float, float]]:
        """Latitude and longitude of each point [deg]."""
        return list(zip(self.lats.tolist(), self.lngs.tolist(), strict=True))

    @property
    def length_nm(self) -> float:
        """Length along the points [nm]."""
        return sum(float(distance_nm(*a, *b)) for a, b in pairwise(self.points))


def assemble_chain(
    graph: SeaGraph,
    start: Approach,
    end: Approach,
    nodes: NDArray[np.int32],
    edges: Ints,
) -> Chain:
    """Join the approach from the departure, the path through the graph and that to the arrival."""
    out_lats, out_lngs = start.path_to(nodes[0])
    in_lats, in_lngs = end.path_to(nodes[-1])
    sea_lats, sea_lngs = graph.lats[nodes], graph.lngs[nodes]
    return Chain(
        np.concatenate([out_lats[:-1], sea_lats, in_lats[-2::-1]]),
        np.concatenate([out_lngs[:-1], sea_lngs, in_lngs[-2::-1]]),
        np.concatenate(
            [
                _mark_steps(start, int(nodes[0]), out_lats.size - 1),
                graph.passages[edges],
                _mark_steps(end, int(nodes[-1]), in_lats.size - 1)[::-1],
            ]
        ),
    )


def _mark_steps(approach: Approach, node: int, count: int) -> NDArray[np.int16]:
    """Return the passage, or OPEN_SEA, of each step of an approach's path to a node."""
    marks = np.full(count, OPEN_SEA, dtype=np.int16)
    marks[-2:] = approach.passages.get(node, OPEN_SEA)
    return marks


def pull_chain(waters: CoastData, conditions: Conditions, chain: Chain) -> Chain:
    """Apply string pulling to the open-sea stretches; centre lines of passages are unchanged.

    Stretches of unproven water are pulled separately, so that no more of it is crossed.
    """
    lats: list[Floats] = []
    lngs: list[Floats] = []
    marks: list[NDArray[np.int16]] = []
    unproven = find_unproven(waters, conditions, chain)
    is_short = chain.length_nm < _SHORT_NM
    sort = np.where(chain.marks != OPEN_SEA, 2, unproven)
    cuts = np.flatnonzero(np.diff(sort)) + 1
    for a, b in zip([0, *cuts], [*cuts, chain.marks.size], strict=True):
        lat, lng = chain.lats[a : b + 1], chain.lngs[a : b + 1]
        mark = chain.marks[a:b]
        if mark.size and mark[0] == OPEN_SEA:
            free = waters.trust() if unproven[a] else waters
            lat, lng = _pull(free, conditions, lat, lng, is_short)
            mark = np.full(lat.size - 1, OPEN_SEA, dtype=np.int16)
        lats.append(lat[:-1])
        lngs.append(lng[:-1])
        marks.append(mark)
    return Chain(
        np.concatenate([*lats, chain.lats[-1:]]),
        np.concatenate([*lngs, chain.lngs[-1:]]),
        np.concatenate(marks),
    )


def find_unproven(waters: CoastData, conditions: Conditions, chain: Chain) -> Bools:
    """Mask of the steps of a chain, (n,), that cross or come near water unproven for the ship.

    Edges of the sea graph are straight in degrees; steps pulled before, which may be thousands of
    miles long, are great circles.
    """
    found = np.zeros(chain.marks.size, dtype=np.bool_)
    _find_unproven(waters, conditions, chain.lats, chain.lngs, found)
    return np.asarray(found & (chain.marks == OPEN_SEA), dtype=np.bool_)


@njit(cache=True)
def _find_unproven(waters, conditions, lats, lngs, found):  # type: ignore[no-untyped-def]
    shoals, need = (waters.shoals, waters.shoal_blocks), conditions.depth_steps
    for i in range(found.size):
        ends = lats[i], lngs[i], lats[i + 1], lngs[i + 1]
        found[i] = is_shoal(*shoals, *ends, SHOAL_MARGIN_CELLS, need) and not is_chord_clear(
            waters, conditions, *ends, NEAREST_M
        )


def _pull(
    waters: CoastData,
    conditions: Conditions,
    lats: Floats,
    lngs: Floats,
    is_short: bool,
) -> tuple[Floats, Floats]:
    lats, lngs = _skip_and_relax(waters, conditions, lats, lngs, is_short)
    for _ in range(_CUT_ROUNDS):
        cut_lats, cut_lngs = cut_corners(waters, conditions, lats, lngs, NEAREST_M)
        if cut_lats.size == lats.size:
            break
        lats, lngs = _skip_and_relax(waters, conditions, cut_lats, cut_lngs, is_short)
    return lats, lngs


def _skip_and_relax(
    waters: CoastData, conditions: Conditions, lats: Floats, lngs: Floats, is_short: bool
) -> tuple[Floats, Floats]:
    keep = string_pull(waters, conditions, lats, lngs, NEAREST_M)
    lats, lngs = lats[keep].copy(), lngs[keep].copy()
    relax(waters, conditions, lats, lngs, NEAREST_M, _RELAX_ROUNDS, is_short)
    keep = string_pull(waters, conditions, lats, lngs, NEAREST_M)
    return lats[keep], lngs[keep]


def find_crossings(lats: Floats, lngs: Floats, gates: Floats) -> Ints:
    """Find for each gate, (m, 4) lng, lat [deg], the first step that crosses it, or -1."""
    return np.asarray(_find_crossings(lats, lngs, gates), dtype=np.int64)


@njit(cache=True)
def _find_crossings(lats, lngs, gates):  # type: ignore[no-untyped-def]
    found = np.full(gates.shape[0], -1, dtype=np.int64)
    # a step begins at the very numbers at which the one before ends, so that none passes a gate
    # between the two
    y0 = lats[0]
    x0 = lngs[0]
    for i in range(lats.size - 1):
        a = to_vector(lats[i], lngs[i])
        b = to_vector(lats[i + 1], lngs[i + 1])
        angle = angle_between(a, b)
        steps = max(1, int(angle * EARTH_RADIUS_NM / _GATE_STEP_NM))
        for s in range(steps):
            y1, x1 = on_great_circle(a, b, angle, (s + 1.0) / steps)
            x1 = x0 + (x1 - x0 + 180.0) % 360.0 - 180.0
            for g in range(gates.shape[0]):
                # most gates lie north or south of the step, and NaN compares false
                if not (
                    min(gates[g, 1], gates[g, 3]) <= max(y0, y1)
                    and max(gates[g, 1], gates[g, 3]) >= min(y0, y1)
                    and found[g] < 0
                ):
                    continue
                shift = 360.0 * np.round((x0 - gates[g, 0]) / 360.0)
                if do_segments_touch(
                    x0,
                    y0,
                    x1,
                    y1,
                    gates[g, 0] + shift,
                    gates[g, 1],
                    gates[g, 2] + shift,
                    gates[g, 3],
                ):
                    found[g] = i
            y0 = y1
            x0 = x1
    return found


def find_runs(marks: Sequence[int]) -> list[tuple[int, int, int]]:
    """Find runs of steps along one passage as (passage, first vertex, last vertex)."""
    runs: list[tuple[int, int, int]] = []
    for i, mark in enumerate(marks):
        if mark == OPEN_SEA:
            continue
        if runs and runs[-1][0] == mark and runs[-1][2] == i:
            runs[-1] = (mark, runs[-1][1], i + 1)
        else:
            runs.append((mark, i, i + 1))
    return runs
