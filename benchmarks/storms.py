"""Plans through heavy storms compared with a second optimiser.

``python -m benchmarks.storms [--voyages N] [--seed S] [--only NUMBER] [--references FILE]``

Seeded voyages cross open oceans through seeded storms, each with a required arrival, some with a
wave limit. The reference is the best voyage that CMA-ES finds (``storm_reference``); a file stores
references for the next run. A voyage with a limit is also planned without it: a limit must never
improve a plan.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import numpy as np

from app.engine.errors import VoyageError
from app.engine.geodesy import leg_distance_nm
from app.engine.geodesy.leg import LegGeometry
from app.engine.particulars import Loading, ShipParticulars, ShipType
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.request import Limits, Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField, WeatherRun
from benchmarks.atlas import open_atlas, open_climatology
from benchmarks.optimise import SHIPS as LARGE_SHIPS
from benchmarks.optimise import highest_wave_m
from benchmarks.report import print_result, print_table
from benchmarks.storm_reference import Reference
from benchmarks.storm_references import References
from benchmarks.storm_weather import make_storms

#: Ends of voyages: boxes of open ocean (south, west, north, east) [deg], sailed in this direction.
_OCEANS = {
    "North Pacific westbound": ((38.0, -135.0, 46.0, -130.0), (33.0, 146.0, 41.0, 152.0)),
    "North Pacific eastbound": ((33.0, 146.0, 41.0, 152.0), (38.0, -135.0, 46.0, -130.0)),
    "North Atlantic westbound": ((45.0, -14.0, 50.0, -9.0), (36.0, -68.0, 41.0, -62.0)),
    "North Atlantic eastbound": ((36.0, -68.0, 41.0, -62.0), (45.0, -14.0, 50.0, -9.0)),
    "South Indian westbound": ((-36.0, 104.0, -30.0, 111.0), (-38.0, 33.0, -33.0, 38.0)),
    "South Atlantic eastbound": ((-38.0, -50.0, -30.0, -42.0), (-38.0, 8.0, -33.0, 14.0)),
}
#: Storms are higher and wider than most in winter, so that many cannot be crossed at the ordered
#: speed; one of the ships is small.
STORMS = {"peaks_m": (8.0, 15.0), "radii_deg": (8.0, 15.0)}
_SHIPS = LARGE_SHIPS | {
    "general cargo": (
        ShipParticulars(
            ShipType.GENERAL_CARGO, 12_500.0, 138.0, 130.0, 21.0, 11.0, 8.0, 8.5, 13.5, 4.0
        ),
        Loading(8.0, 0.0, 11_000.0),
    ),
}
_SPEEDS = (0.6, 1.05)
#: Required mean speeds, as shares of service speed, and wave limits [m]; 0 is none.
_MEAN_SPEEDS = (0.72, 0.9)
_WAVE_LIMITS_M = (0.0, 0.0, 5.5, 7.0, 9.0)
#: Tolerances: lateness of a plan [h]; rounding of reported wave heights [m]; apparent gain by a
#: limit, from rounding and search [h, share].
_LATE_H = 0.5
_SLACK_M = 0.02
_SAME_SHARE = 0.001


@dataclass(frozen=True)
class Outcome:
    """Result of a voyage."""

    name: str
    request: VoyageRequest
    plan: RoutePlan | None
    unlimited: RoutePlan | None
    reference: Reference | None
    highest_wave_m: float
    refused: str
    plan_s: float

    @property
    def asked_h(self) -> float:
        """Required time under way [h]."""
        assert self.request.arrive_by is not None
        return (self.request.arrive_by - self.request.departs_at) / timedelta(hours=1)

    @property
    def is_late(self) -> bool:
        """Return whether the reference arrives sooner although an arrival is required."""
        if self.reference is None:
            return False
        if self.plan is None:
            return True
        by_h = max(self.asked_h, self.reference.hours)
        return self.plan.summary.duration_h > by_h + _LATE_H

    @property
    def excess_pct(self) -> float | None:
        """Fuel above the reference's [%] if both arrive in time."""
        if self.plan is None or self.reference is None or self.reference.hours > self.asked_h:
            return None
        return 100.0 * (self.plan.summary.fuel_t / self.reference.fuel_t - 1.0)

    @property
    def does_limit_improve(self) -> bool:
        """Return whether the plan under a limit is better than the one without."""
        if self.plan is None or self.unlimited is None:
            return False
        limited, free = self.plan.summary, self.unlimited.summary
        late_h, free_late_h = (max(0.0, s.duration_h - self.asked_h) for s in (limited, free))
        if abs(late_h - free_late_h) > _LATE_H:
            return late_h < free_late_h
        return limited.fuel_t < (1.0 - _SAME_SHARE) * free.fuel_t and late_h <= free_late_h


def list_requests(voyages: int, seed: int) -> Iterator[tuple[str, VoyageRequest]]:
    """Yield random voyages: ocean, ends, ship, arrival and limit."""
    random = np.random.default_rng(seed)
    for number in range(voyages):
        name = list(_OCEANS)[number % len(_OCEANS)]
        start, end = (draw_place(random, box) for box in _OCEANS[name])
        ship_name = list(_SHIPS)[int(random.integers(len(_SHIPS)))]
        ship, loading = _SHIPS[ship_name]
        length_nm = leg_distance_nm(start, end, LegGeometry.GREAT_CIRCLE)
        hours = length_nm / (random.uniform(*_MEAN_SPEEDS) * ship.service_speed_kn)
        departs_at = datetime(2026, 1, 10, tzinfo=UTC)
        limit_m = float(random.choice(_WAVE_LIMITS_M))
        yield (
            f"{name}, {ship_name}",
            VoyageRequest(
                departure=start,
                arrival=end,
                departs_at=departs_at,
                ship=ship,
                loading=loading,
                speed_min_kn=_SPEEDS[0] * ship.service_speed_kn,
                speed_max_kn=_SPEEDS[1] * ship.service_speed_kn,
                arrive_by=departs_at + timedelta(hours=hours),
                limits=Limits(wave_height_m=limit_m or None),
                under_way=True,
            ),
        )


def draw_place(random: np.random.Generator, box: tuple[float, float, float, float]) -> Position:
    """Draw a place within south, west, north and east [deg]."""
    south, west, north, east = box
    return Position(float(random.uniform(south, north)), float(random.uniform(west, east)))


def run(
    name: str,
    request: VoyageRequest,
    sea: SeaAtlas,
    climatology: WeatherRun,
    seed: int,
    references: References,
) -> Outcome:
    """Plan one voyage, and find its reference."""
    weather = make_storms(seed, request.departs_at, climatology, days=40, **STORMS)
    began_s = time.perf_counter()
    plan, refused = _plan(request, sea, weather)
    plan_s = time.perf_counter() - began_s
    unlimited = None
    if request.limits.wave_height_m is not None:
        unlimited, _ = _plan(replace(request, limits=Limits()), sea, weather)
    highest_m = 0.0 if plan is None else highest_wave_m(plan.waypoints, weather)
    reference = references.find(request, sea, weather, seed)
    return Outcome(name, request, plan, unlimited, reference, highest_m, refused, plan_s)


def _plan(
    request: VoyageRequest, sea: SeaAtlas, weather: WeatherField
) -> tuple[RoutePlan | None, str]:
    try:
        return plan_voyage(request, sea, weather), ""
    except VoyageError as error:
        return None, f"{error.code}: {error.detail}"


def is_limit_broken(outcome: Outcome) -> bool:
    """Return whether a plan meets higher waves than allowed."""
    limit_m = outcome.request.limits.wave_height_m
    return limit_m is not None and outcome.highest_wave_m > limit_m + _SLACK_M


def row(outcome: Outcome) -> tuple[object, ...]:
    """A voyage's line of the table."""
    plan, reference = outcome.plan, outcome.reference
    excess = outcome.excess_pct
    return (
        outcome.name,
        f"{outcome.request.limits.wave_height_m or 0:.1f}",
        f"{outcome.asked_h:.1f}",
        outcome.refused[:40] if plan is None else f"{plan.summary.duration_h:.1f}",
        "" if plan is None else f"{plan.summary.fuel_t:.1f}",
        "" if reference is None else f"{reference.hours:.1f}",
        "" if reference is None else f"{reference.fuel_t:.1f}",
        "" if excess is None else f"{excess:+.2f}",
        f"{outcome.plan_s:.1f}",
        "LATE " * outcome.is_late
        + "BROKEN " * is_limit_broken(outcome)
        + "IMPROVED" * outcome.does_limit_improve,
    )


def report(outcomes: Sequence[Outcome]) -> None:
    """Print a row for each voyage and the overall figures."""
    columns = "voyage,limit,required h,plan h,plan t,ref h,ref t,%,plan s,"
    print_table(columns.split(","), map(row, outcomes))
    excess = [e for outcome in outcomes if (e := outcome.excess_pct) is not None]
    print_result(
        {
            "voyages": len(outcomes),
            "refused": sum(outcome.plan is None for outcome in outcomes),
            "late": sum(outcome.is_late for outcome in outcomes),
            "compared": len(excess),
            "median_pct": round(median(excess), 3) if excess else None,
            "p95_pct": round(float(np.quantile(excess, 0.95)), 3) if excess else None,
            "worst_pct": round(max(excess), 3) if excess else None,
            "limits_broken": sum(map(is_limit_broken, outcomes)),
            "limit_improves": sum(outcome.does_limit_improve for outcome in outcomes),
        }
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Plan, compare and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voyages", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, nargs="+", help="numbers of voyages, from 0")
    parser.add_argument("--references", type=Path, help="file of stored references")
    options = parser.parse_args(arguments)
    references = References(options.references)
    sea = open_atlas()
    climatology = open_climatology()
    outcomes = []
    for number, (name, request) in enumerate(list_requests(options.voyages, options.seed)):
        if options.only and number not in options.only:
            continue
        seed = 1000 * options.seed + number
        outcomes.append(run(name, request, sea, climatology, seed, references))
        print(number, *row(outcomes[-1]), flush=True)
    report(outcomes)


if __name__ == "__main__":
    main()
