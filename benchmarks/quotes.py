"""Time of quotes on well-known voyages in a process that has answered them once.

``python -m benchmarks.quotes [--rounds N]``

Zones are those of a charting that avoids piracy and war-risk areas. Wall time and processor time
are printed; on a busy machine only the latter counts.
"""

import argparse
import time
from datetime import UTC, datetime

import numpy as np

from app.engine.area import Area
from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.planner import quote_voyage
from app.engine.request import Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.records.instants import format_instant
from app.services.areas.areas_in_force import list_zones
from benchmarks.atlas import open_atlas
from benchmarks.report import print_result, print_table

DEPARTS_AT = datetime(2026, 3, 1, tzinfo=UTC)
SHIP = ShipParticulars(
    ShipType.BULK_CARRIER, 82_000.0, 229.0, 225.5, 32.26, 20.05, 12.2, 14.45, 14.0, 5.1
)
#: The sea canal to St Petersburg takes no more [m].
DRAFT_M = 11.0
VOYAGES = {
    "Rotterdam-London": (Position(51.98, 4.0), Position(51.5, 1.2)),
    "Rotterdam-Lisbon": (Position(51.98, 4.0), Position(38.65, -9.35)),
    "Piraeus-Genoa": (Position(37.9, 23.6), Position(44.4, 8.9)),
    "Hamburg-St Petersburg": (Position(54.0, 8.2), Position(60.0, 29.5)),
    "Shanghai-Los Angeles": (Position(31.0, 122.5), Position(33.7, -118.3)),
    "New York-Yokohama": (Position(40.4, -73.8), Position(35.3, 139.7)),
    "Houston-Ulsan": (Position(29.3, -94.6), Position(35.4, 129.4)),
    "Santos-Qingdao": (Position(-24.1, -46.3), Position(36.0, 120.5)),
    "Rotterdam-Singapore": (Position(51.98, 4.0), Position(1.2, 103.8)),
}


def list_avoided() -> tuple[Area, ...]:
    """Return the built-in zones that a charting avoids by default."""
    wishes = {"avoidEca": False, "avoidPiracyAreas": True, "avoidWarZones": True}
    return tuple(list_zones({"startDate": format_instant(DEPARTS_AT), **wishes}))


def time_quote(
    atlas: SeaAtlas, ends: tuple[Position, Position], areas: tuple[Area, ...]
) -> tuple[float, float]:
    """Return wall time and processor time [s]."""
    loading = Loading(DRAFT_M, 0.0, 62_000.0)
    request = VoyageRequest(*ends, DEPARTS_AT, SHIP, loading, 13.0, 13.0, areas=areas)
    wall, processor = time.perf_counter(), time.process_time()
    quote_voyage(request, atlas)
    return time.perf_counter() - wall, time.process_time() - processor


def main() -> None:
    """Time every voyage and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    atlas, areas = open_atlas(), list_avoided()
    medians = {}
    for name, ends in VOYAGES.items():
        time_quote(atlas, ends, areas)
        medians[name] = np.median([time_quote(atlas, ends, areas) for _ in range(rounds)], axis=0)
    rows = [(name, f"{wall:.3f}", f"{cpu:.3f}") for name, (wall, cpu) in medians.items()]
    print_table(("voyage", "wall [s]", "processor [s]"), rows)
    wall, cpu = np.array(list(medians.values())).T
    print_result(
        {
            "voyages": len(VOYAGES),
            "median_s": round(float(np.median(wall)), 3),
            "max_s": round(float(wall.max()), 3),
            "median_cpu_s": round(float(np.median(cpu)), 3),
            "max_cpu_s": round(float(cpu.max()), 3),
        }
    )


if __name__ == "__main__":
    main()
