"""Progress, heartbeat and cancellation of what a worker has taken up."""

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

#: Progress is written this often at most [s]; the heartbeat comes this often [s].
WRITE_EVERY_S: Final = 1.0
HEARTBEAT_EVERY_S: Final = 5.0
#: How often work is begun whose worker died before it is given up.
MOST_ATTEMPTS: Final = 3


class Superseded(Exception):
    """Another attempt has taken the row over, or it has ended."""


@dataclass
class RunProgress(ABC):
    """Progress of one attempt at a row that a worker has taken up, for a charting or a vessel.

    The engine's only callback: reports progress and raises what is to stop it.
    """

    organization_id: UUID
    subject_id: UUID
    _fraction: float = field(default=0.0, init=False)
    _stage: str | None = field(default=None, init=False)
    _written_at: float = field(default_factory=time.monotonic, init=False)
    _stop: Exception | None = field(default=None, init=False)
    _stages: tracing.Stages = field(default_factory=tracing.Stages, init=False)

    def __call__(self, fraction: float, stage: str) -> None:
        """Note how far the engine is; raises what is to stop it."""
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
        """Let the row show that a worker lives, also where the engine is long silent."""
        ended = threading.Event()
        app = current_app._get_current_object()  # type: ignore[attr-defined]
        # in this one's context, so that its log lines carry the same ids
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
                    # the run itself may still end well; the sweeper waits its time
                    logger.warning("heartbeat of %s failed", self.subject_id)

    def _report(self) -> None:
        """Write how far the engine is, in its own thread."""
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
        """Write heartbeat and progress to this attempt's row; answers ``cancel_requested_at``."""
