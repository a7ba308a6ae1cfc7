"""Dangers found by the check of an edited route, in its plan."""

from collections.abc import Sequence
from dataclasses import replace

from app.engine.checking.findings import Finding, Severity
from app.engine.codes import WarningCode
from app.engine.plan import PlanWarning, RoutePlan, Waypoint


def mark_dangers(plan: RoutePlan, findings: Sequence[Finding]) -> RoutePlan:
    """Return a plan whose first warnings, and notes of legs, are the findings of danger."""
    dangers = [finding for finding in findings if finding.severity is Severity.DANGER]
    warnings = [PlanWarning(WarningCode.EDIT_DANGER, danger.message) for danger in dangers]
    return replace(
        plan,
        waypoints=tuple(_note_dangers(waypoint, dangers) for waypoint in plan.waypoints),
        warnings=(*warnings, *plan.warnings),
    )


def _note_dangers(waypoint: Waypoint, dangers: Sequence[Finding]) -> Waypoint:
    """Return a waypoint whose note begins with the dangers of its leg."""
    here = [
        f"Danger: {danger.message.rstrip('.')}"
        for danger in dangers
        if _find_leg_end(danger) == waypoint.index
    ]
    return replace(waypoint, note="; ".join(filter(None, [*here, waypoint.note])) or None)


def _find_leg_end(finding: Finding) -> int | None:
    """Return the index of the waypoint that ends a finding's leg; the first one ends none."""
    if finding.leg_index is not None:
        return finding.leg_index + 1
    return None if finding.waypoint_index is None else max(finding.waypoint_index, 1)
