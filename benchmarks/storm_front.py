"""Trade-off curve of fuel and time through storms: ``python -m benchmarks.storm_front``.

Each point of the curve is compared with all others, and with the constant speed on the shortest
route: none may be dominated in both fuel and time.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from app.engine.plan import FrontPoint
from app.engine.planner import plan_voyage
from benchmarks.atlas import open_atlas, open_climatology
from benchmarks.optimise import DATES, Case, make_request
from benchmarks.report import print_result, print_table
from benchmarks.storm_weather import make_storms

CASE = Case("Bishop Rock - New York", "Kamsarmax", DATES[0])
#: Tolerances for rounding of fuel and time.
_SAME_SHARE = 1e-4


def count_dominated(front: Sequence[FrontPoint]) -> int:
    """Count points that another dominates in fuel and time."""
    return sum(
        any(
            other.fuel_t < (1.0 - _SAME_SHARE) * point.fuel_t
            and other.duration_h <= (1.0 + _SAME_SHARE) * point.duration_h
            for other in front
        )
        for point in front
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Plan, compare and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args(arguments).seed
    sea = open_atlas()
    climatology = open_climatology()
    weather = make_storms(seed, CASE.departs_at, climatology, days=40)
    request = replace(make_request(CASE, sea), arrive_by=None)
    front = plan_voyage(request, sea, weather).front
    rows = [(f"{p.duration_h:.1f}", f"{p.fuel_t:.1f}", f"{p.distance_nm:.0f}") for p in front]
    print_table(["hours", "mt", "nm"], rows)
    print_result(
        {
            "points": len(front),
            "dominated": count_dominated(front),
            "fuel_ratio": round(front[0].fuel_t / front[-1].fuel_t, 3),
        }
    )


if __name__ == "__main__":
    main()
