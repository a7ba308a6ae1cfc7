"""Lock for the machine's network interfaces: a change interrupts browsers' downloads."""

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOCK = Path(tempfile.gettempdir()) / "chartroom-tests-interfaces.lock"
#: Held by who waits for the lock, so that those who share it do not put a change off for ever.
_NEXT = _LOCK.with_suffix(".next")


@contextmanager
def interfaces(*, change: bool = False) -> Iterator[None]:
    """Hold a shared lock on the interfaces, or with ``change`` an exclusive one."""
    with _LOCK.open("a") as file:
        with _NEXT.open("a") as next_one:
            fcntl.flock(next_one, fcntl.LOCK_EX)
            fcntl.flock(file, fcntl.LOCK_EX if change else fcntl.LOCK_SH)
        yield
