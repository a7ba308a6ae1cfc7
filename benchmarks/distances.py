"""Distances between ports compared with published tables.

``python -m benchmarks.distances [--cases FILE]``
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.engine.errors import VoyageError
from app.engine.request import Position, TrackKind
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import SeaPath
from benchmarks.atlas import SMALL_SHIP, open_atlas
from benchmarks.land_check import LandCheck
from benchmarks.report import print_result, print_table

CASES = Path("tests/data/published_distances.json")
LONG_NM = 1500.0


def choose_path(atlas: SeaAtlas, case: dict[str, Any]) -> SeaPath:
    """Return the cheapest path with the passages the table names, and none it excludes."""
    departure, arrival = (Position(case[end]["lat"], case[end]["lng"]) for end in ("from", "to"))
    closed = frozenset(id for name in case["avoid"] for id in find_ids(atlas, name))
    paths = atlas.find_paths(departure, arrival, ship=SMALL_SHIP, avoid_passages=closed, most=8)
    wanted = [find_ids(atlas, name) for name in case["via"]]
    fit = [p for p in paths if all(ids & {use.id for use in p.uses} for ids in wanted)]
    return (fit or list(paths))[0]


def find_ids(atlas: SeaAtlas, name: str) -> set[str]:
    """Return the ids of the passages for a table's short name."""
    key = name.replace("_", "-")
    return {p.id for p in atlas.passages if p.id == key or p.id.startswith(key + "-")}


def measure(atlas: SeaAtlas, check: LandCheck, case: dict[str, Any]) -> dict[str, Any]:
    """Return distance, error and legs on land of a case, or the reason of its failure."""
    began = time.perf_counter()
    try:
        path = choose_path(atlas, case)
    except VoyageError as error:
        return {"case": case, "failure": f"{error.code}: {error.detail}"}
    elapsed_ms = (time.perf_counter() - began) * 1e3
    legs = atlas.build_legs(path, TrackKind.GREAT_CIRCLE)
    length = sum(leg.distance_nm for leg in legs)
    return {
        "case": case,
        "failure": None,
        "distance_nm": length,
        "error_pct": 100.0 * (length / case["published_nm"] - 1.0),
        "on_land": int(check.find_legs_on_land(legs).sum()),
        "uses": [use.id for use in path.uses],
        "ms": elapsed_ms,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all cases and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    cases = json.loads(parser.parse_args(arguments).cases.read_text())["pairs"]
    atlas = open_atlas()
    check = LandCheck(atlas.passages)
    results = [measure(atlas, check, case) for case in cases]
    print_table(
        ["case", "from", "to", "published", "ours", "error %", "on land", "ms", "by"],
        [_describe(result) for result in results],
    )
    good = [result for result in results if result["failure"] is None]
    errors = np.array([result["error_pct"] for result in good])
    long = np.array([result["case"]["published_nm"] > LONG_NM for result in good])
    within = [abs(r["error_pct"]) <= r["case"]["tolerance_pct"] for r in good]
    print_result(
        {
            "cases": len(cases),
            "failed": len(cases) - len(good),
            "median_error_pct": round(float(np.median(np.abs(errors))), 3),
            "median_signed_pct": round(float(np.median(errors)), 3),
            "median_long_error_pct": round(float(np.median(np.abs(errors[long]))), 3),
            "p95_error_pct": round(float(np.percentile(np.abs(errors), 95)), 3),
            "within_tolerance_pct": round(100.0 * sum(within) / len(cases), 2),
            "legs_on_land": sum(result["on_land"] for result in good),
            "median_ms": round(float(np.median([result["ms"] for result in good])), 1),
        }
    )


def _describe(result: dict[str, Any]) -> list[Any]:
    case = result["case"]
    head = [case["id"], case["from"]["name"], case["to"]["name"], case["published_nm"]]
    if result["failure"]:
        return [*head, "", "", "", "", result["failure"]]
    return [
        *head,
        f"{result['distance_nm']:.1f}",
        f"{result['error_pct']:+.2f}",
        result["on_land"],
        f"{result['ms']:.0f}",
        ", ".join(dict.fromkeys(result["uses"])),
    ]


if __name__ == "__main__":
    main()
