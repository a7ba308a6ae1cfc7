"""Limit of the time that a block of a job may take."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

#: Interval at which the exception is raised again, in case a library ignores it [s].
_AGAIN_S: Final = 5.0


class TimeExceeded(Exception):
    """A block took longer than it may."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise :class:`TimeExceeded` in a block that takes longer; only in the main thread.

    It interrupts a read that makes progress too slowly for any timeout of its own. The limit of
    the job around the block, which RQ sets by the same signal, stays in force.
    """

    def stop(*_: object) -> None:
        raise TimeExceeded(f"it took longer than {seconds / 60.0:.0f} minutes")

    began = time.monotonic()
    before = signal.signal(signal.SIGALRM, stop)
    job_s, _ = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S)
    try:
        yield
    finally:
        left_s = max(job_s - (time.monotonic() - began), 0.001) if job_s else 0.0
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, left_s)
