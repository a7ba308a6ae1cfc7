"""Channel through which a worker sends successive jobs to the same work-horse."""

import json
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, TypeAlias

#: Message that identifies a job to a work-horse.
Task: TypeAlias = Mapping[str, str]

_DONE: Final = b"done"
_TAKEN: Final = b"taken"
_LONGEST_MESSAGE: Final = 4096
#: Timeout for an idle work-horse to accept a job; a hanging one never does [s].
_TAKES_WITHIN_S: Final = 10.0


class HorseChannel:
    """Two connected sockets: after the fork the worker keeps one and the work-horse the other.

    The end of a process closes its socket, which the other process notices at once.
    """

    def __init__(self) -> None:
        # this socket type keeps message boundaries, so that each message is received whole
        self._worker, self._horse = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def become_worker(self) -> None:
        """Close the work-horse's end."""
        self._horse.close()

    def become_horse(self) -> None:
        """Close the worker's end."""
        self._worker.close()

    def close(self) -> None:
        """Close both ends."""
        self._worker.close()
        self._horse.close()

    def wait_for_end(self) -> bool:
        """Wait for the end of a job; return whether the work-horse waits for the next one.

        It may be interrupted at any point and called again, as it consumes no message.
        """
        try:
            return self._worker.recv(_LONGEST_MESSAGE, socket.MSG_PEEK) == _DONE
        except OSError:
            return False

    def hand_over(self, task: Task) -> bool:
        """Send a job to the waiting work-horse; return whether it has accepted the job."""
        try:
            self._worker.recv(_LONGEST_MESSAGE)  # the end of the previous job, not yet consumed
            self._worker.settimeout(_TAKES_WITHIN_S)
            self._worker.send(json.dumps(task).encode())
            is_taken = self._worker.recv(_LONGEST_MESSAGE) == _TAKEN
            self._worker.settimeout(None)
        except OSError:
            return False
        return is_taken

    def say_done(self) -> None:
        """Notify the worker that a job has ended and the next one may be sent."""
        with suppress(OSError):  # the worker has ended
            self._horse.send(_DONE)

    def take_over(self, within_s: float) -> Task | None:
        """Receive the next job; ``None`` if none arrives in time or the worker has ended."""
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
