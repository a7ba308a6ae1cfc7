"""Lock for the machine's network interfaces: a change interrupts browsers' downloads."""

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_LOCK = Path(tempfile.gettempdir()) / "chartroom-tests-interfaces.lock"
#: Held by who waits for the lock, so that those who share it do not put a change off for ever.
_NEXT = _LOCK.with_suffix(".next")
#: Modes in which this process holds the lock, the first one taken first.
_held: list[int] = []


@contextmanager
def interfaces(*, change: bool = False) -> Iterator[None]:
    """Hold a shared lock on the interfaces, or with ``change`` an exclusive one."""
    mode = fcntl.LOCK_EX if change else fcntl.LOCK_SH
    with _LOCK.open("a") as file:
        # who shares it already must not wait for one who waits for them
        if mode not in _held:
            _wait(file, mode)
        _held.append(mode)
        try:
            yield
        finally:
            _held.remove(mode)


def _wait(file: IO[str], mode: int) -> None:
    """Wait for the lock, after those who came before."""
    with _NEXT.open("a") as next_one:
        fcntl.flock(next_one, fcntl.LOCK_EX)
        fcntl.flock(file, mode)
