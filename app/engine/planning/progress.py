"""Progress of a planning, reported often enough to cancel it at any time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import get_ident
from typing import Final

from app.engine.errors import PlanningCancelled
from app.engine.planning.parallel import is_cancelled

#: Receives the fraction done (0..1) and the stage. It may raise
#: :class:`~app.engine.errors.PlanningCancelled`, which ends the planning.
Progress = Callable[[float, str], None]

#: Share of what is left of a stage that a heartbeat moves on by: how long a search
#: takes isn't known before.
_STRIDE: Final = 0.02


@dataclass
class ProgressReporter:
    """Reports progress as planning goes on; the fraction only grows.

    Only the thread that created it reports; in other threads it raises when planning is cancelled.
    """

    on_progress: Progress
    _at: float = field(default=0.0)
    _until: float = field(default=0.0)
    _stage: str = field(default="")
    _reporter_thread: int = field(default_factory=get_ident)
    _stopped: bool = field(default=False)

    def stage(self, stage: str, until: float) -> None:
        """Begin a stage that ends at a fraction (0..1) of the whole."""
        self._stage, self._at = stage, max(self._at, self._until)
        self._until = max(self._at, until)
        self._report()

    def tick(self) -> None:
        """Report that planning goes on.

        Raises
        ------
        PlanningCancelled
            In any other thread, once planning was cancelled or its main thread interrupted.
        """
        if get_ident() == self._reporter_thread:
            self._at += _STRIDE * (self._until - self._at)
            self._report()
        elif self._stopped or is_cancelled():
            raise PlanningCancelled

    def _report(self) -> None:
        try:
            self.on_progress(self._at, self._stage)
        except BaseException:
            self._stopped = True
            raise
