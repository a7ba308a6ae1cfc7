"""Evaluation of a planning's routes in all members: spread, best tracks, choice by risk.

A choice by risk warns of the fuel that it spends to keep the limits in more members.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.engine.codes import WarningCode
from app.engine.ensemble.choice import (
    ALLOWED_SHARE,
    SAME_TRACK_NM,
    RouteResults,
    choose_by_risk,
    find_best_tracks,
    find_largest_offset,
    simulate_in_members,
)
from app.engine.ensemble.decision import find_decision
from app.engine.ensemble.measure import describe_spread
from app.engine.ensemble.members import Ensemble, build_ensemble
from app.engine.ensemble.replanning import plan_below_waves, plan_for_members
from app.engine.plan import PlanWarning
from app.engine.planning.candidates import CandidateRoute, find_candidate
from app.engine.planning.context import PlanningContext
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Limits, Risk
from app.engine.spread import LimitKind, Spread, SpreadBasis
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

    def choose(self, risk: Risk) -> SimulatedRoute:
        """Return the best route by a measure of risk."""
        return choose_by_risk(self.compared, risk)

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
    return "on nearly the same track at other speeds" if is_same else offset.describe()


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
