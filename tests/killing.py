"""Kill processes as a loss of power or memory does."""

import os
import signal
from collections.abc import Iterable
from contextlib import suppress


def kill(pids: Iterable[int]) -> None:
    """Kill processes; one that has already ended is no error."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
