"""The method of planning a voyage, on one page.

Find the candidate routes between the ports, build clear legs for each, optimise track and
speeds of each, simulate them, and return the best route with its alternatives and warnings.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial

from app.engine.ensemble.choice import choose_by_risk
from app.engine.ensemble.detour import find_doubtful_detour
from app.engine.ensemble.evaluation import EnsembleEvaluation, evaluate_ensemble
from app.engine.parallel import run_pair
from app.engine.plan import PlanWarning, Quote, QuotedRoute, RoutePlan
from app.engine.planning.area_rules import resolve_area_rules
from app.engine.planning.candidates import (
    CandidateRoute,
    Thoroughness,
    avoids_closures,
    best_per_candidate,
    evaluate_candidates,
    find_candidate,
    list_simulated_routes,
)
from app.engine.planning.comparison import (
    build_empty_comparison,
    compare,
    keep_sailable,
    simulate_baseline,
    take_better,
)
from app.engine.planning.context import PlanningContext
from app.engine.planning.limits import is_near_limit, within_limits
from app.engine.planning.relaxation import find_feasible_routes
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.planning.trade_off_curve import search_front_routes, select_front
from app.engine.progress import Progress, ProgressReporter, no_progress
from app.engine.report.passage_plan import write_plan, write_summary
from app.engine.report.plan_warnings import find_warnings
from app.engine.request import Objective, VoyageRequest
from app.engine.sailing.waiting import find_waits
from app.engine.sea.atlas import SeaAtlas
from app.engine.spread import Spread
from app.engine.weather import WeatherField


def plan_voyage(
    request: VoyageRequest,
    sea: SeaAtlas,
    weather: WeatherField | None = None,
    on_progress: Progress = no_progress,
    members: Sequence[tuple[int, WeatherField]] = (),
) -> RoutePlan:
    """Plan a voyage.

    Without ``weather`` a calm sea is assumed, and a warning says so. ``members`` are the numbered
    members of the forecast's ensemble; without them the spread is that of typical forecast error.
    Raise a :class:`VoyageError` if no route can be sailed, its subclass being the reason, and
    :class:`PlanningCancelled` if ``on_progress`` asks to stop.
    """
    progress = ProgressReporter(on_progress)
    asked = replace(PlanningContext.of(request, sea, weather), progress=progress)
    context, candidates, routes, warnings = _find_routes(asked)
    best, *others = best_per_candidate(context, routes)
    best, baseline = take_better(context, candidates, best)
    progress.stage("Computing the trade-off curve", 0.98)
    found, rivals = _search_rivals(context, candidates, best)
    best, baseline = _take_best(context, candidates, (best, baseline), rivals)
    progress.stage("Simulating the members of the forecast, writing the plan", 1.0)
    compared = [*routes, *rivals]
    # done at once if it decides on the best route, otherwise while the plan is written
    evaluate = cache(partial(evaluate_ensemble, context, candidates, best, compared, members))
    if request.risk is not None and (evaluation := evaluate()) is not None:
        best = choose_by_risk(evaluation.compared, request.risk)
        candidates_best = best_per_candidate(context, routes)
        others = [route for route in candidates_best if route.label != best.label]
        baseline = simulate_baseline(context, candidates, best)
        warnings += evaluation.warn(best, request.risk)
    front = select_front(best, [*routes, *found, *keep_sailable(context, baseline)])
    compare_routes = partial(compare, context, candidates, best, others, baseline, front)
    plan, spread = run_pair(
        lambda: write_plan(context, best, compare_routes()),
        lambda: _describe_spread(evaluate(), best),
        progress.tick,
    )
    return replace(plan, warnings=(*plan.warnings, *warnings), spread=spread)


def _find_routes(
    context: PlanningContext,
) -> tuple[PlanningContext, list[CandidateRoute], list[SimulatedRoute], tuple[PlanWarning, ...]]:
    """Find the routes that keep the limits, again without detours if the best is in doubt.

    Return the context with settled areas, the candidates, the routes, and the warnings.
    """
    found = find_feasible_routes(context)
    detour = find_doubtful_detour(*found)
    if detour is None:
        return *found, ()
    shortest = replace(context, keeps_shortest=True)
    return *find_feasible_routes(shortest), (detour.warning,)


def _search_rivals(
    context: PlanningContext, candidates: Sequence[CandidateRoute], best: SimulatedRoute
) -> tuple[list[SimulatedRoute], list[SimulatedRoute]]:
    """Return the routes of the trade-off curve, and those that may be better than the best."""
    candidate = find_candidate(candidates, best)
    searched = search_front_routes(context, candidate.routing, candidate.endpoints, best)
    found = [route for route in searched if avoids_closures(context, route)]
    return found, _list_rivals(context, candidate, best, found)


def _list_rivals(
    context: PlanningContext,
    candidate: CandidateRoute,
    best: SimulatedRoute,
    found: Sequence[SimulatedRoute],
) -> list[SimulatedRoute]:
    """List the routes of the trade-off curve that may be better than the best known.

    Those that wait may be only where time alone decides: their waits save no fuel for certain.
    """
    is_time_alone = context.request.objective is Objective.TIME
    if not is_time_alone and context.cost(best)[0] == 0.0:
        return [route for route in found if not find_waits(route.simulation)]
    rivals = list(found)
    if not is_time_alone or candidate.routing is None:
        return rivals
    # a coarse search for the earliest arrival makes detours until an area opens
    return [route for route in rivals if not candidate.routing.is_held_up(route.geometry)]


def _take_best(
    context: PlanningContext,
    candidates: Sequence[CandidateRoute],
    known: tuple[SimulatedRoute, SimulatedRoute],
    rivals: Sequence[SimulatedRoute],
) -> tuple[SimulatedRoute, SimulatedRoute]:
    """Return the best of a route and its rivals with its baseline; ``known`` is such a pair."""
    rival = context.cost_basis.sort([known[0], *rivals])[0]
    return known if rival is known[0] else take_better(context, candidates, rival)


def _describe_spread(evaluation: EnsembleEvaluation | None, best: SimulatedRoute) -> Spread | None:
    return None if evaluation is None else evaluation.describe(best)


def plan_best_route(context: PlanningContext) -> RoutePlan | None:
    """Plan only the best route, usually in a third of the time of :func:`plan_voyage`.

    The plan has no alternatives and no spread. Return ``None`` if no route keeps the limits.
    Raises :class:`VoyageError` when no route can be sailed.
    """
    context = resolve_area_rules(context)
    best = find_best_route(context, Thoroughness.BEST_ROUTE)
    return None if best is None else write_plan(context, best, build_empty_comparison(best))


def find_best_route(context: PlanningContext, thoroughness: Thoroughness) -> SimulatedRoute | None:
    """Return the best route that keeps the limits, or ``None``; ``context`` has settled areas.

    Raises :class:`VoyageError` when no route can be sailed.
    """
    context, candidates, routes = search_routes(context, thoroughness)
    allowed = within_limits(routes, context.request.limits)
    if not allowed:
        return None
    return choose_best_route(context, candidates, allowed, thoroughness)


def search_routes(
    context: PlanningContext, thoroughness: Thoroughness
) -> tuple[PlanningContext, list[CandidateRoute], list[SimulatedRoute]]:
    """Search candidates and routes, again without detours if the best is in doubt.

    Return the context too; the routes may break limits. Raises :class:`VoyageError` when no route
    can be sailed.
    """
    candidates = evaluate_candidates(context, thoroughness)
    routes = list_simulated_routes(context, candidates)
    allowed = within_limits(routes, context.request.limits)
    if not allowed or not find_doubtful_detour(context, candidates, allowed):
        return context, candidates, routes
    return search_routes(replace(context, keeps_shortest=True), thoroughness)


def choose_best_route(
    context: PlanningContext,
    candidates: Sequence[CandidateRoute],
    allowed: Sequence[SimulatedRoute],
    thoroughness: Thoroughness,
) -> SimulatedRoute:
    """Return the best of the ``allowed`` routes, which keep the limits; there is at least one.

    Close to a limit the fuel of a voyage has several minima over its arrival. The trade-off curve
    is then searched too, as for a plan, unless the search is coarse.
    """
    first = best_per_candidate(context, allowed)[0]
    best, baseline = take_better(context, candidates, first)
    is_near = is_near_limit(best, context.request.limits)
    if thoroughness is Thoroughness.COARSE or not is_near:
        return best
    _, rivals = _search_rivals(context, candidates, best)
    return _take_best(context, candidates, (best, baseline), rivals)[0]


def quote_voyage(request: VoyageRequest, sea: SeaAtlas) -> Quote:
    """Return a voyage's candidate routes at one speed without weather, the best first.

    Raise a :class:`VoyageError` if no route can be sailed; the subclass is the reason.
    """
    context = PlanningContext.of(request, sea, None)
    context, _, routes = find_feasible_routes(context)
    best, *others = best_per_candidate(context, routes)
    return Quote(
        routes=tuple(QuotedRoute(r.label, write_summary(context, r)) for r in (best, *others)),
        warnings=find_warnings(context, best, ()),
    )
