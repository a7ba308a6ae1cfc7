"""Runs of workers: the attempt at a row, its progress, heartbeat, cancellation and end."""

import contextvars
import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, TypeAlias, TypeVar
from uuid import UUID

from flask import Flask, current_app
from rq.timeouts import JobTimeoutException
from sqlalchemy import Update, func, update
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session

from app import tracing
from app.engine.codes import FailureCode
from app.engine.errors import PlanningCancelled, VoyageError
from app.models import ACTIVE, ChartingStatus, Run, utc_now
from app.records.instants import format_instant
from app.records.rounding import POSITION_DECIMALS
from app.records.texts import in_words
from app.services.errors import Conflict
from app.services.platform.ids import find_row
from app.services.platform.sessions import organization_session

logger = logging.getLogger(__name__)

#: Shortest time between two writes of progress, and before a new stage is written [s]: a planning
#: of a third of a second would otherwise spend a tenth of it in writing six stages.
WRITE_EVERY_S: Final = 1.0
STAGE_EVERY_S: Final = 0.25
#: Interval of the heartbeat [s].
HEARTBEAT_EVERY_S: Final = 5.0
#: Attempts at a run whose worker died, after which the run fails.
MOST_ATTEMPTS: Final = 3
#: Decimals of the figures of a failure.
_FIGURE_DECIMALS: Final = 3

#: Columns that identify a row of an organization.
Key: TypeAlias = Mapping[str, Any]
#: Reason why a run failed: ``code``, ``detail``, and further members of some codes.
Failure: TypeAlias = dict[str, Any]
#: Ends a locked row with a status, and with the reason if it failed.
Finish: TypeAlias = Callable[[Session, Any, ChartingStatus, Failure | None], None]
Found = TypeVar("Found")
Row = TypeVar("Row", bound=Run)


class Superseded(Exception):
    """A newer attempt has started, or the row has ended."""


def log_end(what: str, status: str, seconds: float) -> None:
    """Log the end of a run: its status and its duration."""
    fields = {"status": str(status), "duration_s": round(seconds, 3)}
    logger.info("%s ended", what, extra={"fields": fields})


def as_failure(code: StrEnum, detail: str, **more: Any) -> Failure:
    """Build the reason why a run failed, in JSON types."""
    return {"code": str(code), "detail": detail, **more}


def explain_deaths(what: str, row: Run, **more: Any) -> Failure:
    """Describe that all attempts at a row died."""
    detail = f"{what} was begun {row.attempt} times and its worker died each time."
    return as_failure(FailureCode.INTERNAL, detail, **more)


def explain_voyage(error: Exception) -> Failure | None:
    """Describe why a voyage cannot be planned; ``None`` for any other error."""
    if not isinstance(error, VoyageError):
        return None
    return as_failure(error.code, error.detail, data=_as_json("", error.data))


def _as_json(name: str, value: Any) -> Any:
    """Convert a named value of an error to JSON, rounded as in plans."""
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, float):
        return round(value, POSITION_DECIMALS if name in ("lat", "lng") else _FIGURE_DECIMALS)
    if isinstance(value, Mapping):
        return {key: _as_json(key, inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(name, inner) for inner in value]
    return value


def prepare(work: Callable[[], object], passing: type[Exception]) -> Exception | None:
    """Do work before an attempt begins; return the error with which that attempt is to fail.

    Errors of the database and of the type ``passing`` pass through, so that the job is retried.
    Any other would come back with every retry, and no attempt would be counted.
    """
    try:
        work()
    except (DBAPIError, passing):
        raise
    except Exception as error:
        return error
    return None


def begin(
    session: Session,
    table: type[Row],
    organization_id: UUID,
    key: Key,
    finish: Finish,
    explain: Callable[[Row], Failure],
) -> Row | None:
    """Lock a row and begin an attempt at it; ``None`` if it is gone, has ended or must end now.

    ``explain`` describes that all attempts at it died. Do nothing else that may fail in the
    transaction: an exception would also undo the count of attempts.
    """
    row = find_row(session, table, organization_id, lock=True, **key)
    if row is None or row.status not in ACTIVE:
        return None
    if row.cancel_requested_at is not None:
        finish(session, row, ChartingStatus.CANCELLED, None)
        return None
    if row.attempt >= MOST_ATTEMPTS:
        finish(session, row, ChartingStatus.FAILED, explain(row))
        return None
    row.status, row.heartbeat_at = ChartingStatus.RUNNING, func.now()
    row.attempt += 1
    return row


def request_cancel(row: Run, noun: str) -> bool:
    """Request the end of a locked row; return whether the caller must end it now, as it is queued.

    Raises :class:`Conflict` for one that has ended.
    """
    if row.status not in ACTIVE:
        raise Conflict(
            f"There is nothing to cancel: the {noun} has ended ({in_words(row.status)})."
        )
    row.cancel_requested_at = row.cancel_requested_at or utc_now()
    return row.status == ChartingStatus.QUEUED


def note_alive(table: type[Run], organization_id: UUID, key: Key) -> None:
    """Write a heartbeat for a running row from outside of the work itself."""
    with organization_session(organization_id) as session:
        session.execute(_beat(table, organization_id, key))


def _beat(table: type[Run], organization_id: UUID, key: Key) -> Update:
    running = {"organization_id": organization_id, "status": ChartingStatus.RUNNING}
    return update(table).filter_by(**running, **key).values(heartbeat_at=func.now())


@dataclass
class RunProgress:
    """Progress of one attempt at a row.

    The engine's only callback: it stores progress, and raises an exception to stop the engine.
    """

    table: type[Run]
    organization_id: UUID
    key: Key
    attempt: int
    _fraction: float = field(default=0.0, init=False)
    _stage: str | None = field(default=None, init=False)
    _written_stage: str | None = field(default=None, init=False)
    _written_at: float = field(default=-math.inf, init=False)
    _stop: Exception | None = field(default=None, init=False)
    _stages: tracing.Stages = field(default_factory=tracing.Stages, init=False)

    def __call__(self, fraction: float, stage: str) -> None:
        """Report progress; raises :class:`PlanningCancelled` or :class:`Superseded` to stop."""
        self._fraction = min(max(fraction, self._fraction), 1.0)
        if stage != self._stage:
            self._stages.enter(stage)
        self._stage = stage
        every_s = WRITE_EVERY_S if stage == self._written_stage else STAGE_EVERY_S
        if time.monotonic() - self._written_at >= every_s:
            self._report()
        if self._stop is not None:
            raise self._stop

    def carry_out(
        self,
        what: str,
        work: Callable[[], Found],
        finish: Finish,
        explain: Callable[[Exception], Failure | None],
        timeout_detail: str,
    ) -> Found | None:
        """Do the work and return its result; ``None`` if it was cancelled, taken over or failed.

        ``explain`` returns the reason for an expected failure, and ``None`` for an error of the
        service. Errors of the database and the queue pass through.
        """
        try:
            return work()
        except Superseded:
            logger.warning("%s was taken over, or is gone", what)
        except PlanningCancelled:
            self.end(lambda session, row: finish(session, row, ChartingStatus.CANCELLED, None))
        except DBAPIError:  # from loading or storing, not from the work
            raise
        except Exception as error:
            is_late = isinstance(error, JobTimeoutException)
            late = as_failure(FailureCode.TIMEOUT, timeout_detail)
            failure = late if is_late else explain(error)
            if failure is None:
                logger.exception("%s failed", what)
                detail = f"{what} failed; the operator's log has the details."
                failure = as_failure(FailureCode.INTERNAL, detail)
            self.end(lambda session, row: finish(session, row, ChartingStatus.FAILED, failure))
        return None

    def end(self, action: Callable[[Session, Any], None]) -> None:
        """Write the end of this attempt, unless a newer attempt has started."""
        with organization_session(self.organization_id) as session:
            row = self.lock_own(session)
            if row is not None:
                self.store(session)
                action(session, row)

    def store(self, session: Session) -> None:
        """Store what was found since the last call; called with the engine's progress and the end.

        Only a kind of run whose results are kept before its end stores anything here.
        """

    @contextmanager
    def own_row(self) -> Iterator[tuple[Session, Any]]:
        """Yield a session and the locked row; raises :class:`Superseded` if it is another's."""
        with organization_session(self.organization_id) as session:
            row = self.lock_own(session)
            if row is None:
                raise Superseded
            yield session, row

    def lock_own(self, session: Session) -> Any:
        """Lock the row; ``None`` if a newer attempt has started."""
        own = {**self.key, "status": ChartingStatus.RUNNING, "attempt": self.attempt}
        return find_row(session, self.table, self.organization_id, lock=True, **own)

    @contextmanager
    def heartbeat(self) -> Iterator[None]:
        """Write heartbeats while the block runs, also when the engine reports no progress."""
        ended = threading.Event()
        app = current_app._get_current_object()  # type: ignore[attr-defined]
        # the thread copies the context, so that its log lines carry the same ids
        run = contextvars.copy_context().run
        beat = threading.Thread(target=run, args=(self._beat, app, ended), daemon=True)
        beat.start()
        try:
            yield
        finally:
            self._stages.end()
            ended.set()
            beat.join()

    def _beat(self, app: Flask, ended: threading.Event) -> None:
        with app.app_context():
            while not ended.wait(HEARTBEAT_EVERY_S):
                try:
                    self._write()
                except SQLAlchemyError:
                    # the run itself may still succeed: the sweeper tolerates missing heartbeats
                    logger.warning("heartbeat of %s failed", self.key)

    def _report(self) -> None:
        """Write progress and results, in the engine's thread."""
        self._write(self.store)

    def _write(self, store: Callable[[Session], None] = lambda session: None) -> None:
        """Write progress and, unless a newer attempt has started, what ``store`` adds."""
        self._written_at, self._written_stage = time.monotonic(), self._stage
        with organization_session(self.organization_id) as session:
            row = session.execute(self._note()).one_or_none()
            if row is not None:
                store(session)
        if row is None:
            self._stop = Superseded()
        elif row.cancel_requested_at is not None:
            self._stop = PlanningCancelled()

    def _note(self) -> Update:
        """Build the update of this attempt's row, which returns ``cancel_requested_at``."""
        own = _beat(self.table, self.organization_id, {**self.key, "attempt": self.attempt})
        noted = own.values(progress=self._fraction, stage=self._stage)
        return noted.returning(self.table.cancel_requested_at)
