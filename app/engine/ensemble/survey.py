"""The survey of a planning's routes over the members: spread, best tracks, robust choice."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.engine.ensemble.choice import MemberResults, choose_by_risk, find_best_tracks, sail_routes
from app.engine.ensemble.decision import find_decision
from app.engine.ensemble.measure import describe_spread
from app.engine.ensemble.members import Ensemble, gather_members
from app.engine.ensemble.replanning import plan_calmer, plan_for_members
from app.engine.planning.candidates import CandidateRoute, find_candidate
from app.engine.planning.context import PlanningContext
from app.engine.planning.progress import ProgressReporter
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Risk
from app.engine.spread import Spread, SpreadBasis
from app.engine.weather import WeatherField


@dataclass(frozen=True, slots=True)
class Survey:
    """Routes sailed in all members.

    ``rivals`` are those that answer the same request, one of which is the plan; ``problem`` is
    that of the plan's candidate, ``None`` where its track is given.
    """

    context: PlanningContext
    ensemble: Ensemble
    problem: RoutingProblem | None
    rivals: tuple[MemberResults, ...]

    def choose(self, risk: Risk) -> SimulatedRoute:
        """Return the route that is best by the members' distribution."""
        return choose_by_risk(self.rivals, risk)

    def describe(self, best: SimulatedRoute, tick: Callable[[], None]) -> Spread | None:
        """Return the spread of a route; ``None`` where the ship makes headway in no member."""
        sailed = next((each for each in self.rivals if each.route is best), None)
        if sailed is None:
            (sailed,) = sail_routes(self.context, [best], self.ensemble, tick)
        if not sailed.sailings:
            return None
        spread = describe_spread(self.context, best, self.ensemble, sailed.sailings)
        rivals = [sailed, *(each for each in self.rivals if each is not sailed)]
        if len(rivals) == 1:
            return spread
        decision = None
        if self.problem is not None and self.ensemble.basis is SpreadBasis.MEMBERS:
            decision = find_decision(self.problem, best, rivals, self.ensemble)
        return replace(spread, tracks=tuple(find_best_tracks(best, rivals)), decision=decision)


def survey_weather(
    context: PlanningContext,
    candidates: Sequence[CandidateRoute],
    best: SimulatedRoute,
    routes: Sequence[SimulatedRoute],
    members: Sequence[tuple[int, WeatherField]],
    progress: ProgressReporter,
) -> Survey | None:
    """Sail the routes found in all members; ``None`` where no weather is known.

    Other routes join the best where there are members, or a risk is to be weighed.
    """
    if context.weather is None:
        return None
    progress.stage("Sailing the members of the forecast", 0.995)
    ensemble = gather_members(context.weather, members, best.simulation)
    problem = find_candidate(candidates, best).routing
    found = [best]
    if ensemble.basis is SpreadBasis.MEMBERS or context.request.risk is not None:
        found += _list_rivals(context, best, routes)
        if problem is not None and problem.track_search:
            found += plan_for_members(problem, best, ensemble)
            if context.request.risk is not None:
                found += plan_calmer(problem, best)
    sailed = sail_routes(context, found, ensemble, progress.tick)
    return Survey(context, ensemble, problem, tuple(sailed))


def _list_rivals(
    context: PlanningContext, best: SimulatedRoute, routes: Sequence[SimulatedRoute]
) -> list[SimulatedRoute]:
    """List routes to weigh by risk: all found where one is asked for, else other candidates."""
    others = [route for route in routes if route is not best]
    if context.request.risk is not None:
        return others
    by_label: dict[str, SimulatedRoute] = {}
    for route in sorted(others, key=context.cost):
        if route.label != best.label:
            by_label.setdefault(route.label, route)
    return list(by_label.values())
