"""The machine's network interfaces: browsers drop what they load when these change."""

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOCK = Path(tempfile.gettempdir()) / "chartroom-tests-interfaces.lock"


@contextmanager
def interfaces(*, change: bool = False) -> Iterator[None]:
    """Keep the interfaces as they are, with others who do; or change them while nobody does."""
    with _LOCK.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX if change else fcntl.LOCK_SH)
        yield
