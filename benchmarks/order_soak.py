"""Random valid requests over every field, planned and read back; none may cause an error.

``python -m benchmarks.order_soak [--n N] [--seed SEED] [--first NUMBER] [--log FILE]``

Each request passes the API's schemas and checks and is mapped to the engine. It is planned in one
of three weathers (climatology; storms as a forecast run; a short regional forecast), stored, and
read back in every form that clients use. ``--first`` begins at a later request of the same seed, so
that a soak can be run in parts and one request be repeated. ``--log`` appends one line of JSON per
request.
"""

import argparse
import json
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Final

import marshmallow as ma
import numpy as np

from app.engine.errors import VoyageError
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.report.critical_points import find_critical_points
from app.engine.report.explanation import explain
from app.engine.report.segments import compute_segments
from app.engine.request import VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import RegularGrid, WeatherField, WeatherRun
from app.exports.csv import render_csv
from app.exports.rtz import render_rtz
from app.models import ChartingRevision, Vessel
from app.records.charting import ChartingSchema
from app.records.instants import parse_instant
from app.records.vessel import VesselSchema
from app.services import charting_request
from app.services.areas.areas_in_force import list_zones
from app.services.areas.no_go_areas import parse_no_go_areas
from app.services.chartings import chartings
from app.services.engine_mapping import (
    build_voyage_request,
    load_plan,
    read_ice_class,
    snapshot_vessel,
    store_plan,
)
from app.services.errors import Invalid
from app.services.vessels import vessel_particulars
from benchmarks.atlas import open_atlas, open_climatology
from benchmarks.random_orders import SEASONS, Dice, Json, draw_order, draw_vessel
from benchmarks.report import print_result, print_table
from benchmarks.storm_weather import build_run, make_storms

WEATHERS: Final = ("climatology", "storms", "regional")
#: Attempts to draw a valid request.
_MOST_DRAWS: Final = 40
_UKC_MARGIN_M: Final = 1.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of one request: a code, and the traceback if it is ``INTERNAL``."""

    number: int
    weather: str
    code: str
    seconds: float
    trace: str = ""


def draw_valid(dice: Dice, atlas: SeaAtlas) -> tuple[ChartingRevision, Json]:
    """Return a valid request as its revision, and as sent."""
    for _ in range(_MOST_DRAWS):
        sent = draw_vessel(dice)
        order = draw_order(dice, sent)
        try:
            return accept(sent, order, atlas), {"vessel": sent, "order": order}
        except (ma.ValidationError, Invalid):
            continue
    raise AssertionError(f"none of {_MOST_DRAWS} draws is valid")


def accept(sent: Json, order: Json, atlas: SeaAtlas) -> ChartingRevision:
    """Return what the API would store for a vessel and a request; raise its refusal."""
    vessel = Vessel(**VesselSchema().load(sent))
    if faults := vessel_particulars.find_faults(snapshot_vessel(vessel)):
        raise Invalid(faults)
    request = charting_request.normalise(ChartingSchema().load(order))
    chartings.check_loading(request, vessel)
    chartings.check_ends_are_at_sea(request, atlas)
    return ChartingRevision(revision=1, request=request, vessel=snapshot_vessel(vessel))


def run_order(revision: ChartingRevision, atlas: SeaAtlas, weather: WeatherField) -> None:
    """Plan a request as a worker does, store the plan, and read it back in every form."""
    asked = revision.request
    zones = list_zones(asked, read_ice_class(revision.vessel))
    areas = [*zones, *parse_no_go_areas(asked["noGoAreas"] or [])]
    request = build_voyage_request(revision, areas, _UKC_MARGIN_M)
    store_plan(revision, plan_voyage(request, atlas, weather))
    stored = (revision.summary, revision.warnings, revision.plan, revision.profile)
    json.dumps(stored, allow_nan=False)
    _read_back(load_plan(revision), request)


def _read_back(plan: RoutePlan, request: VoyageRequest) -> None:
    explain(plan, request)
    find_critical_points(plan, request)
    compute_segments(plan)
    render_csv(plan)
    render_rtz(plan, route_name="soak", revision=1)


def soak(
    seed: int, first: int, count: int, atlas: SeaAtlas, climatology: WeatherRun
) -> Iterator[tuple[Outcome, Json]]:
    """Run a number of requests of a seed; yield each with its outcome."""
    find_weather = make_weathers(seed, climatology)
    for number in range(first, first + count):
        dice = Dice(seed, number)
        kind = WEATHERS[number % len(WEATHERS)]
        revision, sent = draw_valid(dice, atlas)
        season = int(np.argmin([abs(s - _departure(revision)) for s in SEASONS]))
        began = time.perf_counter()
        code, trace = _try_order(revision, atlas, find_weather(kind, season))
        yield Outcome(number, kind, code, time.perf_counter() - began, trace), sent


def _departure(revision: ChartingRevision) -> datetime:
    return parse_instant(revision.request["startDate"])


def _try_order(
    revision: ChartingRevision, atlas: SeaAtlas, weather: WeatherField
) -> tuple[str, str]:
    """Return the outcome's code, and the traceback of an error."""
    try:
        run_order(revision, atlas, weather)
    except VoyageError as error:
        return error.code, traceback.format_exc() if error.code == "INTERNAL" else ""
    except Exception:
        return "INTERNAL", traceback.format_exc()
    return "COMPLETED", ""


def make_weathers(seed: int, climatology: WeatherRun) -> Callable[[str, int], WeatherField]:
    """Return weather by kind and season, created on first use."""

    @cache
    def find(kind: str, season: int) -> WeatherField:
        if kind == "climatology":
            return WeatherField(climatology)
        if kind == "storms":
            return make_storms(seed + season, SEASONS[season], climatology, days=12)
        return _make_regional(seed + season, season, climatology)

    return find


def _make_regional(seed: int, season: int, climatology: WeatherRun) -> WeatherField:
    """Return three days of rough weather over the North Atlantic and western Europe."""
    grid = RegularGrid(30.0, 1.0, 36, -60.0, 1.0, 76)
    random = np.random.default_rng(seed)
    hours = np.arange(6.0, 79.0, 6.0)
    shape = (hours.size, grid.n_lat, grid.n_lng)
    height = random.uniform(0.5, 7.0, hours.size)[:, None, None] + np.zeros(shape)
    angle = random.uniform(0.0, 2.0 * np.pi, hours.size)[:, None, None] + np.zeros(shape)
    wave = np.stack([height, 4.5 * np.sqrt(height), np.sin(angle), np.cos(angle)], axis=-1)
    wind = 3.0 * height[..., None] * np.stack([np.sin(angle), np.cos(angle)], axis=-1)
    issued_at = SEASONS[season] - timedelta(hours=6)
    run = build_run(f"regional-{seed}", grid, issued_at, hours, wave, wind)
    return WeatherField(climatology, (run,))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the requests and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--log", type=Path)
    options = parser.parse_args(arguments)
    outcomes = []
    orders = soak(options.seed, options.first, options.n, open_atlas(), open_climatology())
    for outcome, sent in orders:
        outcomes.append(outcome)
        _log(options.log, outcome, sent)
        if outcome.trace:
            print(f"order {outcome.number} of seed {options.seed}:\n{outcome.trace}", flush=True)
    _report(outcomes)


def _log(file: Path | None, outcome: Outcome, sent: Json) -> None:
    if file is not None:
        line = {"number": outcome.number, "code": outcome.code, "seconds": outcome.seconds}
        with file.open("a") as lines:
            lines.write(json.dumps(line | ({"sent": sent} if outcome.trace else {})) + "\n")


def _report(outcomes: Sequence[Outcome]) -> None:
    codes = Counter(outcome.code for outcome in outcomes)
    by_weather = Counter((outcome.code, outcome.weather) for outcome in outcomes)
    rows = [(code, n, *(by_weather[code, kind] for kind in WEATHERS)) for code, n in codes.items()]
    print_table(["outcome", "orders", *WEATHERS], sorted(rows))
    seconds = [outcome.seconds for outcome in outcomes]
    print_result(
        {
            "orders": len(outcomes),
            "completed": codes.pop("COMPLETED", 0),
            "internal": codes.pop("INTERNAL", 0),
            "failed": dict(codes),
            "p50_s": round(float(np.percentile(seconds, 50)), 2),
            "p99_s": round(float(np.percentile(seconds, 99)), 2),
        }
    )


if __name__ == "__main__":
    main()
