"""The trade-off curve: least fuel against arrival time over every route that may be sailed."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import inf
from typing import Final

import numpy as np

from app.engine.optimise.labels import Heartbeat, SearchedLattice
from app.engine.optimise.track_search import FoundTrack
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import evaluate_route, simulate_at
from app.engine.planning.geometry import build_geometry
from app.engine.planning.parallel import run_parallel
from app.engine.planning.progress import ProgressReporter
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.planning.weather_routing import (
    draw_coarse_track,
    draw_found_track,
    find_coarse_track,
    optimise_speeds_along,
)
from app.engine.request import Objective

#: Arrivals asked for between the earliest and the cheapest.
_ARRIVALS: Final = 4
#: Points of a front at the most, and the share of the plan's hours by which others lie off it:
#: routes made to arrive with the plan, such as the baseline, miss its arrival by less.
_MOST_POINTS: Final = 9
_APART_SHARE: Final = 0.001


def search_front_routes(
    context: PlanningContext,
    routing: RoutingProblem | None,
    endpoints: Sequence[SimulatedRoute] | None,
    best: SimulatedRoute,
    progress: ProgressReporter,
) -> list[SimulatedRoute]:
    """Search the best route's candidate for routes that keep the limits, over all arrivals.

    ``endpoints`` is the result of ``search_front_endpoints`` where that has run already.
    """
    if routing is None:
        return list(_simulate_constant_speeds(context, best))
    endpoints = search_front_endpoints(routing, progress.tick) if endpoints is None else endpoints
    found = [*endpoints, *_optimise_known_tracks(routing, best, endpoints, progress.tick)]
    if len(endpoints) < 2:  # no ends by themselves: what is known by now bounds the arrivals
        found += _search_between(routing, [best, *found], (), progress.tick)
    return found


def select_front(best: SimulatedRoute, others: Iterable[SimulatedRoute]) -> list[SimulatedRoute]:
    """Return up to nine routes of which none is both earlier and cheaper, the earliest first.

    ``best`` is always among them; every route of the answer that may be sailed must be among
    ``others``, so that none of them beats a point.
    """
    unbeaten = _drop_dominated([best, *(route for route in others if route is not best)], best)
    return _thin_out(_drop_twins(unbeaten, best), best)


def search_front_endpoints(routing: RoutingProblem, heartbeat: Heartbeat) -> list[SimulatedRoute]:
    """Search coarsely for the earliest route, the cheapest, and arrivals between, in this order.

    It does not need the candidate's best route, so both may run in parallel.
    """
    ends = run_parallel(
        [
            partial(_search_endpoint, routing, objective)
            for objective in (Objective.TIME, Objective.FUEL)
        ],
        heartbeat,
    )
    within = [found.searched for found, _ in ends if found is not None]
    found_routes = [route for _, route in ends if route is not None]
    return (
        found_routes
        if len(found_routes) < 2
        else found_routes + _search_between(routing, found_routes, within, heartbeat)
    )


def _search_endpoint(
    routing: RoutingProblem, objective: Objective
) -> tuple[FoundTrack | None, SimulatedRoute | None]:
    found = find_coarse_track(routing, objective, None)
    return found, draw_coarse_track(routing, found, objective, None)


def _search_between(
    routing: RoutingProblem,
    found_routes: Sequence[SimulatedRoute],
    within: Sequence[SearchedLattice],
    heartbeat: Heartbeat,
) -> list[SimulatedRoute]:
    """Search for routes that arrive between those there are."""
    hours = [route.simulation.total_h for route in found_routes]
    # evenly in mean speed: at high speed an hour costs most
    arrivals_h = 1.0 / np.linspace(1.0 / min(hours), 1.0 / max(hours), _ARRIVALS + 2)[1:-1]

    soonest = min(found_routes, key=lambda route: route.simulation.total_h)

    def search_within(longest_h: float) -> list[SimulatedRoute | None]:
        found = find_coarse_track(routing, Objective.FUEL, longest_h, within)
        # the shortest was compared with the ends of the curve, and between these it gains nothing
        drawn = draw_found_track(routing, found, Objective.FUEL, longest_h)
        near = soonest.simulation if drawn is None else drawn.simulation
        slowed = optimise_speeds_along(routing, soonest.legs, Objective.FUEL, longest_h, near)
        return [drawn, slowed]

    parts = [partial(search_within, float(longest_h)) for longest_h in arrivals_h]
    return [
        route for routes in run_parallel(parts, heartbeat) for route in routes if route is not None
    ]


def _optimise_known_tracks(
    routing: RoutingProblem,
    best: SimulatedRoute,
    endpoints: Sequence[SimulatedRoute],
    heartbeat: Heartbeat,
) -> list[SimulatedRoute]:
    """Optimise the speeds along the best and the soonest track: the soonest, the cheapest."""
    near = endpoints[1].simulation if len(endpoints) > 1 else None
    parts = [
        partial(optimise_speeds_along, routing, best.legs, Objective.TIME, None, None),
        partial(optimise_speeds_along, routing, best.legs, Objective.FUEL, None, near),
    ]
    if endpoints:
        soonest = endpoints[0].legs
        parts.append(partial(optimise_speeds_along, routing, soonest, Objective.FUEL, None, near))
    return [route for route in run_parallel(parts, heartbeat) if route is not None]


def _simulate_constant_speeds(
    context: PlanningContext, best: SimulatedRoute
) -> Iterator[SimulatedRoute]:
    """Simulate the track at speeds between the greatest and the least ordered."""
    request = context.request
    geometry = build_geometry(context, best.label, best.uses, best.legs)
    for speed_kn in np.linspace(request.speed_max_kn, request.speed_min_kn, _ARRIVALS + 2):
        yield evaluate_route(context, geometry, simulate_at(context, geometry)(float(speed_kn)))


def _drop_dominated(routes: Iterable[SimulatedRoute], best: SimulatedRoute) -> list[SimulatedRoute]:
    """Drop routes that another beats in time and fuel; ``best`` stays, whatever it was chosen by.

    A route that beats ``best`` so, by miles in an area that has a price or by a wait, goes instead.
    """
    kept: list[SimulatedRoute] = []
    for route in sorted(routes, key=lambda r: (r.simulation.total_h, r.total_fuel_t)):
        least_t = min((other.total_fuel_t for other in kept), default=inf)
        if route is best:
            kept = [other for other in kept if other.total_fuel_t > route.total_fuel_t]
        if route is best or route.total_fuel_t < least_t:
            kept.append(route)
    return kept


def _drop_twins(front: Sequence[SimulatedRoute], best: SimulatedRoute) -> list[SimulatedRoute]:
    """Keep one of routes that arrive almost together: ``best``, or else the cheapest, the last."""
    apart_h = _APART_SHARE * best.simulation.total_h
    kept: list[SimulatedRoute] = []
    for route in front:
        is_twin = bool(kept) and route.simulation.total_h - kept[-1].simulation.total_h <= apart_h
        if is_twin and kept[-1] is best:
            continue
        kept = [*kept[: len(kept) - is_twin], route]
    return kept


def _thin_out(front: list[SimulatedRoute], best: SimulatedRoute) -> list[SimulatedRoute]:
    """Drop the points closest to their neighbours till nine are left; the ends and best stay."""
    front = list(front)
    while len(front) > _MOST_POINTS:
        hours = [route.simulation.total_h for route in front]
        gaps_h = {n: hours[n + 1] - hours[n - 1] for n in range(1, len(front) - 1)}
        del front[min((n for n in gaps_h if front[n] is not best), key=gaps_h.__getitem__)]
    return front
