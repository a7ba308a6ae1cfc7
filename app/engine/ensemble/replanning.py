"""Routes planned for other weather than the forecast: for members, and further off high waves."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.vq import kmeans2

from app.engine.ensemble.members import Ensemble, Member
from app.engine.planning.candidates import avoids_closures
from app.engine.planning.parallel import run_parallel
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.planning.weather_routing import coarse_search, optimise_speeds_along
from app.engine.spread import SpreadBasis
from app.engine.weather.times import hours_since_epoch

Floats = NDArray[np.float64]

#: Members that are planned for: one for each kind of weather.
_KINDS: Final = 4
#: Places along the route, and offsets north of it [deg], at which members are compared.
_PLACES: Final = 24
_OFFSETS_DEG: Final = (-4.0, 0.0, 4.0)
#: Shares of the highest wave met, or of its limit, that careful routes keep to.
_CALMER_SHARES: Final = (0.85, 0.7)


def plan_for_members(
    problem: RoutingProblem, best: SimulatedRoute, ensemble: Ensemble
) -> list[SimulatedRoute]:
    """Plan for a few members that stand for all; none for members without fields of their own."""
    if ensemble.basis is not SpreadBasis.MEMBERS:
        return []
    parts = [partial(_plan_for, problem, member) for member in pick_kinds(ensemble.members, best)]
    return _keep(problem, run_parallel(parts, problem.heartbeat))


def plan_calmer(problem: RoutingProblem, best: SimulatedRoute) -> list[SimulatedRoute]:
    """Plan further under the wave limit, or under the waves that the best route meets."""
    if best.weather_at_middles is None:
        return []
    highest_m = float(best.weather_at_middles.wave_height_m.max())
    limits, request = problem.limits, problem.context.request
    bound_m = highest_m if limits.wave_height_m is None else min(highest_m, limits.wave_height_m)
    parts = [
        partial(
            coarse_search,
            replace(problem, limits=replace(limits, wave_height_m=share * bound_m)),
            request.objective,
            problem.context.longest_h,
        )
        for share in _CALMER_SHARES
    ]
    return _keep(problem, run_parallel(parts, problem.heartbeat))


def pick_kinds(members: Sequence[Member], route: SimulatedRoute) -> list[Member]:
    """Pick a member for each kind of weather about a route, by clusters of wave heights."""
    if len(members) <= _KINDS:
        return list(members)
    features = np.stack([_sample(member, route) for member in members])
    centres, kinds = kmeans2(features, _KINDS, minit="++", rng=1)
    picked = []
    for kind in range(_KINDS):
        of_kind = np.flatnonzero(kinds == kind)
        if of_kind.size:
            away = ((features[of_kind] - centres[kind]) ** 2).sum(axis=1)
            picked.append(members[int(of_kind[np.argmin(away)])])
    return picked


def _sample(member: Member, route: SimulatedRoute) -> Floats:
    """Sample a member's wave heights along and beside a route, when the plan is there."""
    simulation, track = route.simulation, route.simulation.track
    points = np.linspace(0, track.lats.size - 1, _PLACES).astype(int)
    times_h = hours_since_epoch(simulation.departs_at) + simulation.hours[points]
    lats = np.clip(track.lats[points] + np.array(_OFFSETS_DEG)[:, None], -89.0, 89.0)
    return member.weather.sample(lats, track.lngs[points], times_h).wave_height_m.ravel()


def _plan_for(problem: RoutingProblem, member: Member) -> SimulatedRoute | None:
    """Plan in a member's weather; return the track at its best speeds in the forecast."""
    request, longest_h = problem.context.request, problem.context.longest_h
    in_member = replace(
        problem, weather=member.weather, context=replace(problem.context, weather=member.weather)
    )
    found = coarse_search(in_member, request.objective, longest_h)
    if found is None:
        return None
    return optimise_speeds_along(
        problem, found.legs, request.objective, longest_h, found.simulation
    )


def _keep(problem: RoutingProblem, routes: Sequence[SimulatedRoute | None]) -> list[SimulatedRoute]:
    """Return the routes there are that keep out of closures."""
    return [
        route for route in routes if route is not None and avoids_closures(problem.context, route)
    ]
