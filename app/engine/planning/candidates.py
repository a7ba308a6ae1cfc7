"""The candidate routes of a voyage: found, simulated, and each optimised by itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Final, TypeAlias

from app.engine.area import Area
from app.engine.errors import VoyageError
from app.engine.optimise.search_objective import SearchObjective
from app.engine.optimise.speed_problem import read_simulation_speeds
from app.engine.parallel import run_pair, run_parallel
from app.engine.planning.areas import keep_late_openings_closed, list_touched_on_either_line
from app.engine.planning.candidate_paths import PathCase, check_shaft_speed, find_candidate_paths
from app.engine.planning.context import PlanningContext
from app.engine.planning.route_cost import find_delay_h
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import RouteGeometry, SimulatedRoute
from app.engine.planning.trade_off_curve import (
    optimise_shortest_track_for_ends,
    search_front_endpoints,
)
from app.engine.planning.weather_routing import (
    coarse_search,
    find_cheapest,
    optimise,
    optimise_shortest_track,
    run_first_searches,
    search_below_limits,
    simulate_at_best_speeds,
)
from app.engine.request import Objective
from app.engine.sea.path import SeaPath

#: Ratio of a candidate's fuel times hours, at constant speed, to the least of all. Above it no
#: weather makes the candidate best: it keeps its shortest track at its best speeds, or is searched
#: on a coarser lattice if that track breaks a limit.
_MAX_PROMISING_RATIO: Final = 1.25

#: Largest difference between the errors of two coarse searches, as a share of the cost.
_COARSE_ERROR: Final = 0.02

#: Function that optimises a candidate for an objective.
RouteSearch: TypeAlias = Callable[[RoutingProblem, SearchObjective], SimulatedRoute | None]


class Thoroughness(Enum):
    """Thoroughness of the search of candidates.

    ``COARSE`` is for the comparison of voyages, in a fraction of the time. ``BEST_ROUTE`` searches
    thoroughly only the candidates that a coarse search finds promising. ``PLAN`` searches all of
    them, and the trade-off curve too while a core would be idle.
    """

    COARSE = auto()
    BEST_ROUTE = auto()
    PLAN = auto()


@dataclass(frozen=True, slots=True)
class CandidateRoute:
    """A candidate: its path and legs, simulated at the best constant speed and weather-routed.

    ``weather_routed`` is ``None`` if weather routing finds nothing that keeps the limits.
    ``routing`` is for further searches of the candidate, ``None`` without weather. ``endpoints``
    is the result of ``search_front_endpoints`` if that has already run.
    """

    path: SeaPath
    geometry: RouteGeometry
    constant_speed: SimulatedRoute
    routing: RoutingProblem | None
    weather_routed: SimulatedRoute | None
    endpoints: Sequence[SimulatedRoute] | None = None

    @property
    def simulated_routes(self) -> list[SimulatedRoute]:
        """All simulated routes of the candidate."""
        if self.weather_routed is None:
            return [self.constant_speed]
        return [self.weather_routed, self.constant_speed]


def evaluate_candidates(
    context: PlanningContext, thoroughness: Thoroughness = Thoroughness.PLAN
) -> list[CandidateRoute]:
    """Find the candidates, and simulate and optimise each of them.

    Areas without a window are respected from the start. A forbidden area with a window may be
    crossed before or after it, or after a wait; if a candidate at constant speed crosses it in its
    window, candidates that avoid it at all times are added. A priced area with a window is priced
    from the round after a candidate crosses it in its window.

    Raises :class:`VoyageError` when no route can be sailed or the shaft speed cannot be kept.
    """
    check_shaft_speed(context)
    windowed = [a for a in context.request.areas if a.is_binding and a.has_window]
    areas = [area for area in context.request.areas if area not in windowed]
    found: list[CandidateRoute] = []
    while True:
        context.progress.stage("Searching candidate routes", 0.1)
        try:
            paths = find_candidate_paths(context, areas)
            candidates = _evaluate_paths(context, paths, windowed, thoroughness)
        except VoyageError:
            if not list_simulated_routes(context, found):
                raise
            return found
        found += candidates
        touched = [
            area
            for candidate in candidates
            for area in _list_touched(windowed, candidate.constant_speed)
        ]
        crossed = [area for area in windowed if area in touched]
        if not crossed:
            return found
        priced = [area for area in crossed if area not in context.blocking_areas]
        if priced:
            # the candidates were evaluated without that price, and so were their closures
            found, crossed = [], priced
        windowed = [area for area in windowed if area not in crossed]
        areas += crossed


def list_simulated_routes(
    context: PlanningContext, candidates: Sequence[CandidateRoute]
) -> list[SimulatedRoute]:
    """List all simulated routes that avoid forbidden areas in their windows."""
    return [
        route
        for candidate in candidates
        for route in candidate.simulated_routes
        if avoids_closures(context, route)
    ]


def find_candidate(candidates: Sequence[CandidateRoute], route: SimulatedRoute) -> CandidateRoute:
    """Return the candidate that a route belongs to, the first of its label if not yet known.

    Candidates through an area and around it may have the same label.
    """
    alike = [each for each in candidates if each.constant_speed.label == route.label]
    owners = (each for each in alike if any(own is route for own in each.simulated_routes))
    return next(owners, alike[0])


def avoids_closures(context: PlanningContext, route: SimulatedRoute) -> bool:
    """Return whether a route avoids the timed closures."""
    blocked = [area for area in context.blocking_areas if area.has_window]
    return not _list_touched(blocked, route)


def _list_touched(areas: Sequence[Area], route: SimulatedRoute) -> list[Area]:
    return list_touched_on_either_line(areas, route.legs, route.simulation)


def best_per_candidate(
    context: PlanningContext, routes: Sequence[SimulatedRoute]
) -> list[SimulatedRoute]:
    """Return the best simulated route of each candidate, the best candidate first."""
    best: dict[str, SimulatedRoute] = {}
    for route in context.cost_basis.sort(routes):
        best.setdefault(route.label, route)
    return list(best.values())


def _evaluate_paths(
    context: PlanningContext,
    paths: Sequence[SeaPath],
    windowed: Sequence[Area],
    thoroughness: Thoroughness,
) -> list[CandidateRoute]:
    cases, progress = _build_cases(context, paths), context.progress
    progress.tick()
    are_promising = _mark_promising(cases)
    name = cases[0].path.label if len(cases) == 1 else f"{len(cases)} candidate routes"
    progress.stage(f"Optimising {name}", 0.7)
    evaluate = partial(_evaluate, context, windowed)
    if thoroughness is Thoroughness.BEST_ROUTE and len(cases) > 1:
        return _evaluate_promising(context, cases, are_promising, evaluate)
    is_only_one = sum(are_promising) == 1
    parts = [
        partial(evaluate, thoroughness, case, is_promising, is_alone=is_only_one and is_promising)
        for case, is_promising in zip(cases, are_promising, strict=True)
    ]
    return run_parallel(parts, progress.tick)


def _build_cases(context: PlanningContext, paths: Sequence[SeaPath]) -> list[PathCase]:
    """Build the legs of paths that no current closes; the first of them if currents close all."""
    if len(paths) == 1:
        # it is simulated later, while a core would be idle
        return [PathCase.of(context, paths[0])]
    parts = [partial(PathCase.if_sailable, context, path) for path in paths]
    cases = [case for case in run_parallel(parts, context.progress.tick) if case is not None]
    return cases or [PathCase.of(context, paths[0])]  # its simulation explains the current


def _mark_promising(cases: Sequence[PathCase]) -> list[bool]:
    """Mark the paths that the weather may make the best; the only one need not be simulated."""
    if len(cases) == 1:
        return [True]
    routes = [case.simulate() for case in cases]
    # hours times fuel of a route at its price: low if either of the two is low
    costs = [each.simulation.total_h * each.mean_price * each.total_fuel_t for each in routes]
    return [cost <= _MAX_PROMISING_RATIO * min(costs) for cost in costs]


def _evaluate_promising(
    context: PlanningContext,
    cases: Sequence[PathCase],
    are_promising: Sequence[bool],
    evaluate: Callable[[Thoroughness, PathCase, bool], CandidateRoute],
) -> list[CandidateRoute]:
    """Evaluate paths coarsely, and then thoroughly those that may be the best."""
    known = [*zip(cases, are_promising, strict=True)]
    parts = [partial(evaluate, Thoroughness.COARSE, *each) for each in known]
    coarse = run_parallel(parts, context.progress.tick)
    costs = [context.cost(candidate.simulated_routes[0]) for candidate in coarse]
    # a candidate without a route within the limits may be the cheapest
    allowing = [cost for cost, each in zip(costs, coarse, strict=True) if each.weather_routed]
    late_h, cost = min(allowing or costs)
    allowed = late_h, (1.0 + _COARSE_ERROR) * cost
    kept = [number for number, found in enumerate(costs) if found <= allowed]
    parts = [partial(evaluate, Thoroughness.BEST_ROUTE, *known[number]) for number in kept]
    thorough = dict(zip(kept, run_parallel(parts, context.progress.tick), strict=True))
    return [thorough.get(number, candidate) for number, candidate in enumerate(coarse)]


def _evaluate(
    context: PlanningContext,
    windowed: Sequence[Area],
    thoroughness: Thoroughness,
    case: PathCase,
    is_promising: bool,
    *,
    is_alone: bool = False,
) -> CandidateRoute:
    """Optimise a path if the weather is known; ``is_alone`` if no other is promising."""
    if context.weather is None:
        return CandidateRoute(case.path, case.geometry, case.simulate(), None, None)
    departs_at = context.request.departs_at
    # a window that has ended would still close its area for the search's margin of a minute
    timed = [
        area
        for area in windowed
        if area in context.blocking_areas and (area.ends_at is None or departs_at <= area.ends_at)
    ]
    routing = RoutingProblem(
        context,
        context.weather,
        case.path,
        case.geometry,
        context.request.limits,
        keep_late_openings_closed(timed, case.slowest) if timed else (),
        thoroughness is Thoroughness.COARSE or not is_promising,
    )
    has_idle_core = thoroughness is Thoroughness.PLAN and is_alone and not windowed
    if has_idle_core and routing.track_search:
        # a core would be idle: simulate, and search the trade-off curve, at the same time
        (constant_speed, shortest), _ = run_pair(
            lambda: (case.simulate(), optimise_shortest_track_for_ends(routing)),
            lambda: run_first_searches(routing, routing.requested_objective),
            routing.heartbeat,
        )
        best = partial(_optimise_with_fallback, routing, optimise)
        endpoints = partial(search_front_endpoints, routing, shortest)
        found = run_pair(best, endpoints, routing.heartbeat)
        return CandidateRoute(case.path, case.geometry, constant_speed, routing, *found)
    found_route = _optimise_candidate(routing, is_promising)
    return CandidateRoute(case.path, case.geometry, case.simulate(), routing, found_route)


def _optimise_candidate(routing: RoutingProblem, is_promising: bool) -> SimulatedRoute | None:
    """Optimise the speeds of a candidate that is not promising, otherwise also the track."""
    if not is_promising:
        route = _optimise_with_fallback(routing, optimise_shortest_track)
        if route is not None:
            return route
    return _optimise_with_fallback(routing, coarse_search if routing.is_coarse else optimise)


def _optimise_with_fallback(routing: RoutingProblem, search: RouteSearch) -> SimulatedRoute | None:
    """Optimise for the request's objective, and if that is late or impossible, for time.

    If the route of earliest arrival is early enough, its speeds are then optimised for the
    objective.
    """
    context, objective = routing.context, routing.requested_objective
    requested = search(routing, objective)
    if requested is not None and context.cost(requested)[0] == 0.0:
        return requested
    earliest = _search_earliest(routing, search)
    found = [requested, earliest]
    if earliest is not None and find_delay_h(earliest.simulation.total_h, context.longest_h) == 0.0:
        near = read_simulation_speeds(earliest.simulation)
        found.append(simulate_at_best_speeds(routing, earliest.geometry, objective, near))
    if requested is None and earliest is not None and search is coarse_search:
        # a coarse lattice keeps the limits between its samples by chance only
        found += search_below_limits(routing, objective)
    kept = [route for route in found if route is not None]
    cheapest = min(kept, key=context.cost, default=None)
    return cheapest or search(routing, routing.search_objective(Objective.FUEL, None))


def _search_earliest(routing: RoutingProblem, search: RouteSearch) -> SimulatedRoute | None:
    """Return the earliest route, ``None`` if none keeps the limits.

    If it is late within limits, the track of least fuel is tried too: it avoids a storm where a
    search for the earliest arrival may find no better than to wait for its end. Along the shortest
    track there is no other.
    """
    by_time, by_fuel = (
        routing.search_objective(each, None) for each in (Objective.TIME, Objective.FUEL)
    )
    earliest = search(routing, by_time)
    if search is optimise_shortest_track and earliest is not None:
        return earliest
    is_late = earliest is None or routing.context.cost(earliest)[0] > 0.0
    if not (is_late and routing.is_limited):
        return earliest
    cheapest = search(routing, by_fuel)
    if cheapest is None:
        return earliest
    fast = simulate_at_best_speeds(routing, cheapest.geometry, by_time)
    return find_cheapest(routing, [earliest, cheapest, fast], by_time)
