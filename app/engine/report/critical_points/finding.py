"""Critical points from the findings of all finders, merged and ranked."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from operator import attrgetter
from typing import Final

from app.engine.plan import RoutePlan
from app.engine.report.critical_points import navigation, safety, seaway, zones
from app.engine.report.critical_points.records import (
    CriticalPoint,
    EditDanger,
    Kind,
    Severity,
    at_waypoint,
    closest_sample,
)
from app.engine.request import VoyageRequest

#: Most points listed, unless more of them are essential: the ends, changes of fuel and dangers.
MOST_POINTS: Final = 15
_ESSENTIAL: Final = frozenset({Kind.DEPARTURE, Kind.ARRIVAL, Kind.ECA_ENTRY, Kind.ECA_EXIT})
_ORDER: Final = tuple(Kind)
#: Greatest difference in time of findings on one leg that are merged into one point.
_SAME_HOUR = timedelta(minutes=30)


def find_critical_points(
    plan: RoutePlan, request: VoyageRequest, dangers: Sequence[EditDanger] = ()
) -> tuple[CriticalPoint, ...]:
    """Find the critical points of a plan, in order of time.

    ``request`` is the request of the plan; its limits, areas, draught and names are used.
    ``dangers`` are those with which an edited plan was saved. Unknown
    weather or depth gives no points; the plan's warnings state it.
    """
    found = [
        *navigation.find(plan, request),
        *seaway.find(plan, request),
        *safety.find(plan, request),
        *zones.find(plan, request),
        *(_place_danger(plan, danger) for danger in dangers),
    ]
    found.sort(key=attrgetter("eta"))
    return _keep_most_severe([_merge(group) for group in _group(found)])


def _keep_most_severe(points: Sequence[CriticalPoint]) -> tuple[CriticalPoint, ...]:
    """Keep the points of highest rank, in order of time; those of rank 0 are all kept."""
    ranked = sorted(points, key=_rank)
    essential = sum(1 for point in points if _rank(point)[0] == 0)
    kept = ranked[: max(MOST_POINTS, essential)]
    return tuple(point for point in points if point in kept)


def _rank(point: CriticalPoint) -> tuple[int, int]:
    """Rank essential points first, then by severity, then by the order of kinds."""
    is_essential = point.severity is Severity.DANGER or not _ESSENTIAL.isdisjoint(point.kinds)
    group = 0 if is_essential else 3 - point.severity
    return group, min(_ORDER.index(kind) for kind in point.kinds)


def _group(points: Iterable[CriticalPoint]) -> list[list[CriticalPoint]]:
    groups: list[list[CriticalPoint]] = []
    for point in points:
        for group in reversed(groups):
            if point.eta - group[0].eta > _SAME_HOUR:
                continue
            if point.waypoint_index == group[0].waypoint_index:
                group.append(point)
                break
        else:
            groups.append([point])
    return groups


def _merge(group: list[CriticalPoint]) -> CriticalPoint:
    """Merge points of one kind into one, at the position of the most severe one."""
    return replace(
        max(group, key=attrgetter("severity")),
        kinds=tuple(dict.fromkeys(kind for point in group for kind in point.kinds)),
        description=" ".join(dict.fromkeys(point.description for point in group)),
    )


def _place_danger(plan: RoutePlan, danger: EditDanger) -> CriticalPoint:
    """Return the point of a danger, at the time of the closest sample of its leg."""
    kind, severity, text, place = Kind.EDIT_DANGER, Severity.DANGER, danger.text, danger.position
    waypoint = plan.waypoints[danger.waypoint_index]
    begins_at = plan.waypoints[max(waypoint.index - 1, 0)].eta
    samples = [sample for sample in plan.profile if begins_at <= sample.time <= waypoint.eta]
    if place is None or not samples:
        return at_waypoint(waypoint, kind, severity, text)
    closest = closest_sample(samples, place.lat, place.lng)
    at = waypoint.index, place, closest.time
    return CriticalPoint(*at, (kind,), severity, text, closest.weather)
