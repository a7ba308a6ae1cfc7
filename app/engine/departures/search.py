"""Best route of one departure, by a coarse search or one as thorough as a plan's."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from app.engine.codes import FailureCode, WarningCode
from app.engine.departures.outcome import DepartureFigures, DepartureOutcome, Infeasible
from app.engine.errors import VoyageError
from app.engine.formatting import format_time
from app.engine.planner import choose_best_route, search_routes
from app.engine.planning.area_rules import resolve_area_rules
from app.engine.planning.candidates import Thoroughness
from app.engine.planning.context import PlanningContext
from app.engine.planning.limits import is_near_limit, within_limits
from app.engine.planning.relaxation import ALL_CLOSED, describe_nearest, find_nearest
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.progress import ProgressReporter
from app.engine.request import Objective


@dataclass(frozen=True, slots=True)
class SearchedDeparture:
    """A departure with its outcome and its cost by the objective, infinite if infeasible.

    ``coarse_cost`` is the cost by a coarse search. ``is_near_limit`` is true if the weather on the
    best route is close to a limit.
    """

    outcome: DepartureOutcome
    cost: float = float("inf")
    coarse_cost: float = float("inf")
    is_near_limit: bool = False


def search_departure(
    context: PlanningContext,
    departs_at: datetime,
    arrive_by: datetime | None,
    progress: ProgressReporter,
    thoroughness: Thoroughness,
) -> SearchedDeparture:
    """Search the best route of a departure under the limits of the voyage.

    A departure that misses the latest arrival is infeasible.
    """
    request = replace(context.request, departs_at=departs_at, arrive_by=arrive_by)
    context = replace(context, request=request)
    is_refined = thoroughness is not Thoroughness.COARSE
    outcome = DepartureOutcome(departs_at, is_refined=is_refined)
    if request.arrive_by is not None and departs_at >= request.arrive_by:
        late = Infeasible(
            WarningCode.ENDDATE_UNREACHABLE,
            f"Departs no earlier than the latest arrival, {format_time(request.arrive_by)}.",
        )
        return SearchedDeparture(replace(outcome, infeasible=late, is_refined=True))
    try:
        context = resolve_area_rules(context)
        context, candidates, routes = search_routes(context, progress, thoroughness)
    except VoyageError as error:
        unroutable = Infeasible(error.code, error.detail)
        return SearchedDeparture(replace(outcome, infeasible=unroutable))
    allowed = within_limits(routes, request.limits)
    if not allowed:
        broken = _describe_violation(context, routes)
        return SearchedDeparture(replace(outcome, infeasible=broken))
    best = choose_best_route(context, candidates, allowed, progress, thoroughness)
    late_h, cost = context.cost(best)
    if late_h:
        return SearchedDeparture(replace(outcome, infeasible=_describe_delay(context, best)))
    outcome = replace(outcome, figures=_measure(best))
    return SearchedDeparture(outcome, cost, is_near_limit=is_near_limit(best, request.limits))


def ranking_cost(context: PlanningContext, departs_at: datetime, cost: float) -> float:
    """Return the cost by which departures are compared, the least the best.

    Fuel, or fuel and the value of the time at sea [t]; for the earliest arrival the hours since
    the first departure of the window [h].
    """
    if context.request.objective is Objective.TIME:
        return cost + (departs_at - context.request.departs_at) / timedelta(hours=1)
    return cost


def _measure(route: SimulatedRoute) -> DepartureFigures:
    """Measure a route by the figures of a plan's summary."""
    return DepartureFigures(
        arrives_at=route.simulation.time_at(-1),
        duration_h=route.simulation.total_h,
        fuel_t=route.total_fuel_t,
        distance_nm=route.simulation.track.length_nm,
        max_wave_m=route.max_wave_m,
        route=route.label,
    )


def _describe_delay(context: PlanningContext, route: SimulatedRoute) -> Infeasible:
    late_h = context.cost(route)[0]
    return Infeasible(
        WarningCode.ENDDATE_UNREACHABLE,
        f"Arrives {format_time(route.simulation.time_at(-1))} at the earliest, {late_h:.1f} h"
        " after the latest arrival.",
    )


def _describe_violation(context: PlanningContext, routes: list[SimulatedRoute]) -> Infeasible:
    """Describe the limit that the nearest of the candidates' shortest tracks breaks."""
    nearest = find_nearest(context, routes)
    if nearest is None:
        return Infeasible(FailureCode.NO_ROUTE, ALL_CLOSED)
    return Infeasible(
        FailureCode.LIMITS_TOO_TIGHT,
        describe_nearest(*nearest, context.request.limits, name="shortest track"),
    )
