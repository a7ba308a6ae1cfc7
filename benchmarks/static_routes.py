"""Static routes beside the installed lane-graph router, on the same pairs of ports.

``python -m benchmarks.static_routes [--n N] [--seed SEED]``
"""

import argparse
import time
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import searoute
from numpy.typing import NDArray
from shapely.geometry import LineString

from app.engine.errors import VoyageError
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import SeaPath
from app.engine.voyage import Position, TrackKind
from benchmarks.atlas import SMALL_SHIP, open_atlas
from benchmarks.land_check import LandCheck, cut_at_antimeridian
from benchmarks.random_pairs import Port, load_ports
from benchmarks.report import print_result, print_table


def read_clocks() -> NDArray[np.float64]:
    """Milliseconds by the clock on the wall, and of processor time."""
    return np.array([time.perf_counter(), time.process_time()]) * 1e3


def time_ours(
    atlas: SeaAtlas, start: Port, end: Port
) -> tuple[NDArray[np.float64], SeaPath] | None:
    """Both clocks' milliseconds from positions to a taut path, and the path; None when refused."""
    began = read_clocks()
    try:
        path = atlas.find_paths(start.position, end.position, ship=SMALL_SHIP, most=1)[0]
    except VoyageError:
        return None
    return read_clocks() - began, path


def time_peer(start: Port, end: Port) -> tuple[NDArray[np.float64], list[Position]]:
    """Both clocks' milliseconds and the track of the peer, which takes and gives lng, lat."""
    began = read_clocks()
    found = searoute.searoute(start.position[::-1], end.position[::-1])
    elapsed = read_clocks() - began
    return elapsed, [Position(lat, lng) for lng, lat in found["geometry"]["coordinates"]]


def count_on_land(check: LandCheck, track: Sequence[Position]) -> int:
    """Straight pieces of a track on the map that cross land, passages excepted."""
    count = 0
    for a, b in pairwise(track):
        lats = np.linspace(a.lat, b.lat, 9)
        lngs = (np.linspace(a.lng, b.lng, 9) + 180.0) % 360.0 - 180.0
        lines: list[LineString] = cut_at_antimeridian(lats, lngs)
        count += bool(check.find_lines_on_land(lines).any())
    return count


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    atlas = open_atlas()
    check = LandCheck(atlas.passages)
    ports = load_ports()
    chosen = np.random.default_rng(options.seed).integers(0, len(ports), (options.n, 2))
    time_peer(ports[0], ports[1])
    rows = []
    for a, b in chosen:
        ours = time_ours(atlas, ports[a], ports[b])
        if ours is None or a == b:
            continue
        peer = time_peer(ports[a], ports[b])
        legs = atlas.lay_legs(ours[1], TrackKind.GREAT_CIRCLE)
        dry = int(check.find_legs_on_land(legs).sum()), count_on_land(check, peer[1])
        rows.append((ports[a].name, ports[b].name, ours[0], peer[0], *dry))
    print_table(
        ["from", "to", "ours ms", "peer ms", "on land", "peer on land"],
        [(*row[:2], f"{row[2][0]:.1f}", f"{row[3][0]:.1f}", *row[4:]) for row in rows],
    )
    (mine, mine_cpu), (theirs, theirs_cpu) = (
        np.median([row[i] for row in rows], axis=0).tolist() for i in (2, 3)
    )
    print_result(
        {
            "pairs": len(rows),
            "median_ms": round(mine, 2),
            "peer_median_ms": round(theirs, 2),
            "ratio": round(mine / theirs, 3),
            "median_cpu_ms": round(mine_cpu, 2),
            "peer_median_cpu_ms": round(theirs_cpu, 2),
            "legs_on_land": sum(row[4] for row in rows),
            "peer_legs_on_land": sum(row[5] for row in rows),
        }
    )


if __name__ == "__main__":
    main()
