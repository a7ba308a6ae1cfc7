"""Runs of background work stored as rows: begun, kept alive by heartbeats, ended."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models import (
    ACTIVE,
    BackgroundRun,
    ChartingStatus,
    NoonImport,
    Role,
    Run,
    Vessel,
    VesselCalibration,
)
from app.records.texts import in_words
from app.services.errors import Conflict
from app.services.platform import queue, run_progress
from app.services.platform.actor import Actor
from app.services.platform.ids import lock_row
from app.services.platform.run_progress import Failure, Found, RunProgress
from app.services.platform.sessions import after_commit, organization_session

logger = logging.getLogger(__name__)

#: All kinds of runs, with their names in messages, and the roles that order and cancel them.
NOUNS: Final[Mapping[type[Run], str]] = {VesselCalibration: "calibration", NoonImport: "import"}
ROLES: Final[Mapping[type[Run], Role]] = {
    VesselCalibration: Role.PLANNER,
    NoonImport: Role.MASTER,
}


@dataclass
class BackgroundProgress(RunProgress):
    """Progress of one attempt at a run for a vessel."""

    vessel_id: UUID


def refuse_second(session: Session, kind: type[BackgroundRun], vessel: Vessel) -> None:
    """Lock a vessel, and raise :class:`Conflict` while a run of this kind is active for it."""
    lock_row(session, vessel, "vessel", lets_refer=True)
    is_active = kind.status.in_(ACTIVE)
    active = session.scalar(select(kind).where(kind.vessel_id == vessel.id, is_active))
    if active is not None:
        noun = NOUNS[kind]
        named: dict[str, Any] = {f"{noun}Id": str(active.id), "status": active.status}
        raise Conflict(
            f"Another {noun} for this vessel is {in_words(active.status)}:"
            " cancel it or wait for it to end.",
            **named,
        )


def add(session: Session, row: BackgroundRun) -> None:
    """Store a new run, and queue it once it is committed."""
    session.add(row)
    session.flush()
    job = queue.FUNCTION_OF[type(row)], row.organization_id, row.id
    after_commit(session, lambda: queue.enqueue_row(*job))


def _begin(
    kind: type[BackgroundRun], organization_id: UUID, run_id: UUID
) -> BackgroundProgress | None:
    """Begin an attempt at a run; return ``None`` if it has ended or must end now."""
    key = {"id": run_id}
    explain = partial(run_progress.explain_deaths, f"The {NOUNS[kind]}")
    with organization_session(organization_id) as session:
        row = run_progress.begin(session, kind, organization_id, key, _finish, explain)
        if row is None:
            logger.info("%s %s is not to be begun", NOUNS[kind], run_id)
            return None
        return BackgroundProgress(kind, organization_id, key, row.attempt, row.vessel_id)


def carry_out(
    kind: type[BackgroundRun],
    organization_id: UUID,
    run_id: UUID,
    work: Callable[[BackgroundProgress], Found],
    keep: Callable[[Session, Any, Found], None],
    explain: Callable[[Exception], Failure | None],
) -> None:
    """Do the work of a run, and store its result in the transaction that ends the row.

    Does nothing for a run that has ended. ``explain`` returns the reason for an expected failure,
    also of storing. Errors of the database and the queue pass through.
    """
    progress = _begin(kind, organization_id, run_id)
    if progress is None:
        return

    def complete(session: Session, row: BackgroundRun, found: Found) -> None:
        keep(session, row, found)
        row.progress = 1.0
        _finish(session, row, ChartingStatus.COMPLETED)

    def work_and_keep() -> None:
        with progress.heartbeat():
            found = work(progress)
        progress.end(lambda session, row: complete(session, row, found))

    what = f"The {NOUNS[kind]}"
    late = f"{what} took longer than its worker may."
    progress.carry_out(what, work_and_keep, _finish, explain, late)


def cancel(session: Session, actor: Actor, row: BackgroundRun) -> None:
    """Cancel a run: at once when it is queued, at the next progress report when it is running.

    Raises :class:`Conflict` for one that has ended.
    """
    actor.require(ROLES[type(row)])
    lock_row(session, row, NOUNS[type(row)])
    if run_progress.request_cancel(row, NOUNS[type(row)]):
        _finish(session, row, ChartingStatus.CANCELLED)
    session.flush()


def _finish(
    _session: Session, row: BackgroundRun, status: ChartingStatus, failure: Failure | None = None
) -> None:
    row.end(status, failure)
    if isinstance(row, NoonImport):
        row.content = None
