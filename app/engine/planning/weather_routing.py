"""Weather routing of one candidate: search the best track, draw it, simulate it, choose.

The search of a lattice gives lines. They are drawn as legs that are clear, and these are simulated
at their best speeds, which keep the limits and stay out of areas in force. The best is chosen.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from app.engine.errors import LimitsTooTight
from app.engine.optimise.labels import SearchedLattice, Trajectory
from app.engine.optimise.ocean import Ocean
from app.engine.optimise.search_objective import SearchObjective
from app.engine.optimise.speed_problem import SpeedProfile, read_simulation_speeds
from app.engine.optimise.speeds import optimise_speeds
from app.engine.optimise.track_search import FoundTrack, TrackSearch
from app.engine.parallel import run_pair, run_parallel
from app.engine.planning.areas import list_area_bounds, list_touched_on_either_line
from app.engine.planning.drawing import draw_track, measure_new_legs
from app.engine.planning.evaluation import build_simulator, evaluate_route
from app.engine.planning.limits import find_violation
from app.engine.planning.route_cost import CostBasis
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import RouteGeometry, SimulatedRoute
from app.engine.request import Limits, Objective
from app.engine.sailing.simulation import Simulation, Simulator
from app.engine.sailing.waiting import split_legs

#: Share of a limit that speed searches keep to.
SPEED_SHARE: Final = 0.999
#: Time before the latest useful arrival from which a limit makes a ship arrive early [h].
_EARLY_H: Final = 0.2
#: Wave height of a storm [m], and the shares of its waves that searches around it keep to.
_STORM_M: Final = 6.0
_CALMER_SHARES: Final = (0.8, 0.6)
#: Share of the limit that searches keep to anyway, below which another limit is a different search.
_DIFFERENT_SHARE: Final = 0.9
#: Share of such a limit below which the waves of a track found without it make a search with it
#: unnecessary.
_CALM_SHARE: Final = 0.8
#: Tolerances of drawn lines [nm], in the order tried: close ones; wide ones for fewer legs; and
#: those of coarse searches.
_CLOSE_NM: Final = (0.7, 0.3, 0.0)
_WIDE_NM: Final = (12.0, 6.0, 3.0, 1.5)
_COARSE_NM: Final = (3.0, 0.7)
#: Largest increase of the cost by fewer waypoints, as a share.
_COST_SHARE: Final = 0.001


def optimise_shortest_track(
    problem: RoutingProblem, search_objective: SearchObjective
) -> SimulatedRoute | None:
    """Return the shortest track at the best speeds, if that keeps the limits."""
    return simulate_at_best_speeds(problem, problem.geometry, search_objective)


def simulate_at_best_speeds(
    problem: RoutingProblem,
    geometry: RouteGeometry,
    search_objective: SearchObjective,
    near: SpeedProfile | None = None,
) -> SimulatedRoute | None:
    """Optimise the speeds along a geometry, around ``near``.

    ``None`` if none keep the limits, or if a leg touches a timed area on either of its lines.
    """
    simulate, ocean = build_simulator(problem.context, geometry), problem.ocean(SPEED_SHARE)
    if search_objective.prices.is_time_alone:
        # a ship never arrives earlier than at its highest speed, unless a limit stops it on the way
        fastest = _simulate_at_highest_speed(problem, geometry, search_objective, simulate)
        if fastest is not None:
            return fastest
    found = optimise_speeds(
        geometry.track,
        geometry.water_depth_m,
        problem.water,
        ocean,
        search_objective,
        simulate,
        problem.heartbeat,
        near,
    )
    routes = (_evaluate_if_allowed(problem, geometry, simulation) for simulation in found)
    return next(filter(None, routes), None)


def _simulate_at_highest_speed(
    problem: RoutingProblem,
    geometry: RouteGeometry,
    search_objective: SearchObjective,
    simulate: Simulator,
) -> SimulatedRoute | None:
    """Simulate a geometry at the highest ordered speed; ``None`` if that is not allowed."""
    try:
        simulation = simulate(search_objective.speed_max_kn)
    except LimitsTooTight:
        return None
    return _evaluate_if_allowed(problem, geometry, simulation)


def _evaluate_if_allowed(
    problem: RoutingProblem,
    geometry: RouteGeometry,
    simulation: Simulation,
    split_at: Sequence[int] = (),
) -> SimulatedRoute | None:
    """Return the route of a simulation, with legs split where the ship waits and at ``split_at``.

    ``None`` if it breaks a limit, or if a leg touches a timed area on either of its lines.
    """
    legs, parts, new = split_legs(geometry.legs, simulation, split_at)
    measured = measure_new_legs(problem, legs, new)
    if measured is None:
        return None
    # the search knows each leg by its own geometry and at the speed of each stretch only
    touched = list_touched_on_either_line(problem.timed, measured, parts)
    if touched:
        bounds = [] if split_at else list_area_bounds(touched, simulation)
        return _evaluate_if_allowed(problem, geometry, simulation, bounds) if bounds else None
    geometry = replace(geometry, legs=measured, track=parts.track)
    route = evaluate_route(problem.context, geometry, parts)
    return None if find_violation(route, problem.limits) else route


def optimise(problem: RoutingProblem, search_objective: SearchObjective) -> SimulatedRoute | None:
    """Return the best route that keeps the limits, ``None`` if none is found.

    Where a limit makes the ship arrive early, the search is repeated for that arrival: searches end
    at the latest arrival, and are most exact there.
    """
    best = _optimise_once(problem, search_objective)
    if best is None or not _arrives_early(problem, search_objective, best):
        return best
    earlier = replace(search_objective, longest_h=best.simulation.total_h)
    return find_cheapest(problem, [best, _optimise_once(problem, earlier)], search_objective)


def _arrives_early(
    problem: RoutingProblem, search_objective: SearchObjective, best: SimulatedRoute
) -> bool:
    """Return whether a limit makes a route for least fuel arrive early."""
    longest_h = search_objective.longest_h
    if longest_h is None or search_objective.prices.hour or not problem.is_limited:
        return False
    latest_h = min(longest_h, float(problem.slowest_timetable.hours[-1]))
    return best.simulation.total_h < latest_h - _EARLY_H


def _optimise_once(
    problem: RoutingProblem, search_objective: SearchObjective
) -> SimulatedRoute | None:
    # this thread begins with the last, which takes longest
    shortest, best = run_pair(
        # over shallow water its best speeds are far from those of a track round it
        partial(optimise_shortest_track, problem, search_objective),
        partial(_optimise_track, problem, search_objective),
        problem.heartbeat,
    )
    found = [shortest, best]
    cheapest = find_cheapest(problem, found, search_objective)
    if cheapest is None and problem.is_limited:
        return coarse_search(problem, search_objective)
    if cheapest and search_objective.prices.is_time_alone and problem.is_held_up(cheapest.geometry):
        return _choose_while_held_up(problem, found, search_objective)
    return cheapest


def _choose_while_held_up(
    problem: RoutingProblem,
    found: Sequence[SimulatedRoute | None],
    search_objective: SearchObjective,
) -> SimulatedRoute | None:
    """Choose the track of a ship that arrives as early as an area lets it.

    Miles sailed before the area opens cost no time. They are therefore weighed by fuel and time
    here, and so is a track searched by both.
    """
    balanced = problem.search_objective(Objective.BALANCED, problem.context.longest_h)
    lines = problem.track_search and problem.track_search.find_track(balanced)
    drawn = _draw_fewest_legs(problem, lines, search_objective) if lines else None
    return find_cheapest(problem, [*found, drawn], balanced)


def coarse_search(
    problem: RoutingProblem, search_objective: SearchObjective
) -> SimulatedRoute | None:
    """Return a good route that keeps the limits, from a coarser search, if one is found.

    The track found and the shortest are both simulated, because a coarse search cannot decide
    between them.
    """
    run_first_searches(problem, search_objective)
    found = find_coarse_track(problem, search_objective)
    drawn = draw_found_track(problem, found, search_objective)
    profile = None if found is None else found.profile
    shortest = simulate_at_best_speeds(problem, problem.geometry, search_objective, profile)
    return find_cheapest(problem, [shortest, drawn], search_objective)


def run_first_searches(problem: RoutingProblem, search_objective: SearchObjective) -> None:
    """Run the searches with which all others of a candidate begin, in parallel."""
    if problem.track_search is not None:
        searches = problem.track_search.list_first_searches(search_objective)
        run_parallel(searches, problem.heartbeat)


def find_coarse_track(
    problem: RoutingProblem,
    search_objective: SearchObjective,
    known_lattices: Sequence[SearchedLattice] = (),
) -> FoundTrack | None:
    """Find a good track, in known lattices if there are any; ``None`` if none is found."""
    if problem.track_search is None:
        return None
    return problem.track_search.find_coarse_track(search_objective, known_lattices)


def draw_found_track(
    problem: RoutingProblem, found: FoundTrack | None, search_objective: SearchObjective
) -> SimulatedRoute | None:
    """Return a found track, drawn as legs, at the best speeds, ``None`` if that is not feasible."""
    if found is None:
        return None
    return next(_draw(problem, found, search_objective, _COARSE_NM), None)


def search_earliest_within_limits(problem: RoutingProblem) -> list[SimulatedRoute]:
    """Search coarsely for the earliest routes, at and below the limits of waves and wind."""
    search, search_objective = problem.track_search, problem.search_objective(Objective.TIME, None)
    if search is None:
        return []
    found = search.find_coarse_track(search_objective, earliest=True)
    drawn = draw_found_track(problem, found, search_objective)
    below = search_below_limits(problem, search_objective)
    return below if drawn is None else [drawn, *below]


def search_below_limits(
    problem: RoutingProblem, search_objective: SearchObjective
) -> list[SimulatedRoute]:
    """Search coarsely below the limits of waves and wind, for the earliest by all labels."""
    search = problem.track_search
    if search is None:
        return []
    searches = (
        search.with_medium(ocean, search_objective) for ocean in problem.list_tighter_oceans()
    )
    earliest = search_objective.prices.is_time_alone
    found = [each.find_coarse_track(search_objective, earliest=earliest) for each in searches]
    drawn = (draw_found_track(problem, each, search_objective) for each in found)
    return [route for route in drawn if route is not None]


def _optimise_track(
    problem: RoutingProblem, search_objective: SearchObjective
) -> SimulatedRoute | None:
    """Find the best track that keeps the limits, at the best speeds.

    If a limit is binding, searches below several shares of it are compared: which of them finds
    the best track that keeps the limit everywhere is not known in advance.
    """
    if problem.track_search is None:
        return None
    lines = problem.track_search.find_track(search_objective)
    if lines is None:
        return None  # searches with lower limits find nothing either
    found = [_draw_fewest_legs(problem, lines, search_objective)]
    search_in = partial(_search_in, problem, problem.track_search, search_objective)
    tighter = problem.list_tighter_oceans()
    if tighter and (found[0] is None or find_violation(found[0], problem.tightest_limits)):
        *usual, last = tighter
        found += run_parallel([partial(search_in, ocean) for ocean in usual], problem.heartbeat)
        if not any(found):
            found.append(search_in(last))
    without_survey = replace(problem.track_search, survey=None)  # the first search has used it
    known = None if found[0] is None else lines.at_stages
    parts = [
        partial(_search_in, problem, without_survey, search_objective, ocean, known)
        for ocean in _list_calmer_oceans(problem, found[0])
    ]
    return find_cheapest(problem, found + run_parallel(parts, problem.heartbeat), search_objective)


def _list_calmer_oceans(problem: RoutingProblem, found: SimulatedRoute | None) -> list[Ocean]:
    """List media with limits well below the waves on the shortest track, if a storm lies there.

    Tracks through a storm and on either side of it are local optima, and a search may end in any
    of them. Searches that avoid the storm find those that it missed. They are left out if the
    track found already avoids the storm.
    """
    ocean, highest_m = problem.ocean(SPEED_SHARE), problem.highest_wave_m
    if highest_m < _STORM_M:
        return []
    lower_m = [share * highest_m for share in _CALMER_SHARES]
    kept_m = [limit_m for limit_m in lower_m if limit_m < _DIFFERENT_SHARE * ocean.wave_limit_m]
    sought_m = [
        limit_m
        for limit_m in kept_m
        if found is None or find_violation(found, Limits(wave_height_m=_CALM_SHARE * limit_m))
    ]
    return [ocean._replace(wave_limit_m=limit_m) for limit_m in sought_m]


def _search_in(
    problem: RoutingProblem,
    search: TrackSearch,
    search_objective: SearchObjective,
    ocean: Ocean,
    known: Trajectory | None = None,
) -> SimulatedRoute | None:
    """Search in another medium, and draw the best track; ``None`` if it is close to a known one."""
    search = search.with_medium(ocean, search_objective)
    run_parallel(search.list_first_searches(search_objective), problem.heartbeat)
    lines = search.find_track(search_objective, known)
    return None if lines is None else _draw_fewest_legs(problem, lines, search_objective)


def _draw_fewest_legs(
    problem: RoutingProblem, found: FoundTrack, search_objective: SearchObjective
) -> SimulatedRoute | None:
    """Draw found lines as the fewest legs that are clear and cost little more."""
    close = next(_draw(problem, found, search_objective, _CLOSE_NM), None)
    if close is None:
        return None
    cost_of = _cost_basis(problem, search_objective).cost
    late_h, cost = cost_of(close)
    allowed = late_h, (1.0 + _COST_SHARE) * cost
    found = replace(found, profile=read_simulation_speeds(close.simulation))
    wide = _draw(problem, found, search_objective, _WIDE_NM)
    return next((route for route in wide if cost_of(route) <= allowed), close)


def _draw(
    problem: RoutingProblem,
    found: FoundTrack,
    search_objective: SearchObjective,
    tolerances_nm: Sequence[float],
) -> Iterator[SimulatedRoute]:
    for tolerance_nm in tolerances_nm:
        geometry = draw_track(problem, found.lines, tolerance_nm)
        route = (
            None
            if geometry is None
            else simulate_at_best_speeds(problem, geometry, search_objective, found.profile)
        )
        if route is not None:
            yield route


def find_cheapest(
    problem: RoutingProblem,
    routes: Iterable[SimulatedRoute | None],
    search_objective: SearchObjective,
) -> SimulatedRoute | None:
    """Return the route of least cost, ``None`` without any."""
    kept = [route for route in routes if route is not None]
    return next(iter(_cost_basis(problem, search_objective).sort(kept)), None)


def _cost_basis(problem: RoutingProblem, search_objective: SearchObjective) -> CostBasis:
    return CostBasis(search_objective.prices, search_objective.longest_h, problem.timed)
