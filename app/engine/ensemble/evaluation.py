"""Evaluation of a planning's routes in all members: spread, best tracks, choice by risk.

Routes planned for single members and for lower waves are evaluated too. A choice by risk warns of
the fuel that it spends to keep the limits in more members.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from scipy.cluster.vq import kmeans2

from app.engine.arrays import Floats
from app.engine.codes import WarningCode
from app.engine.ensemble.choice import (
    ALLOWED_SHARE,
    SAME_TRACK_NM,
    RouteResults,
    find_best_tracks,
    find_largest_offset,
    simulate_in_members,
)
from app.engine.ensemble.decision import find_decision
from app.engine.ensemble.measure import describe_spread
from app.engine.ensemble.members import Ensemble, Member, build_ensemble
from app.engine.optimise.speed_problem import read_simulation_speeds
from app.engine.parallel import run_parallel
from app.engine.plan import PlanWarning
from app.engine.planning.candidates import CandidateRoute, avoids_closures, find_candidate
from app.engine.planning.context import PlanningContext
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.planning.weather_routing import coarse_search, simulate_at_best_speeds
from app.engine.request import Limits, Risk
from app.engine.spread import LimitKind, Spread, SpreadBasis
from app.engine.times import hours_since_epoch
from app.engine.weather import WeatherField

#: Least extra fuel that is warned of, as a share of the other route's.
_LEAST_EXTRA: Final = 0.01

_MEASURES: Final = {
    Risk.EXPECTED: "the mean",
    Risk.P90: "the 90th percentile",
    Risk.WORST: "the highest",
}
#: Members that must keep the limits, by the share that need not.
_KEPT: Final = {0.1: "nine of ten", 0.0: "all"}
#: Number of clusters of members; a route is planned for one member of each.
_CLUSTERS: Final = 4
#: Number of positions along the route, and offsets to the north of it [deg], at which the waves of
#: members are compared.
_POSITIONS: Final = 24
_OFFSETS_DEG: Final = (-4.0, 0.0, 4.0)
#: Shares of the highest wave on the best route, or of the limit if lower, used as limits.
_CALMER_SHARES: Final = (0.85, 0.7)


@dataclass(frozen=True, slots=True)
class EnsembleEvaluation:
    """Results of a planning's routes in all members.

    ``compared`` are the routes of the same request, one of which is the plan. ``problem`` is that
    of the plan's candidate, ``None`` if it has none.
    """

    context: PlanningContext
    ensemble: Ensemble
    problem: RoutingProblem | None
    compared: tuple[RouteResults, ...]

    def warn(self, best: SimulatedRoute, risk: Risk) -> tuple[PlanWarning, ...]:
        """Return the warnings about the choice of a route by a measure of risk."""
        cases = "members" if self.ensemble.basis is SpreadBasis.MEMBERS else "cases"
        return tuple(warn_of_limit_cost(best, self.compared, risk, cases))

    def describe(self, best: SimulatedRoute) -> Spread | None:
        """Return the spread of a route; ``None`` if the ship makes headway in no member."""
        results = next((each for each in self.compared if each.route is best), None)
        if results is None:
            (results,) = simulate_in_members(self.context, [best], self.ensemble)
        if not results.simulations:
            return None
        spread = describe_spread(self.context, best, self.ensemble, results.simulations)
        compared = [results, *(each for each in self.compared if each is not results)]
        if len(compared) == 1:
            return spread
        decision = None
        if self.problem is not None and self.ensemble.basis is SpreadBasis.MEMBERS:
            decision = find_decision(self.problem, best, compared, self.ensemble)
        return replace(spread, tracks=tuple(find_best_tracks(best, compared)), decision=decision)


def evaluate_ensemble(
    context: PlanningContext,
    candidates: Sequence[CandidateRoute],
    best: SimulatedRoute,
    routes: Sequence[SimulatedRoute],
    members: Sequence[tuple[int, WeatherField]],
) -> EnsembleEvaluation | None:
    """Simulate the routes found in all members; ``None`` if no weather is known.

    Without members and without a risk in the request, only the best route is simulated.
    """
    if context.weather is None:
        return None
    ensemble = build_ensemble(context.weather, members, best.simulation)
    problem = find_candidate(candidates, best).routing
    found = [best]
    if ensemble.basis is SpreadBasis.MEMBERS or context.request.risk is not None:
        found += _list_others(context, best, routes)
        if problem is not None and problem.track_search:
            found += plan_for_members(problem, best, ensemble)
            if context.request.risk is not None:
                found += plan_below_waves(problem, best)
    results = simulate_in_members(context, found, ensemble)
    return EnsembleEvaluation(context, ensemble, problem, tuple(results))


def _list_others(
    context: PlanningContext, best: SimulatedRoute, routes: Sequence[SimulatedRoute]
) -> list[SimulatedRoute]:
    """List the routes to compare: all others with a risk, else the best of each other candidate."""
    others = [route for route in routes if route is not best]
    if context.request.risk is not None:
        return others
    by_label: dict[str, SimulatedRoute] = {}
    for route in sorted(others, key=context.cost):
        if route.label != best.label:
            by_label.setdefault(route.label, route)
    return list(by_label.values())


def warn_of_limit_cost(
    best: SimulatedRoute, compared: Sequence[RouteResults], risk: Risk, cases: str
) -> Iterator[PlanWarning]:
    """Warn if a route that exceeds limits in more members burns clearly less fuel.

    ``best`` is the route chosen among those ``compared``; ``cases`` names the members. Nothing is
    warned of if the request sets no limit on waves or wind.
    """
    chosen = next(each for each in compared if each.route is best)
    in_time = [each for each in compared if each.delay_h <= chosen.delay_h]
    cheapest = min(in_time, key=lambda each: each.measure_cost(risk))
    chosen_t, cheapest_t = chosen.fuel_t(risk), cheapest.fuel_t(risk)
    if not chosen.simulations or not chosen.exceeded:
        return
    if chosen_t < (1.0 + _LEAST_EXTRA) * cheapest_t:
        return
    detail = (
        f"To keep the limits in more {cases}, the plan burns {chosen_t - cheapest_t:.1f} mt more"
        f" fuel than another route found: {chosen_t:.1f} instead of {cheapest_t:.1f} mt,"
        f" {_MEASURES[risk]} over the {cases}."
        f" The other route, {_locate(best, cheapest.route)}, {_describe_breaches(cheapest)}."
        f" The plan {_describe_breaches(chosen)}."
    )
    if chosen.excess_breaches(risk) > 0.0:
        detail += f" No route found keeps the limits in {_KEPT[ALLOWED_SHARE[risk]]} {cases}."
    advice = " For the cheaper route, plan with higher limits or without risk."
    yield PlanWarning(WarningCode.LIMITS_COST_FUEL, detail + advice)


def _locate(best: SimulatedRoute, other: SimulatedRoute) -> str:
    offset = find_largest_offset(best, other)
    is_same = abs(offset.distance_nm) <= SAME_TRACK_NM
    return "on nearly the same track at other speeds" if is_same else offset.description


def _describe_breaches(results: RouteResults) -> str:
    limits = results.context.request.limits
    parts = [
        f"exceeds {_name_limit(kind, limits)} with a probability of {float(flags.mean()):.2f}"
        for kind, flags in results.exceeded.items()
    ]
    stopped = results.member_count - len(results.simulations)
    if stopped:
        parts.append(f"makes no headway in {stopped} of {results.member_count}")
    return " and ".join(parts)


def _name_limit(kind: LimitKind, limits: Limits) -> str:
    if kind is LimitKind.WAVE_HEIGHT:
        return f"the wave limit of {limits.wave_height_m:.1f} m"
    return f"the wind limit of {limits.wind_speed_ms:.1f} m/s"


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
    features = np.stack([_sample_waves(member, route) for member in members])
    centres, clusters = kmeans2(features, _CLUSTERS, minit="++", rng=1)
    picked = []
    for cluster in range(_CLUSTERS):
        inside = np.flatnonzero(clusters == cluster)
        if inside.size:
            squared = ((features[inside] - centres[cluster]) ** 2).sum(axis=1)
            picked.append(members[int(inside[np.argmin(squared)])])
    return picked


def _sample_waves(member: Member, route: SimulatedRoute) -> Floats:
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
