"""Requests that wait for the next state or event, without holding a connection or every thread.

A waiting request looks at the state in short transactions and sleeps between them. It keeps
its thread, so a process lets no more than :data:`MOST_WAITING` wait at once, and has that many
threads more than it needs for the others; whoever comes beyond them is answered at once.
"""

import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

from flask import Flask, current_app, g

from app.models import ACTIVE
from app.services.chartings.chartings import ChartingView

#: Requests of one process that may wait at the same time.
MOST_WAITING: Final = 8
#: The longest that a request may wait [s].
LONGEST_WAIT_S: Final = 30
#: Between two looks at the state [s].
STEP_S: Final = 0.5


class Later(Exception):
    """Asks for a request to be run again, in a transaction of its own, in so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class _Wait:
    """A request that waits: until when [s, monotonic], and for another state than which."""

    ends_at: float
    state: Hashable


def init_app(app: Flask) -> None:
    """Count who waits in this process."""
    app.extensions["waiting_slots"] = threading.BoundedSemaphore(MOST_WAITING)
    app.teardown_request(_free)


def wait_for_change(view: ChartingView, longest_s: int) -> None:
    """Raise :class:`Later` while the charting is active, unchanged, and time is left."""
    state = (view.state.revision, str(view.state.status))
    if view.state.status in ACTIVE:
        wait_while_unchanged(state, longest_s)


def wait_while_unchanged(state: Hashable, longest_s: int) -> None:
    """Raise :class:`Later` while a state is what it was at first, and time is left."""
    wait: _Wait | None = g.get("wait")
    if wait is None:
        if not _slots().acquire(blocking=False):
            return
        wait = g.wait = _Wait(time.monotonic() + longest_s, state)
    left_s = wait.ends_at - time.monotonic()
    if state == wait.state and left_s > 0:
        raise Later(min(STEP_S, left_s))


def _free(_error: BaseException | None) -> None:
    if g.pop("wait", None) is not None:
        _slots().release()


def _slots() -> threading.BoundedSemaphore:
    slots: threading.BoundedSemaphore = current_app.extensions["waiting_slots"]
    return slots
