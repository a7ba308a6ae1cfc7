"""A track at its best speeds, which keep the limits and stay out of areas in force."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.engine.errors import LimitsTooTight
from app.engine.optimise.search_objective import SearchObjective
from app.engine.optimise.speed_problem import SpeedProfile
from app.engine.optimise.speeds import optimise_speeds
from app.engine.planning.areas import list_area_bounds, list_touched_on_either_line
from app.engine.planning.drawing import measure_new_legs
from app.engine.planning.evaluation import build_simulator, evaluate_route
from app.engine.planning.limits import find_violation
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import RouteGeometry, SimulatedRoute
from app.engine.sailing.simulation import Simulation, Simulator
from app.engine.sailing.waiting import split_legs

#: Share of a limit that speed searches keep to.
SPEED_SHARE: Final = 0.999


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
        geometry.depth_m,
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
