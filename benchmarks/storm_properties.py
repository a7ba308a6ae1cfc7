"""Plans with more freedom must not be worse, on seeded voyages through storms.

``python -m benchmarks.storm_properties [--voyages N] [--seed S]``

Each voyage of ``benchmarks.storms`` is planned under wave limits from none to tight, with later
arrivals, and with a higher greatest speed. A limit must never improve a plan, a later arrival must
never burn more, and a faster ship must never arrive later.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from typing import Final

from app.engine.errors import VoyageError
from app.engine.planner import plan_voyage
from app.engine.request import Limits, Objective, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField
from benchmarks.atlas import open_atlas, open_climatology
from benchmarks.report import print_result, print_table
from benchmarks.storm_weather import make_storms
from benchmarks.storms import STORMS, list_requests

_LIMITS_M: Final = (None, 9.0, 7.0, 5.5)
_LATER_H: Final = (0.0, 6.0, 24.0)
_FASTER: Final = (1.0, 1.1)
#: Tolerances for rounding and for the search.
_SAME_SHARE: Final = 0.001
_SAME_H: Final = 0.25


@dataclass(frozen=True)
class Breach:
    """A plan that more freedom made worse: the freedom, and its cost [%]."""

    voyage: int
    freedom: str
    excess_pct: float


@dataclass(frozen=True, eq=False)
class Voyages:
    """The plans of one voyage in its weather."""

    request: VoyageRequest
    sea: SeaAtlas
    weather: WeatherField

    @cache  # noqa: B019  a voyage lives as long as its comparison
    def cost(self, request: VoyageRequest) -> tuple[float, float] | None:
        """Return hours late and fuel [t], or hours where time counts; ``None`` if refused."""
        try:
            summary = plan_voyage(request, self.sea, self.weather).summary
        except VoyageError:
            return None
        if request.objective is Objective.TIME:
            return 0.0, summary.duration_h
        assert request.arrive_by is not None
        asked_h = (request.arrive_by - request.departs_at) / timedelta(hours=1)
        late_h = max(0.0, summary.duration_h - asked_h)
        return (late_h if late_h > _SAME_H else 0.0), summary.fuel_t

    def list_ladders(self) -> Iterator[tuple[str, list[VoyageRequest]]]:
        """Return each freedom, with requests from the most to the least free."""
        request = self.request
        yield "limit", [replace(request, limits=Limits(wave_height_m=m)) for m in _LIMITS_M]
        assert request.arrive_by is not None
        yield (
            "arrival",
            [
                replace(request, limits=Limits(), arrive_by=request.arrive_by + timedelta(hours=h))
                for h in reversed(_LATER_H)
            ],
        )
        soonest = replace(request, limits=Limits(), arrive_by=None, objective=Objective.TIME)
        yield (
            "speed",
            [
                replace(soonest, speed_max_kn=share * request.speed_max_kn)
                for share in reversed(_FASTER)
            ],
        )


def find_breaches(number: int, voyages: Voyages) -> Iterator[Breach]:
    """Yield plans that cost more than a less free one."""
    for freedom, requests in voyages.list_ladders():
        costs = [voyages.cost(request) for request in requests]
        for n, free in enumerate(costs):
            bound = [cost for cost in costs[n + 1 :] if cost is not None]
            if not bound:
                continue
            best = min(bound)
            if free is None or free[0] > best[0] + _SAME_H:
                yield Breach(number, freedom, float("inf"))
            elif free[0] >= best[0] and free[1] > (1.0 + _SAME_SHARE) * best[1]:
                yield Breach(number, freedom, 100.0 * (free[1] / best[1] - 1.0))


def main(arguments: Sequence[str] | None = None) -> None:
    """Plan, compare and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voyages", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    sea = open_atlas()
    climatology = open_climatology()
    breaches = []
    for number, (name, request) in enumerate(list_requests(options.voyages, options.seed)):
        seed = 1000 * options.seed + number
        weather = make_storms(seed, request.departs_at, climatology, days=40, **STORMS)
        found = list(find_breaches(number, Voyages(request, sea, weather)))
        print(number, name, *found, flush=True)
        breaches += found
    print_table(["voyage", "freed", "%"], ((b.voyage, b.freedom, b.excess_pct) for b in breaches))
    kinds = {f"{kind}_breaches": 0 for kind in ("limit", "arrival", "speed")}
    for breach in breaches:
        kinds[f"{breach.freedom}_breaches"] += 1
    print_result({"voyages": options.voyages, **kinds})


if __name__ == "__main__":
    main()
