"""The trade-off curve: least fuel against arrival time over all feasible routes."""

from collections.abc import Iterable, Sequence
from functools import partial
from math import inf
from typing import Final

import numpy as np

from app.engine.optimise.labels import SearchedLattice
from app.engine.optimise.search_objective import SearchObjective
from app.engine.optimise.speed_problem import read_simulation_speeds
from app.engine.optimise.track_search import FoundTrack
from app.engine.parallel import run_parallel
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import build_simulator, evaluate_route
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.planning.weather_routing import (
    draw_found_track,
    find_cheapest,
    find_coarse_track,
    optimise_shortest_track,
    search_earliest_within_limits,
    simulate_at_best_speeds,
)
from app.engine.request import Objective

#: Number of arrivals searched between the earliest and that of the cheapest route.
_ARRIVALS: Final = 4
#: Most points of a front, and the least difference between their arrivals as a share of the plan's
#: hours: routes simulated to arrive with the plan, such as the baseline, miss it by less.
_MAX_POINTS: Final = 9
_APART_SHARE: Final = 0.001


def search_front_routes(
    context: PlanningContext,
    routing: RoutingProblem | None,
    endpoints: Sequence[SimulatedRoute] | None,
    best: SimulatedRoute,
) -> list[SimulatedRoute]:
    """Search the best route's candidate for routes of all arrivals that keep the limits.

    ``endpoints`` is the result of ``search_front_endpoints`` if that has already run.
    """
    if routing is None:
        request, simulate = context.request, build_simulator(context, best.geometry)
        speeds_kn = np.linspace(request.speed_max_kn, request.speed_min_kn, _ARRIVALS + 2).tolist()
        return [evaluate_route(context, best.geometry, simulate(speed)) for speed in speeds_kn]
    if endpoints is None:
        shortest = optimise_shortest_track_for_ends(routing)
        endpoints = search_front_endpoints(routing, shortest)
    found = [*endpoints, *_optimise_known_tracks(routing, best, endpoints)]
    if len(endpoints) < 2:  # the arrivals are bounded by all routes found so far
        found += _search_between(routing, [best, *found], ())
    return found


def select_front(best: SimulatedRoute, others: Iterable[SimulatedRoute]) -> list[SimulatedRoute]:
    """Return up to nine routes that do not dominate one another, the earliest first.

    ``best`` is always among them. ``others`` must hold all feasible routes of the plan, so that
    none of those dominates a point of the curve.
    """
    undominated = _drop_dominated([best, *(route for route in others if route is not best)], best)
    return _thin_out(_drop_near_duplicates(undominated, best), best)


def optimise_shortest_track_for_ends(routing: RoutingProblem) -> list[SimulatedRoute | None]:
    """Optimise the speeds of the shortest track for the ends of the curve, the earliest first."""
    return [optimise_shortest_track(routing, end) for end in _list_ends(routing)]


def _list_ends(routing: RoutingProblem) -> list[SearchObjective]:
    """List the search objectives of the ends of the curve, the earliest first."""
    return [routing.search_objective(each, None) for each in (Objective.TIME, Objective.FUEL)]


def search_front_endpoints(
    routing: RoutingProblem, shortest: Sequence[SimulatedRoute | None]
) -> list[SimulatedRoute]:
    """Search coarsely for the earliest route, the cheapest, and arrivals between, in this order.

    ``shortest`` is the result of ``optimise_shortest_track_for_ends``. The candidate's best route
    is not needed, so that it may be searched in parallel.
    """
    objectives = zip(_list_ends(routing), shortest, strict=True)
    parts = [partial(_search_endpoint, routing, *end) for end in objectives]
    ends = run_parallel(parts, routing.heartbeat)
    lattices = [found.searched for found, _ in ends if found is not None]
    routes = [route for _, route in ends if route is not None]
    if len(routes) < 2:
        return routes
    return routes + _search_between(routing, routes, lattices)


def _search_endpoint(
    routing: RoutingProblem, search_objective: SearchObjective, shortest: SimulatedRoute | None
) -> tuple[FoundTrack | None, SimulatedRoute | None]:
    found = find_coarse_track(routing, search_objective)
    routes = [shortest, draw_found_track(routing, found, search_objective)]
    if search_objective.prices.is_time_alone and routing.is_limited and shortest is None:
        # the cheapest labels of each arrival miss those that pass before a storm
        routes += search_earliest_within_limits(routing)
    return found, find_cheapest(routing, routes, search_objective)


def _search_between(
    routing: RoutingProblem,
    known: Sequence[SimulatedRoute],
    lattices: Sequence[SearchedLattice],
) -> list[SimulatedRoute]:
    """Search for routes that arrive between the first and the last of known ones, or slower.

    If there are ``lattices``, which were searched before, the routes are found in them.
    """
    hours = [route.simulation.total_h for route in known]
    # evenly spaced in mean speed, because at high speed an hour costs most
    arrivals_h = 1.0 / np.linspace(1.0 / min(hours), 1.0 / max(hours), _ARRIVALS + 2)[1:-1]
    in_order = sorted(known, key=lambda route: route.simulation.total_h)
    earliest, near = in_order[0], read_simulation_speeds(in_order[-1].simulation)

    def search_within(objective: SearchObjective) -> SimulatedRoute | None:
        # the shortest track is compared at the ends of the curve only; between them it is no better
        return draw_found_track(routing, find_coarse_track(routing, objective, lattices), objective)

    def slow_down(objective: SearchObjective) -> SimulatedRoute | None:
        return simulate_at_best_speeds(routing, earliest.geometry, objective, near)

    *within, free = (
        routing.search_objective(Objective.FUEL, longest_h)
        for longest_h in (*arrivals_h.tolist(), None)
    )
    searches = [partial(search_within, objective) for objective in within]
    others = [partial(slow_down, objective) for objective in (*within, free)]
    # threads begin at either end of the list, so that the shortest parts are left for the end
    parts = [*searches[::2], *others, *searches[1::2]]
    return [route for route in run_parallel(parts, routing.heartbeat) if route is not None]


def _optimise_known_tracks(
    routing: RoutingProblem, best: SimulatedRoute, endpoints: Sequence[SimulatedRoute]
) -> list[SimulatedRoute]:
    by_time, by_fuel = _list_ends(routing)
    near = read_simulation_speeds(endpoints[1].simulation) if len(endpoints) > 1 else None
    parts = [
        partial(simulate_at_best_speeds, routing, best.geometry, by_time),
        partial(simulate_at_best_speeds, routing, best.geometry, by_fuel, near),
    ]
    return [route for route in run_parallel(parts, routing.heartbeat) if route is not None]


def _drop_dominated(routes: Iterable[SimulatedRoute], best: SimulatedRoute) -> list[SimulatedRoute]:
    """Drop routes that another dominates in time and fuel, the earliest first; ``best`` stays.

    A route that dominates ``best`` is dropped instead. It was not chosen because of a priced area
    or a wait, which do not count on the curve.
    """
    kept: list[SimulatedRoute] = []
    for route in sorted(routes, key=lambda r: (r.simulation.total_h, r.total_fuel_t)):
        least_t = min((other.total_fuel_t for other in kept), default=inf)
        if route is best:
            kept = [other for other in kept if other.total_fuel_t > route.total_fuel_t]
        if route is best or route.total_fuel_t < least_t:
            kept.append(route)
    return kept


def _drop_near_duplicates(
    front: Sequence[SimulatedRoute], best: SimulatedRoute
) -> list[SimulatedRoute]:
    """Keep one of the routes that arrive almost together: ``best``, or else the cheapest.

    The cheapest of them is the last, because the front is sorted by arrival.
    """
    apart_h = _APART_SHARE * best.simulation.total_h
    kept: list[SimulatedRoute] = []
    for route in front:
        is_near = bool(kept) and route.simulation.total_h - kept[-1].simulation.total_h <= apart_h
        if is_near and kept[-1] is best:
            continue
        kept = [*kept[: len(kept) - is_near], route]
    return kept


def _thin_out(front: list[SimulatedRoute], best: SimulatedRoute) -> list[SimulatedRoute]:
    """Drop the points closest to their neighbours until nine are left; ends and best stay."""
    while len(front) > _MAX_POINTS:
        hours = [route.simulation.total_h for route in front]
        gaps_h = {n: hours[n + 1] - hours[n - 1] for n in range(1, len(front) - 1)}
        del front[min((n for n in gaps_h if front[n] is not best), key=gaps_h.__getitem__)]
    return front
