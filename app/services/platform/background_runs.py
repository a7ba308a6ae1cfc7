"""Runs of background work stored as rows: begun, kept alive by heartbeats, ended."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias, TypeVar
from uuid import UUID

from rq.timeouts import JobTimeoutException
from sqlalchemy import Select, func, select, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import ReturningUpdate

from app.engine.errors import PlanningCancelled
from app.models import ACTIVE, ChartingStatus, NoonImport, Run, RunKind, VesselCalibration, utc_now
from app.services.errors import Conflict
from app.services.platform import run_progress
from app.services.platform.run_progress import RunProgress, Superseded
from app.services.platform.sessions import organization_session

logger = logging.getLogger(__name__)

#: Reason why a run failed: ``code``, ``detail``, and further members of some codes.
Failure: TypeAlias = dict[str, Any]
Found = TypeVar("Found")

#: All kinds of runs, with their names in messages.
NOUNS: Final[dict[RunKind, str]] = {VesselCalibration: "calibration", NoonImport: "import"}


class RunFailure(StrEnum):
    """Failure codes that runs of any kind share."""

    TIMEOUT = "TIMEOUT"
    INTERNAL = "INTERNAL"


@dataclass
class BackgroundProgress(RunProgress):
    """Progress of one attempt at a run, whose id is ``subject_id``."""

    kind: RunKind
    vessel_id: UUID
    attempt: int

    def _note(self) -> ReturningUpdate[Any]:
        row = self.kind
        return (
            update(row)
            .where(
                row.organization_id == self.organization_id,
                row.id == self.subject_id,
                row.attempt == self.attempt,
                row.run_status == ChartingStatus.RUNNING,
            )
            .values(heartbeat_at=func.now(), progress=self._fraction, stage=self._stage)
            .returning(row.cancel_requested_at)
        )


def as_failure(code: StrEnum, detail: str, **more: Any) -> Failure:
    """Build the reason why a run failed, in JSON types."""
    return {"code": str(code), "detail": detail, **more}


def note_alive(kind: RunKind, organization_id: UUID, run_id: UUID) -> None:
    """Write a heartbeat for a running row from outside of the work itself."""
    running = update(kind).where(
        kind.organization_id == organization_id,
        kind.id == run_id,
        kind.run_status == ChartingStatus.RUNNING,
    )
    with organization_session(organization_id) as session:
        session.execute(running.values(heartbeat_at=func.now()))


def begin(kind: RunKind, organization_id: UUID, run_id: UUID) -> BackgroundProgress | None:
    """Begin an attempt at a run; return ``None`` if it has ended or must end now."""
    with organization_session(organization_id) as session:
        row = _lock(session, kind, organization_id, run_id)
        if row is None or row.run_status not in ACTIVE:
            logger.info("%s %s is not to be begun", NOUNS[kind], run_id)
            return None
        if row.cancel_requested_at is not None:
            end(row, ChartingStatus.CANCELLED)
            return None
        if row.attempt >= run_progress.MOST_ATTEMPTS:
            detail = f"It was begun {row.attempt} times and its worker died each time."
            end(row, ChartingStatus.FAILED, as_failure(RunFailure.INTERNAL, detail))
            return None
        row.run_status, row.heartbeat_at = ChartingStatus.RUNNING, func.now()
        row.attempt += 1
        return BackgroundProgress(organization_id, run_id, kind, row.vessel_id, row.attempt)


def carry_out(
    progress: BackgroundProgress,
    work: Callable[[], Found],
    keep: Callable[[Session, Any, Found], None],
    explain: Callable[[Exception], Failure | None],
) -> None:
    """Do the work, and store its result in the transaction that ends the row.

    ``explain`` returns the reason for an expected failure, and ``None`` for an error of the
    service. Errors of the database and the queue pass through.
    """

    def complete(session: Session, row: Run, found: Found) -> None:
        keep(session, row, found)
        row.progress = 1.0
        end(row, ChartingStatus.COMPLETED)

    noun = NOUNS[progress.kind]
    try:
        with progress.heartbeat():
            found = work()
        _end_own(progress, lambda session, row: complete(session, row, found))
    except Superseded:
        logger.warning("the %s was taken over, or is gone", noun)
    except PlanningCancelled:
        _end_own(progress, lambda _, row: end(row, ChartingStatus.CANCELLED))
    except JobTimeoutException:
        detail = f"The {noun} took longer than its worker may."
        _fail(progress, as_failure(RunFailure.TIMEOUT, detail))
    except DBAPIError:  # from loading or storing, not from the work
        raise
    except Exception as fault:
        failure = explain(fault)
        if failure is None:
            logger.exception("the %s failed", noun)
            detail = f"The {noun} failed; the operator's log has the details."
            failure = as_failure(RunFailure.INTERNAL, detail)
        _fail(progress, failure)


def cancel(session: Session, row: Run) -> None:
    """Cancel a run: at once when it is queued, at the next progress report when it is running.

    Raises :class:`Conflict` for one that has ended.
    """
    session.refresh(row, with_for_update=True)
    if row.run_status not in ACTIVE:
        raise Conflict(f"The {NOUNS[type(row)]} has ended; there is nothing to cancel.")
    row.cancel_requested_at = row.cancel_requested_at or utc_now()
    if row.run_status == ChartingStatus.QUEUED:
        end(row, ChartingStatus.CANCELLED)
    session.flush()


def end(row: Run, status: ChartingStatus, failure: Failure | None = None) -> None:
    """End a run with a status, and with the reason if it failed."""
    row.run_status, row.stage, row.finished_at = status, None, utc_now()
    row.failure = failure
    if isinstance(row, NoonImport):
        row.content = None


def _fail(progress: BackgroundProgress, failure: Failure) -> None:
    _end_own(progress, lambda _, row: end(row, ChartingStatus.FAILED, failure))


def _end_own(progress: BackgroundProgress, action: Callable[[Session, Run], None]) -> None:
    """Write the end of an attempt, unless a newer attempt has started."""
    with organization_session(progress.organization_id) as session:
        row = _lock(session, progress.kind, progress.organization_id, progress.subject_id)
        is_running = row is not None and row.run_status == ChartingStatus.RUNNING
        if row is not None and is_running and row.attempt == progress.attempt:
            action(session, row)


def _lock(session: Session, kind: RunKind, organization_id: UUID, run_id: UUID) -> Run | None:
    query: Select[Any] = select(kind).where(
        kind.organization_id == organization_id, kind.id == run_id
    )
    row: Run | None = session.scalar(query.with_for_update())
    return row
