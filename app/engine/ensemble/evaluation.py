"""Evaluation of a planning's routes in all members: spread, best tracks, choice by risk."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.engine.ensemble.choice import (
    RouteResults,
    choose_by_risk,
    find_best_tracks,
    simulate_in_members,
)
from app.engine.ensemble.decision import find_decision
from app.engine.ensemble.limit_cost import warn_of_limit_cost
from app.engine.ensemble.measure import describe_spread
from app.engine.ensemble.members import Ensemble, build_ensemble
from app.engine.ensemble.replanning import plan_below_waves, plan_for_members
from app.engine.plan import PlanWarning
from app.engine.planning.candidates import CandidateRoute, find_candidate
from app.engine.planning.context import PlanningContext
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Risk
from app.engine.spread import Spread, SpreadBasis
from app.engine.weather import WeatherField


@dataclass(frozen=True, slots=True)
class EnsembleEvaluation:
    """Results of a planning's routes in all members.

    ``compared`` are the routes of the same request, one of which is the plan. ``problem`` is that
    of the plan's candidate, ``None`` if it has none.
    """

    context: PlanningContext
    ensemble: Ensemble
    problem: RoutingProblem | None
    compared: tuple[RouteResults, ...]

    def choose(self, risk: Risk) -> SimulatedRoute:
        """Return the best route by a measure of risk."""
        return choose_by_risk(self.compared, risk)

    def warn(self, best: SimulatedRoute, risk: Risk) -> tuple[PlanWarning, ...]:
        """Return the warnings about the choice of a route by a measure of risk."""
        cases = "members" if self.ensemble.basis is SpreadBasis.MEMBERS else "cases"
        return tuple(warn_of_limit_cost(best, self.compared, risk, cases))

    def describe(self, best: SimulatedRoute, tick: Callable[[], None]) -> Spread | None:
        """Return the spread of a route; ``None`` if the ship makes headway in no member."""
        results = next((each for each in self.compared if each.route is best), None)
        if results is None:
            (results,) = simulate_in_members(self.context, [best], self.ensemble, tick)
        if not results.simulations:
            return None
        spread = describe_spread(self.context, best, self.ensemble, results.simulations)
        compared = [results, *(each for each in self.compared if each is not results)]
        if len(compared) == 1:
            return spread
        decision = None
        if self.problem is not None and self.ensemble.basis is SpreadBasis.MEMBERS:
            decision = find_decision(self.problem, best, compared, self.ensemble)
        return replace(spread, tracks=tuple(find_best_tracks(best, compared)), decision=decision)


def evaluate_ensemble(
    context: PlanningContext,
    candidates: Sequence[CandidateRoute],
    best: SimulatedRoute,
    routes: Sequence[SimulatedRoute],
    members: Sequence[tuple[int, WeatherField]],
    tick: Callable[[], None],
) -> EnsembleEvaluation | None:
    """Simulate the routes found in all members; ``None`` if no weather is known.

    Without members and without a risk in the request, only the best route is simulated.
    """
    if context.weather is None:
        return None
    ensemble = build_ensemble(context.weather, members, best.simulation)
    problem = find_candidate(candidates, best).routing
    found = [best]
    if ensemble.basis is SpreadBasis.MEMBERS or context.request.risk is not None:
        found += _list_others(context, best, routes)
        if problem is not None and problem.track_search:
            found += plan_for_members(problem, best, ensemble)
            if context.request.risk is not None:
                found += plan_below_waves(problem, best)
    results = simulate_in_members(context, found, ensemble, tick)
    return EnsembleEvaluation(context, ensemble, problem, tuple(results))


def _list_others(
    context: PlanningContext, best: SimulatedRoute, routes: Sequence[SimulatedRoute]
) -> list[SimulatedRoute]:
    """List the routes to compare: all others with a risk, else the best of each other candidate."""
    others = [route for route in routes if route is not best]
    if context.request.risk is not None:
        return others
    by_label: dict[str, SimulatedRoute] = {}
    for route in sorted(others, key=context.cost):
        if route.label != best.label:
            by_label.setdefault(route.label, route)
    return list(by_label.values())
