"""Findings of an edited route: other ends or a later arrival than ordered; warnings of its plan."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from app.engine.checking.findings import Finding, FindingCode, Severity
from app.engine.codes import WarningCode
from app.engine.formatting import format_position, format_time
from app.engine.geodesy import great_circle_distance_nm
from app.engine.plan import PlanWarning, RoutePlan, Waypoint
from app.engine.planning.context import PlanningContext
from app.engine.planning.simulated_route import SimulatedRoute
from app.engine.request import Position

#: Distance from the end ordered up to which an end is the same, as berths of one harbour are [nm].
_SAME_END_NM: Final = 0.5
#: Time from which an arrival is late; texts have whole minutes.
_LATE: Final = timedelta(minutes=1)
#: Distance from which it is another place [nm].
_OTHER_PLACE_NM: Final = 5.0


def find_moved_ends(context: PlanningContext, positions: Sequence[Position]) -> Iterator[Finding]:
    """Find ends of a route that are not those of the request.

    The distance counts from the position ordered or from the water used for it, if that is nearer.
    """
    request, (start, end) = context.request, context.ends
    last = len(positions) - 1
    for index, ordered, name, verb in (
        (0, (request.departure, start), "departure", "begins"),
        (last, (request.arrival, end), "arrival", "ends"),
    ):
        own = positions[index]
        apart_nm = min(float(great_circle_distance_nm(*place, *own)) for place in ordered)
        if apart_nm > _SAME_END_NM:
            yield Finding(
                FindingCode.OTHER_ENDS,
                Severity.DANGER if apart_nm > _OTHER_PLACE_NM else Severity.WARNING,
                f"The route {verb} {apart_nm:.1f} nm from the {name} ordered,"
                f" {format_position(*ordered[0])}.",
                waypoint_index=index,
                position=own,
                measured=apart_nm,
                required=_SAME_END_NM,
            )


def find_late_arrival(
    context: PlanningContext, route: SimulatedRoute, last: int
) -> Iterator[Finding]:
    """Find that a route arrives at its last waypoint after the latest arrival of the request."""
    asked, arrives = context.request.arrive_by, route.simulation.time_at(-1)
    if asked is not None and arrives - asked >= _LATE:
        yield Finding(
            FindingCode.ARRIVAL_LATE,
            Severity.WARNING,
            f"The route arrives at {format_time(arrives)}, after the {format_time(asked)} asked"
            " for.",
            waypoint_index=last,
            position=route.legs[-1].end,
        )


def mark_findings(plan: RoutePlan, findings: Sequence[Finding]) -> RoutePlan:
    """Return a plan with the findings of danger and the missed times due as its first warnings.

    The dangers are also in the notes of legs.
    """
    dangers = [finding for finding in findings if finding.severity is Severity.DANGER]
    # a finding of a waypoint is of its time due, one of a leg of its speed
    missed = [
        finding
        for finding in findings
        if finding.code is FindingCode.SPEED_NOT_HELD and finding.waypoint_index is not None
    ]
    warnings = [
        *(PlanWarning(WarningCode.EDIT_DANGER, danger.message) for danger in dangers),
        *(PlanWarning(WarningCode.DUE_TIME_MISSED, finding.message) for finding in missed),
    ]
    return replace(
        plan,
        waypoints=tuple(_note_dangers(waypoint, dangers) for waypoint in plan.waypoints),
        warnings=(*warnings, *plan.warnings),
    )


def _note_dangers(waypoint: Waypoint, dangers: Sequence[Finding]) -> Waypoint:
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
