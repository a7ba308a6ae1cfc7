"""Progress reports of a calibration, through which it can be cancelled."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

#: Share of the rest of a stage by which a tick advances; the number of ticks is not known before.
_STRIDE: Final = 0.02


#: Reports that work continues; may raise.
Tick = Callable[[], None]


def no_tick() -> None:
    """Ignore a tick."""


def no_progress(fraction: float, stage: str) -> None:
    """Ignore a progress report."""


@dataclass
class Progress:
    """Reporter of the fraction done (0..1), which never decreases, and the stage.

    ``on_progress`` may raise, which ends the calibration.
    """

    on_progress: Callable[[float, str], None] = no_progress
    _at: float = 0.0
    _until: float = 0.0
    _stage: str = ""

    def stage(self, stage: str, until: float) -> None:
        """Begin a stage that ends at a fraction (0..1) of the whole."""
        self._stage, self._at, self._until = stage, self._until, until
        self.on_progress(self._at, stage)

    def tick(self) -> None:
        """Report that the stage continues."""
        self._at += _STRIDE * (self._until - self._at)
        self.on_progress(self._at, self._stage)
