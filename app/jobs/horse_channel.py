"""The channel by which a worker hands one job after another to the same work-horse."""

import json
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, TypeAlias

#: What names a job to a work-horse.
Task: TypeAlias = Mapping[str, str]

_DONE: Final = b"done"
_TAKEN: Final = b"taken"
_LONGEST_MESSAGE: Final = 4096
#: How long an idle work-horse may take to take a job [s]; one that is frozen never does.
_TAKES_WITHIN_S: Final = 10.0


class HorseChannel:
    """Two connected sockets: after the fork the worker keeps one and the work-horse the other.

    A process that ends closes its own, however it ends, and the other notices at once.
    """

    def __init__(self) -> None:
        # messages keep their bounds, so that each is received whole
        self._worker, self._horse = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def become_worker(self) -> None:
        """Keep the worker's end alone."""
        self._horse.close()

    def become_horse(self) -> None:
        """Keep the work-horse's end alone."""
        self._worker.close()

    def close(self) -> None:
        """Close both ends."""
        self._worker.close()
        self._horse.close()

    def wait_for_end(self) -> bool:
        """Wait for the end of a job; return whether the work-horse waits for the next one.

        May be interrupted at any point and called again: nothing is consumed here.
        """
        try:
            return self._worker.recv(_LONGEST_MESSAGE, socket.MSG_PEEK) == _DONE
        except OSError:
            return False

    def hand_over(self, task: Task) -> bool:
        """Hand a job to the work-horse that waits for one; return whether it has taken it."""
        try:
            self._worker.recv(_LONGEST_MESSAGE)  # the end of the job before, which was only seen
            self._worker.settimeout(_TAKES_WITHIN_S)
            self._worker.send(json.dumps(task).encode())
            is_taken = self._worker.recv(_LONGEST_MESSAGE) == _TAKEN
            self._worker.settimeout(None)
        except OSError:
            return False
        return is_taken

    def say_done(self) -> None:
        """Tell the worker that a job has ended and that the next may come."""
        with suppress(OSError):  # a worker that is gone has none
            self._horse.send(_DONE)

    def take_over(self, within_s: float) -> Task | None:
        """Take the next job; ``None`` where none comes in time, or the worker is gone."""
        self._horse.settimeout(within_s)
        try:
            message = self._horse.recv(_LONGEST_MESSAGE)
            if not message:
                return None
            self._horse.send(_TAKEN)
        except OSError:
            return None
        task: Task = json.loads(message)
        return task
