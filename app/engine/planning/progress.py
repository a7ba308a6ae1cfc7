"""How far planning has come, told often enough to be stopped at any time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import get_ident
from typing import Final

from app.engine.errors import PlanningCancelled
from app.engine.planning.parallel import is_told_to_stop

#: Told how far planning has come (0..1) and what it is at. It may raise
#: :class:`~app.engine.errors.PlanningCancelled`, which ends the planning.
Progress = Callable[[float, str], None]

#: Share of what is left of a stage that a heartbeat moves on by: how long a search
#: takes isn't known before.
_STRIDE: Final = 0.02


@dataclass
class Pace:
    """Tells progress as planning goes on; it only grows.

    Only the thread that it was made in tells; to others it says when to stop.
    """

    on_progress: Progress
    _at: float = field(default=0.0)
    _until: float = field(default=0.0)
    _stage: str = field(default="")
    _teller: int = field(default_factory=get_ident)
    _stopped: bool = field(default=False)

    def enter(self, stage: str, until: float) -> None:
        """Begin a stage that ends at a share (0..1) of the whole."""
        self._stage, self._at = stage, max(self._at, self._until)
        self._until = max(self._at, until)
        self._tell()

    def beat(self) -> None:
        """Say that planning goes on.

        Raises
        ------
        PlanningCancelled
            In any other thread, once it has been asked to stop or that one was interrupted.
        """
        if get_ident() == self._teller:
            self._at += _STRIDE * (self._until - self._at)
            self._tell()
        elif self._stopped or is_told_to_stop():
            raise PlanningCancelled

    def _tell(self) -> None:
        try:
            self.on_progress(self._at, self._stage)
        except BaseException:
            self._stopped = True
            raise
