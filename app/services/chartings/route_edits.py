"""Edits of a planned route: check, and save as a new revision."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from sqlalchemy.orm import Session

from app.engine.area import Area
from app.engine.checking.check import CheckedRoute
from app.engine.checking.edits import find_late_arrival, find_moved_ends, mark_findings
from app.engine.checking.findings import Finding, Severity, sort_findings
from app.engine.plan import RoutePlan, VoyageSummary, Waypoint
from app.engine.planning.area_rules import settle_for_given_route
from app.engine.planning.context import PlanningContext, estimate_latest_arrival
from app.engine.planning.given_route import GivenWaypoint, list_distinct, merge_repeated
from app.engine.report.explanation.phrases import format_mass
from app.engine.report.passage_plan import write_given_plan, write_narrowed, write_summary
from app.engine.request import Position, VoyageRequest
from app.models import (
    Charting,
    ChartingRevision,
    ChartingStatus,
    EventKind,
    Role,
    SubjectKind,
    utc_now,
)
from app.records.instants import format_instant
from app.records.route_check import FindingSchema
from app.services.areas.areas_in_force import build_present_request
from app.services.chartings import chartings, expected_voyages, plan_reading, provenance
from app.services.chartings.charting_search import ChartingView
from app.services.chartings.given_limits import (
    check_bounded,
    find_length_faults,
    find_time_faults,
)
from app.services.engine_mapping import load_plan, snapshot_area, store_plan
from app.services.errors import Conflict, Invalid, refuse
from app.services.platform import audit, events
from app.services.platform.actor import Actor
from app.services.platform.pending_erasures import refuse_pending
from app.services.platform.sessions import end_reading, read_clock
from app.services.sea import sea
from app.services.weather import weather
from app.services.weather.weather_age import warn_of_stale_forecast

#: Longest reason of an edit [characters].
LONGEST_REASON = 1_000


@dataclass(frozen=True, slots=True)
class CheckedEdit:
    """An edited route, the areas in force, and the result of the check.

    ``began_at`` is the database's time before the areas were read.
    """

    began_at: datetime
    context: PlanningContext
    given: Sequence[GivenWaypoint]
    areas: tuple[Area, ...]
    checked: CheckedRoute

    @property
    def summary(self) -> VoyageSummary | None:
        """The route's figures; ``None`` if it cannot be sailed."""
        route = self.checked.route
        return None if route is None else write_summary(self.context, route)

    @property
    def waypoints(self) -> tuple[Waypoint, ...]:
        """The waypoints with the figures of each leg; empty if the route cannot be sailed."""
        route = self.checked.route
        return () if route is None else write_narrowed(self.context, route)


def check_edit(
    session: Session, revision: ChartingRevision, waypoints: Sequence[GivenWaypoint]
) -> CheckedEdit:
    """Check an edited route with the ship and limits of a revision, in present areas and weather.

    Ends the transaction, which must not have written. Raises :class:`Invalid` for a route that is
    too long.
    """
    began_at = read_clock(session)
    request = build_present_request(session, revision)
    context = _build_context(session, request)
    given = keep_planned(load_plan(revision), waypoints)
    end_reading(session)
    refuse(find_length_faults("/waypoints", given))
    refuse(find_time_faults(_list_times(given), request.departs_at))
    checked = check_bounded(context, given, revision.label or "", "/waypoints")
    moved = find_moved_ends(context, [waypoint.position for waypoint in given])
    sailed, last = checked.route, len(given) - 1
    late = [] if sailed is None else find_late_arrival(context, sailed, last)
    findings = sort_findings([*checked.findings, *moved, *late])
    checked = replace(checked, findings=findings)
    return CheckedEdit(began_at, context, given, request.areas, checked)


def _list_times(waypoints: Sequence[GivenWaypoint]) -> Iterator[tuple[str, datetime]]:
    """Yield the times due of an edited route, each with its pointer."""
    for number, waypoint in enumerate(waypoints):
        if waypoint.due is not None:
            yield f"/waypoints/{number}/eta", waypoint.due


def keep_planned(plan: RoutePlan, waypoints: Sequence[GivenWaypoint]) -> list[GivenWaypoint]:
    """Return waypoints with what an editor does not send of those that were not moved.

    These are the ends of waits, and the cross-track distance of legs with both ends in place.
    """
    # a round trip ends where it began
    waits = (waypoint for waypoint in reversed(plan.waypoints) if waypoint.leaves_at)
    leaves = {_round(waypoint.position): waypoint.leaves_at for waypoint in waits}
    legs = {(_round(a.position), _round(b.position)): b.xtd_m for a, b in pairwise(plan.waypoints)}
    places = [_round(waypoint.position) for waypoint in waypoints]
    return [
        replace(
            waypoint,
            xtd_m=legs.get((before, place)),
            leaves=leaves.get(place),
        )
        for waypoint, before, place in zip(waypoints, [places[0], *places], places, strict=False)
    ]


def _round(place: Position) -> tuple[float, float]:
    """Round a position to a tenth of a metre."""
    return round(place.lat, 6), round(place.lng, 6)


def save_edit(
    session: Session,
    actor: Actor,
    charting: Charting,
    base: ChartingRevision,
    waypoints: Sequence[GivenWaypoint],
    reason: str,
) -> ChartingView:
    """Save an edited route as the charting's next revision.

    Raises :class:`Invalid` if there is a finding of danger and no reason, or if the route cannot
    be sailed; :class:`Conflict` while the route is being planned or its erasure is pending, for a
    deleted vessel, and if a newer revision than ``base`` has a plan.
    """
    actor.require(Role.PLANNER)
    # so that findings count waypoints as the plan does
    distinct = list_distinct([waypoint.position for waypoint in waypoints])
    edit = check_edit(session, base, merge_repeated(waypoints, distinct))
    # before the charting is locked, because it takes long
    plan = _plan_explained(edit, reason)
    chartings.refuse_active(session, charting)
    refuse_pending(session, actor.organization_id, SubjectKind.CHARTING, [charting.id])
    if charting.vessel.deleted_at is not None:
        raise Conflict("The vessel is deleted; its routes are no longer edited.")
    if charting.completed_revision != base.revision:
        raise Conflict(
            f"Revision {charting.completed_revision} is newer than revision {base.revision}, which"
            " was edited. Nothing is saved yet.",
            revision=charting.completed_revision,
        )
    row = _next_revision(actor, charting, base, edit)
    _complete(row, base, edit, plan, actor, reason)
    charting.completed_revision = row.revision
    session.add(row)
    session.flush()
    expected_voyages.expect(session, charting, row)
    events.record_charting(session, EventKind.CHARTING_COMPLETED, row, summary=row.summary)
    audit.record(
        session,
        actor,
        audit.Action.ROUTE_EDITED,
        charting.id,
        before={"revision": base.revision},
        after={"revision": row.revision, "reason": reason},
    )
    return ChartingView(charting, row, row)


def _plan_explained(edit: CheckedEdit, reason: str) -> RoutePlan:
    """Write the plan of an edit; raises :class:`Invalid` as :func:`save_edit` does."""
    if edit.checked.route is None:
        raise Invalid.at("/waypoints", edit.checked.findings[0].message)
    dangers = [f for f in edit.checked.findings if f.severity is Severity.DANGER]
    if dangers and not reason.strip():
        many = "a danger" if len(dangers) == 1 else f"{len(dangers)} dangers"
        raise Invalid.at("/reason", f"Give a reason: the route has {many}. {dangers[0].message}")
    written = write_given_plan(edit.context, edit.checked.route)
    plan = mark_findings(written, edit.checked.findings)
    return warn_of_stale_forecast(
        plan, edit.context.weather, edit.context.request.departs_at, utc_now()
    )


def build_context(session: Session, revision: ChartingRevision) -> PlanningContext:
    """Build the planning context of a revision: its ship, areas and limits, in present weather."""
    return _build_context(session, plan_reading.build_request(session, revision))


def _build_context(session: Session, request: VoyageRequest) -> PlanningContext:
    span = request.departs_at, estimate_latest_arrival(request)
    field = weather.find_field(session, *span, request.ends)
    return settle_for_given_route(sea.build_context(request, field))


def _next_revision(
    actor: Actor, charting: Charting, base: ChartingRevision, edit: CheckedEdit
) -> ChartingRevision:
    charting.latest_revision += 1
    now = utc_now()
    return ChartingRevision(
        organization_id=charting.organization_id,
        charting_id=charting.id,
        revision=charting.latest_revision,
        request=base.request,
        vessel=base.vessel,
        areas=[*map(snapshot_area, edit.areas)],
        status=ChartingStatus.COMPLETED,
        progress=1.0,
        queued_at=now,
        queued_by=actor.name,
        is_queued_by_user=actor.is_user,
        started_at=edit.began_at,
        finished_at=now,
    )


def _complete(
    row: ChartingRevision,
    base: ChartingRevision,
    edit: CheckedEdit,
    plan: RoutePlan,
    actor: Actor,
    reason: str,
) -> None:
    """Store the edited plan, the findings and the reason in a revision."""
    store_plan(row, plan)
    now = utc_now()
    row.edit = {
        "by": actor.name,
        "at": format_instant(now),
        "baseRevision": base.revision,
        "reason": reason.strip() or None,
        "findings": [*map(FindingSchema.write, edit.checked.findings)],
        "timesOrdered": [
            {"waypointIndex": index, "eta": format_instant(waypoint.due)}
            for index, waypoint in enumerate(edit.given)
            if waypoint.due is not None
        ],
    }
    row.plan = (row.plan or {}) | {
        "explanation": {
            "summary": _explain(row, base, edit.checked.findings),
            "generatedAt": format_instant(now),
        }
    }
    context = edit.context
    row.provenance = provenance.describe(
        context.sea, context.request.areas, context.weather, row.vessel
    )


def _explain(row: ChartingRevision, base: ChartingRevision, findings: Sequence[Finding]) -> str:
    """Explain an edited route: editor, difference in fuel and time, findings, reason."""
    edit, after, before = row.edit or {}, row.summary or {}, base.summary or {}
    more_t = after["fuelMt"] - before["fuelMt"]
    more_h = after["durationH"] - before["durationH"]
    grave = [f for f in findings if f.severity in (Severity.DANGER, Severity.WARNING)]
    paragraphs = [
        f"{edit['by']} edited this route by hand; it is not optimised. Against revision"
        f" {base.revision} it burns {format_mass(abs(more_t))}"
        f" {'more' if more_t >= 0 else 'less'} and arrives {abs(more_h):.1f} h"
        f" {'later' if more_h >= 0 else 'sooner'}.",
        " ".join([_count(grave, findings), *(finding.message for finding in grave)]),
        *([f"Reason given: {edit['reason']}"] if edit["reason"] else []),
    ]
    return "\n\n".join(paragraphs)


def _count(grave: Sequence[Finding], findings: Sequence[Finding]) -> str:
    """Describe the number of findings."""
    if not findings:
        return "The check found nothing."
    found = "1 finding" if len(findings) == 1 else f"{len(findings)} findings"
    severe = (
        "1 is a danger or warning" if len(grave) == 1 else f"{len(grave)} are dangers or warnings"
    )
    return f"The check has {found}, of which {severe if grave else 'none is a danger or warning'}."
