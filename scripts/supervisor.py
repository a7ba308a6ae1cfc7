"""Keep a group of processes running, and stop them together."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from local_processes import Account, spawn, tail

RESTARTS_IN_A_ROW = 5  # more within a minute is a persistent error
RESTART_WINDOW_S = 60.0
STOP_PATIENCE_S = 6.0
NUDGE_AFTER_S = 1.0
MARK_VARIABLE = "CHARTROOM_PROCESS"


class Unstable(RuntimeError):
    """A process ends repeatedly."""


@dataclass
class Member:
    """One process of the group, with its command and the times of its ends.

    With `leave_children`, children of an ended process continue: a job finishes without its
    worker. `variables` are added to the common environment.
    """

    name: str
    command: Sequence[str]
    log: Path
    leave_children: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    ends: deque[float] = field(default_factory=deque)

    def start(self, environment: Mapping[str, str], cwd: Path, account: Account | None) -> None:
        """Start the process; it ends with this one."""
        self.process = spawn(self.command, log=self.log, env=environment, cwd=cwd, account=account)

    @property
    def has_ended(self) -> bool:
        """Return whether the process was started and has ended."""
        return self.process is not None and self.process.poll() is not None

    def note_end(self) -> None:
        """Count an unexpected end. Raises Unstable if there are too many."""
        now = time.monotonic()
        self.ends.append(now)
        while now - self.ends[0] > RESTART_WINDOW_S:
            self.ends.popleft()
        if len(self.ends) > RESTARTS_IN_A_ROW:
            raise Unstable(
                f"{self.name} ended {len(self.ends)} times within a minute; "
                f"{self.log} ends:\n{tail(self.log, 15)}"
            )


class Supervisor:
    """Keep members running until they are stopped, as `account` if one is given."""

    def __init__(
        self,
        environment: Mapping[str, str],
        cwd: Path,
        say: Callable[[str], None],
        account: Account | None = None,
    ) -> None:
        self.members: list[Member] = []
        self.environment = environment
        self.cwd = cwd
        self.say = say
        self.account = account
        self.mark = secrets.token_hex(8)

    def start(self, *members: Member) -> None:
        """Start members and keep them running from now on."""
        for member in members:
            self.members.append(member)
            self._start(member)

    def _start(self, member: Member) -> None:
        marked = {MARK_VARIABLE: self._mark_of(member.name)}
        member.start({**self.environment, **member.variables, **marked}, self.cwd, self.account)

    def tend(self) -> None:
        """Restart members that ended unexpectedly. Raises Unstable if that happens too often."""
        for member in self.members:
            if member.has_ended and member.process is not None:
                if not member.leave_children:
                    self.kill(member.name)
                member.note_end()
                self.say(f"{member.name} ended ({member.process.returncode}); started again")
                self._start(member)

    def kill(self, name: str) -> None:
        """Kill the member of this name and its children."""
        kill_marked(self._mark_of(name))

    def _mark_of(self, name: str) -> str:
        # the last colon, because one name may begin with another: web, webhooks
        return f"{self.mark}:{name}:"

    def stop(self) -> None:
        """Stop every member and its children: by signal, by a second signal, then by kill."""
        running = [m.process for m in self.members if m.process is not None]
        started = time.monotonic()
        _signal(running, signal.SIGTERM)
        # a worker stops after its job on the first signal, and at once on the second; the job is
        # not lost, but continues at the next start
        is_nudged = False
        while any(process.poll() is None for process in running):
            waited = time.monotonic() - started
            if waited > NUDGE_AFTER_S and not is_nudged:
                _signal(running, signal.SIGTERM)
                is_nudged = True
            if waited > STOP_PATIENCE_S:
                break
            time.sleep(0.05)
        kill_marked(self.mark)
        for process in running:
            process.wait()


def _signal(processes: Sequence[subprocess.Popen[bytes]], sig: signal.Signals) -> None:
    for process in processes:
        if process.poll() is None:
            process.send_signal(sig)


def kill_marked(mark: str) -> None:
    """Kill every process whose environment has a mark that begins with `mark`.

    Children inherit the mark even if they leave the process group, as jobs do. Unlike the number
    of a group or session it is never reused.
    """
    wanted = f"{MARK_VARIABLE}={mark}".encode()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            variables = (entry / "environ").read_bytes().split(b"\0")
            if any(variable.startswith(wanted) for variable in variables):
                os.kill(int(entry.name), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
