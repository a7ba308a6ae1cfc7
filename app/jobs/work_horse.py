"""Liveness check of a work-horse by its worker."""

from pathlib import Path
from typing import Final

#: Fields of ``/proc/PID/stat`` after the name in parentheses (proc_pid_stat(5)), from 0: the state,
#: and the clock ticks in user and kernel mode.
_STATE: Final = 0
_TICKS: Final = slice(11, 13)
_RUNNABLE: Final = "R"


class WorkHorse:
    """Liveness check of a process by its use of processor time.

    Planning may block all other Python threads for a long time, so that heartbeats of the process
    are no measure; a stopped or hanging process uses no processor time.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._ticks = -1

    def has_worked(self) -> bool:
        """Return whether the process used processor time since the last call, or is runnable."""
        try:
            stat = Path(f"/proc/{self.pid}/stat").read_text()
        except OSError:
            return False
        fields = stat.rpartition(")")[2].split()
        ticks, before = sum(map(int, fields[_TICKS])), self._ticks
        self._ticks = ticks
        return ticks > before or fields[_STATE] == _RUNNABLE
