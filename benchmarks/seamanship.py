"""Random voyages of three ships, judged as a master would: water, gates and keel.

``python -m benchmarks.seamanship [--n N] [--seed SEED] [--dump FILE]``

Each of N draws is a voyage of each ship between two ports that take her by the World Port
Index. Routes are searched, not optimised. Ships that no way fits are refused, and counted.
"""

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from shapely import STRtree
from shapely.geometry import LineString

from app.engine.errors import VoyageError
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import Leg, SeaPath, ShipSize
from app.engine.search.sphere import distance_nm
from app.engine.voyage import Position, TrackKind
from benchmarks.atlas import open_atlas
from benchmarks.land_check import draw_leg
from benchmarks.random_pairs import Port, find_port_index
from benchmarks.report import print_result, print_table

#: A coaster, a handymax and a laden very large crude carrier, with two metres and a half of
#: squat and margin for the largest.
SHIPS: Final = {
    "coaster": ShipSize(draft_m=5.0, breadth_m=13.5, loa_m=90.0, required_depth_m=6.0),
    "handymax": ShipSize(draft_m=10.5, breadth_m=32.2, loa_m=190.0, required_depth_m=12.0),
    "vlcc": ShipSize(draft_m=21.0, breadth_m=60.0, loa_m=333.0, required_depth_m=23.5),
}
#: Unproven water is looked for beyond this distance from both ends [nm].
ENDS_NM: Final = 25.0
NARROWS: Final = Path("tests/data/narrow_waters.json")
_DEPTH_COLUMNS: Final = (
    "Channel Depth (m)",
    "Cargo Pier Depth (m)",
    "Oil Terminal Depth (m)",
    "Liquified Natural Gas Terminal Depth (m)",
    "Maximum Vessel Draft (m)",
    "Offshore Maximum Vessel Draft (m)",
)


class Narrow(NamedTuple):
    """A shallow or narrow water, a line across it, and the deepest ship that takes it [m]."""

    name: str
    line: LineString
    max_draft_m: float


class Result(NamedTuple):
    """One voyage: its path and legs, or the error that refused it."""

    ship: str
    start: Port
    end: Port
    refused: str | None
    detail: str
    path: SeaPath | None = None
    legs: tuple[Leg, ...] = ()
    shortest_nm: float = np.nan


def load_ports(least_m: float) -> list[Port]:
    """Ports of the index where some channel, pier or mooring has that depth [m]."""
    with find_port_index().open(encoding="utf-8-sig", newline="") as file:
        return [
            Port(row["Main Port Name"], Position(float(row["Latitude"]), float(row["Longitude"])))
            for row in csv.DictReader(file)
            if max(float(row[name] or 0.0) for name in _DEPTH_COLUMNS) >= least_m
        ]


def load_narrows() -> list[Narrow]:
    """The list of shallow and narrow waters that routes are held against."""
    return [
        Narrow(each["name"], LineString(each["line"]), each["max_draft_m"])
        for each in json.loads(NARROWS.read_text())["waters"]
    ]


def draw_voyages(count: int, seed: int) -> Iterator[tuple[str, Port, Port]]:
    """Ships and pairs of ports that take them."""
    random = np.random.default_rng(seed)
    ports = {name: load_ports(ship.draft_m) for name, ship in SHIPS.items()}
    for _ in range(count):
        for name, known in ports.items():
            a, b = random.choice(len(known), 2, replace=False)
            yield name, known[a], known[b]


def route(atlas: SeaAtlas, name: str, start: Port, end: Port) -> Result:
    """One voyage routed, or the error that refused it."""
    try:
        path = atlas.find_paths(start.position, end.position, ship=SHIPS[name], most=1)[0]
    except VoyageError as error:
        return Result(name, start, end, error.code, error.detail)
    legs = atlas.lay_legs(path, TrackKind.GREAT_CIRCLE)
    shortest = measure_shortest(atlas, start, end)
    return Result(name, start, end, None, "", path, legs, shortest)


def measure_shortest(atlas: SeaAtlas, start: Port, end: Port) -> float:
    """Length of a small craft's way, which all water is open to; nan where it has none [nm]."""
    cork = ShipSize(draft_m=0.0, breadth_m=0.0, loa_m=0.0)
    try:
        return atlas.find_paths(start.position, end.position, ship=cork, most=1)[0].distance_nm
    except VoyageError:
        return np.nan


def list_unproven_beyond(result: Result) -> list[Leg]:
    """Unproven legs that lie farther from both ends than is allowed."""
    ends = result.legs[0].start, result.legs[-1].end
    return [
        leg
        for leg in result.legs
        if leg.is_unproven
        and min(distance_nm(*end, *point) for end in ends for point in (leg.start, leg.end))
        > ENDS_NM
    ]


def find_broken_gates(result: Result, narrows: Sequence[Narrow], tree: STRtree) -> list[str]:
    """Names of narrow waters that a ship crosses which doesn't fit."""
    lines = [line for leg in result.legs for line in draw_leg(leg, leg.geometry)]
    _, hit = tree.query(lines, predicate="intersects")
    draft = SHIPS[result.ship].draft_m
    return [narrows[i].name for i in np.unique(hit) if draft > narrows[i].max_draft_m]


def count_broken_rules(result: Result, rules: dict[str, float]) -> int:
    """Passages with a rule of clearance that the ship cannot keep, even at rest."""
    used = {leg.passage for leg in result.legs}
    return sum(name in used and SHIPS[result.ship].draft_m > rules[name] for name in rules)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--dump", type=Path, help="write every voyage's findings as JSON")
    options = parser.parse_args(arguments)
    atlas = open_atlas()
    results = [route(atlas, *voyage) for voyage in draw_voyages(options.n, options.seed)]
    rules = {p.name: float(p.deepest_draft_m or 0.0) for p in atlas.passages if p.min_ukc_m}
    report(results, rules, options.dump)


def report(results: Sequence[Result], rules: dict[str, float], dump: Path | None) -> None:
    """Every fault in a line, then the figures of all."""
    narrows = load_narrows()
    tree = STRtree([narrow.line for narrow in narrows])
    routed = [result for result in results if result.path is not None]
    unproven = {n: list_unproven_beyond(result) for n, result in enumerate(routed)}
    gates = {n: find_broken_gates(result, narrows, tree) for n, result in enumerate(routed)}
    detours = [100.0 * (r.path.distance_nm / r.shortest_nm - 1.0) for r in routed if r.path]
    print_table(
        ["ship", "from", "to", "unproven beyond the ends", "gates broken"],
        [
            (
                result.ship,
                result.start.name,
                result.end.name,
                " ".join(f"{leg.start.lat:.2f},{leg.start.lng:.2f}" for leg in unproven[n][:4]),
                ", ".join(gates[n]),
            )
            for n, result in enumerate(routed)
            if unproven[n] or gates[n]
        ],
    )
    if dump:
        dump.write_text(json.dumps([_record(r, d) for r, d in zip(routed, detours, strict=True)]))
    refused = Counter(f"{r.ship} {r.refused}" for r in results if r.refused)
    print_table(["refused", "voyages"], sorted(refused.items()))
    print_result(
        {
            "voyages": len(results),
            "refused": len(results) - len(routed),
            "unproven_nm_beyond_ends": round(
                sum(leg.distance_nm for legs in unproven.values() for leg in legs), 1
            ),
            "gates_broken": sum(map(len, gates.values())),
            "ukc_rules_broken": sum(count_broken_rules(r, rules) for r in routed),
            "median_detour_pct": round(float(np.nanmedian(detours)), 3),
        }
    )


def _record(result: Result, detour_pct: float) -> dict[str, Any]:
    return {
        "ship": result.ship,
        "from": [result.start.name, *result.start.position],
        "to": [result.end.name, *result.end.position],
        "detour_pct": detour_pct,
        "unproven_nm": sum(leg.distance_nm for leg in result.legs if leg.is_unproven),
        "track": [list(leg.start) for leg in result.legs],
    }


if __name__ == "__main__":
    main()
