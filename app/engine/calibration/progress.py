"""Progress of a calibration, reported often enough to cancel it at any time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

#: Share of what is left of a stage that a tick moves on by: how many there are isn't known before.
_STRIDE: Final = 0.02


#: Says that work goes on; may raise.
Tick = Callable[[], None]


def no_tick() -> None:
    """Report to nobody that work goes on."""


def no_progress(fraction: float, stage: str) -> None:
    """Report to nobody."""


@dataclass
class Progress:
    """Passes on the fraction done (0..1) and the stage; the fraction only grows.

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
        """Report that the stage goes on."""
        self._at += _STRIDE * (self._until - self._at)
        self.on_progress(self._at, self._stage)
