"""Explanation of an infeasible request, and the smallest changes that make it feasible."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from math import ceil, inf
from typing import Final, NamedTuple

from app.engine.area import SEASONAL, Area
from app.engine.constants import HOURS_PER_DAY
from app.engine.errors import EndInsideArea, LimitsTooTight, NoRoute, VoyageError
from app.engine.formatting import format_position, format_time
from app.engine.optimise.windows import LONGEST_WAIT_FOR_AREA
from app.engine.parallel import run_pair
from app.engine.planning.area_rules import resolve_area_rules
from app.engine.planning.areas import find_entry_time, list_touched_areas
from app.engine.planning.candidate_paths import build_path_geometry, find_candidate_paths
from app.engine.planning.candidates import (
    CandidateRoute,
    RouteSearch,
    evaluate_candidates,
    find_candidate,
    list_simulated_routes,
)
from app.engine.planning.context import PlanningContext
from app.engine.planning.evaluation import build_simulator
from app.engine.planning.limits import (
    WEATHER_LIMITS,
    LimitViolation,
    WeatherLimit,
    find_violation,
    within_limits,
)
from app.engine.planning.routing_problem import RoutingProblem
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.planning.weather_routing import coarse_search, find_coarse_track, optimise
from app.engine.request import Limits, LimitScale, Objective
from app.engine.sailing.simulation import Simulation

#: Later departures tried [h].
_LATER_DEPARTURES_H: Final = (6.0, 12.0, 18.0, 24.0, 36.0, 48.0, 72.0, 96.0, 120.0)
#: Most openings after one another at which a departure is sought.
_MOST_OPENINGS: Final = 10
#: Reason for which no route can be compared with the limits.
ALL_CLOSED: Final = "Every route found enters a forbidden area."


@dataclass(frozen=True, slots=True)
class Relaxation:
    """The smallest value of a limit at which the voyage is feasible, and the route then.

    ``value`` is infinite for a degree without an upper bound; ``degree`` is ``None`` if the limit
    was not requested on a scale. ``arrives_late_at`` is the route's arrival if no value of the
    limit makes the required one possible.
    """

    value: float
    degree: int | None
    route: SimulatedRoute
    arrives_late_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Scale:
    """Values that a limit can have, and their format: degrees of ``scale``, or steps of a unit."""

    limit: WeatherLimit
    scale: LimitScale | None

    def list_values(self, highest: float) -> list[float]:
        """List the values, ascending, up to the first that is not below ``highest``.

        They do not depend on the requested limit, so that two requests get consistent advice.
        """
        step = self.limit.step
        if self.scale is None:
            return [round(step * n, 3) for n in range(ceil(highest / step - 1e-9) + 1)]
        values = [inf if upper is None else upper for upper in self.scale.upper]
        return values[: bisect_left(values, highest) + 1]

    def find_degree(self, value: float) -> int | None:
        """Return the degree whose upper bound is a value; ``None`` without a scale."""
        if self.scale is None:
            return None
        return self.scale.upper.index(None if value == inf else value)

    def format(self, value: float) -> str:
        """Format a value of the limit, as a degree if the limit was requested on a scale."""
        if self.scale is not None:
            return f"{self.scale.name} {self.find_degree(value)}"
        return self.limit.format(value)


def find_feasible_routes(
    context: PlanningContext,
) -> tuple[PlanningContext, list[CandidateRoute], list[SimulatedRoute]]:
    """Return the context with settled areas, the candidates, and the routes that keep the limits.

    Raises :class:`VoyageError` when there are none; it names changes that would help.
    """
    context.progress.stage("Searching candidate routes", 0.02)
    try:
        context = resolve_area_rules(context)
        candidates = evaluate_candidates(context)
    except VoyageError as error:
        raise _explain_closure(context, error) from error
    context.progress.stage("Comparing candidate routes", 0.9)
    simulated_routes = list_simulated_routes(context, candidates)
    routes = within_limits(simulated_routes, context.request.limits)
    if not routes:
        raise explain_infeasible(context, candidates, simulated_routes)
    return context, candidates, routes


def find_sufficient_limits(context: PlanningContext) -> Limits:
    """Return limits that a route keeps, with the smallest sufficient value of one of them.

    The limits of the request if a route keeps them. Raise :class:`VoyageError` if no higher value
    of one limit suffices.
    """
    limits = context.request.limits
    try:
        find_feasible_routes(context)
    except LimitsTooTight as error:
        broken = next((each for each in WEATHER_LIMITS if each.name == error.data["limit"]), None)
        sufficient = error.data.get("would_do")
        if broken is None or sufficient is None:
            raise
        return broken.with_value(limits, sufficient)
    return limits


def explain_infeasible(
    context: PlanningContext,
    candidates: Sequence[CandidateRoute],
    routes: Sequence[SimulatedRoute],
) -> LimitsTooTight | NoRoute:
    """Build the error for a voyage without a route that keeps the limits.

    It names the worst violation of the route that comes nearest to the limits, the smallest
    sufficient value of that limit, and a later departure that is feasible; or states that no route
    stays out of the forbidden areas.
    """
    limits = context.request.limits
    nearest = find_nearest(context, routes)
    if nearest is None:
        return NoRoute(ALL_CLOSED)
    route, violation = nearest
    routing = find_candidate(candidates, route).routing
    if routing is None:
        raise AssertionError("without weather no limit can be broken")
    scale = _Scale(violation.limit, violation.limit.scale(limits))
    context.progress.stage("Searching for relaxations", 0.95)
    relaxation, departs_at = run_pair(
        partial(_relax, routing, violation, scale),
        partial(_find_later_departure, routing),
        context.progress.tick,
    )
    if relaxation is not None:
        relaxed = find_violation(relaxation.route, limits)
        if relaxed is not None and relaxed.share < violation.share:
            route, violation = relaxation.route, relaxed
    return _describe(route, violation, limits, relaxation, departs_at)


def _explain_closure(context: PlanningContext, error: VoyageError) -> VoyageError:
    """Return the error of areas that open later with the departure that suits, others unchanged.

    A ship that departs then at its lowest speed reaches the last of the areas when it opens.
    """
    named = error.data.get("areas", [error.data.get("area")])
    closing = [
        area for area in context.request.areas if area.id in named and area.kind not in SEASONAL
    ]
    departure = _find_departure(context, closing) if len(closing) == len(named) else None
    if departure is None:
        return error
    departs_at, name, opens_at = departure
    # the error of an end inside an area states the window itself
    is_stated = isinstance(error, EndInsideArea)
    opening = "" if is_stated else f" {name} opens on {format_time(opens_at)}."
    arrive_by = context.request.arrive_by
    if arrive_by is not None and arrive_by <= opens_at:
        late = f"{opening} The arrival required by {format_time(arrive_by)} is before that."
        return type(error)(f"{error.detail}{late}", **error.data, opens_at=opens_at)
    how = "or later"
    if departs_at < opens_at:
        waiting = f"no ship waits longer than {LONGEST_WAIT_FOR_AREA.days} days"
        if context.weather is None:
            waiting = "no waits are planned without weather"
        how = f"to reach it at {context.request.speed_min_kn:.1f} kn when it opens; {waiting}"
    return type(error)(
        f"{error.detail}{opening} Depart on {format_time(departs_at)} {how}.",
        **error.data,
        opens_at=opens_at,
        departs_at=departs_at,
    )


class _Departure(NamedTuple):
    """A departure with which an area is reached as it opens, the area's name and its opening."""

    departs_at: datetime
    name: str
    opens_at: datetime


def _find_departure(context: PlanningContext, closing: Sequence[Area]) -> _Departure | None:
    """Return the departure with which all areas are open on the way, and the last to open.

    ``None`` if an area never opens or does not lie on the shortest route without windows.
    """
    always = [area for area in context.request.areas if not area.has_window]
    windowed = [area for area in context.blocking_areas if area.has_window]
    try:
        geometry = build_path_geometry(context, find_candidate_paths(context, always, most=1)[0])
        slowest = build_simulator(context, geometry)(context.request.speed_min_kn)
    except VoyageError:
        return None
    for _ in range(_MOST_OPENINGS):
        reached = [_reach_as_it_opens(area, slowest) for area in closing]
        known = [departure for departure in reached if departure is not None]
        if not known or len(known) < len(closing):
            return None
        last = max(known)
        closing = list_touched_areas(windowed, replace(slowest, departs_at=last.departs_at))
        if not closing:
            return last
    return None


def _reach_as_it_opens(area: Area, slowest: Simulation) -> _Departure | None:
    entered_at = find_entry_time(area, slowest)
    if area.ends_at is None or entered_at is None:
        return None
    departs_at = area.ends_at - (entered_at - slowest.departs_at)
    # the first full minute at least a minute later, when the area is open
    departs_at = (departs_at + timedelta(seconds=119)).replace(second=0, microsecond=0)
    return _Departure(departs_at, area.name, area.ends_at)


def find_nearest(
    context: PlanningContext, routes: Sequence[SimulatedRoute]
) -> tuple[SimulatedRoute, LimitViolation] | None:
    """Find the route that comes nearest to the limits, and its worst violation.

    Of routes to which the same higher limit suffices, the best counts: all of them may meet their
    highest waves where their tracks are the same. ``None`` if no route breaks a limit.
    """
    limits = context.request.limits
    measured = [(route, find_violation(route, limits)) for route in context.cost_basis.sort(routes)]
    broken = [(route, violation) for route, violation in measured if violation is not None]
    return min(broken, key=lambda pair: pair[1].share_in_steps, default=None)


def describe_nearest(
    route: SimulatedRoute, violation: LimitViolation, limits: Limits, name: str = "nearest"
) -> str:
    """Describe the violation of the route that comes nearest to the limits, by ``name``."""
    limit, scale = violation.limit, _Scale(violation.limit, violation.limit.scale(limits))
    position = route.simulation.track.position(violation.point)
    return (
        f"No route keeps the {limit.name} under {scale.format(violation.allowed)}."
        f" The {name}, {route.label}, meets {limit.format_above(violation.met)} at"
        f" {format_position(*position)} on {format_time(violation.time)}."
    )


def _find_feasible(
    routing: RoutingProblem, *, in_time: bool = True, search: RouteSearch = coarse_search
) -> SimulatedRoute | None:
    """Find a route that keeps the limits, for least fuel or else for the earliest arrival.

    It keeps the required arrival too if ``in_time``.
    """
    context = routing.context
    longest_h = context.longest_h if in_time else None
    for objective, within_h in ((Objective.FUEL, longest_h), (Objective.TIME, None)):
        route = search(routing, routing.search_objective(objective, within_h))
        if route is not None and not (in_time and context.cost(route)[0]):
            return route
    return None


def _relax(routing: RoutingProblem, violation: LimitViolation, scale: _Scale) -> Relaxation | None:
    """Find the smallest value of a limit at which the candidate is feasible.

    ``None`` if it is infeasible even without that limit and the required arrival.
    """
    limit, unlimited = violation.limit, _with_limit(routing, violation.limit, None)
    best, in_time = _find_feasible(unlimited), True
    if best is None and routing.context.longest_h is not None:
        best, in_time = _find_feasible(unlimited, in_time=False), False
    if best is None:
        return None
    met = find_violation(best, limit.with_value(Limits(), 0.0))
    values = scale.list_values(violation.met if met is None else met.met)
    lower = values[bisect_right(values, violation.allowed) : -1]
    lowest = _find_lowest(routing, limit, lower, in_time=in_time)
    value, best = lowest or (values[-1], best)
    late_at = None if in_time else best.simulation.time_at(-1)
    return Relaxation(value, scale.find_degree(value), best, late_at)


def _find_lowest(
    routing: RoutingProblem, limit: WeatherLimit, values: Sequence[float], *, in_time: bool
) -> tuple[float, SimulatedRoute] | None:
    """Find the lowest of ascending values of a limit at which the candidate is feasible.

    Bisection skips only the values at which no track is found: a track may break the limit once
    it is drawn, although one of a lower limit does not.
    """
    problems = [_with_limit(routing, limit, value) for value in values]
    first = bisect_left(problems, True, key=partial(_has_track, in_time=in_time))
    for value, problem in zip(values[first:], problems[first:], strict=True):
        route = _find_feasible(problem, in_time=in_time, search=optimise)
        if route is not None:
            return value, route
    return None


def _has_track(routing: RoutingProblem, *, in_time: bool) -> bool:
    """Return whether a search finds a track that keeps the limits, feasible or not once drawn."""
    longest_h = routing.context.longest_h if in_time else None
    track = find_coarse_track(routing, routing.search_objective(Objective.FUEL, longest_h))
    return track is not None or _find_feasible(routing, in_time=in_time) is not None


def _with_limit(
    routing: RoutingProblem, limit: WeatherLimit, value: float | None
) -> RoutingProblem:
    return replace(routing, limits=limit.with_value(routing.limits, value))


def _find_later_departure(routing: RoutingProblem) -> datetime | None:
    context = routing.context
    for hours in _LATER_DEPARTURES_H:
        departs_at = context.request.departs_at + timedelta(hours=hours)
        if context.longest_h is not None and hours >= context.longest_h:
            break
        later = replace(context, request=replace(context.request, departs_at=departs_at))
        if _find_feasible(replace(routing, context=later)) is not None:
            return departs_at
    return None


def _describe(
    route: SimulatedRoute,
    violation: LimitViolation,
    limits: Limits,
    relaxation: Relaxation | None,
    departs_at: datetime | None,
) -> LimitsTooTight:
    limit, scale = violation.limit, _Scale(violation.limit, violation.limit.scale(limits))
    position = route.simulation.track.position(violation.point)
    value = None if relaxation is None or relaxation.value == inf else relaxation.value
    return LimitsTooTight(
        f"{describe_nearest(route, violation, limits)} {_advise(scale, relaxation, departs_at)}",
        limit=limit.name,
        allowed=violation.allowed,
        met=violation.met,
        unit=limit.unit,
        lat=position.lat,
        lng=position.lng,
        time=violation.time,
        route=route.label,
        would_do=value,
        scale=None if scale.scale is None else scale.scale.name,
        allowed_degree=scale.find_degree(violation.allowed),
        would_do_degree=None if relaxation is None else relaxation.degree,
        departs_at=departs_at,
    )


def _advise(scale: _Scale, relaxation: Relaxation | None, departs_at: datetime | None) -> str:
    longest = f"{_LATER_DEPARTURES_H[-1] / HOURS_PER_DAY:.0f} days"
    if relaxation is None:
        relaxed, either, too = "A higher limit alone does not help", " either", ""
    else:
        relaxed, either, too = f"A limit of {scale.format(relaxation.value)} would do", "", " too"
        if relaxation.arrives_late_at is not None:
            relaxed += (
                f" with arrival on {format_time(relaxation.arrives_late_at)}, later than required"
            )
    if departs_at is None:
        later = f"Leaving up to {longest} later does not help{either}"
    else:
        later = f"Leaving on {format_time(departs_at)} would do{too}"
    return f"{relaxed}. {later}."
