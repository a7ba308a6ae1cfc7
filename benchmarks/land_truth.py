"""The sea atlas compared with points that are known to be water or land.

``python -m benchmarks.land_truth [--cases FILE]``
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.engine.constants import NAUTICAL_MILE_M
from app.engine.sea.atlas import SeaAtlas
from benchmarks.atlas import open_atlas
from benchmarks.report import print_result, print_table

CASES = Path("tests/data/land_truth.json")
#: Canals count as navigable within this distance of their centre line [m].
NEAR_PASSAGE_M = 0.5 * NAUTICAL_MILE_M


def is_navigable(atlas: SeaAtlas, lat: float, lng: float) -> bool:
    """Return whether a point is water by the coast, or near a passage's centre line."""
    return atlas.is_water(lat, lng) or any(
        passage.distance_m(lat, lng) <= passage.half_width_m + NEAR_PASSAGE_M
        for passage in atlas.passages
    )


def judge(atlas: SeaAtlas, point: dict[str, Any]) -> tuple[str, str]:
    """Return what the atlas says of a point, and whether that is right."""
    answer = "navigable" if is_navigable(atlas, point["lat"], point["lng"]) else "not_navigable"
    if point["expect"] == "excluded":
        return answer, "not scored"
    return answer, "right" if answer == point["expect"] else "WRONG"


def main(arguments: Sequence[str] | None = None) -> None:
    """Check all points and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    points = json.loads(parser.parse_args(arguments).cases.read_text())["points"]
    atlas = open_atlas()
    verdicts = [judge(atlas, point) for point in points]
    print_table(
        ["place", "expected", "atlas", "verdict"],
        [
            (point["name"], point["expect"], answer, verdict)
            for point, (answer, verdict) in zip(points, verdicts, strict=True)
        ],
    )
    known = sum(point["tag"] == "disagreement" for point in points)
    wrong = sum(verdict == "WRONG" for _, verdict in verdicts)
    print_result({"cases": len(points), "wrong": wrong, "expected_disagreements": known})


if __name__ == "__main__":
    main()
