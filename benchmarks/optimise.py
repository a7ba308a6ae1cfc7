"""Saving, planning time and correctness of optimised voyages.

``python -m benchmarks.optimise [--voyages N] [--finer N]``

The cases combine ocean routes, dates and ships in seeded storms, each with a required arrival and
some slack. Independent checks test every plan: the weather along densely sampled legs against the
wave limit, and the legs against the coast. ``--finer`` plans N of them again with about thirty
times the work: closer columns and arrival times, more courses and speeds, and no waypoint left out
for its small cost.
"""

import argparse
import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from statistics import median, quantiles
from typing import Any
from unittest.mock import patch

import numpy as np

from app.engine.errors import VoyageError
from app.engine.geodesy import sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.optimise.wide_resolution import WideResolution
from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.plan import RoutePlan, Waypoint
from app.engine.planner import plan_voyage
from app.engine.request import Limits, Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.times import hours_since_epoch
from app.engine.weather import WeatherField
from benchmarks.atlas import SMALL_SHIP, open_atlas, open_climatology
from benchmarks.land_check import LandCheck, cut_at_antimeridian
from benchmarks.report import print_result, print_table
from benchmarks.storm_weather import make_storms

ROUTES = {
    "New York - Bishop Rock": ((40.4, -73.8), (49.75, -6.6)),
    "Bishop Rock - New York": ((49.75, -6.6), (40.4, -73.8)),
    "Rotterdam - Halifax": ((51.98, 4.05), (44.6, -63.5)),
    "Gibraltar - Norfolk": ((35.95, -5.6), (36.9, -75.9)),
    "Yokohama - San Francisco": ((35.4, 139.7), (37.75, -122.7)),
    "San Francisco - Yokohama": ((37.75, -122.7), (35.4, 139.7)),
    "Honolulu - Busan": ((21.28, -157.9), (35.05, 129.1)),
    "Santos - Cape Town": ((-24.05, -46.3), (-33.85, 18.4)),
    "Cape Town - Fremantle": ((-33.85, 18.4), (-32.05, 115.7)),
    "Fremantle - Cape Town": ((-32.05, 115.7), (-33.85, 18.4)),
    "Valparaiso - Auckland": ((-33.0, -71.65), (-36.6, 174.9)),
    "Rotterdam - Singapore": ((51.98, 4.05), (1.2, 103.9)),
}
DATES = tuple(datetime(2026, month, 10, tzinfo=UTC) for month in (1, 4, 7, 10))
SHIPS = {
    "Kamsarmax": (
        ShipParticulars(
            ShipType.BULK_CARRIER, 82_000.0, 229.0, 225.5, 32.26, 20.05, 12.2, 14.45, 14.0, 5.1
        ),
        Loading(12.2, 0.0, 68_000.0),
    ),
    "Aframax": (
        ShipParticulars(
            ShipType.TANKER, 112_000.0, 250.0, 240.0, 44.0, 21.0, 13.2, 15.0, 14.5, 6.0
        ),
        Loading(13.2, 0.0, 95_000.0),
    ),
    "Panamax container": (
        ShipParticulars(
            ShipType.CONTAINER_SHIP, 52_000.0, 275.0, 262.0, 32.2, 21.5, 12.0, 13.2, 21.0, 8.0
        ),
        Loading(12.0, 0.0, 45_000.0),
    ),
}
#: Ordered speeds and required mean speed, as shares of service speed.
_SPEEDS, _MEAN_SPEED = (0.6, 1.05), 0.85
_WAVE_LIMIT_M = 8.0
_STEP_NM = 4.0
#: Rounding of reported wave heights [m].
_SLACK_M = 0.02
_FINER_LATTICES = WideResolution(
    columns=28, speeds=13, bin_h=0.6, weather_spacing_nm=60.0, longest_step_h=6.0
)
#: Resolution of the search [nm, h and counts], with about thirty times the work.
_FINER: dict[str, dict[str, Any]] = {
    "track_search": {
        "SPACING_SHARE": 0.25,
        "REACH": 6,
        "_MAX_BINS": 640,
        "SURVEY": replace(_FINER_LATTICES, columns=36),
    },
    "track_refinement": {"_FINE_ROUNDS": 4},
    "wide_resolution": {"SPACING_SHARE": 0.25, "_THOROUGH": _FINER_LATTICES},
}


@dataclass(frozen=True)
class Case:
    """One voyage to plan."""

    route: str
    ship: str
    departs_at: datetime


@dataclass(frozen=True)
class Outcome:
    """Result of a voyage; ``plan`` is ``None`` if it was refused."""

    case: Case
    seconds: float
    plan: RoutePlan | None
    refused: str
    highest_wave_m: float = 0.0
    legs_on_land: int = 0


def list_cases(voyages: int) -> list[Case]:
    """List cases, a given number of them spread over routes, ships and dates."""
    cases = [Case(*parts) for parts in product(ROUTES, SHIPS, DATES)]
    chosen = np.random.default_rng(7).permutation(len(cases))[:voyages]
    return sorted((cases[i] for i in chosen), key=lambda case: case.departs_at)


def make_request(case: Case, sea: SeaAtlas) -> VoyageRequest:
    """Return a voyage with an arrival for its mean speed on the shortest route."""
    start, end = (Position(*place) for place in ROUTES[case.route])
    ship, loading = SHIPS[case.ship]
    length_nm = sea.find_paths(start, end, ship=SMALL_SHIP, most=1)[0].distance_nm
    hours = length_nm / (_MEAN_SPEED * ship.service_speed_kn)
    least, most = (share * ship.service_speed_kn for share in _SPEEDS)
    return VoyageRequest(
        departure=start,
        arrival=end,
        departs_at=case.departs_at,
        ship=ship,
        loading=loading,
        speed_min_kn=least,
        speed_max_kn=most,
        arrive_by=case.departs_at + timedelta(hours=hours),
        limits=Limits(wave_height_m=_WAVE_LIMIT_M),
    )


def plan(case: Case, sea: SeaAtlas, weather: WeatherField, check: LandCheck) -> Outcome:
    """Plan one voyage and check the plan."""
    request = make_request(case, sea)
    began = time.perf_counter()
    try:
        found = plan_voyage(request, sea, weather)
    except VoyageError as error:
        return Outcome(case, time.perf_counter() - began, None, f"{error.code}: {error.detail}")
    seconds = time.perf_counter() - began
    dry = sum(not _is_clear(check, a, b) for a, b in _legs(found.waypoints))
    return Outcome(case, seconds, found, "", highest_wave_m(found.waypoints, weather), dry)


def _legs(waypoints: Sequence[Waypoint]) -> Iterator[tuple[Waypoint, Waypoint]]:
    return pairwise(waypoints)


def _is_clear(check: LandCheck, a: Waypoint, b: Waypoint) -> bool:
    lines = [
        line
        for geometry in LegGeometry
        for line in cut_at_antimeridian(*sample_leg(a.position, b.position, geometry, _STEP_NM))
    ]
    return not check.find_lines_on_land(lines).any()


def highest_wave_m(waypoints: Sequence[Waypoint], weather: WeatherField) -> float:
    """Return the highest wave [m] on densely sampled legs at their mean speeds."""
    highest = 0.0
    for a, b in _legs(waypoints):
        if b.passage is None:
            geometry = b.leg_geometry or LegGeometry.GREAT_CIRCLE
            lats, lngs = sample_leg(a.position, b.position, geometry, _STEP_NM)
            hours = np.linspace(
                hours_since_epoch(a.leaves_at or a.eta), hours_since_epoch(b.eta), lats.size
            )
            conditions = weather.sample(lats, lngs, hours).wave_height_m
            highest = max(highest, float(conditions.max()))
    return highest


def plan_finer(outcome: Outcome, sea: SeaAtlas, weather: WeatherField) -> float | None:
    """Return the fuel of a plan over that of one with far more work, less one [%]."""
    if outcome.plan is None:
        return None
    with ExitStack() as patches:
        for module, names in _FINER.items():
            patches.enter_context(patch.multiple(f"app.engine.optimise.{module}", **names))
        patches.enter_context(patch("app.engine.planning.weather_routing._COST_SHARE", 0.0))
        finer = plan_voyage(make_request(outcome.case, sea), sea, weather)
    return 100.0 * (outcome.plan.summary.fuel_t / finer.summary.fuel_t - 1.0)


def report(outcomes: Sequence[Outcome], finer: Sequence[float]) -> None:
    """Print a row for each voyage and the overall figures."""
    planned = [(o, o.plan.summary) for o in outcomes if o.plan is not None]
    print_table(
        ["route", "ship", "departs", "s", "nm", "saved %", "wave m", "waypoints", "route by"],
        [_row(outcome) for outcome in outcomes],
    )
    saved = [summary.saved_pct or 0.0 for _, summary in planned]
    seconds = [outcome.seconds for outcome, _ in planned]
    lower, middle, upper = quantiles(saved, n=4)
    print_result(
        {
            "voyages": len(outcomes),
            "refused": len(outcomes) - len(planned),
            "median_s": round(median(seconds), 2),
            "p95_s": round(float(np.quantile(seconds, 0.95)), 2),
            "s_per_1000_nm": round(sum(seconds) / sum(s.distance_nm for _, s in planned) * 1e3, 3),
            "saved_lower_quartile_pct": round(lower, 2),
            "saved_median_pct": round(middle, 2),
            "saved_upper_quartile_pct": round(upper, 2),
            "saved_least_pct": round(min(saved), 3),
            "limits_broken": sum(
                o.highest_wave_m > _WAVE_LIMIT_M + _SLACK_M for o in outcomes if o.plan
            ),
            "legs_on_land": sum(o.legs_on_land for o in outcomes),
            "finer_runs": len(finer),
            "to_finer_run_pct": round(median(finer), 3) if finer else None,
            "to_finer_run_most_pct": round(max(finer), 3) if finer else None,
        }
    )


def _row(outcome: Outcome) -> tuple[object, ...]:
    case = outcome.case
    named = (case.route, case.ship, f"{case.departs_at:%b}", f"{outcome.seconds:.2f}")
    if outcome.plan is None:
        return (*named, "", "", "", "", outcome.refused[:90])
    summary = outcome.plan.summary
    figures = (
        f"{summary.distance_nm:.0f}",
        f"{summary.saved_pct or 0.0:.2f}",
        f"{outcome.highest_wave_m:.2f}",
        len(outcome.plan.waypoints),
    )
    return (*named, *figures, outcome.plan.label)


def main(arguments: Sequence[str] | None = None) -> None:
    """Plan, check and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voyages", type=int, default=len(ROUTES) * len(SHIPS) * len(DATES))
    parser.add_argument("--finer", type=int, default=0)
    options = parser.parse_args(arguments)
    sea = open_atlas()
    climatology = open_climatology()
    gc.freeze()  # as a worker does: a collection then scans only what plannings leave behind
    check = LandCheck(sea.passages)
    fields: dict[datetime, WeatherField] = {}
    outcomes: list[Outcome] = []
    finer: list[float] = []
    cases = list_cases(options.voyages)
    again = set(cases[:: max(1, len(cases) // options.finer)]) if options.finer else set()
    for case in cases:
        if case.departs_at not in fields:
            seed = DATES.index(case.departs_at)
            fields = {case.departs_at: make_storms(seed, case.departs_at, climatology, days=40)}
            plan(case, sea, fields[case.departs_at], check)
        outcomes.append(plan(case, sea, fields[case.departs_at], check))
        if case in again:
            excess_pct = plan_finer(outcomes[-1], sea, fields[case.departs_at])
            finer += [] if excess_pct is None else [excess_pct]
    report(outcomes, finer)


if __name__ == "__main__":
    main()
