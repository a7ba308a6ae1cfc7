"""Growth of planning cost with the size of a request: ``python -m benchmarks.growth``.

``--only NAME`` measures one of distance, areas, resolution, members and waypoints; ``--quick``
leaves out the largest case of each.

Every case runs in its own process with kernels that the first case has compiled. Time is processor
time of all threads. Extra memory is the additional peak, without pages of atlas and weather files,
which all processes share. The exponent is the logarithm of the ratio of times over that of sizes,
from the first non-zero size to the last: 1 is linear, less means that a fixed cost dominates.
"""

import argparse
import ctypes
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import log
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import numpy as np

from app.engine.checking.check import check_route
from app.engine.geodesy import sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.plan import RoutePlan, Waypoint
from app.engine.planner import plan_voyage
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint
from app.engine.request import Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.times import hours_since_epoch
from app.engine.weather import RegularGrid, WeatherField, WeatherRun
from benchmarks.atlas import open_atlas, open_climatology
from benchmarks.members import TIMED
from benchmarks.no_go_areas import DEPARTS_AT, make_request, scatter_areas
from benchmarks.report import print_result, print_table
from benchmarks.storm_weather import build_run, make_storms
from benchmarks.synthetic_ensembles import make_ocean

Work = Callable[[], object]

OFF_AUCKLAND: Final = Position(-36.0, 176.0)
#: Places by distance eastward of Auckland [nm]: in the open Pacific, except the farthest, in the
#: Barents Sea, beyond the Panama Canal.
PLACES: Final = {
    100: Position(-36.0, 178.05),
    300: Position(-36.0, -177.8),
    1_000: Position(-33.0, -164.1),
    3_000: Position(-22.0, -128.0),
    6_000: Position(4.0, -84.5),
    12_000: Position(69.5, 36.0),
}
AREAS: Final = (0, 10, 100, 500, 2_000)
#: Vertices of an area; a million in the largest case.
VERTICES: Final = 500
#: Steps of the forecasts' grids [deg].
STEPS_DEG: Final = (1.0, 0.5, 0.25, 0.1)
MEMBERS: Final = (5, 10, 25, 50)
WAYPOINTS: Final = (25, 100, 400)
#: Synthetic forecasts: steps [h], days, and south, west, north and east of the Atlantic [deg].
_STEP_H = 6.0
_DAYS = 10
_BOUNDS = (20.0, -85.0, 65.0, 5.0)
#: Distance between the samples of a track from which waypoints are taken [nm].
_SAMPLE_NM = 1.0


@dataclass(frozen=True)
class Case:
    """A case of one size; ``prepare`` creates everything that its work needs."""

    label: str
    size: int
    prepare: Callable[[SeaAtlas, WeatherRun], Work]


@dataclass(frozen=True)
class Cost:
    """Cost of a case."""

    processor_s: float
    extra_mb: float


@dataclass(frozen=True)
class Memory:
    """Memory of this process [MB]: peak, current, and the part shared with files."""

    peak: float
    now: float
    files: float

    @classmethod
    def read(cls) -> "Memory":
        """Read the memory from the system."""
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        fields = dict(line.split(":", 1) for line in lines)
        names = ("VmHWM", "VmRSS", "RssFile")
        return cls(*(int(fields[name].split()[0]) / 1024.0 for name in names))


def list_distances() -> list[Case]:
    """List voyages of increasing distance, in usual weather."""
    return [Case(f"{nm:,} nm", nm, partial(prepare_distance, end)) for nm, end in PLACES.items()]


def prepare_distance(end: Position, sea: SeaAtlas, climatology: WeatherRun) -> Work:
    """Return a voyage eastward from Auckland."""
    return partial(plan_voyage, _sail_east(end), sea, WeatherField(climatology))


def _sail_east(end: Position) -> VoyageRequest:
    return replace(make_request(()), departure=OFF_AUCKLAND, arrival=end)


def list_area_counts() -> list[Case]:
    """List increasing numbers of areas along one voyage."""
    return [Case(f"{n:,} areas", n, partial(prepare_areas, n)) for n in AREAS]


def prepare_areas(count: int, sea: SeaAtlas, climatology: WeatherRun) -> Work:
    """Return an ocean passage with areas on its way."""
    request = make_request(scatter_areas(count, VERTICES, has_windows=False))
    return partial(plan_voyage, request, sea, WeatherField(climatology))


def list_resolutions() -> list[Case]:
    """List one forecast on increasingly fine grids; the size is their number of points."""
    return [
        Case(f"{step:g}°", make_grid(step).n_cell, partial(prepare_resolution, step))
        for step in STEPS_DEG
    ]


def prepare_resolution(step_deg: float, sea: SeaAtlas, climatology: WeatherRun) -> Work:
    """Return an ocean passage through storms that are the same on every grid."""
    storms = make_storms(0, DEPARTS_AT, climatology, _DAYS)
    weather = WeatherField(climatology, (resample(storms, make_grid(step_deg)),))
    return partial(plan_voyage, make_request(()), sea, weather)


def make_grid(step_deg: float) -> RegularGrid:
    """Return a grid of the North Atlantic."""
    south, west, north, east = _BOUNDS
    rows, columns = (round((b - a) / step_deg) + 1 for a, b in ((south, north), (west, east)))
    return RegularGrid(south, step_deg, rows, west, step_deg, columns)


def resample(weather: WeatherField, grid: RegularGrid) -> WeatherRun:
    """Return waves and wind of a field on another grid."""
    hours = np.arange(0.0, 24.0 * _DAYS + _STEP_H, _STEP_H)
    begins_h = hours_since_epoch(DEPARTS_AT)
    states = [_state_at(weather, grid, begins_h + float(hour)) for hour in hours]
    waves, winds = (np.stack(values) for values in zip(*states, strict=True))
    return build_run("resampled", grid, DEPARTS_AT, hours, waves, winds)


def _state_at(
    weather: WeatherField, grid: RegularGrid, hour: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return waves (height, period, from east, from north) and wind (u, v) on a grid."""
    lats, lngs = (axis.reshape(grid.n_lat, grid.n_lng) for axis in grid.cells())
    met = weather.sample(lats, lngs, np.full(lats.shape, hour))
    waves_from, wind_from = np.radians(met.wave_from_deg), np.radians(met.wind_from_deg)
    east, north = np.sin(waves_from), np.cos(waves_from)
    wave = np.stack([met.wave_height_m, met.wave_period_s, east, north], axis=-1)
    wind = [-met.wind_speed_ms * turn(wind_from) for turn in (np.sin, np.cos)]
    return wave.astype(np.float32), np.stack(wind, axis=-1).astype(np.float32)


def list_member_counts() -> list[Case]:
    """List increasing numbers of members of one ensemble."""
    return [Case(f"{n} members", n, partial(prepare_members, n)) for n in MEMBERS]


def prepare_members(count: int, sea: SeaAtlas, climatology: WeatherRun) -> Work:
    """Return a voyage of 3,000 nm through a synthetic ocean, with a number of members."""
    start, end, days = TIMED["3,000 nm"]
    request = replace(make_request(()), departure=start, arrival=end)
    ocean = make_ocean(request, 1, climatology, days)
    members = [(number, ocean.draw(number)) for number in range(1, count + 1)]
    return partial(plan_voyage, request, sea, ocean.draw(0), members=members)


def list_waypoint_counts() -> list[Case]:
    """List increasing numbers of waypoints on one route."""
    return [Case(f"{n} waypoints", n, partial(prepare_check, n)) for n in WAYPOINTS]


def prepare_check(count: int, sea: SeaAtlas, climatology: WeatherRun) -> Work:
    """Return the check of a planned route across the Pacific with a number of waypoints."""
    request, weather = _sail_east(PLACES[6_000]), WeatherField(climatology)
    given = place_waypoints(plan_voyage(request, sea, weather), count)
    return partial(check_route, PlanningContext.of(request, sea, weather), given)


def place_waypoints(plan: RoutePlan, count: int) -> list[GivenWaypoint]:
    """Return waypoints at equal spacing along the track of a plan, its ends included."""
    tracks = [_sample(*ends) for ends in pairwise(plan.waypoints)]
    lats, lngs = np.concatenate(tracks, axis=1)
    chosen = np.linspace(0, lats.size - 1, count).round().astype(int)
    return [GivenWaypoint(Position(float(lats[at]), float(lngs[at]))) for at in chosen]


def _sample(start: Waypoint, end: Waypoint) -> np.ndarray:
    geometry = end.leg_geometry or LegGeometry.RHUMB
    return np.stack(sample_leg(start.position, end.position, geometry, _SAMPLE_NM))


TABLES: Final[dict[str, Callable[[], list[Case]]]] = {
    "distance": list_distances,
    "areas": list_area_counts,
    "resolution": list_resolutions,
    "members": list_member_counts,
    "waypoints": list_waypoint_counts,
}


def measure(case: Case, first: Case) -> Cost:
    """Measure a case in this process after a warm-up, which loads the kernels."""
    sea, climatology = open_atlas(), open_climatology()
    first.prepare(sea, climatology)()
    work = case.prepare(sea, climatology)
    _forget_peak()
    before, began_s = Memory.read(), time.process_time()
    work()
    processor_s, after = time.process_time() - began_s, Memory.read()
    extra_mb = after.peak - before.now - (after.files - before.files)
    return Cost(processor_s, max(extra_mb, 0.0))


def _forget_peak() -> None:
    """Reset the peak of this process to the memory in use."""
    # free memory that the process keeps would hide new use
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def measure_all(cases: Sequence[Case]) -> list[Cost]:
    """Measure cases one after another, each in its own process."""
    first = _find_first(cases)
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as processes:
        return [processes.submit(measure, case, first).result() for case in cases]


def _find_first(cases: Sequence[Case]) -> Case:
    return next(case for case in cases if case.size > 0)


def find_exponent(cases: Sequence[Case], costs: Sequence[Cost]) -> float:
    """Return the power of the size with which time grows, from the first size to the last."""
    first = cases.index(_find_first(cases))
    times = log(costs[-1].processor_s / costs[first].processor_s)
    return times / log(cases[-1].size / cases[first].size)


def report(name: str, cases: Sequence[Case]) -> float:
    """Measure a table and print it; return its exponent."""
    costs = measure_all(cases)
    exponent = find_exponent(cases, costs)
    rows = [
        (case.label, f"{case.size:,}", f"{cost.processor_s:.2f}", f"{cost.extra_mb:.0f}")
        for case, cost in zip(cases, costs, strict=True)
    ]
    rows.append(("exponent", "", f"{exponent:.2f}", ""))
    print_table((name, "size", "processor s", "extra MB"), rows)
    print(flush=True)
    return exponent


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=TABLES)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args(arguments)
    result: dict[str, object] = {}
    for name in [asked.only] if asked.only else TABLES:
        cases = TABLES[name]()
        exponent = report(name, cases[:-1] if asked.quick else cases)
        result[f"{name}_exponent"] = round(exponent, 2)
    print_result(result)


if __name__ == "__main__":
    main()
