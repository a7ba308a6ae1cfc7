"""Comparison with the open-source routers of the package index on the same voyages.

``python -m benchmarks.peers [--voyages N] [--peers NAME ...]``

Each peer is installed into a temporary environment. It gets every voyage in its own process, with
as much of the same sea and weather as it can use. One judge prices all tracks: the same ship sails
them at one constant speed through the same storms, in deep water, to arrive by the same time. Every
piece is checked against the coast. The judge prices our own plan too, so the saving by its speeds
does not count. The plan's own fuel, with its speeds and with depths, passages and wave limit, is a
separate figure.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import numpy as np

from app.engine.arrays import Floats
from app.engine.errors import VoyageError
from app.engine.geodesy import leg_distance_nm, sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.planning.given_route import list_distinct
from app.engine.request import Position
from app.engine.sailing.constant_speed import find_slowest_in_time
from app.engine.sailing.simulation import Simulation, simulate_track
from app.engine.sailing.track import build_track
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import Leg
from app.engine.weather import WeatherField
from benchmarks import peer_programs
from benchmarks.atlas import open_atlas, open_climatology
from benchmarks.land_check import LandCheck
from benchmarks.optimise import DATES
from benchmarks.peer_voyages import ROUTES, Voyage, list_voyages, write_question
from benchmarks.report import add_track, print_result, print_table
from benchmarks.static_routes import count_on_land
from benchmarks.storm_weather import make_storms

_OURS: Final = "Chartroom"
#: Time limits of a peer, for installation and for each voyage [s].
_LONGEST_S: Final = 300.0
#: Greatest speed of the judge, as a share of service speed, within the power.
_FASTEST: Final = 1.3
_IN_TIME_H: Final = 0.05


class Peer(NamedTuple):
    """A package to install, and its stated abilities."""

    name: str
    weather: str = "cannot: takes none"
    speeds: str = "cannot: chooses none"
    #: Additional packages: undeclared ones, or the last version that works.
    extras: tuple[str, ...] = ()


PEERS: Final = (
    Peer("searoute"),
    Peer("seavoyage", extras=("searoute<1.5",)),
    # the last version that includes its networks; later ones download them
    Peer("scgraph<3"),
    Peer("halem", weather="currents", speeds="can, one given", extras=("numpy<2.4",)),
    Peer("weatherrouting", "wind", "cannot: of a polar", extras=("numpy",)),
    Peer("polar-route", weather="wind, currents, one mean", speeds="cannot: one given"),
)


class Found(NamedTuple):
    """A track for a voyage, with the processor time [s] and peak memory [MB] of finding it."""

    track: list[Position]
    cpu_s: float
    peak_mb: float


class Judged(NamedTuple):
    """The judge's figures of a track; fuel is ``None`` if it is late or cannot be sailed.

    ``on_land`` counts straight pieces on the map, including those to the ports.
    """

    distance_nm: float
    fuel_t: float | None
    on_land: int
    highest_wave_m: float = 0.0


@dataclass(eq=False)
class Run:
    """A router with the results of its voyages, or the reasons for missing ones."""

    peer: Peer
    version: str
    cannot: str = ""
    found: dict[Voyage, Found] = field(default_factory=dict)
    refused: dict[Voyage, str] = field(default_factory=dict)
    judged: dict[Voyage, Judged] = field(default_factory=dict)

    @property
    def on_land(self) -> int:
        """Pieces of all tracks that cross land."""
        return sum(each.on_land for each in self.judged.values())


def run_ours(voyages: Sequence[Voyage], sea: SeaAtlas, weather: WeatherField) -> tuple[Run, Floats]:
    """Plan every voyage; also return the plans' own fuel [t], nan if refused."""
    run = Run(Peer(_OURS, "wind, waves, currents", "chosen, not judged here"), "this tree")
    plan_voyage(voyages[0].request, sea, weather)  # loads compiled code
    own_t = np.full(len(voyages), np.nan)
    for n, voyage in enumerate(voyages):
        began = time.process_time()
        try:
            plan = plan_voyage(voyage.request, sea, weather)
        except VoyageError as error:
            run.refused[voyage] = error.detail
            continue
        cpu_s = time.process_time() - began
        own_t[n] = plan.summary.fuel_t
        run.found[voyage] = Found(draw_plan(plan), cpu_s, peer_programs.read_peak_mb())
    return run, own_t


def draw_plan(plan: RoutePlan) -> list[Position]:
    """Return the plan's track with points so close that the kind of line does not matter."""
    track = [plan.waypoints[0].position]
    for waypoint in plan.waypoints[1:]:
        geometry = waypoint.leg_geometry or LegGeometry.GREAT_CIRCLE
        lats, lngs = sample_leg(track[-1], waypoint.position, geometry, 5.0)
        track += [Position(float(lat), float(lng)) for lat, lng in zip(lats, lngs, strict=True)][1:]
    return track


def run_peer(peer: Peer, voyages: Sequence[Voyage], asked: Sequence[str], folder: Path) -> Run:
    """Install a peer and run every voyage with it."""
    python, cannot = install(peer, folder)
    run = Run(peer, _read_version(python, peer), cannot)
    if not cannot:
        for voyage, question in zip(voyages, asked, strict=True):
            answer = ask(python, peer, question)
            if isinstance(answer, Found):
                track = [voyage.request.departure, *answer.track, voyage.request.arrival]
                run.found[voyage] = answer._replace(track=track)
            else:
                run.refused[voyage] = answer
    if run.refused and not run.found:
        run.cannot = f"cannot: {next(iter(run.refused.values()))}"
    print(f"{peer.name} {run.version}", flush=True)
    return run


def install(peer: Peer, folder: Path) -> tuple[Path, str]:
    """Return the interpreter of a new environment with the peer, or the reason for failure."""
    place = folder / peer.name.replace("<", "-below-")
    python = place / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    packages = [peer.name, *peer.extras]
    command = [str(python), "-m", "pip", "install", "--quiet", "--no-input", *packages]
    done = _run(command, "")
    return python, "" if done[0] == 0 else f"cannot: {_pick_reason(done[2])}"


def _run(command: Sequence[str], given: str) -> tuple[int, str, str]:
    """Return exit code, output and errors of a command, which is stopped after a time limit."""
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=_LONGEST_S, check=False
        )
    except subprocess.TimeoutExpired:
        return 1, "", f"no answer within {_LONGEST_S:.0f} s"
    return done.returncode, done.stdout, done.stderr


def _pick_reason(errors: str) -> str:
    """Return the last line of an error, without remarks of the installer."""
    lines = [line for line in errors.splitlines() if line.strip()] or ["ended without output"]
    remarks = ("WARNING", "[notice]")
    said = [line for line in lines if not line.startswith(remarks)] or lines
    marked = [line for line in said if line.startswith("ERROR")]
    return (marked or said)[-1].strip()


def _read_version(python: Path, peer: Peer) -> str:
    name = peer.name.partition("<")[0]
    program = f"from importlib.metadata import version; print(version({name!r}))"
    code, output, _ = _run([str(python), "-c", program], "")
    return output.strip() if code == 0 else "-"


def ask(python: Path, peer: Peer, question: str) -> Found | str:
    """Return a peer's track for a voyage, or the reason for none."""
    program = [str(python), peer_programs.__file__, peer.name]
    code, output, errors = _run(program, question)
    if code != 0:
        return _pick_reason(errors)
    answer = json.loads(output)
    if "cannot" in answer:
        return str(answer["cannot"])
    track = [Position(*place) for place in answer["track"]]
    return Found(track, answer["cpu_s"], answer["peak_mb"])


def judge(
    voyage: Voyage, track: Sequence[Position], weather: WeatherField, check: LandCheck
) -> Judged:
    """Sail a track at the constant speed that arrives in time, and check it for land."""
    kept = [track[n] for n in list_distinct(track)]
    sailed = build_track(list(_join(kept)), {})

    def simulate(speed_kn: float) -> Simulation:
        return simulate_track(
            sailed,
            speed_kn,
            ship=voyage.ship,
            departs_at=voyage.request.departs_at,
            weather=weather,
        )

    on_land, fuel_t = count_on_land(check, kept), None
    fastest_kn = _FASTEST * voyage.request.ship.service_speed_kn
    try:
        speed_kn = find_slowest_in_time(
            simulate, voyage.request.speed_min_kn, fastest_kn, voyage.longest_h
        )
        simulation = simulate(speed_kn)
    except VoyageError:
        return Judged(sailed.length_nm, None, on_land)
    if simulation.total_h <= voyage.longest_h + _IN_TIME_H:
        fuel_t = simulation.total_fuel_t
    wave_m = float(simulation.weather_at_middles(weather).wave_height_m.max())
    return Judged(sailed.length_nm, fuel_t, on_land, wave_m)


def _join(track: Sequence[Position]) -> Iterator[Leg]:
    great_circle = LegGeometry.GREAT_CIRCLE
    # great circles, with which peers measure their own pieces
    for a, b in pairwise(track):
        yield Leg(a, b, great_circle, 0.0, None, None, leg_distance_nm(a, b, great_circle))


def find_ratio(run: Run, ours: Run, figure: str) -> float | None:
    """Return the median ratio of a figure to ours over voyages that both have."""
    ratios = []
    for voyage, own in _read_figures(ours, figure).items():
        theirs = _read_figures(run, figure).get(voyage)
        if theirs is not None and own:
            ratios.append(theirs / own)
    return round(median(ratios), 3) if ratios else None


def _read_figures(run: Run, figure: str) -> dict[Voyage, float]:
    """Return a figure of a run by voyage, where it exists."""
    source: dict[Voyage, Any] = run.found if figure == "cpu_s" else run.judged
    figures = {voyage: getattr(each, figure) for voyage, each in source.items()}
    return {voyage: value for voyage, value in figures.items() if value is not None}


def _list_row(run: Run, ours: Run) -> tuple[object, ...]:
    """Return a line of the table, with the reason in the cells of a failed router."""
    named = (run.peer.name, run.version, run.peer.weather, run.peer.speeds)
    if not run.found:
        return (*named, 0, len(run.refused), *[""] * 8, run.cannot[:110])
    fuels = _read_figures(run, "fuel_t")
    ratio = find_ratio(run, ours, "fuel_t")
    return (
        *named,
        len(run.found),
        len(run.refused),
        f"{median(each.cpu_s for each in run.found.values()):.3f}",
        f"{max(each.peak_mb for each in run.found.values()):.0f}",
        f"{median(each.distance_nm for each in run.judged.values()):.0f}",
        f"{median(fuels.values()):.1f}" if fuels else "cannot: late",
        "" if ratio is None else f"{ratio:.3f}",
        len(run.judged) - len(fuels),
        f"{max(each.highest_wave_m for each in run.judged.values()):.1f}",
        run.on_land,
        next(iter(run.refused.values()), "")[:70],
    )


def report(runs: Sequence[Run], ours: Run, own_share: float, voyages: int) -> None:
    """Print a line for each router, and the overall figures."""
    print_table(
        [
            *("peer", "version", "weather", "speeds", "routed", "refused", "cpu s", "peak MB"),
            *("nm", "fuel mt", "to ours", "late", "wave m", "legs on land", "reason"),
        ],
        [_list_row(run, ours) for run in (ours, *runs)],
    )
    print_result(
        {
            "peers_ran": sum(bool(run.found) for run in runs),
            "voyages": voyages,
            "own_plan_fuel_ratio": round(own_share, 3),
            **{
                run.peer.name: {
                    "version": run.version,
                    "routed": len(run.found),
                    "cpu_ratio": find_ratio(run, ours, "cpu_s"),
                    "distance_ratio": find_ratio(run, ours, "distance_nm"),
                    "fuel_ratio": find_ratio(run, ours, "fuel_t"),
                    "legs_on_land": run.on_land if run.found else None,
                }
                for run in (ours, *runs)
            },
        }
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voyages", type=int, default=5, help=f"1 to {len(ROUTES)}")
    parser.add_argument("--peers", nargs="*", default=[peer.name for peer in PEERS])
    options = parser.parse_args(arguments)
    sea = open_atlas()
    weather = make_storms(0, DATES[0], open_climatology(), days=40)
    voyages = list_voyages(options.voyages, sea)
    # before the judge's coast is loaded, which would count as our memory
    ours, own_t = run_ours(voyages, sea, weather)
    check = LandCheck(sea.passages)
    asked = [write_question(voyage, weather, check) for voyage in voyages]
    chosen = [peer for peer in PEERS if peer.name in options.peers]
    with tempfile.TemporaryDirectory() as folder:
        runs = [run_peer(peer, voyages, asked, Path(folder)) for peer in chosen]
    for run in (ours, *runs):
        for voyage, found in run.found.items():
            run.judged[voyage] = judge(voyage, found.track, weather, check)
            add_track(found.track)
    judged_t = [judged.fuel_t for judged in ours.judged.values()]
    burnt = zip(own_t[~np.isnan(own_t)], judged_t, strict=True)
    report(runs, ours, median(own / t for own, t in burnt if t is not None), len(voyages))


if __name__ == "__main__":
    main()
