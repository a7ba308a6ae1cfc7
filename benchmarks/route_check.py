"""Correctness of the check of given routes: planted errors, correct plans, random legs.

``python -m benchmarks.route_check [--n FAULTS] [--plans PLANS] [--legs LEGS] [--seed SEED]``

Errors of many kinds are planted into the RTZ of random voyages and must be found. The same files
without errors must have no finding of danger or warning, except those that the plan itself warns
of. Random legs near coasts are checked by the engine and by ``benchmarks.random_legs``, which share
no code.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from app.datasources.route_files.reading import read_route_file
from app.datasources.weather.store import open_run
from app.engine.checking.check import CheckedRoute, check_route
from app.engine.checking.findings import Finding
from app.engine.codes import FindingCode, Severity, WarningCode
from app.engine.errors import VoyageError
from app.engine.plan import RoutePlan
from app.engine.planner import plan_voyage
from app.engine.planning.context import PlanningContext
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from app.exports.rtz import render_rtz
from app.services.chartings.route_checks import give_waypoints
from benchmarks.atlas import open_atlas
from benchmarks.exported_routes import Draw
from benchmarks.land_check import LandCheck
from benchmarks.planted_faults import Planted, Planter, Route
from benchmarks.random_legs import LegJudge
from benchmarks.report import print_result, print_table

GRAVE: Final = (Severity.DANGER, Severity.WARNING)
#: Findings that correspond to warnings of a plan.
EXPLAINED: Final[Mapping[WarningCode, frozenset[FindingCode]]] = {
    WarningCode.AREA_ENTERED: frozenset({FindingCode.AREA_ENTERED, FindingCode.SEASON_CLOSED}),
    WarningCode.ICE: frozenset({FindingCode.AREA_ENTERED, FindingCode.SEASON_CLOSED}),
    WarningCode.LATITUDE_LIMIT: frozenset({FindingCode.LATITUDE_LIMIT}),
    WarningCode.PASSAGE_LIMIT: frozenset({FindingCode.PASSAGE_LIMIT}),
    WarningCode.LOW_UKC: frozenset({FindingCode.LOW_UKC, FindingCode.TOO_SHALLOW}),
}
_KINDS: Final = ("regional", "ports", "under way")


@dataclass(frozen=True)
class Voyage:
    """A planned voyage, and its route as read from its RTZ."""

    context: PlanningContext
    plan: RoutePlan
    route: Route


def plan_voyages(
    count: int, seed: int, sea: SeaAtlas, weather: WeatherField | None
) -> Iterator[Voyage]:
    """Plan random voyages of several legs."""
    draw, made, tried = Draw(seed, sea), 0, 0
    while made < count:
        request = draw.request(_KINDS[tried % len(_KINDS)])
        tried += 1
        try:
            plan = None if request is None else plan_voyage(request, sea, weather)
        except VoyageError:
            continue
        if request is None or plan is None or len(plan.waypoints) < 5:
            continue
        made += 1
        yield Voyage(PlanningContext.of(request, sea, weather), plan, _export(plan))


def _export(plan: RoutePlan) -> Route:
    return read_route_file(render_rtz(plan, route_name="voyage", revision=1)).waypoints


def check(voyage: Voyage, route: Route, **changes: object) -> CheckedRoute:
    """Check a route for the ship and in the weather of a voyage."""
    context = voyage.context
    request = replace(context.request, **changes)  # type: ignore[arg-type]
    open_ = [None] * (len(route) - 1)
    given = give_waypoints(route, open_, open_)
    return check_route(replace(context, request=request), given, "route")


def list_false_alarms(voyage: Voyage) -> list[Finding]:
    """List serious findings on a correct plan that the plan itself does not warn of."""
    warned = {code for w in voyage.plan.warnings for code in EXPLAINED.get(w.code, ())}
    found = check(voyage, voyage.route).findings
    return [f for f in found if f.severity in GRAVE and f.code not in warned]


def judge(voyage: Voyage, planted: Planted) -> tuple[bool, bool]:
    """Return whether a planted error is found, and in the right place."""
    areas = (*voyage.context.request.areas, *planted.areas)
    findings = check(voyage, planted.route, areas=areas).findings
    if planted.silent:
        is_quiet = not any(finding.code in planted.silent for finding in findings)
        return is_quiet, is_quiet
    found = [finding for finding in findings if finding.code in planted.codes]
    anywhere = not planted.legs and not planted.waypoints
    right = any(f.leg_index in planted.legs or f.waypoint_index in planted.waypoints for f in found)
    return bool(found), bool(found) and (anywhere or right)


def plant(
    voyages: Sequence[Voyage], planter: Planter, count: int
) -> Iterator[tuple[Voyage, Planted]]:
    """Plant errors, each kind in turn, into one voyage after another."""
    kinds = list(planter.kinds.values())
    made = tried = 0
    while made < count and tried < 40 * count:
        voyage = voyages[int(planter.random.integers(len(voyages)))]
        planted = kinds[tried % len(kinds)](voyage.route)
        tried += 1
        if planted is not None:
            made += 1
            yield voyage, planted


def main(arguments: Sequence[str] | None = None) -> None:
    """Check and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--plans", type=int, default=200)
    parser.add_argument("--legs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    sea = open_atlas()
    weather = WeatherField(open_run(Path("var/weather/climatology")), ())
    land = LandCheck(sea.passages)
    voyages = list(plan_voyages(options.plans, options.seed, sea, weather))
    alarms = [(n, f) for n, voyage in enumerate(voyages) for f in list_false_alarms(voyage)]
    planter = Planter(options.seed, sea, land)
    judged = [(v, p, *judge(v, p)) for v, p in plant(voyages, planter, options.n)]
    legs = list(LegJudge(options.seed, voyages[0].context, land).judge(options.legs))
    print_table(
        ["voyage", "false alarm", "severity", "message"],
        [(n, f.code, f.severity, f.message) for n, f in alarms],
    )
    missed = Counter((p.kind, "wrong leg" if found else "missed")
                     for _, p, found, right in judged if not right)  # fmt: skip
    planted = Counter(p.kind for _, p, _, _ in judged)
    print_table(["kind", "planted"], sorted(planted.items()))
    print_table(["kind", "what", "count"], [(*key, n) for key, n in sorted(missed.items())])
    print_table(
        ["leg from", "to", "land: check, judge", "area", "depth"],
        [(leg.start, leg.end, leg.land, leg.area, leg.depth)
         for leg in legs if not leg.is_agreed],
    )  # fmt: skip
    print_result(
        {
            "planted": len(judged),
            "found": sum(found for _, _, found, _ in judged),
            "right_leg": sum(right for _, _, _, right in judged),
            "kinds": len(planted),
            "plans": len(voyages),
            "false_alarms": len(alarms),
            "legs_judged": len(legs),
            "legs_agreed": sum(leg.is_agreed for leg in legs),
            "areas_entered": sum(leg.area[1] for leg in legs),
            "legs_on_land": sum(leg.land[1] for leg in legs),
            "depths_judged": sum(leg.depth[1] is not None for leg in legs),
        }
    )


if __name__ == "__main__":
    main()
