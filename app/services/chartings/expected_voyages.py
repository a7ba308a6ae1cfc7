"""Expected voyages: a new plan creates one, or replaces the plan of a voyage under way."""

from collections.abc import Collection
from datetime import timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.orm import Session

from app.engine.geodesy import great_circle_distance_nm
from app.engine.monitoring.departure import PORT_AREA_NM
from app.engine.request import Position
from app.models import (
    AdviceState,
    Charting,
    ChartingRevision,
    ExecutionState,
    VoyageAdvice,
    VoyageExecution,
    utc_now,
)
from app.records.instants import parse_instant
from app.services.charting_request import arrival_of, departure_of
from app.services.platform.ids import find_row

#: Time before and after its planned departure in which a voyage is expected to depart.
EXPECTED_BEFORE: Final = timedelta(hours=24)
EXPECTED_AFTER: Final = timedelta(hours=72)


def expect(session: Session, charting: Charting, planned: ChartingRevision) -> None:
    """Create or update the expected voyage of a charting's newest plan, unless it is past.

    A voyage under way follows the new plan from now on if that is of the same voyage; one that
    has ended does not change.
    """
    row = find_execution(session, charting, lock=True)
    now, departs_at = utc_now(), parse_instant(planned.request["startDate"])
    if row is None:
        if departs_at + EXPECTED_AFTER > now:
            session.add(make_expected(charting, planned))
        return
    if row.state == ExecutionState.EXPECTED:
        row.vessel_id, row.revision = charting.vessel_id, planned.revision
        row.due_at = departs_at - EXPECTED_BEFORE
    elif row.state == ExecutionState.UNDER_WAY and is_same_voyage(session, row, charting, planned):
        row.revision, row.due_at = planned.revision, now
        # outlook and advice belong to the former plan
        row.outlook = row.watched_at = None
        close_advice(session, row, AdviceState.SUPERSEDED)


def find_execution(
    session: Session, charting: Charting, *, lock: bool = False
) -> VoyageExecution | None:
    """Find the execution of a charting's voyage."""
    owner, charting_id = charting.organization_id, charting.id
    return find_row(session, VoyageExecution, owner, lock=lock, charting_id=charting_id)


def find_states(session: Session, charting_ids: Collection[UUID]) -> dict[UUID, str]:
    """Find the states of the voyages of some chartings of the session's organization."""
    query = select(VoyageExecution.charting_id, VoyageExecution.state).where(
        VoyageExecution.charting_id.in_(charting_ids)
    )
    return {row.charting_id: row.state for row in session.execute(query)}


def get_departed_revision(session: Session, row: VoyageExecution) -> ChartingRevision:
    """Get the revision that a voyage departed with."""
    number = row.departed_revision or row.revision
    return session.get_one(ChartingRevision, (row.charting_id, number))


def is_same_voyage(
    session: Session, row: VoyageExecution, charting: Charting, planned: ChartingRevision
) -> bool:
    """Return whether a charting's new plan is of the voyage that its ship departed on.

    A plan made under way (``isAlterFrom``) is. Another one is if it begins where and about when the
    voyage did, and ends where the followed plan does.
    """
    asked, departed = planned.request, get_departed_revision(session, row).request
    followed = session.get_one(ChartingRevision, (row.charting_id, row.revision)).request
    if row.vessel_id != charting.vessel_id:
        return False
    if asked["isAlterFrom"]:
        return True
    planned_at = parse_instant(departed["startDate"])
    departed_at = row.departed_at or planned_at
    earliest = min(planned_at, departed_at) - EXPECTED_AFTER
    latest = max(planned_at, departed_at) + EXPECTED_AFTER
    return (
        earliest <= parse_instant(asked["startDate"]) <= latest
        and _is_near(departure_of(asked), departure_of(departed))
        and _is_near(arrival_of(asked), arrival_of(followed))
    )


def _is_near(place: Position, other: Position) -> bool:
    return float(great_circle_distance_nm(*place, *other)) <= PORT_AREA_NM


def close_advice(
    session: Session, row: VoyageExecution, state: AdviceState, *which: ColumnElement[bool]
) -> None:
    """Close the open advice of a voyage, or the part of it that meets some conditions."""
    is_open = {"charting_id": row.charting_id, "state": AdviceState.OPEN}
    closing = update(VoyageAdvice).filter_by(organization_id=row.organization_id, **is_open)
    session.execute(closing.where(*which).values(state=state))


def make_expected(charting: Charting, planned: ChartingRevision) -> VoyageExecution:
    """Build the row of a voyage that is expected to depart."""
    return VoyageExecution(
        organization_id=charting.organization_id,
        charting_id=charting.id,
        vessel_id=charting.vessel_id,
        revision=planned.revision,
        state=ExecutionState.EXPECTED,
        due_at=parse_instant(planned.request["startDate"]) - EXPECTED_BEFORE,
    )
