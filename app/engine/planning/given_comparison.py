"""Comparison of a given route with a planned one: extra cost by track, speeds and arrival."""

from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from app.engine.arrays import split_columns
from app.engine.facts import ExtraCost
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import find_depth_cost_t, simulate_constant_speed
from app.engine.planning.geometry import build_geometry
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.planning.weather_routing import optimise_shortest_track
from app.engine.request import Limits, Objective
from app.engine.sea.path import SeaPath
from app.engine.sea.search.astar import OPEN_SEA
from app.engine.sea.search.conditions import NO_CONDITIONS


@dataclass(frozen=True, slots=True)
class GivenComparison:
    """A given route at the best speeds for its arrival, and its extra cost over a planned one."""

    at_best_speeds: SimulatedRoute
    extra: ExtraCost


def compare_with_planned(
    context: PlanningContext, given: SimulatedRoute, planned: SimulatedRoute
) -> GivenComparison:
    """Compare a given route with a planned one, both simulated from the same departure.

    The given track is simulated twice more, at the best speeds for its own arrival and for the
    planned arrival. The difference between the given route and the first is the cost of its
    speeds, between the first and the second that of its arrival, and between the second and the
    planned route that of its track.
    """
    at_best_speeds = find_best_speeds(context, given, given.simulation.total_h)
    in_time = find_best_speeds(context, given, planned.simulation.total_h)
    if given.simulation.total_h <= planned.simulation.total_h:
        in_time = min(in_time, at_best_speeds, key=attrgetter("total_fuel_t"))
    extra = ExtraCost(
        distance_nm=given.simulation.track.length_nm - planned.simulation.track.length_nm,
        duration_h=given.simulation.total_h - planned.simulation.total_h,
        fuel_t=given.total_fuel_t - planned.total_fuel_t,
        track_t=in_time.total_fuel_t - planned.total_fuel_t,
        depth_t=find_depth_cost_t(context, in_time) - find_depth_cost_t(context, planned),
        speed_t=given.total_fuel_t - at_best_speeds.total_fuel_t,
        arrival_t=at_best_speeds.total_fuel_t - in_time.total_fuel_t,
    )
    return GivenComparison(at_best_speeds, extra)


def find_best_speeds(
    context: PlanningContext, route: SimulatedRoute, longest_h: float
) -> SimulatedRoute:
    """Return a route at the speeds that burn least and arrive within ``longest_h``.

    The speeds lie within the range of the request or of the route itself, whichever is wider.
    Weather limits and the route's waits are ignored. The route itself is returned if it is in time
    and burns less.
    """
    simulation = route.simulation
    request = replace(
        context.request,
        speed_min_kn=min(context.request.speed_min_kn, float(np.min(simulation.ordered_kn))),
        speed_max_kn=max(context.request.speed_max_kn, float(simulation.through_water_kn.max())),
        limits=Limits(),
    )
    widened = replace(context, request=request)
    found = _optimise(widened, route, longest_h)
    is_beaten = route.simulation.total_h <= longest_h and route.total_fuel_t < found.total_fuel_t
    return route if is_beaten else found


def _optimise(context: PlanningContext, route: SimulatedRoute, longest_h: float) -> SimulatedRoute:
    geometry = build_geometry(context, route.label, route.uses, route.legs)
    at_one_speed = simulate_constant_speed(context, geometry, Objective.FUEL, longest_h)
    if context.weather is None:
        return at_one_speed
    positions = [route.legs[0].start, *(leg.end for leg in route.legs)]
    marks = np.full(len(route.legs), OPEN_SEA, dtype=np.int16)
    (lats, lngs), nm = split_columns(positions), route.simulation.track.length_nm
    problem = RoutingProblem(
        context=context,
        weather=context.weather,
        path=SeaPath(lats, lngs, marks, nm, nm, route.uses, route.label, NO_CONDITIONS),
        geometry=geometry,
        limits=Limits(),
        timed=(),
    )
    search_objective = problem.search_objective(Objective.FUEL, longest_h)
    return optimise_shortest_track(problem, search_objective) or at_one_speed
