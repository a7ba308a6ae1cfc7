"""Warning of the fuel spent to keep the limits in more members."""

from collections.abc import Iterator, Sequence
from typing import Final

from app.engine.codes import WarningCode
from app.engine.ensemble.choice import ALLOWED_SHARE, SAME_TRACK_NM, RouteResults
from app.engine.ensemble.offset import find_largest_offset
from app.engine.plan import PlanWarning
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Limits, Risk
from app.engine.spread import LimitKind

#: Least extra fuel that is warned of, as a share of the other route's.
_LEAST_EXTRA: Final = 0.01

_MEASURES: Final = {
    Risk.EXPECTED: "the mean",
    Risk.P90: "the 90th percentile",
    Risk.WORST: "the highest",
}
#: Members that must keep the limits, by the share that need not.
_KEPT: Final = {0.1: "nine of ten", 0.0: "all"}


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
    """Describe the probability of exceeding each limit, and the members without headway."""
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
