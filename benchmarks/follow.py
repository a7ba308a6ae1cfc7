"""Gain of advice under way: voyages followed through successive forecasts of one truth.

``python -m benchmarks.follow [--voyages N] [--seed S] [--every H] [--jobs J]``

Each voyage is planned in the first forecast and sailed in the truth. At every forecast the rest is
simulated and planned again. The voyage is sailed in three ways: never re-planned, re-planned when
advised, and always re-planned. Fuel is compared with a plan made in the truth. Errors of successive
forecasts are independent, so a storm moves more between two of them than a real one does. Broken
limits are counted separately if the current forecast predicted them, a plan that keeps them was
found, and no advice was given.
"""

import argparse
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cache, partial
from statistics import mean, median

import numpy as np

from app.engine.errors import VoyageError
from app.engine.geodesy import leg_distance_nm
from app.engine.geodesy.leg import LegGeometry
from app.engine.monitoring.advice import Thresholds, advise
from app.engine.monitoring.progress import measure_progress
from app.engine.monitoring.remainder import (
    Outlook,
    assess_remainder,
    find_better_plan,
    list_remaining_waypoints,
    request_remainder,
)
from app.engine.plan import RoutePlan
from app.engine.planner import plan_best_route, plan_voyage
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint, simulate_given_route
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Limits, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.telemetry.records import VoyageRecords
from app.engine.times import hours_since_epoch
from app.engine.weather import WeatherField
from benchmarks.atlas import open_atlas, open_climatology
from benchmarks.report import print_result, print_table
from benchmarks.storms import draw_place, list_requests
from benchmarks.synthetic_ensembles import make_ocean

DEPARTS_AT = datetime(2026, 1, 10, tzinfo=UTC)
LIMIT_M = 6.0
#: Boxes of the west and east ends: south, west, north and east [deg].
_WEST, _EAST = (36.0, -62.0, 46.0, -52.0), (40.0, -25.0, 50.0, -12.0)
_MEAN_KN = (11.5, 13.0)
#: Excess over the wave limit that is due to the sampling of plans [m].
_SLACK_M = 0.1


class Manner(StrEnum):
    """Condition for re-planning the rest of a voyage."""

    NEVER = "never"
    ADVISED = "advised"
    ALWAYS = "always"


@dataclass
class Sailed:
    """A voyage sailed in the truth: fuel [t], hours, waves over the limit [h], changes of plan."""

    fuel_t: float = 0.0
    hours: float = 0.0
    over_limit_h: float = 0.0
    changes: int = 0
    unadvised: int = 0


@dataclass
class Followed:
    """One voyage in each manner, and the fuel [t] of a plan in the truth, if there is one."""

    request: VoyageRequest
    best_t: float | None
    sailed: dict[Manner, Sailed]


@cache
def open_sea() -> SeaAtlas:
    """Return the atlas, opened once per process."""
    return open_atlas()


def list_voyages(voyages: int, seed: int) -> list[VoyageRequest]:
    """List random crossings of the North Atlantic with a deadline and a wave limit."""
    (_, usual), random = next(list_requests(1, 0)), np.random.default_rng(seed)
    found = []
    for _ in range(voyages):
        start, end = (draw_place(random, box) for box in (_WEST, _EAST))
        length_nm = leg_distance_nm(start, end, LegGeometry.GREAT_CIRCLE)
        by = DEPARTS_AT + timedelta(hours=length_nm / random.uniform(*_MEAN_KN))
        found.append(
            replace(
                usual,
                departure=start,
                arrival=end,
                departs_at=DEPARTS_AT,
                arrive_by=by,
                speed_min_kn=9.0,
                speed_max_kn=14.5,
                limits=Limits(wave_height_m=LIMIT_M),
            )
        )
    return found


def follow(number: int, seed: int, voyages: int, every_h: float) -> Followed:
    """Sail one voyage in each manner."""
    request, sea = list_voyages(voyages, seed)[number], open_sea()
    climatology = open_climatology()
    ocean = make_ocean(request, 1000 * seed + number, climatology, 12)
    truth = ocean.draw(0)
    issue = cache(lambda hour: ocean.draw(1 + round(hour), issued_h=hour))
    best = _plan(request, sea, truth)
    sailed = {manner: _sail(request, sea, truth, issue, manner, every_h) for manner in Manner}
    return Followed(request, None if best is None else best.summary.fuel_t, sailed)


def _sail(request, sea, truth, issue, manner, every_h) -> Sailed:  # type: ignore[no-untyped-def]
    """Sail a voyage in the truth, re-planned at forecasts by its manner."""
    log, now_h = Sailed(), 0.0
    plan, asked = _plan(request, sea, issue(0.0)), request
    if plan is None:
        plan, asked = _plan(replace(request, limits=Limits()), sea, issue(0.0)), request
    if plan is None:
        raise SystemExit("a voyage has no plan even without limits")
    while True:
        begun_h = (asked.departs_at - DEPARTS_AT) / timedelta(hours=1)
        route = _sail_plan(asked, plan, sea, truth)
        until_h = now_h + every_h
        _log(log, route, now_h - begun_h, until_h - begun_h)
        if until_h - begun_h >= route.simulation.total_h:
            log.hours = begun_h + route.simulation.total_h
            return log
        now_h = until_h
        if manner is Manner.NEVER:
            continue
        field = issue(now_h)
        progress = measure_progress(plan, _report(route, now_h - begun_h))
        rest = request_remainder(asked, progress.time, progress.position)
        context = _context(rest, sea, field)
        outlook = assess_remainder(context, list_remaining_waypoints(plan, progress))
        better = _plan_rest(context, outlook if manner is Manner.ADVISED else None)
        if better is None:
            continue
        is_advised = manner is Manner.ALWAYS or advise(
            outlook, better, Thresholds(), now=progress.time, arrive_by=rest.arrive_by
        )
        if not is_advised:
            log.unadvised += bool(outlook.breaches)
            continue
        plan, asked = better, rest
        log.changes += 1


def _plan(request: VoyageRequest, sea: SeaAtlas, field: WeatherField) -> RoutePlan | None:
    try:
        return plan_voyage(request, sea, field)
    except VoyageError:
        return None


def _plan_rest(context: PlanningContext, current: Outlook | None) -> RoutePlan | None:
    """Plan the rest, only where it may be better than ``current`` if that is given."""
    try:
        return plan_best_route(context) if current is None else find_better_plan(context, current)
    except VoyageError:
        return None


def _context(request: VoyageRequest, sea: SeaAtlas, field: WeatherField) -> PlanningContext:
    return PlanningContext.of(request, sea, field)


def _sail_plan(
    request: VoyageRequest, plan: RoutePlan, sea: SeaAtlas, truth: WeatherField
) -> SimulatedRoute:
    """Sail a plan's track at its speeds through the water, in the truth."""
    waypoints = [
        GivenWaypoint(
            waypoint.position,
            waypoint.leg_geometry or LegGeometry.RHUMB,
            speed_kn=waypoint.speed_through_water_kn,
        )
        for waypoint in plan.waypoints
    ]
    return simulate_given_route(_context(request, sea, truth), waypoints, "sailed")


def _log(log: Sailed, route: SimulatedRoute, from_h: float, until_h: float) -> None:
    """Count fuel and waves over the limit between two times since the plan's departure."""
    hours = route.simulation.hours
    burnt_t = np.concatenate([[0.0], np.cumsum(route.fuel_t)])
    log.fuel_t += float(np.diff(np.interp([from_h, until_h], hours, burnt_t))[0])
    if route.weather is not None:
        is_over = route.weather.wave_height_m[1:] > LIMIT_M + _SLACK_M
        inside = np.minimum(hours[1:], until_h) - np.maximum(hours[:-1], from_h)
        log.over_limit_h += float(np.maximum(inside, 0.0)[is_over].sum())


def _report(route: SimulatedRoute, until_h: float) -> VoyageRecords:
    """Report the ship's positions up to a time since the plan's departure, the last one there."""
    simulation = route.simulation
    at_h = np.append(simulation.hours[simulation.hours < until_h], until_h)
    track, count = simulation.track, at_h.size
    return VoyageRecords(
        hours_since_epoch(simulation.departs_at) + at_h,
        np.interp(at_h, simulation.hours, track.lats),
        np.interp(at_h, simulation.hours, track.lngs),
        np.full(count, 12.0),
        np.full(count, 20.0),
    )


def report(found: Sequence[Followed]) -> None:
    """Print the cost of each manner, and the advice given."""
    rows = []
    result: dict[str, object] = {"voyages": len(found)}
    for manner in Manner:
        all_of = [each.sailed[manner] for each in found]
        regrets = [
            100.0 * (each.sailed[manner].fuel_t / each.best_t - 1.0)
            for each in found
            if each.best_t is not None
        ]
        late_h = [max(0.0, s.hours - _due_h(each)) for each, s in zip(found, all_of, strict=True)]
        days = [48.0 * s.changes / s.hours for s in all_of]
        figures = {
            "regret_pct": round(mean(regrets), 3),
            "over_limit_h": round(sum(s.over_limit_h for s in all_of), 2),
            "late_h": round(mean(late_h), 3),
            "changes": sum(s.changes for s in all_of),
            "changes_per_two_days": round(median(days), 3),
            "unadvised": sum(s.unadvised for s in all_of),
        }
        rows.append((manner, *figures.values()))
        result |= {f"{manner}_{name}": value for name, value in figures.items()}
    print_table(
        ("re-planned", "regret %", "over limit h", "late h", "changes", "per 2 d", "unadvised"),
        rows,
    )
    print_result(result)


def _due_h(followed: Followed) -> float:
    by = followed.request.arrive_by
    return float("inf") if by is None else (by - DEPARTS_AT) / timedelta(hours=1)


def main(arguments: Sequence[str] | None = None) -> None:
    """Follow voyages and report."""
    parser = argparse.ArgumentParser(prog="benchmarks.follow", description=__doc__)
    parser.add_argument("--voyages", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=12.0, help="hours between forecasts")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    one = partial(follow, seed=options.seed, voyages=options.voyages, every_h=options.every)
    with ProcessPoolExecutor(options.jobs) as pool:
        report([*pool.map(one, range(options.voyages))])


if __name__ == "__main__":
    main()
