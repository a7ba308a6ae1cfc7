"""Processes killed as a machine kills them that loses power or runs out of memory."""

import os
import signal
from collections.abc import Iterable
from contextlib import suppress


def kill(pids: Iterable[int]) -> None:
    """Kill processes; one that has just ended by itself is as dead as it should be."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
