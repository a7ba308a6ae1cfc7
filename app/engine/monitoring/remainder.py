"""The rest of a voyage under way: what the plan still holds in the weather as it is known now."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from app.engine.checking import Finding, FindingCode, Severity, check_route
from app.engine.errors import VoyageError
from app.engine.monitoring.progress import VoyageProgress, find_wait
from app.engine.plan import LegGeometry, RoutePlan
from app.engine.planning.area_rules import settle_areas
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Position, VoyageRequest

#: What a ship under way can meet that was not so when its route was planned, and the
#: severities at which it is a breach. An area to avoid that an end lies inside is a warning: a
#: plan may enter it.
_BREACHES: Final = {
    FindingCode.WEATHER_LIMIT: (Severity.DANGER, Severity.WARNING),
    FindingCode.AREA_ENTERED: (Severity.DANGER,),
    FindingCode.SEASON_CLOSED: (Severity.DANGER,),
    FindingCode.SPEED_NOT_HELD: (Severity.DANGER, Severity.WARNING),
}
#: A waypoint nearer than this is passed [nm].
_SAME_PLACE_NM: Final = 0.5


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a route still takes: arrival, fuel [t], and the limits and areas that it breaks.

    ``route`` is ``None`` where it cannot be sailed at all.
    """

    breaches: tuple[Finding, ...]
    route: SimulatedRoute | None

    @property
    def eta(self) -> datetime | None:
        """Arrival."""
        return None if self.route is None else self.route.simulation.time_at(-1)

    @property
    def fuel_t(self) -> float | None:
        """Fuel of the main engine from here [t]."""
        return None if self.route is None else self.route.total_fuel_t


def request_remainder(request: VoyageRequest, time: datetime, position: Position) -> VoyageRequest:
    """Return the request of a voyage's rest, from a position under way."""
    arrive_by = request.arrive_by
    return replace(
        request,
        departure=position,
        departs_at=time,
        under_way=True,
        departure_name="present position",
        arrive_by=None if arrive_by is None or arrive_by <= time else arrive_by,
    )


def list_remaining(plan: RoutePlan, progress: VoyageProgress) -> list[GivenWaypoint]:
    """List the waypoints that are left, from the ship's position, at the plan's speeds.

    The ship waits where the plan does; a wait that it has come to goes on where it is.
    """
    ahead = [w for w in plan.waypoints if w.cumulative_nm > progress.made_good_nm + _SAME_PLACE_NM]
    return [
        GivenWaypoint(progress.position, leaves=_find_wait_end(plan, progress)),
        *(
            GivenWaypoint(
                waypoint.position,
                waypoint.leg_geometry or LegGeometry.RHUMB,
                speed_kn=waypoint.speed_through_water_kn,
                passage=waypoint.passage,
                turn_radius_nm=waypoint.turn_radius_nm,
                leaves=waypoint.leaves_at,
            )
            for waypoint in ahead or plan.waypoints[-1:]
        ),
    ]


def _find_wait_end(plan: RoutePlan, progress: VoyageProgress) -> datetime | None:
    """Find until when the plan has the ship wait where it is; ``None`` where it doesn't."""
    wait = find_wait(plan, progress.made_good_nm)
    is_ahead = wait and wait.cumulative_nm > progress.made_good_nm + _SAME_PLACE_NM
    return None if wait is None or is_ahead else wait.leaves_at


def foresee(context: PlanningContext, remaining: list[GivenWaypoint]) -> Outlook:
    """Foresee what the rest of a planned route takes, and what it breaks.

    ``context`` is of the rest's request, with the weather and the areas as they are known now.
    The areas bind the rest as they bind a plan of it.
    """
    checked = check_route(_settle_areas(context), remaining, "as planned")
    breaches = tuple(
        finding
        for finding in checked.findings
        if finding.severity in _BREACHES.get(finding.code, ())
    )
    return Outlook(breaches, checked.route)


def _settle_areas(context: PlanningContext) -> PlanningContext:
    """Settle the areas of the rest; keep them as they are where they leave no route.

    A ship may be inside an area that was closed since: the rest that enters it is still foreseen.
    """
    try:
        return settle_areas(context)
    except VoyageError:
        return context
