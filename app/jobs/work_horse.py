"""Liveness of a work-horse, as its worker sees it from outside."""

from pathlib import Path
from typing import Final

#: Fields of ``/proc/PID/stat`` after the name in parentheses (proc_pid_stat(5)), from 0: the state,
#: and the clock ticks in user and kernel mode.
_STATE: Final = 0
_TICKS: Final = slice(11, 13)
_RUNNABLE: Final = "R"


class WorkHorse:
    """A process that is asked now and then whether it has worked since.

    A planning may keep all its threads from running for a long time, so that what it says of itself
    is no measure; a stopped or hung one uses no processor time.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._ticks = -1

    def has_worked(self) -> bool:
        """Return whether it used processor time since it was last asked, or waits to."""
        try:
            stat = Path(f"/proc/{self.pid}/stat").read_text()
        except OSError:
            return False
        fields = stat.rpartition(")")[2].split()
        ticks, before = sum(map(int, fields[_TICKS])), self._ticks
        self._ticks = ticks
        return ticks > before or fields[_STATE] == _RUNNABLE
