"""The baseline of a plan: the shortest track at the constant speed that arrives with it."""

from collections.abc import Sequence

from app.engine.optimise.navigable_water import NavigableWater
from app.engine.optimise.timed_closures import TimedClosures
from app.engine.planning.candidates import CandidateRoute, avoids_closures, find_candidate
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import simulate_constant_speed
from app.engine.planning.limits import find_violation
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Objective
from app.engine.sailing.waiting import find_waits, list_awaited_areas


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
    return context.sort_by_cost([*keep_sailable(context, baseline), best])[0], baseline


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
