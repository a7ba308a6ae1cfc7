"""Routes that a plan's best route is compared with."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.engine.planning.candidates import (
    CandidateRoute,
    ClosedAlternative,
    candidate_of,
    find_closed_alternative,
)
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import simulate_constant_speed
from app.engine.planning.geometry import build_geometry
from app.engine.planning.limits import LIMITS, find_violation
from app.engine.planning.references import PricedReference, price_references
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.planning.weather_routing import coarse_search
from app.engine.request import Objective
from app.engine.sailing.waiting import copy_waits

#: A limit may be binding where a route comes this near to it.
_NEAR_SHARE: Final = 0.95
#: Arrivals no further apart count as equal [h].
_SAME_ARRIVAL_H: Final = 0.5


@dataclass(frozen=True, slots=True)
class Comparison:
    """Routes to compare with the best route.

    ``others`` are the other candidates, ``references`` routes handed in, ``closed`` a route that
    only areas close. ``at_one_speed`` is the best route's track at constant speed with the same
    arrival: it separates the effect of track and speeds. ``unlimited`` holds, by the name of each
    binding limit, the route that would be sailed without it; ``front`` is the trade-off curve.
    """

    others: Sequence[SimulatedRoute]
    baseline: SimulatedRoute
    references: Sequence[PricedReference]
    closed: ClosedAlternative | None
    at_one_speed: SimulatedRoute | None
    unlimited: Sequence[tuple[str, SimulatedRoute]]
    front: Sequence[SimulatedRoute]


def compare_nothing(best: SimulatedRoute) -> Comparison:
    """Leave a best route without routes to compare it with."""
    return Comparison((), best, (), None, None, (), (best,))


def arrives_with(route: SimulatedRoute, other: SimulatedRoute) -> bool:
    """Return whether two routes arrive so close together that their fuel is comparable."""
    return abs(route.simulation.total_h - other.simulation.total_h) <= _SAME_ARRIVAL_H


def compare(
    context: PlanningContext,
    candidates: Sequence[CandidateRoute],
    best: SimulatedRoute,
    others: Sequence[SimulatedRoute],
    baseline: SimulatedRoute,
    front: Sequence[SimulatedRoute],
) -> Comparison:
    """Find the routes to compare the best route with."""
    return Comparison(
        others=others,
        baseline=baseline,
        references=price_references(context, best.simulation.total_h),
        closed=find_closed_alternative(context, best),
        at_one_speed=_simulate_at_one_speed(context, best, baseline),
        unlimited=_lift_limits(context, candidates, best, baseline),
        front=front,
    )


def _simulate_at_one_speed(
    context: PlanningContext, best: SimulatedRoute, baseline: SimulatedRoute
) -> SimulatedRoute | None:
    """Simulate the best route's track at the constant speed with its arrival, and its waits."""
    if baseline is best or context.weather is None:
        return None
    geometry = build_geometry(context, best.label, best.uses, best.legs)
    not_before_h = copy_waits(best.simulation, geometry.track)
    return simulate_constant_speed(
        context, geometry, Objective.FUEL, best.simulation.total_h, not_before_h=not_before_h
    )


def _lift_limits(
    context: PlanningContext,
    candidates: Sequence[CandidateRoute],
    best: SimulatedRoute,
    baseline: SimulatedRoute,
) -> list[tuple[str, SimulatedRoute]]:
    """Find the route without each limit, for limits that the routes come near to."""
    request, routing = context.request, candidate_of(candidates, best).routing
    if routing is None:
        return []
    found = []
    for name, field in LIMITS.items():
        allowed = getattr(request.limits, field)
        near = (
            None if allowed is None else replace(request.limits, **{field: _NEAR_SHARE * allowed})
        )
        if near is None or not (find_violation(best, near) or find_violation(baseline, near)):
            continue
        free = replace(routing, limits=replace(request.limits, **{field: None}))
        route = coarse_search(free, request.objective, context.longest_h)
        if route is not None and find_violation(route, request.limits):
            found.append((name, route))
    return found
