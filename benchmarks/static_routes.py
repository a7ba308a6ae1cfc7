"""Static routes compared with the lane-graph router searoute, on the same pairs of ports.

``python -m benchmarks.static_routes [--n N] [--seed SEED] [--rounds N]``

All pairs are routed in rounds, ours and the peer's in turn, before any route is checked, because a
check between two routes would change the caches. In the first round a process meets each sea for
the first time and maps the data. The figures are medians of the later rounds; those of the first
are printed too.
"""

import argparse
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import searoute
from shapely.geometry import LineString

from app.engine.arrays import Floats
from app.engine.errors import VoyageError
from app.engine.geodesy.longitudes import wrap
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import SeaPath
from benchmarks.atlas import SMALL_SHIP, open_atlas
from benchmarks.land_check import LandCheck, cut_at_antimeridian
from benchmarks.random_pairs import Port, draw_pairs
from benchmarks.report import print_result, print_table


class Timed(NamedTuple):
    """A pair routed by both: milliseconds, shape (2, 2), ours and the peer's by both clocks."""

    ms: Floats
    path: SeaPath
    track: list[Position]


class Row(NamedTuple):
    """A checked pair: milliseconds of the first round, and the median of the later ones."""

    start: Port
    end: Port
    first_ms: Floats
    again_ms: Floats
    on_land: int
    peer_on_land: int


def read_clocks() -> Floats:
    """Return wall time and processor time [ms]."""
    return np.array([time.perf_counter(), time.process_time()]) * 1e3


def time_ours(atlas: SeaAtlas, start: Port, end: Port) -> tuple[Floats, SeaPath] | None:
    """Return both times [ms] from positions to a pulled path, and the path; None if refused."""
    began = read_clocks()
    try:
        path = atlas.find_paths(start.position, end.position, ship=SMALL_SHIP, most=1)[0]
    except VoyageError:
        return None
    return read_clocks() - began, path


def time_peer(start: Port, end: Port) -> tuple[Floats, list[Position]]:
    """Return both times [ms] and the track of the peer, which uses lng, lat."""
    began = read_clocks()
    found = searoute.searoute(start.position[::-1], end.position[::-1])
    elapsed = read_clocks() - began
    return elapsed, [Position(lat, lng) for lng, lat in found["geometry"]["coordinates"]]


def count_on_land(check: LandCheck, track: Sequence[Position]) -> int:
    """Count straight pieces of a track on the map that cross land, except in passages."""
    count = 0
    for a, b in pairwise(track):
        lats = np.linspace(a.lat, b.lat, 9)
        lngs = np.linspace(a.lng, a.lng + wrap(b.lng - a.lng), 9)
        lngs = (lngs + 180.0) % 360.0 - 180.0
        lines: list[LineString] = cut_at_antimeridian(lats, lngs)
        count += bool(check.find_lines_on_land(lines).any())
    return count


def run_round(atlas: SeaAtlas, pairs: Sequence[tuple[Port, Port]]) -> list[Timed | None]:
    """Route every pair by both, one after the other; None where ours is refused."""
    done: list[Timed | None] = []
    for start, end in pairs:
        ours = time_ours(atlas, start, end)
        if ours is None:
            done.append(None)
            continue
        peer_ms, track = time_peer(start, end)
        done.append(Timed(np.stack([ours[0], peer_ms]), ours[1], track))
    return done


def report(rows: Sequence[Row]) -> None:
    """Print a line for each pair, and the overall figures."""
    print_table(
        ["from", "to", "ours ms", "peer ms", "on land", "peer on land"],
        [
            (
                row.start.name,
                row.end.name,
                f"{row.again_ms[0, 0]:.1f}",
                f"{row.again_ms[1, 0]:.1f}",
                row.on_land,
                row.peer_on_land,
            )
            for row in rows
        ],
    )
    first = np.median([row.first_ms for row in rows], axis=0)
    again = np.median([row.again_ms for row in rows], axis=0)
    print_result(
        {
            "pairs": len(rows),
            "median_ms": round(again[0, 0], 2),
            "peer_median_ms": round(again[1, 0], 2),
            "ratio": round(again[0, 0] / again[1, 0], 3),
            "median_cpu_ms": round(again[0, 1], 2),
            "peer_median_cpu_ms": round(again[1, 1], 2),
            "first_median_ms": round(first[0, 0], 2),
            "first_ratio": round(first[0, 0] / first[1, 0], 3),
            "legs_on_land": sum(row.on_land for row in rows),
            "peer_legs_on_land": sum(row.peer_on_land for row in rows),
        }
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Route, check and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=3, help="rounds after the first")
    options = parser.parse_args(arguments)
    atlas = open_atlas()
    check = LandCheck(atlas.passages)
    pairs = draw_pairs(options.n, options.seed)
    time_peer(*pairs[0])
    timed = [run_round(atlas, pairs) for _ in range(1 + options.rounds)]
    rows = []
    for n, (start, end) in enumerate(pairs):
        found = timed[0][n]
        if found is not None:
            legs = atlas.build_legs(found.path, TrackKind.GREAT_CIRCLE)
            on_land = int(check.find_legs_on_land(legs).sum())
            again = [done[n].ms for done in timed[1:] if done[n] is not None]
            peer_on_land = count_on_land(check, found.track)
            again_ms = np.median(again, axis=0)
            rows.append(Row(start, end, found.ms, again_ms, on_land, peer_on_land))
    report(rows)


if __name__ == "__main__":
    main()
