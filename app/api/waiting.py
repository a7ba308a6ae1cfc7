"""Long polling: requests that wait for the next state or event.

A waiting request reads the state in short transactions and sleeps between them, so it holds no
database connection. It holds its thread: a process therefore lets at most :data:`MOST_WAITING`
requests wait, and has that many threads more than it needs otherwise. Further requests get their
response at once.
"""

import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

from flask import Flask, current_app, g

from app.models import ACTIVE
from app.services.chartings.charting_search import ChartingView

#: Requests that may wait in one process at the same time.
MOST_WAITING: Final = 8
#: Longest time that a request may wait [s].
LONGEST_WAIT_S: Final = 30
#: Time between two reads of the state [s].
STEP_S: Final = 0.5


class Later(Exception):
    """Signal to run a request again after some seconds, in a new transaction."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class _Wait:
    """End of a request's wait [s, monotonic], and the state that it has seen."""

    ends_at: float
    state: Hashable


def init_app(app: Flask) -> None:
    """Limit the number of waiting requests in this process."""
    app.extensions["waiting_slots"] = threading.BoundedSemaphore(MOST_WAITING)
    app.teardown_request(_free)


def wait_for_change(view: ChartingView, longest_s: int) -> None:
    """Raise :class:`Later` while the charting is active and unchanged, and time is left."""
    state = (view.state.revision, str(view.state.status))
    if view.state.status in ACTIVE:
        wait_while_unchanged(state, longest_s)


def wait_while_unchanged(state: Hashable, longest_s: int) -> None:
    """Raise :class:`Later` while a state is unchanged and time is left."""
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
