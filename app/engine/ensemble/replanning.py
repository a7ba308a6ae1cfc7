"""Routes planned for other weather than the forecast: for members, and for lower waves."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
from scipy.cluster.vq import kmeans2

from app.engine.arrays import Floats
from app.engine.ensemble.members import Ensemble, Member
from app.engine.optimise.speed_profile import read_simulation_speeds
from app.engine.parallel import run_parallel
from app.engine.planning.best_speeds import simulate_at_best_speeds
from app.engine.planning.candidates import avoids_closures
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.planning.weather_routing import coarse_search
from app.engine.spread import SpreadBasis
from app.engine.times import hours_since_epoch

#: Number of clusters of members; a route is planned for one member of each.
_CLUSTERS: Final = 4
#: Number of positions along the route, and offsets to the north of it [deg], at which the waves of
#: members are compared.
_POSITIONS: Final = 24
_OFFSETS_DEG: Final = (-4.0, 0.0, 4.0)
#: Shares of the highest wave on the best route, or of the limit if lower, used as limits.
_CALMER_SHARES: Final = (0.85, 0.7)


def plan_for_members(
    problem: RoutingProblem, best: SimulatedRoute, ensemble: Ensemble
) -> list[SimulatedRoute]:
    """Plan a route for each of a few representative members; none without members.

    Each is simulated in the forecast and keeps its limits.
    """
    if ensemble.basis is not SpreadBasis.MEMBERS:
        return []
    picked = _pick_representatives(ensemble.members, best)
    parts = [partial(_plan_for, problem, member) for member in picked]
    return _drop_closed(problem, run_parallel(parts, problem.heartbeat))


def plan_below_waves(problem: RoutingProblem, best: SimulatedRoute) -> list[SimulatedRoute]:
    """Plan routes with wave limits below the highest wave on the best route and below its limit."""
    if best.weather_at_middles is None:
        return []
    highest_m = float(best.weather_at_middles.wave_height_m.max())
    limits = problem.limits
    bound_m = highest_m if limits.wave_height_m is None else min(highest_m, limits.wave_height_m)
    calmer = (replace(limits, wave_height_m=share * bound_m) for share in _CALMER_SHARES)
    problems = [replace(problem, limits=each) for each in calmer]
    parts = [partial(coarse_search, each, each.requested_objective) for each in problems]
    return _drop_closed(problem, run_parallel(parts, problem.heartbeat))


def _pick_representatives(members: Sequence[Member], route: SimulatedRoute) -> list[Member]:
    """Pick the most central member of each cluster of wave heights around a route."""
    if len(members) <= _CLUSTERS:
        return list(members)
    features = np.stack([_sample(member, route) for member in members])
    centres, clusters = kmeans2(features, _CLUSTERS, minit="++", rng=1)
    picked = []
    for cluster in range(_CLUSTERS):
        inside = np.flatnonzero(clusters == cluster)
        if inside.size:
            squared = ((features[inside] - centres[cluster]) ** 2).sum(axis=1)
            picked.append(members[int(inside[np.argmin(squared)])])
    return picked


def _sample(member: Member, route: SimulatedRoute) -> Floats:
    simulation, track = route.simulation, route.simulation.track
    points = np.linspace(0, track.lats.size - 1, _POSITIONS).astype(int)
    times_h = hours_since_epoch(simulation.departs_at) + simulation.hours[points]
    lats = np.clip(track.lats[points] + np.array(_OFFSETS_DEG)[:, None], -89.0, 89.0)
    met = member.weather.sample(lats, track.lngs[points], times_h, track.points_inland[points])
    return met.wave_height_m.ravel()


def _plan_for(problem: RoutingProblem, member: Member) -> SimulatedRoute | None:
    """Plan in a member's weather; return the track at its best speeds in the forecast, if any."""
    in_member = replace(
        problem, weather=member.weather, context=replace(problem.context, weather=member.weather)
    )
    found = coarse_search(in_member, in_member.requested_objective)
    if found is None:
        return None
    near = read_simulation_speeds(found.simulation)
    return simulate_at_best_speeds(problem, found.geometry, problem.requested_objective, near)


def _drop_closed(
    problem: RoutingProblem, routes: Sequence[SimulatedRoute | None]
) -> list[SimulatedRoute]:
    return [
        route for route in routes if route is not None and avoids_closures(problem.context, route)
    ]
