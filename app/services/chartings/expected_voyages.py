"""Expected voyages: a new plan creates one, or replaces the plan of a voyage under way."""

from datetime import timedelta
from typing import Final

from sqlalchemy import select, update
from sqlalchemy.orm import Session

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

#: Time before and after its planned departure in which a voyage is expected to depart.
EXPECTED_BEFORE: Final = timedelta(hours=24)
EXPECTED_AFTER: Final = timedelta(hours=72)


def expect(session: Session, charting: Charting, planned: ChartingRevision) -> None:
    """Create or update the expected voyage of a charting's newest plan, unless it is past.

    A voyage under way follows the new plan from now on; one that has ended does not change.
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
    elif row.state == ExecutionState.UNDER_WAY and row.vessel_id == charting.vessel_id:
        row.revision, row.due_at = planned.revision, now
        # outlook and advice belong to the former plan
        row.outlook = row.watched_at = None
        supersede_advice(session, row)


def find_execution(
    session: Session, charting: Charting, *, lock: bool = False
) -> VoyageExecution | None:
    """Find the execution of a charting's voyage."""
    query = select(VoyageExecution).where(
        VoyageExecution.organization_id == charting.organization_id,
        VoyageExecution.charting_id == charting.id,
    )
    return session.scalar(query.with_for_update() if lock else query)


def get_departed_revision(session: Session, row: VoyageExecution) -> ChartingRevision:
    """Get the revision that a voyage departed with."""
    return session.get_one(ChartingRevision, (row.charting_id, row.departed_revision))


def supersede_advice(session: Session, row: VoyageExecution) -> None:
    """Close the open advice of a voyage, replaced by other advice, a new plan or the end."""
    session.execute(
        update(VoyageAdvice)
        .where(
            VoyageAdvice.organization_id == row.organization_id,
            VoyageAdvice.charting_id == row.charting_id,
            VoyageAdvice.state == AdviceState.OPEN,
        )
        .values(state=AdviceState.SUPERSEDED)
    )


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
