"""Planning time of a voyage with many areas of many vertices.

``python -m benchmarks.no_go_areas [--areas N] [--vertices N] [--windows] [--profile]``

The areas are irregular stars across the great circle of an ocean passage, some of them overlapping:
the most expensive request that is possible. ``--windows`` gives each its own days in force, so that
a ship may pass before or after it. The plan is checked against the areas as drawn, leg by leg, as
great circle and as rhumb line.
"""

import argparse
import cProfile
import pstats
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import shapely
from shapely.geometry import MultiPolygon, Polygon

from app.engine.area import Area, AreaKind, AreaRule
from app.engine.geodesy import sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.request import Position, VoyageRequest
from app.engine.weather import WeatherField
from benchmarks.atlas import open_atlas, open_climatology
from benchmarks.optimise import SHIPS
from benchmarks.report import print_result, print_table

BISHOP_ROCK = Position(49.75, -6.6)
NEW_YORK = Position(40.4, -73.8)
DEPARTS_AT = datetime(2026, 1, 10, tzinfo=UTC)
PLACES = ((46.0, -30.0), (43.0, -45.0), (48.0, -18.0), (41.5, -55.0), (45.0, -38.0))


def draw_star(seed: int, lat: float, lng: float, vertices: int) -> MultiPolygon:
    """Return an irregular star around a place, about 1.5 degrees in radius."""
    random = np.random.default_rng(seed)
    bearing = np.linspace(0.0, 2.0 * np.pi, vertices, endpoint=False)
    radius = 1.5 * random.uniform(0.35, 1.0, vertices)
    lngs, lats = lng + radius * np.sin(bearing) * 1.4, lat + radius * np.cos(bearing)
    return MultiPolygon([Polygon(np.stack([lngs, lats], axis=1))])


def scatter_areas(count: int, vertices: int, has_windows: bool) -> tuple[Area, ...]:
    """Return areas around places along the route, the same in every run."""
    random = np.random.default_rng(1)
    areas = []
    for number in range(count):
        lat, lng = np.array(PLACES[number % len(PLACES)]) + random.uniform(-4.0, 4.0, 2)
        star = draw_star(number, lat, lng, vertices)
        window = (
            (DEPARTS_AT + timedelta(days=day) for day in (number % 9, number % 9 + 3))
            if has_windows
            else (None, None)
        )
        areas.append(
            Area(
                f"area-{number}",
                f"Area {number}",
                AreaKind.NO_GO,
                AreaRule.NO_ENTRY,
                star,
                *window,
            )
        )
    return tuple(areas)


def make_request(areas: tuple[Area, ...]) -> VoyageRequest:
    """Return an ocean passage by a bulk carrier."""
    ship, loading = SHIPS["Kamsarmax"]
    return VoyageRequest(BISHOP_ROCK, NEW_YORK, DEPARTS_AT, ship, loading, 11.0, 14.0, areas=areas)


def count_entered(plan: RoutePlan, areas: Sequence[Area]) -> int:
    """Count legs that touch an area as drawn, on great circle or rhumb line."""
    tree = shapely.STRtree([area.geometry for area in areas])
    entered = 0
    for start, end in pairwise(waypoint.position for waypoint in plan.waypoints):
        lines = [
            shapely.linestrings(np.stack(sample_leg(start, end, geometry, 1.0)[::-1], axis=1))
            for geometry in (LegGeometry.GREAT_CIRCLE, LegGeometry.RHUMB)
        ]
        entered += any(len(tree.query(line, predicate="intersects")) for line in lines)
    return entered


def main() -> None:
    """Plan the passage without and with the areas."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--areas", type=int, default=100)
    parser.add_argument("--vertices", type=int, default=3000)
    parser.add_argument("--windows", action="store_true")
    parser.add_argument("--profile", action="store_true")
    asked = parser.parse_args()
    sea = open_atlas()
    weather = WeatherField(open_climatology())
    plan_voyage(make_request(()), sea, weather)  # compiles the kernels
    areas = scatter_areas(asked.areas, asked.vertices, asked.windows)
    rows, result = [], {}
    for name, given in (("none", ()), (f"{len(areas)} x {asked.vertices}", areas)):
        profile = cProfile.Profile()
        wall, processor = time.perf_counter(), time.process_time()
        if asked.profile and given:
            profile.enable()
        plan = plan_voyage(make_request(given), sea, weather)
        profile.disable()
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        always = [area for area in given if area.starts_at is None]
        entered = count_entered(plan, always) if always else 0
        rows.append(
            (name, f"{wall:.1f}", f"{processor:.1f}", f"{plan.summary.distance_nm:.0f}", entered)
        )
        result = {
            "areas": len(given),
            "vertices": asked.vertices,
            "wallS": round(wall, 2),
            "processorS": round(processor, 2),
            "legsEntering": entered,
        }
        if asked.profile and given:
            pstats.Stats(profile).sort_stats("cumulative").print_stats(50)
    print_table(("areas", "wall s", "processor s", "nm", "legs entering"), rows)
    print_result(result)


if __name__ == "__main__":
    main()
