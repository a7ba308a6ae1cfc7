"""Rest of a voyage under way: its plan and a better one, in the weather as known now."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from app.engine.checking.check import check_route
from app.engine.checking.findings import Finding, FindingCode, Severity
from app.engine.errors import LimitsTooTight
from app.engine.geodesy import great_circle_distance_nm
from app.engine.monitoring.progress import VoyageProgress, find_wait
from app.engine.plan import RoutePlan
from app.engine.planner import find_best_route, plan_best_route, plan_voyage
from app.engine.planning.area_rules import resolve_area_rules, settle_for_given_route
from app.engine.planning.candidates import Thoroughness
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint
from app.engine.planning.relaxation import find_sufficient_limits
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Limits, Objective, Position, VoyageRequest
from app.engine.weather import WeatherField

#: Findings that can be new since the route was planned, and the severities at which they are
#: breaches. An area to avoid with an end of the voyage inside is a warning: a plan may enter it.
_BREACHES: Final = {
    FindingCode.WEATHER_LIMIT: (Severity.DANGER, Severity.WARNING),
    FindingCode.AREA_ENTERED: (Severity.DANGER,),
    FindingCode.SEASON_CLOSED: (Severity.DANGER,),
    FindingCode.SPEED_NOT_HELD: (Severity.DANGER, Severity.WARNING),
}
#: Distance at which a waypoint counts as passed [nm].
_SAME_PLACE_NM: Final = 0.5


@dataclass(frozen=True, slots=True)
class Outlook:
    """Rest of a route, simulated, and the limits and areas that it breaks.

    ``route`` is ``None`` if it cannot be sailed.
    """

    breaches: tuple[Finding, ...]
    route: SimulatedRoute | None

    @property
    def eta(self) -> datetime | None:
        """Time of arrival."""
        return None if self.route is None else self.route.simulation.time_at(-1)

    @property
    def fuel_t(self) -> float | None:
        """Fuel of the main engine from the present position [t]."""
        return None if self.route is None else self.route.total_fuel_t


def request_remainder(request: VoyageRequest, time: datetime, position: Position) -> VoyageRequest:
    """Return the request of the rest of a voyage, from a position under way.

    Once the required arrival has passed, the rest is to arrive as early as possible.
    """
    arrive_by = request.arrive_by
    is_late = arrive_by is not None and arrive_by <= time
    return replace(
        request,
        objective=Objective.TIME if is_late else request.objective,
        departure=position,
        departs_at=time,
        under_way=True,
        departure_name="present position",
        arrive_by=None if is_late else arrive_by,
    )


def has_reached_end(plan: RoutePlan, progress: VoyageProgress) -> bool:
    """Return whether the ship is at the plan's last waypoint, and has no rest to sail."""
    away_nm = float(great_circle_distance_nm(*progress.position, *plan.waypoints[-1].position))
    on_track = progress.on_track
    return on_track is not None and max(away_nm, on_track.to_go_nm) <= _SAME_PLACE_NM


def list_remaining_waypoints(plan: RoutePlan, progress: VoyageProgress) -> list[GivenWaypoint]:
    """List the remaining waypoints, from the ship's position, at the plan's speeds.

    The ship waits where the plan does; a wait that has begun continues at the ship's position.
    Waypoints have their numbers in the plan, the ship's position that of the last one passed.
    """
    passed_nm = progress.along_nm + _SAME_PLACE_NM
    ahead = [w for w in plan.waypoints[1:] if w.cumulative_nm > passed_nm] or plan.waypoints[-1:]
    wait_end = _find_wait_end(plan, progress)
    return [
        GivenWaypoint(progress.position, leaves=wait_end, number=ahead[0].index),
        *(replace(GivenWaypoint.of(waypoint), number=waypoint.index + 1) for waypoint in ahead),
    ]


def _find_wait_end(plan: RoutePlan, progress: VoyageProgress) -> datetime | None:
    """Find the end of the plan's wait at the ship's position; ``None`` if there is none."""
    wait = find_wait(plan, progress.along_nm)
    is_ahead = wait and wait.cumulative_nm > progress.along_nm + _SAME_PLACE_NM
    return None if wait is None or is_ahead else wait.leaves_at


def assess_remainder(context: PlanningContext, remaining: list[GivenWaypoint]) -> Outlook:
    """Simulate the rest of a planned route, and find the limits and areas that it breaks.

    ``context`` has the request of :func:`request_remainder`, and the weather and areas as known
    now. The areas apply as in a new plan; a ship may be inside one that was closed after departure.
    Breaches count waypoints and legs as the plan does.
    """
    checked = check_route(settle_for_given_route(context), remaining, "as planned")
    breaches = tuple(
        finding.renumbered(lambda waypoint: remaining[0].number - 1 + waypoint)
        for finding in checked.findings
        if finding.severity in _BREACHES.get(finding.code, ())
    )
    return Outlook(breaches, checked.route)


@dataclass(frozen=True, slots=True)
class BetterPlan:
    """A new plan of the rest of a voyage, and the limits that it keeps.

    They are those of the request, or higher ones if no route keeps these.
    """

    plan: RoutePlan
    limits: Limits


def find_better_plan(
    context: PlanningContext, current: Outlook, members: Sequence[tuple[int, WeatherField]] = ()
) -> BetterPlan | None:
    """Plan the rest of a voyage again, in the weather and the areas as known now.

    ``None`` if the present plan breaks no limit and a coarse search, in a tenth of the time, finds
    nothing better, or if no route keeps the limits and the present plan does not break a limit of
    the weather. ``members`` are those of the forecast, by which a request with a risk chooses.
    Raises :class:`VoyageError` when no route can be sailed.
    """
    if current.route is not None and not current.breaches:
        settled = resolve_area_rules(context)
        late_h, cost = settled.cost(current.route)
        coarse = None if late_h > 0.0 else find_best_route(settled, Thoroughness.COARSE)
        if coarse is not None and settled.cost(coarse) >= (late_h, cost):
            return None
    limits = context.request.limits
    plan = _plan_rest(context, members)
    codes = [breach.code for breach in current.breaches]
    if plan is None and FindingCode.WEATHER_LIMIT in codes:
        limits = find_sufficient_limits(context)
        request = replace(context.request, limits=limits)
        plan = _plan_rest(replace(context, request=request), members)
    return None if plan is None else BetterPlan(plan, limits)


def _plan_rest(
    context: PlanningContext, members: Sequence[tuple[int, WeatherField]]
) -> RoutePlan | None:
    """Plan as an order of the same request does; ``None`` if no route keeps the limits."""
    if context.request.risk is None:
        return plan_best_route(context)
    try:
        return plan_voyage(context.request, context.sea, context.weather, members=members)
    except LimitsTooTight:
        return None
