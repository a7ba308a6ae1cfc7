"""Access from the open ocean to every port of the World Port Index.

``python -m benchmarks.port_reach [--ship NAME] [--every N] [--list FILE]``

A pair of ports can be refused because of either end. Here each port is routed to the nearest of
some places in mid-ocean, so that a refusal is due to the port itself.
"""

import argparse
import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from app.engine.request import Position
from app.engine.sea.search.sphere import distance_nm
from benchmarks.atlas import open_atlas
from benchmarks.random_pairs import SHIPS, Port, Result, load_ports, route
from benchmarks.report import print_result

#: Deep water far from land, one place in each part of the oceans.
MID_OCEAN: Final = tuple(
    Port("open ocean", Position(lat, lng))
    for lat, lng in (
        (45.0, -30.0),
        (30.0, -60.0),
        (0.0, -25.0),
        (-30.0, -20.0),
        (66.0, 0.0),
        (73.0, 30.0),
        (-35.0, 60.0),
        (12.0, 62.0),
        (5.0, 88.0),
        (-20.0, 95.0),
        (-40.0, 130.0),
        (-35.0, 165.0),
        (10.0, 150.0),
        (30.0, 150.0),
        (50.0, 175.0),
        (45.0, -140.0),
        (10.0, -110.0),
        (-30.0, -100.0),
        (-10.0, -160.0),
        (20.0, -160.0),
    )
)


def find_ocean(port: Port) -> Port:
    """Return the place in mid-ocean nearest to a port."""
    return min(MID_OCEAN, key=lambda place: distance_nm(*port.position, *place.position))


def main(arguments: Sequence[str] | None = None) -> None:
    """Route all ports and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ship", choices=SHIPS, default="seawaymax")
    parser.add_argument("--every", type=int, default=1, help="use every Nth port only")
    parser.add_argument("--list", type=Path, help="write the refused ports as CSV")
    options = parser.parse_args(arguments)
    atlas, ship = open_atlas(), SHIPS[options.ship]
    ports = load_ports()[:: options.every]
    results = [route(atlas, find_ocean(port), port, ship) for port in ports]
    refused = [result for result in results if result.refused]
    if options.list:
        _write(refused, options.list)
    print_result(
        {
            "ports": len(ports),
            "reached": len(ports) - len(refused),
            "refused": dict(Counter(str(result.refused) for result in refused)),
        }
    )


def _write(refused: Sequence[Result], file: Path) -> None:
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["port", "lat", "lng", "refused", "why"])
        writer.writerows((r.end.name, *r.end.position, r.refused, r.detail) for r in refused)


if __name__ == "__main__":
    main()
