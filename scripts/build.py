"""Build the sea atlas, the climatology and the compiled kernels.

Runs with the project's own Python; `make run` calls it when code or data have changed. Climatology
and kernels of ship, weather, search and simulation need no atlas: a second process builds them
meanwhile.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from math import inf
from pathlib import Path

import click
import numpy as np

from app.datasources.build_atlas import build_atlas, find_bathymetry
from app.datasources.weather.climatology import build_climatology, is_current
from app.datasources.weather.store import open_run
from app.engine.constants import EARTH_RADIUS_NM
from app.engine.geodesy import leg_distance_nm
from app.engine.geodesy.leg import LegGeometry
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.refinement import Corridor, Problem, search_corridor
from app.engine.optimise.runner_up import IN_SEARCHES, find_runners_up
from app.engine.optimise.search_objective import Prices, SearchObjective
from app.engine.optimise.windows import compute_arrival_windows
from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.planner import plan_voyage
from app.engine.request import Objective, Position, TrackKind, VoyageRequest
from app.engine.sailing.simulation import simulate_track
from app.engine.sailing.track import build_track
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.leg_room import XTD_M
from app.engine.sea.path import Leg
from app.engine.times import hours_since_epoch
from app.engine.vessel import Ship, build_ship, seaway_risks
from app.engine.weather import WeatherField

# together they use every branch of the planner: open sea and canal, each objective and each kind
# of track
TRIALS = (
    (Position(51.98, 4.00), Position(43.36, -8.40), Objective.FUEL, TrackKind.WEATHER),
    (Position(53.90, 8.70), Position(54.55, 18.70), Objective.TIME, TrackKind.GREAT_CIRCLE),
    (Position(36.10, -5.40), Position(31.30, 32.30), Objective.BALANCED, TrackKind.RHUMB),
)
SHIP = ShipParticulars(
    ship_type=ShipType.BULK_CARRIER,
    dwt_t=38_000.0,
    loa_m=180.0,
    lbp_m=176.0,
    breadth_m=30.0,
    depth_m=15.0,
    draft_design_m=9.5,
    draft_scantling_m=10.5,
    service_speed_kn=13.5,
    pitch_m=4.2,
)
LOADING = Loading(draft_m=9.0, trim_m=0.0, deadweight_t=34_000.0)
DEPARTS_AT = datetime(2026, 1, 1, tzinfo=UTC)
SPEEDS_KN = 11.0, 14.0


@contextmanager
def shown_progress(title: str) -> Iterator[Callable[[float, str], None]]:
    """Show a bar with the time left; return the function that moves it.

    The function takes the completed share (0..1) and the current stage.
    """
    with click.progressbar(
        length=1000, label=f"  {title}", item_show_func=lambda what: what, width=24
    ) as bar:

        def move(share: float, what: str) -> None:
            bar.update(max(0, round(1000 * share) - bar.pos), what)

        yield move


def build_without_atlas(climatology: Path) -> None:
    """Build the climatology if it is out of date, and compile the kernels that need no atlas."""
    if not is_current(climatology):
        build_climatology(climatology)
    ship, weather = build_ship(SHIP, LOADING), WeatherField(open_run(climatology))
    compile_search(ship, weather)
    compile_simulation(ship, weather)


def compile_search(ship: Ship, weather: WeatherField) -> None:
    """Search the open sea, so that the kernels of ship, weather and search are compiled."""
    stages, departs_h = 8, hours_since_epoch(DEPARTS_AT)
    line = np.linspace(50.0, 48.0, stages), np.linspace(-8.0, -16.0, stages)
    problem = Problem(
        medium=Ocean(ship.kernel_parameters, weather.kernel_arrays, inf, inf),
        radius_nm=EARTH_RADIUS_NM,
        objective=SearchObjective(
            departs_h, *SPEEDS_KN, Prices(1.0, 1.0), (np.zeros(1), np.zeros(1)), longest_h=None
        ),
        is_movable=np.arange(stages) % (stages - 1) > 0,
        longest_wait_h=np.zeros(stages),
        first_segment=np.zeros(stages, dtype=np.int64),
        segments=np.empty((0, 8)),
        clear=lambda _lats, _lngs, has_edge: has_edge,
    )
    corridor = Corridor(
        offsets_nm=30.0 * np.arange(-3.0, 4.0),
        reach=2,
        smooth_nm=100.0,
        speeds=3,
        window_h=compute_arrival_windows(problem, line, 1.1),
        bins=16,
        weather_spacing_nm=60.0,
        longest_step_h=6.0,
    )
    find_runners_up(problem, search_corridor(problem, line, corridor), IN_SEARCHES)


def compile_simulation(ship: Ship, weather: WeatherField) -> None:
    """Simulate a leg over the open sea, so that the kernels of simulation are compiled."""
    ends, geometry = (Position(50.0, -8.0), Position(49.0, -12.0)), LegGeometry.GREAT_CIRCLE
    leg = Leg(*ends, geometry, XTD_M, None, None, leg_distance_nm(*ends, geometry))
    simulation = simulate_track(
        build_track([leg], {}), SPEEDS_KN[0], ship=ship, departs_at=DEPARTS_AT, weather=weather
    )
    simulation.weather_at_middles(weather)
    seaway_risks(ship.seakeeping_parameters, SPEEDS_KN[0], 90.0, 2.0, 8.0, 0.0)


def compile_kernels(
    sea: SeaAtlas, weather: WeatherField, progress: Callable[[float, str], None]
) -> None:
    """Plan a few voyages, so that every kernel is compiled and cached on disk."""
    done = 0

    def report(share: float, stage: str) -> None:
        progress((done + share) / len(TRIALS), stage)

    for departure, arrival, objective, track in TRIALS:
        request = VoyageRequest(
            departure=departure,
            arrival=arrival,
            departs_at=DEPARTS_AT,
            ship=SHIP,
            loading=LOADING,
            speed_min_kn=SPEEDS_KN[0],
            speed_max_kn=SPEEDS_KN[1],
            objective=objective,
            track=track,
        )
        plan_voyage(request, sea, weather, on_progress=report)
        done += 1
    progress(1.0, "done")


def main() -> None:
    """Build what is missing or out of date."""
    parser = argparse.ArgumentParser(description="build the sea atlas and compile the kernels")
    parser.add_argument("--atlas", type=Path, required=True, help="folder of the sea atlas")
    parser.add_argument("--weather", type=Path, required=True, help="folder of the weather")
    arguments = parser.parse_args()
    atlas, climatology = arguments.atlas, arguments.weather / "climatology"
    second = multiprocessing.get_context("spawn").Process(
        target=build_without_atlas, args=(climatology,), daemon=True
    )
    second.start()
    with shown_progress("Sea atlas and climatology") as progress:
        build_atlas(atlas, progress, find_bathymetry())
        progress(1.0, "waiting for the second process")
        second.join()
        progress(1.0, "ready")
    if second.exitcode:
        sys.exit("Climatology or kernels of the search could not be built; the reason is above.")
    with shown_progress("Compiled kernels") as progress:
        weather = WeatherField(open_run(climatology))
        compile_kernels(SeaAtlas.open(atlas), weather, progress)


if __name__ == "__main__":
    main()
