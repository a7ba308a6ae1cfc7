"""All finders in turn, and the merging of what they find."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final

from app.engine.plan import RoutePlan
from app.engine.report.critical_points import navigation, safety, seaway, zones
from app.engine.report.critical_points.records import CriticalPoint, Finding, Kind, Severity
from app.engine.request import VoyageRequest

#: More than these are not read; ends and dangers always are.
MOST_POINTS: Final = 15
#: What matters more to the bridge, at the same severity.
ORDER: Final = (
    Kind.DEPARTURE,
    Kind.ARRIVAL,
    Kind.CANAL,
    Kind.LIMIT_NEAR,
    Kind.MAX_WAVE,
    Kind.MAX_WIND,
    Kind.ECA_ENTRY,
    Kind.FORECAST_END,
    Kind.UNPROVEN_WATER,
    Kind.SHALLOW,
    Kind.ROLLING_RISK,
    Kind.SPEED_REDUCED,
    Kind.HEAD_SEA,
    Kind.ZONE_NEAR,
    Kind.HIGH_LATITUDE,
    Kind.NARROW_PASSAGE,
    Kind.ECA_EXIT,
    Kind.ADVERSE_CURRENT,
    Kind.ALTER_COURSE,
)
#: Findings on the same leg within one step of the profile are one point: the
#: bridge looks once.
_SAME_HOUR = timedelta(minutes=30)


def find_critical_points(plan: RoutePlan, request: VoyageRequest) -> tuple[CriticalPoint, ...]:
    """Everything on the plan that the bridge should look at twice, in order of time.

    ``request`` is the one that the plan answers: its limits, areas, draught and
    names are what the plan is read against. Where weather or depth is unknown,
    nothing is found; the plan's warnings speak of that.
    """
    findings = [
        *navigation.find(plan, request),
        *seaway.find(plan, request),
        *safety.find(plan, request),
        *zones.find(plan, request),
    ]
    findings.sort(key=lambda finding: finding.time)
    return _keep_gravest([_merge(group) for group in _group(findings)])


def _keep_gravest(points: Sequence[CriticalPoint]) -> tuple[CriticalPoint, ...]:
    """The points that matter most, in order of time: ends and dangers, then others by rank."""
    ranked = sorted(points, key=_rank)
    essential = sum(1 for point in points if _rank(point)[0] == 0)
    kept = ranked[: max(MOST_POINTS, essential)]
    return tuple(point for point in points if point in kept)


def _rank(point: CriticalPoint) -> tuple[int, int]:
    """Ends and dangers first, then by severity, then by what matters more to the bridge."""
    is_end = Kind.DEPARTURE in point.kinds or Kind.ARRIVAL in point.kinds
    group = 0 if is_end or point.severity is Severity.DANGER else 3 - point.severity
    return group, min(ORDER.index(kind) for kind in point.kinds)


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
    """One point out of several findings, placed at the gravest of them."""
    gravest = max(group, key=lambda finding: finding.severity)
    return CriticalPoint(
        waypoint_index=gravest.waypoint_index,
        position=gravest.position,
        eta=gravest.time,
        kinds=tuple(dict.fromkeys(finding.kind for finding in group)),
        severity=gravest.severity,
        description=" ".join(dict.fromkeys(finding.words for finding in group)),
        weather=gravest.weather,
    )
