"""Critical points from the findings of all finders, merged and ranked."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final

from app.engine.plan import RoutePlan
from app.engine.report.critical_points import navigation, safety, seaway, zones
from app.engine.report.critical_points.records import (
    CriticalPoint,
    EditDanger,
    Finding,
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
    findings = [
        *navigation.find(plan, request),
        *seaway.find(plan, request),
        *safety.find(plan, request),
        *zones.find(plan, request),
        *(_place_danger(plan, danger) for danger in dangers),
    ]
    findings.sort(key=lambda finding: finding.time)
    return _keep_most_severe([_merge(group) for group in _group(findings)])


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


def _group(findings: Iterable[Finding]) -> list[list[Finding]]:
    groups: list[list[Finding]] = []
    for finding in findings:
        for group in reversed(groups):
            if finding.time - group[0].time > _SAME_HOUR:
                continue
            if finding.waypoint_index == group[0].waypoint_index:
                group.append(finding)
                break
        else:
            groups.append([finding])
    return groups


def _merge(group: list[Finding]) -> CriticalPoint:
    """Merge findings into one point, at the position of the most severe one."""
    worst = max(group, key=lambda finding: finding.severity)
    return CriticalPoint(
        waypoint_index=worst.waypoint_index,
        position=worst.position,
        eta=worst.time,
        kinds=tuple(dict.fromkeys(finding.kind for finding in group)),
        severity=worst.severity,
        description=" ".join(dict.fromkeys(finding.text for finding in group)),
        weather=worst.weather,
    )


def _place_danger(plan: RoutePlan, danger: EditDanger) -> Finding:
    """Return the finding of a danger, at the time of the closest sample of its leg."""
    kind, severity, text, place = Kind.EDIT_DANGER, Severity.DANGER, danger.text, danger.position
    waypoint = plan.waypoints[danger.waypoint_index]
    begins_at = plan.waypoints[max(waypoint.index - 1, 0)].eta
    samples = [sample for sample in plan.profile if begins_at <= sample.time <= waypoint.eta]
    if place is None or not samples:
        return at_waypoint(waypoint, kind, severity, text)
    closest = closest_sample(samples, place.lat, place.lng)
    return Finding(kind, severity, text, waypoint.index, place, closest.time, closest.weather)
