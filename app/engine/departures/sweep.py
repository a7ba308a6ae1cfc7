"""Comparison of all departures of a window: coarse searches of all, thorough ones of the best.

A coarse search takes a fraction of the time of a thorough one. Its error is a few per cent, and
similar for neighbouring departures, unless a limit of waves or wind binds: then it may miss the
better side of a storm. Departures are searched thoroughly in the order of their
coarse costs, until no other can be the best even if the error of its coarse cost is larger than
any error found.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from math import inf, isfinite
from queue import SimpleQueue
from typing import Final

from app.engine.codes import FailureCode, WarningCode
from app.engine.departures.window import (
    DepartureComparison,
    DepartureFigures,
    DepartureOutcome,
    DepartureWindow,
    Infeasible,
)
from app.engine.errors import VoyageError
from app.engine.formatting import format_time
from app.engine.parallel import run_parallel
from app.engine.planner import choose_best_route, search_routes
from app.engine.planning.area_rules import resolve_area_rules
from app.engine.planning.candidates import Thoroughness
from app.engine.planning.context import PlanningContext
from app.engine.planning.limits import is_near_limit, within_limits
from app.engine.planning.relaxation import ALL_CLOSED, describe_nearest, find_nearest
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.progress import Progress, ProgressReporter, no_progress
from app.engine.request import Objective, VoyageRequest
from app.engine.sea.atlas import SeaAtlas
from app.engine.weather import WeatherField

#: Departures searched thoroughly in the first round and in each later one.
_FIRST_REFINED: Final = 4
_NEXT_REFINED: Final = 2
#: Margin by which a coarse cost's error may exceed the largest found, as a share of the cost.
_MARGIN: Final = 0.01
#: The same where a limit of waves or wind binds.
_MARGIN_NEAR_LIMIT: Final = 0.25
#: Share of the progress for the coarse searches.
_COARSE_SHARE: Final = 0.6


@dataclass(frozen=True, slots=True)
class SearchedDeparture:
    """A departure with its outcome and its cost by the objective, infinite if infeasible.

    ``coarse_cost`` is the cost by a coarse search. ``is_near_limit`` is true if the weather on the
    best route is close to a limit.
    """

    outcome: DepartureOutcome
    cost: float = float("inf")
    coarse_cost: float = float("inf")
    is_near_limit: bool = False


#: Receives each result as it is found; a departure's refined result comes after its coarse one.
Receiver = Callable[[SearchedDeparture], None]


def search_departure(
    context: PlanningContext,
    departs_at: datetime,
    arrive_by: datetime | None,
    thoroughness: Thoroughness,
) -> SearchedDeparture:
    """Search the best route of a departure under the limits of the voyage.

    A departure that misses the latest arrival is infeasible.
    """
    request = replace(context.request, departs_at=departs_at, arrive_by=arrive_by)
    context = replace(context, request=request)
    is_refined = thoroughness is not Thoroughness.COARSE
    outcome = DepartureOutcome(departs_at, is_refined=is_refined)
    if request.arrive_by is not None and departs_at >= request.arrive_by:
        late = Infeasible(
            WarningCode.ENDDATE_UNREACHABLE,
            f"Departs no earlier than the latest arrival, {format_time(request.arrive_by)}.",
        )
        return _refuse(replace(outcome, is_refined=True), late)
    try:
        context = resolve_area_rules(context)
        context, candidates, routes = search_routes(context, thoroughness)
    except VoyageError as error:
        return _refuse(outcome, Infeasible(error.code, error.detail))
    allowed = within_limits(routes, request.limits)
    if not allowed:
        return _refuse(outcome, _describe_violation(context, routes))
    best = choose_best_route(context, candidates, allowed, thoroughness)
    late_h, cost = context.cost(best)
    if late_h:
        return _refuse(outcome, _describe_delay(context, best))
    found = replace(outcome, figures=_measure(best))
    return SearchedDeparture(found, cost, is_near_limit=is_near_limit(best, request.limits))


def _refuse(outcome: DepartureOutcome, reason: Infeasible) -> SearchedDeparture:
    return SearchedDeparture(replace(outcome, infeasible=reason))


def ranking_cost(context: PlanningContext, departs_at: datetime, cost: float) -> float:
    """Return the cost by which departures are compared, the least the best.

    Fuel, or fuel and the value of the time at sea [t]; for the earliest arrival the hours since
    the first departure of the window [h].
    """
    if context.request.objective is Objective.TIME:
        return cost + (departs_at - context.request.departs_at) / timedelta(hours=1)
    return cost


def _measure(route: SimulatedRoute) -> DepartureFigures:
    return DepartureFigures(
        arrives_at=route.simulation.time_at(-1),
        duration_h=route.simulation.total_h,
        fuel_t=route.total_fuel_t,
        distance_nm=route.simulation.track.length_nm,
        max_wave_m=route.max_wave_m,
        route=route.label,
    )


def _describe_delay(context: PlanningContext, route: SimulatedRoute) -> Infeasible:
    late_h = context.cost(route)[0]
    return Infeasible(
        WarningCode.ENDDATE_UNREACHABLE,
        f"Arrives {format_time(route.simulation.time_at(-1))} at the earliest, {late_h:.1f} h"
        " after the latest arrival.",
    )


def _describe_violation(context: PlanningContext, routes: list[SimulatedRoute]) -> Infeasible:
    """Describe the limit that the nearest of the candidates' shortest tracks breaks."""
    nearest = find_nearest(context, routes)
    if nearest is None:
        return Infeasible(FailureCode.NO_ROUTE, ALL_CLOSED)
    return Infeasible(
        FailureCode.LIMITS_TOO_TIGHT,
        describe_nearest(*nearest, context.request.limits, name="shortest track"),
    )


def compare_departures(
    request: VoyageRequest,
    window: DepartureWindow,
    sea: SeaAtlas,
    weather: WeatherField | None = None,
    on_progress: Progress = no_progress,
    on_found: Receiver = lambda searched: None,
    known: Iterable[SearchedDeparture] = (),
) -> DepartureComparison:
    """Compare the departures of a window for a voyage; the request's own departure is not used.

    The limits of the request apply to every departure, as does its latest arrival unless the window
    has a longest duration. A departure that a coarse search finds infeasible is confirmed by a
    thorough one. ``known`` are results of an earlier comparison that was stopped; they are not
    searched again. Raise :class:`PlanningCancelled` if ``on_progress`` asks to stop.
    """
    request = replace(request, departs_at=window.first)
    progress = ProgressReporter(on_progress)
    context = replace(PlanningContext.of(request, sea, weather), progress=progress)
    sweep = _Sweep(context, window, on_found)
    departures = window.list_departures()
    sweep.found.update({each.outcome.departs_at: each for each in known})
    left = [each for each in departures if each not in sweep.found]
    sweep.search(left, Thoroughness.COARSE, _COARSE_SHARE)
    sweep.search(sweep.list_unconfirmed(), Thoroughness.BEST_ROUTE, 0.5 * (1.0 + _COARSE_SHARE))
    sweep.refine()
    outcomes = [sweep.found[departs_at].outcome for departs_at in departures]
    refined = [outcome for outcome in outcomes if outcome.figures and outcome.is_refined]
    best = min(refined, key=lambda outcome: sweep.ranking_cost_of(outcome.departs_at), default=None)
    return DepartureComparison(tuple(outcomes), best)


class _Sweep:
    """The departures searched so far."""

    def __init__(
        self, context: PlanningContext, window: DepartureWindow, on_found: Receiver
    ) -> None:
        self.found: dict[datetime, SearchedDeparture] = {}
        self._context, self._window = context, window
        self._progress, self._on_found = context.progress, on_found
        self._arrived: SimpleQueue[SearchedDeparture] = SimpleQueue()

    def search(self, departures: Sequence[datetime], how: Thoroughness, until: float) -> None:
        """Search departures in parallel, up to a fraction of the progress."""
        verb = "Comparing" if how is Thoroughness.COARSE else "Refining"
        self._progress.stage(f"{verb} {len(departures)} departures", until)
        run_parallel([partial(self._search, each, how) for each in departures], self._tick)
        self._receive()

    def list_unconfirmed(self) -> list[datetime]:
        """List departures that only a coarse search found infeasible."""
        outcomes = [searched.outcome for searched in self.found.values()]
        return sorted(
            outcome.departs_at
            for outcome in outcomes
            if outcome.infeasible is not None and not outcome.is_refined
        )

    def refine(self) -> None:
        """Search the best departures thoroughly until no other can be better."""
        count = _FIRST_REFINED
        while contenders := self._list_contenders()[:count]:
            self.search(contenders, Thoroughness.BEST_ROUTE, 1.0)
            count = _NEXT_REFINED

    def ranking_cost_of(self, departs_at: datetime) -> float:
        """Return the cost by which a departure is compared."""
        return ranking_cost(self._context, departs_at, self.found[departs_at].cost)

    def _list_contenders(self) -> list[datetime]:
        """List departures with coarse results that may be the best, the most promising first."""
        feasible = {each: found for each, found in self.found.items() if isfinite(found.cost)}
        refined = {each: found for each, found in feasible.items() if found.outcome.is_refined}
        best = min(map(self.ranking_cost_of, refined), default=inf)
        known = [found for found in refined.values() if isfinite(found.coarse_cost)]
        lowest = min((found.cost / found.coarse_cost for found in known), default=0.0)

        def may_be_best(searched: SearchedDeparture) -> bool:
            margin = _MARGIN_NEAR_LIMIT if searched.is_near_limit else _MARGIN
            least = (1.0 - margin) * lowest * searched.cost
            return ranking_cost(self._context, searched.outcome.departs_at, least) < best

        coarse = {each: found for each, found in feasible.items() if each not in refined}
        contenders = [each for each, found in coarse.items() if may_be_best(found)]
        return sorted(contenders, key=lambda each: (self.ranking_cost_of(each), each))

    def _search(self, departs_at: datetime, how: Thoroughness) -> None:
        progress = ProgressReporter(lambda fraction, stage: self._progress.tick())
        arrive_by = self._window.latest_arrival(departs_at, self._context.request.arrive_by)
        context = replace(self._context, progress=progress)
        searched = search_departure(context, departs_at, arrive_by, how)
        earlier = self.found.get(departs_at)
        coarse_cost = searched.cost if earlier is None else earlier.coarse_cost
        self._arrived.put(replace(searched, coarse_cost=coarse_cost))

    def _tick(self) -> None:
        self._receive()
        self._progress.tick()

    def _receive(self) -> None:
        while not self._arrived.empty():
            searched = self._arrived.get()
            self.found[searched.outcome.departs_at] = searched
            self._on_found(searched)
