"""All finders in turn, and the merging of what they find."""

from collections.abc import Iterable
from datetime import timedelta

from app.engine.critical_points import navigation, safety, seaway, zones
from app.engine.critical_points.records import CriticalPoint, Finding
from app.engine.voyage import RoutePlan, VoyageRequest

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
    return tuple(_merge(group) for group in _group(findings))


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
