"""Progress, heartbeat and cancellation of a worker's run."""

import contextvars
import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from flask import Flask, current_app
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.sql.dml import ReturningUpdate

from app import tracing
from app.engine.errors import PlanningCancelled
from app.services.platform.sessions import organization_session

logger = logging.getLogger(__name__)

#: Shortest time between two writes of progress, and interval of the heartbeat [s].
WRITE_EVERY_S: Final = 1.0
HEARTBEAT_EVERY_S: Final = 5.0
#: Attempts at a run whose worker died, after which the run fails.
MOST_ATTEMPTS: Final = 3


class Superseded(Exception):
    """A newer attempt has started, or the row has ended."""


@dataclass
class RunProgress(ABC):
    """Progress of one attempt at a row, for a charting or a vessel.

    The engine's only callback: it stores progress, and raises an exception to stop the engine.
    """

    organization_id: UUID
    subject_id: UUID
    _fraction: float = field(default=0.0, init=False)
    _stage: str | None = field(default=None, init=False)
    _written_at: float = field(default_factory=time.monotonic, init=False)
    _stop: Exception | None = field(default=None, init=False)
    _stages: tracing.Stages = field(default_factory=tracing.Stages, init=False)

    def __call__(self, fraction: float, stage: str) -> None:
        """Report progress; raises :class:`PlanningCancelled` or :class:`Superseded` to stop."""
        self._fraction = min(max(fraction, self._fraction), 1.0)
        is_due = stage != self._stage or time.monotonic() - self._written_at >= WRITE_EVERY_S
        if stage != self._stage:
            self._stages.enter(stage)
        self._stage = stage
        if is_due:
            self._report()
        if self._stop is not None:
            raise self._stop

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
                    logger.warning("heartbeat of %s failed", self.subject_id)

    def _report(self) -> None:
        """Write progress, in the engine's thread."""
        self._write()

    def _write(self) -> None:
        self._written_at = time.monotonic()
        with organization_session(self.organization_id) as session:
            row = session.execute(self._note()).one_or_none()
        self._obey(row)

    def _obey(self, row: Any) -> None:
        if row is None:
            self._stop = Superseded()
        elif row.cancel_requested_at is not None:
            self._stop = PlanningCancelled()

    @abstractmethod
    def _note(self) -> ReturningUpdate[Any]:
        """Build the update of this attempt's row, which returns ``cancel_requested_at``."""
