"""The check of a given route by all finders."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.engine.checking.areas import find_areas, find_areas_in_corridors, find_latitudes
from app.engine.checking.findings import Finding, FindingCode, Severity, sort_findings
from app.engine.checking.passages import find_passages
from app.engine.checking.positions import find_positions
from app.engine.checking.schedule import (
    find_doubtful_headway,
    find_missed_times,
    find_repeated_ids,
    find_schedule_faults,
)
from app.engine.checking.turns import find_turns
from app.engine.checking.waters import find_waters
from app.engine.checking.weather import find_weather
from app.engine.errors import LimitsTooTight
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import (
    GivenWaypoint,
    list_distinct,
    merge_repeated,
    simulate_given_route,
)
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Position
from app.engine.sea.path import Leg


@dataclass(frozen=True, slots=True)
class CheckedRoute:
    """A simulated route and its findings; ``route`` is ``None`` if it cannot be sailed."""

    findings: tuple[Finding, ...]
    route: SimulatedRoute | None


def check_route(
    context: PlanningContext, waypoints: Sequence[GivenWaypoint], label: str = "given route"
) -> CheckedRoute:
    """Check a given route of at least two positions, and simulate it on its schedule.

    Waypoints that repeat the previous position are reported, and dropped but for their times.
    """
    positions = [waypoint.position for waypoint in waypoints]
    found = [*find_positions(positions), *find_repeated_ids(waypoints)]
    kept = list_distinct(positions)
    sailed = merge_repeated(waypoints, kept)
    try:
        route = simulate_given_route(context, sailed, label)
    except LimitsTooTight as error:
        at = Position(error.data["lat"], error.data["lng"])
        found.append(
            Finding(FindingCode.SPEED_NOT_HELD, Severity.DANGER, error.detail, position=at)
        )
        of_kept = _find_without_schedule(context, sailed)
        found += [finding.renumbered(kept.__getitem__) for finding in of_kept]
        return CheckedRoute(sort_findings(found), None)
    of_kept = [
        *_find_along_legs(context, route, sailed),
        *find_schedule_faults(
            sailed, route, _list_waits_h(context, route.legs), context.request.speed_max_kn
        ),
        *find_missed_times(sailed, route),
        *find_doubtful_headway(sailed, route),
        *find_weather(context, route),
    ]
    found += [finding.renumbered(kept.__getitem__) for finding in of_kept]
    return CheckedRoute(sort_findings(found), route)


def _find_along_legs(
    context: PlanningContext, route: SimulatedRoute, waypoints: Sequence[GivenWaypoint]
) -> list[Finding]:
    return [
        *find_waters(context, route, waypoints),
        *find_areas(context, route),
        *find_areas_in_corridors(context, route, waypoints),
        *find_latitudes(context, route),
        *find_passages(context, route),
        *find_turns(context, route.legs, waypoints),
    ]


def _find_without_schedule(
    context: PlanningContext, waypoints: Sequence[GivenWaypoint]
) -> list[Finding]:
    """Find what is wrong along the legs of a route whose schedule cannot be sailed.

    It is simulated in a calm sea, and only areas without a window are judged.
    """
    always = tuple(area for area in context.request.areas if not area.has_window)
    request = replace(context.request, areas=always)
    calm = replace(context, request=request, weather=None)
    return _find_along_legs(calm, simulate_given_route(calm, waypoints, ""), waypoints)


def _list_waits_h(context: PlanningContext, legs: Sequence[Leg]) -> list[float]:
    """List the usual waits of the passages that legs lead through, one for each leg [h]."""
    passages = map(context.find_passage, legs)
    return [0.0 if passage is None else passage.waiting_h for passage in passages]
