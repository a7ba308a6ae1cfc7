"""Progress reports of a planning or other long work, which can also cancel it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import get_ident
from typing import Final

from app.engine.errors import PlanningCancelled
from app.engine.parallel import is_cancelled

#: Function that receives the fraction done (0..1) and the name of the stage. It may raise, for
#: example :class:`~app.engine.errors.PlanningCancelled`, to end the work.
Progress = Callable[[float, str], None]

#: Function that reports that work continues; it may raise too.
Tick = Callable[[], None]


def no_progress(fraction: float, stage: str) -> None:
    """Ignore a progress report."""


def no_tick() -> None:
    """Ignore a tick."""


#: Share of the rest of a stage by which each tick advances the fraction, because the duration of a
#: search is not known in advance.
_STRIDE: Final = 0.02


@dataclass
class ProgressReporter:
    """Reporter of the progress of work; the fraction never decreases.

    Only the thread that created it reports. In other threads ``tick`` raises if the planning was
    cancelled.
    """

    on_progress: Progress = no_progress
    _at: float = field(default=0.0)
    _until: float = field(default=0.0)
    _stage: str = field(default="")
    _reporter_thread: int = field(default_factory=get_ident)
    _stopped: bool = field(default=False)

    def stage(self, stage: str, until: float) -> None:
        """Begin a stage that ends at a fraction (0..1) of the work."""
        self._stage, self._at = stage, max(self._at, self._until)
        self._until = max(self._at, until)
        self._report()

    def tick(self) -> None:
        """Report progress within the stage.

        Raise :class:`PlanningCancelled` in another thread than the main one if the planning was
        cancelled or its main thread interrupted.
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
