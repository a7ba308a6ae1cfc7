"""Routes that a plan's best route is compared with.

The baseline is the shortest track at the constant speed that arrives with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.engine.area import Area
from app.engine.geodesy import great_circle_distance_nm
from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.timed_closures import TimedClosures
from app.engine.planning.areas import list_touched_areas
from app.engine.planning.candidate_paths import (
    PathCase,
    find_candidate_paths,
    find_unlimited_path,
)
from app.engine.planning.candidates import CandidateRoute, avoids_closures, find_candidate
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import simulate_constant_speed
from app.engine.planning.limits import find_violation, list_allowed
from app.engine.planning.references import PricedReference, price_reference
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.planning.weather_routing import coarse_search
from app.engine.request import Objective
from app.engine.sailing.waiting import copy_waits, find_waits, list_awaited_areas
from app.engine.sea.bridge_crossings import find_crossed
from app.engine.sea.passage_limits import PassageOrBridge, list_too_small

#: Share of a limit from which it may be binding.
_NEAR_SHARE: Final = 0.95
#: Least length over the great circle's of a route on which another may be much better.
_LEAST_DETOUR: Final = 1.02
#: Largest difference between arrivals that count as the same [h].
_SAME_ARRIVAL_H: Final = 0.5


@dataclass(frozen=True, slots=True)
class ClosedAlternative:
    """A better route that is closed by nothing but forbidden areas.

    Or the same route, before it was led around them.
    """

    route: SimulatedRoute
    closed_by: tuple[Area, ...]


@dataclass(frozen=True, slots=True)
class OversizeAlternative:
    """A better route that is closed by nothing but passages and bridges too small for the ship."""

    route: SimulatedRoute
    closed_by: tuple[PassageOrBridge, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Routes to compare with the best route.

    ``others`` are the other candidates' routes, ``references`` the routes of the request.
    ``closed`` is a better route that forbidden areas close, ``oversize`` one that passages close.
    ``at_one_speed`` is the best route's
    track at constant speed with the same arrival: it separates the effects of track and speeds.
    ``unlimited`` is the best route without each binding limit, by the name of the limit.
    ``front`` is the trade-off curve.
    """

    others: Sequence[SimulatedRoute]
    baseline: SimulatedRoute
    references: Sequence[PricedReference]
    closed: ClosedAlternative | None
    oversize: OversizeAlternative | None
    at_one_speed: SimulatedRoute | None
    unlimited: Sequence[tuple[str, SimulatedRoute]]
    front: Sequence[SimulatedRoute]


def build_empty_comparison(best: SimulatedRoute) -> Comparison:
    """Return a comparison without any other route."""
    return Comparison((), best, (), None, None, None, (), (best,))


def arrive_together(route: SimulatedRoute, other: SimulatedRoute) -> bool:
    """Return whether the arrivals of two routes are so close that their fuel is comparable."""
    return abs(route.simulation.total_h - other.simulation.total_h) <= _SAME_ARRIVAL_H


def compare(
    context: PlanningContext,
    candidates: Sequence[CandidateRoute],
    best: SimulatedRoute,
    others: Sequence[SimulatedRoute],
    baseline: SimulatedRoute,
    front: Sequence[SimulatedRoute],
) -> Comparison:
    """Find the routes to compare with the best route."""
    return Comparison(
        others=others,
        baseline=baseline,
        references=[
            price_reference(context, each, best.simulation.total_h)
            for each in context.request.reference_routes
        ],
        closed=_find_closed_alternative(context, best),
        oversize=_find_oversize_alternative(context, best),
        at_one_speed=_simulate_at_one_speed(context, best, baseline),
        unlimited=_find_unlimited_routes(context, candidates, best, baseline),
        front=front,
    )


def _find_closed_alternative(
    context: PlanningContext, best: SimulatedRoute
) -> ClosedAlternative | None:
    """Find the route that would be chosen if no area were forbidden, if it is better or the same.

    The same is simulated at constant speed, so that its cost says nothing
    about the areas: those count that the best route enters at no time.
    """
    forbidden = context.blocking_areas
    if not forbidden:
        return None
    open_areas = [area for area in context.request.areas if area not in forbidden]
    case = PathCase.if_sailable(context, find_candidate_paths(context, open_areas, most=1)[0])
    if case is None:
        return None  # a current closes it too
    route = case.simulate()
    closed_by = list_touched_areas(forbidden, route.simulation)
    if route.label == best.label:
        at_all_times = [area.at_all_times() for area in closed_by]
        entered = {area.id for area in list_touched_areas(at_all_times, best.simulation)}
        closed_by = [area for area in closed_by if area.id not in entered]
    elif context.cost(route) >= context.cost(best):
        return None
    return ClosedAlternative(route, tuple(closed_by)) if closed_by else None


def _find_oversize_alternative(
    context: PlanningContext, best: SimulatedRoute
) -> OversizeAlternative | None:
    """Find the route that would be chosen if all passages and bridges took the ship, if better."""
    request = context.request
    direct_nm = great_circle_distance_nm(*request.departure, *request.arrival)
    if best.simulation.track.length_nm < _LEAST_DETOUR * direct_nm:
        return None
    path = find_unlimited_path(context, context.size.drop_dimensions())
    if path is None:
        return None
    used = {use.id for use in path.uses}
    on_path: list[PassageOrBridge] = [p for p in context.sea.passages if p.id in used]
    on_path += [each.bridge for each in find_crossed(context.sea.bridges, path.lats, path.lngs)]
    closed_by = list_too_small(on_path, context.size)
    if not closed_by:
        return None
    case = PathCase.if_sailable(context, path)
    if case is None or context.cost(case.simulate()) >= context.cost(best):
        return None
    return OversizeAlternative(case.simulate(), closed_by)


def _simulate_at_one_speed(
    context: PlanningContext, best: SimulatedRoute, baseline: SimulatedRoute
) -> SimulatedRoute | None:
    """Simulate the best route's track and waits at the constant speed for the same arrival."""
    if baseline is best or context.weather is None:
        return None
    if baseline.legs == best.legs and not find_waits(best.simulation):
        return baseline
    not_before_h = copy_waits(best.simulation, best.geometry.track)
    return simulate_constant_speed(
        context, best.geometry, Objective.FUEL, best.simulation.total_h, not_before_h=not_before_h
    )


def _find_unlimited_routes(
    context: PlanningContext,
    candidates: Sequence[CandidateRoute],
    best: SimulatedRoute,
    baseline: SimulatedRoute,
) -> list[tuple[str, SimulatedRoute]]:
    """Find the best route without each limit, for limits that may be binding.

    Return the names of the binding limits, each with its route.
    """
    request, routing = context.request, find_candidate(candidates, best).routing
    if routing is None:
        return []
    found = []
    for limit, allowed in list_allowed(request.limits):
        tighter = limit.with_value(request.limits, _NEAR_SHARE * allowed)
        if not (find_violation(best, tighter) or find_violation(baseline, tighter)):
            continue
        unlimited = replace(routing, limits=limit.with_value(request.limits, None))
        route = coarse_search(unlimited, unlimited.requested_objective)
        if route is not None and find_violation(route, request.limits):
            found.append((limit.name, route))
    return found


def simulate_baseline(
    context: PlanningContext, candidates: Sequence[CandidateRoute], best: SimulatedRoute
) -> SimulatedRoute:
    """Simulate the shortest track at the constant speed that arrives with the best route.

    A candidate's path keeps more clearance than a track must, so that a weather-routed track may
    be shorter. The baseline may break limits. It waits for the same areas as the best route, and
    enters no other while that is in force; it is the best route if every other track does.
    """
    awaited = list_awaited_areas(best.simulation, context.blocking_areas)
    routes = [best, *(route for candidate in candidates for route in candidate.simulated_routes)]
    for track in sorted(routes, key=lambda route: route.simulation.track.length_nm):
        candidate = find_candidate(candidates, track)
        if track is best is candidate.constant_speed:
            break
        water = NavigableWater(context.sea.waters, candidate.path.conditions, timed=tuple(awaited))
        closures = TimedClosures.find(track.geometry.track, water, context.request.speed_max_kn)
        baseline = simulate_constant_speed(
            context,
            track.geometry,
            Objective.FUEL,
            best.simulation.total_h,
            not_before_h=closures.not_before_h,
        )
        if avoids_closures(context, baseline):
            return baseline
    return best


def take_better(
    context: PlanningContext, candidates: Sequence[CandidateRoute], best: SimulatedRoute
) -> tuple[SimulatedRoute, SimulatedRoute]:
    """Return the better of a route and its baseline, and the baseline."""
    baseline = simulate_baseline(context, candidates, best)
    return context.cost_basis.sort([*keep_sailable(context, baseline), best])[0], baseline


def keep_sailable(context: PlanningContext, baseline: SimulatedRoute) -> list[SimulatedRoute]:
    """Return the baseline in a list, empty if it breaks a limit, enters a closure or waits.

    A baseline is not optimised for waiting, so that one that must wait is not proposed.
    """
    may_be_sailed = (
        avoids_closures(context, baseline)
        and not find_violation(baseline, context.request.limits)
        and not find_waits(baseline.simulation)
    )
    return [baseline] if may_be_sailed else []
