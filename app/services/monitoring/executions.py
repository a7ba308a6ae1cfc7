"""Executions of voyages: expected, under way, finished, abandoned."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from redis.exceptions import RedisError
from sqlalchemy import Float, Select, case, cast, func, select, update
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.engine.formatting import format_time
from app.models import (
    ACTIVE,
    AdviceState,
    Charting,
    ChartingRevision,
    EventKind,
    ExecutionState,
    Role,
    Vessel,
    VoyageExecution,
    utc_now,
)
from app.records.instants import format_instant, parse_instant, write_instant
from app.records.texts import in_words
from app.services.chartings import chartings
from app.services.chartings.expected_voyages import (
    close_advice,
    find_execution,
    get_departed_revision,
    is_same_voyage,
    make_expected,
)
from app.services.errors import Conflict, Invalid
from app.services.monitoring import position_reports
from app.services.platform import audit, events
from app.services.platform.actor import Actor
from app.services.platform.ids import flush
from app.services.platform.paging import Page, fetch_page
from app.services.platform.sessions import cross_tenant_session, organization_session

#: Actor of a start or end that was detected from position reports.
BY_REPORTS: Final = "position reports"
#: Largest difference of a given time ahead of the service's clock.
_CLOCK_AHEAD: Final = timedelta(minutes=10)
#: Largest time by which a ship may depart before the planned departure.
DEPARTS_EARLY_BY: Final = timedelta(days=14)
#: Time after its end in which a finished voyage can be reopened.
REOPENED_WITHIN: Final = timedelta(days=7)
#: Time after which a check that failed is made again.
_AFTER_FAILURE: Final = timedelta(minutes=15)
_ELSEWHERE: Final = "The vessel is under way on another voyage{}: finish or abandon that first."


class VoyageSort(StrEnum):
    """The order of a list of voyages; a minus means descending."""

    MOST_BEHIND = "-behindH"
    FIRST_ARRIVAL = "eta"
    MOST_AT_RISK = "-risk"


def start(
    session: Session, actor: Actor, charting: Charting, at: datetime | None = None
) -> VoyageExecution:
    """Start a charting's voyage by its newest plan, now unless another time is given.

    An abandoned or finished voyage keeps its departure unless another time is given, if the newest
    plan is still of that voyage. Only a planner may reopen a finished voyage.

    Raises :class:`Conflict` if there is no plan, if the charting is archived, if the voyage is
    under way, if it finished more than :data:`REOPENED_WITHIN` ago or the newest plan is of another
    voyage, and if the vessel is deleted or under way on another voyage; :class:`Invalid` for a
    future time and one more than :data:`DEPARTS_EARLY_BY` before the planned departure.
    """
    actor.require(Role.MASTER)
    chartings.lock(session, charting)
    if charting.archived_at is not None:
        raise Conflict("The charting is archived; restore it before its voyage is started.")
    row = find_execution(session, charting, lock=True)
    planned = chartings.get_planned(session, actor.organization_id, str(charting.id)).planned
    if row is None:
        row = make_expected(charting, planned)
        session.add(row)
    if row.state == ExecutionState.UNDER_WAY:
        raise Conflict(f"The voyage is already {in_words(row.state)}.", state=row.state)
    is_resumed = row.departed_at is not None and is_same_voyage(session, row, charting, planned)
    action, before = audit.Action.VOYAGE_STARTED, None
    if row.state == ExecutionState.FINISHED:
        _check_reopening(actor, row, is_resumed=is_resumed)
        action, before = audit.Action.VOYAGE_REOPENED, _shown(row)
    departed_with = get_departed_revision(session, row) if is_resumed else planned
    departed_at = _past(at or (row.departed_at if is_resumed else None))
    _check_departure(departed_at, departed_with)
    begin(session, row, planned, departed_at, by=actor.name)
    row.departed_revision = departed_with.revision
    row.reopened_at = None if before is None else utc_now()
    audit.record(session, actor, action, charting.id, before=before, after=_shown(row))
    return row


def _check_reopening(actor: Actor, row: VoyageExecution, *, is_resumed: bool) -> None:
    """Raise :class:`Conflict` if a finished voyage is not to be reopened by its newest plan."""
    actor.require(Role.PLANNER)
    if not is_resumed:
        detail = (
            "The voyage is finished; the newest plan is of another. Order a new charting for it."
        )
        raise Conflict(detail, state=row.state)
    if row.ended_at is None or utc_now() - row.ended_at > REOPENED_WITHIN:
        detail = (
            f"The voyage finished more than {REOPENED_WITHIN.days} days ago; it stays finished."
        )
        raise Conflict(detail, state=row.state)


def begin(
    session: Session,
    row: VoyageExecution,
    planned: ChartingRevision,
    departed_at: datetime,
    *,
    by: str,
) -> None:
    """Set a voyage under way with the vessel of its plan.

    Raises :class:`Conflict` if the vessel is deleted or under way on another voyage, and while the
    charting is planned for another vessel.
    """
    row.vessel_id = UUID(planned.request["vesselId"])
    obstacle = find_obstacle(session, row)
    if obstacle is not None:
        raise obstacle
    row.state, row.revision = ExecutionState.UNDER_WAY, planned.revision
    row.departed_revision = planned.revision
    row.departed_at, row.started_by = departed_at, by
    row.ended_at = row.ended_by = row.end_reason = None
    row.due_at = utc_now()
    row.outlook = row.watched_at = None  # of an earlier plan
    # another of the vessel may begin at the same time
    flush(session, {"uq_voyage_execution_vessel_under_way": Conflict(_ELSEWHERE.format(""))})
    departed = {"departedAt": format_instant(departed_at)}
    events.record_charting(session, EventKind.VOYAGE_STARTED, planned, **departed)


def find_obstacle(session: Session, row: VoyageExecution) -> Conflict | None:
    """Find out why a voyage cannot begin.

    Its vessel is deleted or under way on another, or its charting is planned for another vessel:
    the plan shown would then be of that one.
    """
    query = select(Vessel.deleted_at).filter_by(
        organization_id=row.organization_id, id=row.vessel_id
    )
    if session.scalar(query) is not None:
        return Conflict("The vessel is deleted; its voyages cannot be started.")
    replanned = select(ChartingRevision.revision).where(
        ChartingRevision.charting_id == row.charting_id,
        ChartingRevision.status.in_(ACTIVE),
        ChartingRevision.request["vesselId"].as_string() != str(row.vessel_id),
    )
    if session.scalar(replanned) is not None:
        return Conflict("The charting is being planned for another vessel; cancel that first.")
    other = find_under_way(session, row.organization_id, row.vessel_id)
    if other is None:
        return None
    sailed = session.get_one(Charting, other.charting_id)
    name = f"{sailed.port_from_name} to {sailed.port_to_name}"
    return Conflict(_ELSEWHERE.format(f", {name}"), chartingId=str(sailed.id))


def finish(
    session: Session, actor: Actor, charting: Charting, at: datetime | None = None
) -> VoyageExecution:
    """Finish a charting's voyage, now unless another time is given.

    With a time, a planner corrects that of a finished voyage. Raises :class:`Conflict` if it is not
    under way otherwise, :class:`Invalid` for a future time or one before the departure.
    """
    actor.require(Role.MASTER)
    row = find_execution(session, charting, lock=True)
    before = None
    if row is not None and row.state == ExecutionState.FINISHED and at is not None:
        actor.require(Role.PLANNER)
        before = _shown(row)
    else:
        row = get_under_way(session, charting)
    ended_at = _past(at)
    if row.departed_at is not None and ended_at < row.departed_at:
        departed = format_time(row.departed_at)
        raise Invalid.at("/at", f"The voyage departed {departed}, after this time.")
    end(session, row, ended_at, by=actor.name)
    action = audit.Action.VOYAGE_FINISHED
    audit.record(session, actor, action, charting.id, before=before, after=_shown(row))
    return row


def end(session: Session, row: VoyageExecution, ended_at: datetime, *, by: str) -> None:
    """Finish a voyage; its progress is that at its end."""
    row.state, row.ended_at, row.ended_by = ExecutionState.FINISHED, ended_at, by
    # the reports measured so far may go on after the end, which is often entered later
    position_reports.update_progress(session, row, utc_now())
    _record_end(session, EventKind.VOYAGE_FINISHED, row)


def abandon(session: Session, actor: Actor, charting: Charting, reason: str) -> VoyageExecution:
    """Abandon a charting's voyage: the ship no longer follows the plan.

    Raises :class:`Conflict` if it is not under way.
    """
    actor.require(Role.MASTER)
    row = get_under_way(session, charting)
    row.state, row.ended_at = ExecutionState.ABANDONED, utc_now()
    row.ended_by, row.end_reason = actor.name, reason
    _record_end(session, EventKind.VOYAGE_ABANDONED, row, reason=reason)
    audit.record(session, actor, audit.Action.VOYAGE_ABANDONED, charting.id, after=_shown(row))
    return row


def find_under_way(
    session: Session, organization_id: UUID, vessel_id: UUID
) -> VoyageExecution | None:
    """Find the voyage under way of a vessel."""
    return session.scalar(
        _of(organization_id, ExecutionState.UNDER_WAY).where(VoyageExecution.vessel_id == vessel_id)
    )


def list_page(
    session: Session,
    organization_id: UUID,
    page: int,
    page_size: int,
    state: ExecutionState = ExecutionState.UNDER_WAY,
    sort: VoyageSort = VoyageSort.MOST_BEHIND,
) -> Page[VoyageExecution]:
    """A page of an organization's voyages in a state; those with unknown progress come last.

    Ships too far off their track for a delay come before all that have one.
    """
    query = _of(organization_id, state).order_by(_ORDERS[sort].nulls_last())
    return fetch_page(session, query.order_by(VoyageExecution.charting_id.desc()), page, page_size)


_PROGRESS: Final = VoyageExecution.progress
_ORDERS: Final = {
    VoyageSort.MOST_BEHIND: func.coalesce(
        cast(_PROGRESS["behindH"].as_string(), Float),
        case((_PROGRESS["offTrackNm"].as_string().is_not(None), math.inf)),
    ).desc(),
    VoyageSort.FIRST_ARRIVAL: _PROGRESS["etaByPlan"].as_string(),
    VoyageSort.MOST_AT_RISK: func.json_array_length(VoyageExecution.outlook["breaches"]).desc(),
}


def list_due(
    due_at: InstrumentedAttribute[Any], until: datetime, most: int, *states: ExecutionState
) -> list[tuple[UUID, UUID]]:
    """List organization and charting of voyages in some states that are due, the longest first."""
    query = (
        select(VoyageExecution.organization_id, VoyageExecution.charting_id)
        .where(VoyageExecution.state.in_(states), due_at <= until)
        .order_by(due_at)
        .limit(most)
    )
    with cross_tenant_session() as session:
        return [(row.organization_id, row.charting_id) for row in session.execute(query)]


@contextmanager
def put_off_if_failed(
    organization_id: UUID, charting_id: UUID, due_at: InstrumentedAttribute[Any]
) -> Iterator[None]:
    """Make a check of a voyage due later if it fails: it must not hold up those of other ships.

    After an outage of database or queue it stays due.
    """
    try:
        yield
    except (OperationalError, InterfaceError, RedisError):
        raise
    except Exception:
        own = {"organization_id": organization_id, "charting_id": charting_id}
        later = {due_at.key: utc_now() + _AFTER_FAILURE}
        with organization_session(organization_id) as session:
            session.execute(update(VoyageExecution).filter_by(**own).values(later))
        raise


def _of(organization_id: UUID, state: ExecutionState) -> Select[VoyageExecution]:
    return select(VoyageExecution).where(
        VoyageExecution.organization_id == organization_id, VoyageExecution.state == state
    )


def get_under_way(session: Session, charting: Charting) -> VoyageExecution:
    """Get and lock a voyage under way; raises :class:`Conflict` in any other state."""
    row = find_execution(session, charting, lock=True)
    if row is None or row.state != ExecutionState.UNDER_WAY:
        state = "not started" if row is None else in_words(row.state)
        raise Conflict(f"The voyage is {state}, not under way.")
    return row


def _past(at: datetime | None) -> datetime:
    """Return a given time, or now; raises :class:`Invalid` for a future time."""
    now = utc_now()
    if at is not None and at > now + _CLOCK_AHEAD:
        detail = f"{format_time(at)} is in the future. It is {format_time(now)} now."
        raise Invalid.at("/at", detail)
    return at or now


def _check_departure(departed_at: datetime, planned: ChartingRevision) -> None:
    planned_at = parse_instant(planned.request["startDate"])
    earliest = planned_at - DEPARTS_EARLY_BY
    if departed_at < earliest:
        raise Invalid.at(
            "/at",
            f"{format_time(departed_at)} is too early: the plan departs {format_time(planned_at)}."
            f" Enter a time from {format_time(earliest)} until now, or re-plan the route.",
        )


def _record_end(session: Session, kind: EventKind, row: VoyageExecution, **more: Any) -> None:
    close_advice(session, row, AdviceState.SUPERSEDED)
    key = (row.charting_id, row.revision)
    followed = session.get_one(ChartingRevision, key)
    events.record_charting(session, kind, followed, endedAt=write_instant(row.ended_at), **more)


def _shown(row: VoyageExecution) -> dict[str, Any]:
    return {
        "state": row.state,
        "revision": row.revision,
        "departedAt": write_instant(row.departed_at),
        "endedAt": write_instant(row.ended_at),
    }
