"""The trade-off curve: least fuel against arrival time on the chosen candidate."""

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
    find_coarse_track,
    optimise_speeds_along,
)
from app.engine.request import Objective

#: Arrivals asked for between the earliest and the cheapest.
_ARRIVALS: Final = 4
#: Points of a front at the most, and hours that they lie apart at the least.
_MOST_POINTS: Final = 9
_APART_H: Final = 0.05


def find_front(
    context: PlanningContext,
    routing: RoutingProblem | None,
    front_routes: Sequence[SimulatedRoute] | None,
    best: SimulatedRoute,
    progress: ProgressReporter,
) -> list[SimulatedRoute]:
    """Return up to nine routes of the best route's candidate, the earliest first, itself included.

    None of them is both earlier and cheaper than another. ``front_routes`` is the result of
    ``search_front_endpoints`` where that has run already.
    """
    if routing is None:
        return _drop_dominated(best, _simulate_constant_speeds(context, best))
    front_routes = (
        search_front_endpoints(routing, progress.tick) if front_routes is None else front_routes
    )
    others = [*front_routes, *_optimise_best_track(routing, best, front_routes, progress.tick)]
    if len(front_routes) < 2:  # no ends by themselves: what is known by now bounds the arrivals
        others += _search_between(routing, [best, *others], (), progress.tick)
    return _drop_dominated(best, others)


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

    def search_within(longest_h: float) -> SimulatedRoute | None:
        found = find_coarse_track(routing, Objective.FUEL, longest_h, within)
        return draw_coarse_track(routing, found, Objective.FUEL, longest_h)

    parts = [partial(search_within, float(longest_h)) for longest_h in arrivals_h]
    return [route for route in run_parallel(parts, heartbeat) if route is not None]


def _optimise_best_track(
    routing: RoutingProblem,
    best: SimulatedRoute,
    front_routes: Sequence[SimulatedRoute],
    heartbeat: Heartbeat,
) -> list[SimulatedRoute]:
    """Optimise the speeds along the best route's track, for the earliest and for the cheapest."""
    near = front_routes[1].simulation if len(front_routes) > 1 else None
    parts = [
        partial(optimise_speeds_along, routing, best.legs, Objective.TIME, None, None),
        partial(optimise_speeds_along, routing, best.legs, Objective.FUEL, None, near),
    ]
    return [route for route in run_parallel(parts, heartbeat) if route is not None]


def _simulate_constant_speeds(
    context: PlanningContext, best: SimulatedRoute
) -> Iterator[SimulatedRoute]:
    """Simulate the track at speeds between the greatest and the least ordered."""
    request = context.request
    geometry = build_geometry(context, best.label, best.uses, best.legs)
    for speed_kn in np.linspace(request.speed_max_kn, request.speed_min_kn, _ARRIVALS + 2):
        yield evaluate_route(context, geometry, simulate_at(context, geometry)(float(speed_kn)))


def _drop_dominated(best: SimulatedRoute, others: Iterable[SimulatedRoute]) -> list[SimulatedRoute]:
    """Drop routes that another beats in both time and fuel; ``best`` always stays."""
    kept: list[SimulatedRoute] = []
    least_t = inf
    best_h, best_t = best.simulation.total_h, best.total_fuel_t
    for route in sorted([best, *others], key=lambda r: (r.simulation.total_h, r is not best)):
        hours, fuel_t = route.simulation.total_h, route.total_fuel_t
        is_dominated = (hours >= best_h and fuel_t >= best_t) or (
            hours <= best_h + _APART_H and fuel_t <= best_t
        )
        if route is best or (fuel_t < least_t and not is_dominated):
            kept.append(route)
            least_t = min(least_t, fuel_t)
    return kept[:_MOST_POINTS]
