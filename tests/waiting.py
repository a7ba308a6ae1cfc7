"""How tests wait: for conditions, with a patience that only what is broken uses up."""

import time
from collections.abc import Callable
from typing import Final

#: No machine is as busy as that: what has not come by now does not come [s].
PATIENCE_S: Final = 240.0


def wait_until(condition: Callable[[], object], what: str, every_s: float = 0.1) -> None:
    """Wait for a condition; say what did not come where it never comes true."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"after {PATIENCE_S:g} s: no {what}"
        time.sleep(every_s)
