"""Start, identify and stop processes without affecting those of others.

Uses the standard library only, because these scripts run before anything is installed.
"""

from __future__ import annotations

import ctypes
import json
import os
import pwd
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1  # linux/prctl.h
_libc = ctypes.CDLL(None, use_errno=True)
_children: dict[int, subprocess.Popen[bytes]] = {}  # by pid, until their exit is collected


class ServiceError(RuntimeError):
    """A service cannot be started or stopped; the message is for the user."""


@dataclass(frozen=True)
class Account:
    """A system account that a service runs as."""

    name: str
    uid: int
    gid: int

    @property
    def is_current(self) -> bool:
        """Return whether this process already runs as the account."""
        return self.uid == os.geteuid()


def current_account() -> Account:
    """Return the account that this process runs as."""
    own = pwd.getpwuid(os.geteuid())
    return Account(own.pw_name, own.pw_uid, own.pw_gid)


def service_account(name: str) -> Account:
    """Return the account of a service: the current one, or `name` for root.

    Raises ServiceError if this process is root and the account does not exist.
    """
    if os.geteuid() != 0:
        return current_account()
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise ServiceError(f"the account {name!r} is missing; its package creates it") from None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def can_reach(account: Account, directory: Path) -> bool:
    """Return whether `account` may pass through every existing directory down to `directory`."""
    if account.is_current:
        return True
    groups = set(os.getgrouplist(account.name, account.gid))
    for step in [*reversed(directory.parents), directory]:
        if not step.exists():
            continue
        status = step.stat()
        bit = 0o001
        if status.st_uid == account.uid:
            bit = 0o100
        elif status.st_gid in groups:
            bit = 0o010
        if not status.st_mode & bit:
            return False
    return True


def own_directory(path: Path, account: Account) -> None:
    """Create directory `path`, which only `account` may enter."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not account.is_current:
        os.chown(path, account.uid, account.gid)
    path.chmod(0o700)


def write_private(path: Path, text: str, account: Account | None = None) -> None:
    """Replace the contents of `path` atomically, readable by its owner only."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(text)
    if account is not None and not account.is_current:
        os.chown(draft, account.uid, account.gid)
    draft.replace(path)


def read_record(path: Path) -> dict[str, Any]:
    """Read a JSON object; return an empty one if the file is missing or damaged."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def started_at(pid: int) -> int | None:
    """Return the start of a live process in clock ticks since boot; None if it has ended.

    A pid is reused; pid and start together identify a process.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(")")[2].split()  # the command before ")" may contain spaces
    return None if fields[0] in "ZX" else int(fields[19])


@dataclass(frozen=True)
class ProcessMark:
    """Unique identity of a process on this machine until the next boot."""

    pid: int
    ticks: int

    @classmethod
    def of(cls, pid: int) -> ProcessMark:
        """Mark a live process; a dead one gets a mark that is never alive."""
        ticks = started_at(pid)
        return cls(pid, -1 if ticks is None else ticks)

    @classmethod
    def from_record(cls, record: Any) -> ProcessMark | None:
        """Read a mark back from JSON; None when there is none."""
        if not isinstance(record, dict) or not {"pid", "ticks"} <= record.keys():
            return None
        return cls(int(record["pid"]), int(record["ticks"]))

    @property
    def is_alive(self) -> bool:
        """Return whether the process still runs."""
        return started_at(self.pid) == self.ticks

    def as_record(self) -> dict[str, int]:
        """Return the mark as a JSON object."""
        return {"pid": self.pid, "ticks": self.ticks}

    def stop(self, sig: signal.Signals, patience_s: float) -> None:
        """Send `sig`, wait for the end, and kill the process after `patience_s`."""
        for attempt in (sig, signal.SIGKILL):
            if self.is_alive:
                with suppress(ProcessLookupError):
                    os.kill(self.pid, attempt)
            if self.wait(patience_s):
                return

    def wait(self, patience_s: float) -> bool:
        """Wait until the process has ended; return False after `patience_s`."""
        end = time.monotonic() + patience_s
        while self.is_alive:
            if time.monotonic() > end:
                return False
            reap(self.pid)
            time.sleep(0.02)
        reap(self.pid)
        return True


def reap(pid: int) -> None:
    """Collect the exit status of a spawned process that has ended."""
    child = _children.get(pid)
    if child is not None and child.poll() is not None:
        del _children[pid]


def free_port(wanted: int | None = None) -> int:
    """Return a free TCP port on loopback: `wanted` if it is free, otherwise any."""
    for port in filter(None, (wanted, None)):
        if port_is_free(port):
            return port
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def port_is_free(port: int, host: str = "127.0.0.1") -> bool:
    """Return whether a server could listen on `port` now."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        # as servers do: a port with connections in TIME_WAIT is free
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def await_free_port(port: int, patience_s: float = 5.0) -> None:
    """Wait until a port is free; the last thread of a killed server may still hold it."""
    end = time.monotonic() + patience_s
    while not port_is_free(port) and time.monotonic() < end:
        time.sleep(0.02)


def spawn(
    command: Sequence[str],
    *,
    log: Path,
    account: Account | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    death_signal: signal.Signals | None = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Start a server in its own session and append its output to `log`.

    In its own session Ctrl-C does not reach it before its clients have stopped. The kernel sends
    it `death_signal` if this process dies; with None it continues to run.
    """
    parent = os.getpid()

    def in_child() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, set())
        if death_signal is not None:
            _libc.prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)

    switch = account is not None and not account.is_current
    with log.open("ab") as sink:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=None if env is None else dict(env),
            cwd=cwd,
            start_new_session=True,
            preexec_fn=in_child,  # prctl works only in the child itself
            user=account.uid if account is not None and switch else None,
            group=account.gid if account is not None and switch else None,
            extra_groups=[] if switch else None,
        )
    _children[process.pid] = process
    return process


def tail(log: Path, lines: int = 8) -> str:
    """Return the last lines of a log, for a message."""
    if not log.exists():
        return "(no log)"
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
