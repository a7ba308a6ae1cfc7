"""Waiting of tests for conditions, with a limit that only a broken test reaches."""

import time
from collections.abc import Callable
from typing import Final

#: Longest wait, more than the busiest machine needs [s].
PATIENCE_S: Final = 240.0


def wait_until(condition: Callable[[], object], what: str, every_s: float = 0.1) -> None:
    """Wait for a condition; fail with ``what`` if it does not become true in time."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"no {what} within {PATIENCE_S:g} s"
        time.sleep(every_s)
