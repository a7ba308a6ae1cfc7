"""Calibration and time of the spread of plans over synthetic ensembles.

``python -m benchmarks.members [--voyages N] [--seed S] [--speed | --risk]``

Seeded voyages through synthetic oceans (``synthetic_ensembles``). Each plan is simulated in 50
members, and in truths drawn from the same statistics. P10 to P90 should contain 80 % of the truths'
fuel and arrivals, and a limit should be exceeded as often as the members predict. The same is
measured for the spread from typical forecast error, which knows nothing of these oceans.
``--speed`` times one plan of 3,000 nm and one of 8,300 nm with 50 members. ``--risk`` compares
plans chosen by the members with plans chosen by the forecast.
"""

import argparse
import resource
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from unittest.mock import patch

import numpy as np

from app.engine import planner
from app.engine.ensemble.measure import describe_spread, estimate_percentile, simulate_members
from app.engine.ensemble.members import build_ensemble
from app.engine.errors import VoyageError
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Limits, Objective, Position, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.spread import MemberOutcome, Spread
from app.engine.weather import WeatherField, WeatherRun
from benchmarks.atlas import open_atlas, open_climatology
from benchmarks.member_risk import Numbered, list_oceans, measure_risk
from benchmarks.report import print_result, print_table
from benchmarks.storms import list_requests
from benchmarks.synthetic_ensembles import SyntheticOcean, make_ocean

MEMBERS = 50
#: Truths of one voyage; with one each, the share in the band of 40 voyages is uncertain by 6 %.
TRUTHS = 10
#: Wave heights whose exceedance is compared [m], independent of the voyage's limit.
_HEIGHTS_M = (3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
#: Ends and days of weather of the timed voyages: New York–Bishop Rock, Rotterdam–Singapore.
TIMED = {
    "3,000 nm": (Position(40.4, -73.8), Position(49.8, -6.5), 14),
    "8,300 nm": (Position(51.98, 4.05), Position(1.2, 103.9), 32),
}


@dataclass
class Held:
    """Counts of truths inside a band, and of predicted events that occurred."""

    fuel: list[bool] = field(default_factory=list)
    eta: list[bool] = field(default_factory=list)
    exceeded: list[tuple[float, bool]] = field(default_factory=list)

    def add(self, spread: Spread, truths: Sequence[MemberOutcome], is_arrival_free: bool) -> None:
        """Count the truths inside a spread."""
        fuel_t = [outcome.fuel_t for outcome in spread.outcomes]
        etas = [outcome.eta.timestamp() for outcome in spread.outcomes]
        self.fuel += [_holds(fuel_t, truth.fuel_t) for truth in truths]
        if is_arrival_free:
            self.eta += [_holds(etas, truth.eta.timestamp()) for truth in truths]
        for height_m in _HEIGHTS_M:
            share = np.mean([outcome.max_wave_m > height_m for outcome in spread.outcomes])
            self.exceeded += [(float(share), truth.max_wave_m > height_m) for truth in truths]


def _holds(values: Sequence[float], truth: float) -> bool:
    return estimate_percentile(values, 10.0) <= truth <= estimate_percentile(values, 90.0)


def list_voyages(voyages: int, seed: int) -> Iterator[tuple[str, VoyageRequest]]:
    """List voyages of the storms benchmark without limits; every second one has no arrival."""
    for number, (name, request) in enumerate(list_requests(voyages, seed)):
        request = replace(request, limits=Limits())
        if number % 2 == 0:
            request = replace(request, arrive_by=None, objective=Objective.BALANCED)
        yield name, request


def measure_calibration(
    voyages: int, seed: int, sea: SeaAtlas, climatology: WeatherRun
) -> dict[str, object]:
    """Measure how often spreads contain their truths; print tables."""
    by_members, by_error = Held(), Held()
    rows = []
    for number, (name, request) in enumerate(list_voyages(voyages, seed)):
        ocean = make_ocean(request, 1000 * seed + number, climatology, days=22)
        control = ocean.draw(0)
        try:
            made, context, route = plan_and_keep(request, sea, control)
        except VoyageError as error:
            print(number, name, error.code, flush=True)
            continue
        members, truths = (
            _sail(context, route, control, _draw(ocean, numbers))
            for numbers in (range(1, MEMBERS + 1), range(1001, 1001 + TRUTHS))
        )
        is_free = request.arrive_by is None
        by_members.add(members, truths.outcomes, is_free)
        by_error.add(made, truths.outcomes, is_free)
        rows.append(_row(number, name, members, made, truths.outcomes))
        print(*rows[-1], flush=True)
    print_table(["no", "voyage", "kept", "members P10-P90", "typical P10-P90", "truths"], rows)
    _print_reliability(by_members, by_error)
    return {"voyages": len(rows), "truths": len(by_members.fuel)} | {
        f"{basis}_{what}_pct": _share_pct(values)
        for basis, held in (("members", by_members), ("typical", by_error))
        for what, values in (("fuel", held.fuel), ("eta", held.eta))
    }


def _draw(ocean: SyntheticOcean, numbers: Iterable[int]) -> list[tuple[int, WeatherField]]:
    return [(number, ocean.draw(number)) for number in numbers]


def _sail(
    context: PlanningContext, route: SimulatedRoute, control: WeatherField, members: Numbered
) -> Spread:
    """Return the spread of a route over members in which the ship makes headway."""
    ensemble = build_ensemble(control, members, route.simulation)
    simulations = simulate_members(context, route, ensemble)
    assert simulations
    return describe_spread(context, route, ensemble, simulations)


def plan_and_keep(
    request: VoyageRequest, sea: SeaAtlas, control: WeatherField, members: Numbered = ()
) -> tuple[Spread, PlanningContext, SimulatedRoute]:
    """Plan a voyage; return its spread and its route, for simulation in other weather."""
    with patch.object(planner, "write_plan", wraps=planner.write_plan) as written:
        plan = planner.plan_voyage(request, sea, control, members=members)
    assert plan.spread is not None
    context, route, _ = written.call_args.args
    return plan.spread, context, route


def _plan(
    request: VoyageRequest,
    sea: SeaAtlas,
    control: WeatherField,
    members: Numbered,
) -> Spread:
    return plan_and_keep(request, sea, control, members)[0]


def _row(
    number: int, name: str, members: Spread, made: Spread, truths: Sequence[MemberOutcome]
) -> tuple[object, ...]:
    fuel_t = [truth.fuel_t for truth in truths]
    outcomes = [outcome.fuel_t for outcome in members.outcomes]
    return (
        number,
        name,
        members.kept,
        f"{estimate_percentile(outcomes, 10.0):.1f}-{estimate_percentile(outcomes, 90.0):.1f}",
        f"{made.fuel_t.p10:.1f}-{made.fuel_t.p90:.1f}",
        f"{min(fuel_t):.1f}-{max(fuel_t):.1f}",
    )


def _share_pct(values: Sequence[bool]) -> float | None:
    return round(100.0 * float(np.mean(values)), 1) if values else None


def _print_reliability(*held: Held) -> None:
    """Print observed frequencies by tenths of predicted probability."""
    rows = []
    for tenth in range(10):
        row: list[object] = [f"{10 * tenth}-{10 * tenth + 10} %"]
        for basis in held:
            inside = [(p, hit) for p, hit in basis.exceeded if min(int(10.0 * p), 9) == tenth]
            said = 100.0 * float(np.mean([p for p, _ in inside])) if inside else None
            row += [
                len(inside),
                "" if said is None else f"{said:.0f}",
                "" if said is None else f"{100.0 * np.mean([hit for _, hit in inside]):.0f}",
            ]
        rows.append(row)
    figures = ("cases", "predicted %", "observed %")
    bases = ("members", "typical error")
    columns = (f"{basis}: {figure}" for basis in bases for figure in figures)
    print_table(["probability", *columns], rows)


def list_timed() -> Iterator[tuple[str, VoyageRequest, int]]:
    """Yield name, request and days of weather of the voyages that are timed."""
    _, example = next(list_requests(1, 1))
    for name, (start, end, days) in TIMED.items():
        request = replace(
            example, departure=start, arrival=end, arrive_by=None, limits=Limits(),
            objective=Objective.BALANCED, under_way=False,
        )  # fmt: skip
        yield name, request, days


def measure_speed(sea: SeaAtlas, climatology: WeatherRun, seed: int) -> dict[str, object]:
    """Time plans with and without members; print time and peak memory."""
    rows, result = [], {}
    for name, request, days in list_timed():
        ocean = make_ocean(request, seed, climatology, days)
        control, members = ocean.draw(0), [(n, ocean.draw(n)) for n in range(1, MEMBERS + 1)]
        _plan(request, sea, control, ())  # kernels and atlas are warm
        seconds = [_time(request, sea, control, given) for given in ((), members)]
        peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
        rows.append((name, *(f"{each_s:.2f}" for each_s in seconds), f"{peak_mb:.0f}"))
        figures = (round(seconds[0], 2), round(seconds[1], 2), round(peak_mb))
        names = ("typical_s", "members_s", "peak_mb")
        result |= dict(zip((f"{name} {what}" for what in names), figures, strict=True))
    print_table(["length", "typical error s", f"{MEMBERS} members s", "peak MB"], rows)
    return result


def _time(
    request: VoyageRequest,
    sea: SeaAtlas,
    control: WeatherField,
    members: Numbered,
) -> float:
    began_s = time.perf_counter()
    _plan(request, sea, control, members)
    return time.perf_counter() - began_s


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voyages", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speed", action="store_true", help="measure planning time")
    parser.add_argument("--risk", action="store_true", help="compare choices by risk")
    options = parser.parse_args(arguments)
    sea = open_atlas()
    climatology = open_climatology()
    if options.speed:
        print_result(measure_speed(sea, climatology, options.seed))
    elif options.risk:
        oceans = list_oceans(options.voyages, options.seed, climatology)
        print_result(measure_risk(oceans, sea))
    else:
        print_result(measure_calibration(options.voyages, options.seed, sea, climatology))


if __name__ == "__main__":
    main()
