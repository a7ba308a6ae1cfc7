"""Plans chosen by the members' risk compared with plans chosen by the forecast.

Run by ``python -m benchmarks.members --risk``. Each voyage is planned both ways, and both plans are
simulated in truths from the same distribution as the members.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from unittest.mock import patch

import numpy as np

from app.engine import planner
from app.engine.ensemble.choice import RouteResults, simulate_in_members
from app.engine.ensemble.members import build_ensemble
from app.engine.errors import VoyageError
from app.engine.request import Objective, Risk, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField, WeatherRun
from benchmarks.report import print_table
from benchmarks.storms import list_requests
from benchmarks.synthetic_ensembles import SyntheticOcean, make_ocean

Numbered = Sequence[tuple[int, WeatherField]]

#: Numbers of members for the choice, and of truths for the simulation.
_MEMBERS = 20
_TRUTHS = 10


@dataclass(frozen=True)
class Pair:
    """Costs of two plans of a voyage in its truths, and the truths in which limits break."""

    name: str
    by_forecast: RouteResults
    by_risk: RouteResults

    @property
    def costs(self) -> tuple[np.ndarray, np.ndarray]:
        """Costs relative to the mean cost of the forecast's plan, by truth."""
        numbers = sorted(self.by_forecast.costs.keys() & self.by_risk.costs.keys())
        first, second = (
            np.array([results.costs[number] for number in numbers])
            for results in (self.by_forecast, self.by_risk)
        )
        return first / first.mean(), second / first.mean()

    @property
    def row(self) -> tuple[object, ...]:
        """Cells of the table."""
        first, second = self.costs
        return (
            self.name,
            f"{100.0 * (second.mean() - 1.0):+.2f}",
            f"{100.0 * (np.quantile(second, 0.9) / np.quantile(first, 0.9) - 1.0):+.2f}",
            self.by_forecast.breaches,
            self.by_risk.breaches,
        )


def measure_risk(
    oceans: Iterator[tuple[str, VoyageRequest, SyntheticOcean]], sea: SeaAtlas
) -> dict[str, object]:
    """Plan voyages by the forecast and by P90, and simulate both in truths; print a table."""
    pairs = []
    for name, request, ocean in oceans:
        control = ocean.draw(0)
        members = [(number, ocean.draw(number)) for number in range(1, _MEMBERS + 1)]
        truths = [(number, ocean.draw(number)) for number in range(101, 101 + _TRUTHS)]
        try:
            results = (
                _sail(replace(request, risk=risk), sea, control, members, truths)
                for risk in (None, Risk.P90)
            )
            pairs.append(Pair(name, *results))
        except VoyageError as error:
            print(name, error.code, flush=True)
            continue
        print(*pairs[-1].row, flush=True)
    columns = ["voyage", "mean cost %", "P90 cost %", "breaches", "breaches by risk"]
    print_table(columns, [pair.row for pair in pairs])
    return summarise(pairs)


def summarise(pairs: Sequence[Pair]) -> dict[str, object]:
    """Return the figures of all voyages."""
    first, second = (np.concatenate(costs) for costs in zip(*(p.costs for p in pairs), strict=True))
    return {
        "voyages": len(pairs),
        "truths": first.size,
        "mean_cost_pct": round(100.0 * float(second.mean() - 1.0), 2),
        "p90_cost_pct": round(
            100.0 * float(np.quantile(second, 0.9) / np.quantile(first, 0.9) - 1.0), 2
        ),
        "breaches_by_forecast": sum(pair.by_forecast.breaches for pair in pairs),
        "breaches_by_risk": sum(pair.by_risk.breaches for pair in pairs),
    }


def _sail(
    request: VoyageRequest,
    sea: SeaAtlas,
    control: WeatherField,
    members: Numbered,
    truths: Numbered,
) -> RouteResults:
    """Plan a voyage, by the members if a risk is given, and simulate the plan in truths."""
    known = members if request.risk is not None else ()
    with patch.object(planner, "write_plan", wraps=planner.write_plan) as written:
        planner.plan_voyage(request, sea, control, members=known)
    context, best, _ = written.call_args.args
    (results,) = simulate_in_members(
        context, [best], build_ensemble(control, truths, best.simulation)
    )
    return results


def list_oceans(
    voyages: int, seed: int, climatology: WeatherRun
) -> Iterator[tuple[str, VoyageRequest, SyntheticOcean]]:
    """Yield voyages of the storms benchmark; every second one has no required arrival."""
    for number, (name, request) in enumerate(list_requests(voyages, seed)):
        if number % 2 == 0:
            request = replace(request, arrive_by=None, objective=Objective.BALANCED)
        yield name, request, make_ocean(request, 5000 * seed + number, climatology, days=22)
