"""Private PostGIS and Redis of this project, in one directory.

    local_services.py run --dir DIR [--throwaway] -- COMMAND …
    local_services.py start | status | stop | remove --dir DIR

`run` starts both, runs COMMAND with DATABASE_URL and REDIS_URL set, and stops both. If `start` has
started them before, `run` uses them and leaves them running. Both servers listen on loopback only,
on free ports, with random passwords in DIR/services.json (0600).
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn

from local_postgres import PostgresCluster
from local_processes import (
    PR_SET_PDEATHSIG,
    ProcessMark,
    ServiceError,
    await_free_port,
    can_reach,
    read_record,
    service_account,
    write_private,
)
from local_redis import RedisServer
from local_server import LocalServer

FALLBACK_HOME = Path("/var/lib/chartroom")
SERVERS = ("postgres", "redis")  # in the order in which they start
VARIABLES = {"postgres": "DATABASE_URL", "redis": "REDIS_URL"}
KINDS: dict[str, type[LocalServer]] = {"postgres": PostgresCluster, "redis": RedisServer}
SI_KERNEL = 0x80  # siginfo.h: the terminal's Ctrl-C, which COMMAND has received too


class LocalServices:
    """The servers of one directory, and the record of their addresses and processes."""

    def __init__(
        self, directory: Path, *, throwaway: bool = False, names: Collection[str] = SERVERS
    ) -> None:
        self.names = [name for name in SERVERS if name in names]
        self.directory = directory.resolve()
        self.record_path = self.directory / "services.json"
        self.throwaway = throwaway
        self.record: dict[str, Any] = {}

    def start(self, *, tied: bool) -> None:
        """Start the servers; `tied` ones end with this process. Raises ServiceError."""
        self.directory.mkdir(parents=True, exist_ok=True)
        self.stop()  # servers left by a killed process
        for name, server in self._servers().items():
            settings = self.record.setdefault(name, {})
            mark, _ = server.start(settings, tied=tied)
            settings |= {"process": mark.as_record(), "tied": tied}
            self._save()

    def tend(self) -> list[str]:
        """Restart each server that has ended unexpectedly, on its port; return their names.

        Raises ServiceError if its port is taken.
        """
        ended = [name for name, is_up in self.running().items() if not is_up]
        for name in ended:
            settings = self.record[name]
            address = settings["port"]
            await_free_port(address)
            mark, port = self._servers()[name].start(settings, tied=settings["tied"])
            settings["process"] = mark.as_record()
            self._save()
            if port != address:
                raise ServiceError(f"{name} ended, and another program has taken its port")
        return ended

    def stop(self) -> None:
        """Stop the servers that run."""
        self.record = read_record(self.record_path)
        for name in reversed(self.names):
            mark = self._mark(name)
            if mark is not None:
                KINDS[name].stop(mark)

    def remove(self) -> None:
        """Stop the servers and delete all their data."""
        self.stop()
        for home in map(self._home, self.names):
            shutil.rmtree(home, ignore_errors=True)
            home.with_name(f"{home.name}.log").unlink(missing_ok=True)
        self.record_path.unlink(missing_ok=True)

    def running(self) -> dict[str, bool]:
        """Return which of the servers run."""
        self.record = read_record(self.record_path)
        marks = {name: self._mark(name) for name in self.names}
        return {name: mark is not None and mark.is_alive for name, mark in marks.items()}

    def stand_alone(self) -> bool:
        """Return whether both run independently of a process, and so may be used by any."""
        return all(self.running().values()) and not any(
            self.record[name]["tied"] for name in self.names
        )

    def environment(self) -> dict[str, str]:
        """Return the servers' addresses as the project's environment variables."""
        return {
            VARIABLES[name]: server.url(self.record[name])
            for name, server in self._servers().items()
        }

    def _servers(self) -> dict[str, LocalServer]:
        return {
            name: KINDS[name](self._home(name), service_account(name), throwaway=self.throwaway)
            for name in self.names
        }

    def _home(self, name: str) -> Path:
        if can_reach(service_account(name), self.directory):
            return self.directory / name
        # for example under a private home directory, whose rights are not changed
        key = hashlib.sha256(str(self.directory).encode()).hexdigest()[:16]
        home = FALLBACK_HOME / key / name
        if not home.parent.exists():
            say(f"the account {name!r} can't reach {self.directory}; data goes to {home.parent}")
            home.parent.mkdir(parents=True, mode=0o711)
        return home

    def _mark(self, name: str) -> ProcessMark | None:
        return ProcessMark.from_record(self.record.get(name, {}).get("process"))

    def _save(self) -> None:
        write_private(self.record_path, json.dumps(self.record, indent=2) + "\n")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the directory; the lock ends with the process in any case."""
        self.directory.mkdir(parents=True, exist_ok=True)
        with (self.directory / "services.lock").open("a+") as lock:
            take_lock(lock, self.directory)
            yield

    @contextmanager
    def tied(self) -> Iterator[dict[str, str]]:
        """Run the servers until the block ends; give their addresses as variables."""
        with self.held():
            try:
                self.start(tied=True)
                yield self.environment()
            finally:
                self.stop()


def take_lock(lock: IO[str], directory: Path) -> None:
    """Take the directory's lock, or raise ServiceError with the process that has it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        holder = lock.read().strip() or "unknown"
        raise ServiceError(f"{directory} is in use by process {holder}") from None
    lock.truncate(0)
    lock.write(f"{os.getpid()}\n")
    lock.flush()


def run_command(command: Sequence[str], environment: dict[str, str]) -> int:
    """Run `command` in the foreground, forward signals, and return its exit status.

    Ctrl-C at the terminal reaches the command by itself; the same signal sent to this process
    alone is forwarded.
    """
    watched = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    libc = ctypes.CDLL(None)

    def in_child() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, watched)
        libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)

    try:
        process = subprocess.Popen(command, env=os.environ | environment, preexec_fn=in_child)
    except OSError as error:
        raise ServiceError(f"{command[0]}: {error.strerror}") from None
    while process.poll() is None:
        received = signal.sigtimedwait(watched, 1.0)
        if received is None or received.si_signo == signal.SIGCHLD:
            continue
        if received.si_code != SI_KERNEL:
            process.send_signal(received.si_signo)
    # the signals stay blocked, so that a second Ctrl-C does not interrupt the servers' shutdown
    return 128 - process.returncode if process.returncode < 0 else process.returncode


def run(services: LocalServices, command: Sequence[str]) -> int:
    """Run `command` with both servers running; return its exit status."""
    if services.stand_alone():
        return run_command(command, services.environment())
    with services.tied() as environment:
        return run_command(command, environment)


def start(services: LocalServices) -> int:
    """Start both servers, leave them running, and print their addresses."""
    if not services.stand_alone():
        with services.held():
            services.start(tied=False)
    for key, value in services.environment().items():
        print(f"export {key}={value}")
    return 0


def status(services: LocalServices) -> int:
    """Print which servers run; return 0 if both do, otherwise 3, as init scripts do."""
    running = services.running()
    for name, is_up in running.items():
        print(f"{name}: {'running' if is_up else 'stopped'}")
    return 0 if all(running.values()) else 3


def say(text: str) -> None:
    """Print a message for the user."""
    print(text, file=sys.stderr, flush=True)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="private PostGIS and Redis of this project")
    actions = parser.add_subparsers(dest="action", required=True)
    for name in ("run", "start", "status", "stop", "remove"):
        action = actions.add_parser(name)
        action.add_argument("--dir", type=Path, required=True, help="their directory")
        if name in ("run", "start"):
            action.add_argument(
                "--throwaway", action="store_true", help="fast without durability, for tests"
            )
        if name == "run":
            action.add_argument("command", nargs="+", metavar="COMMAND")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit status."""
    asked = parse(arguments)
    services = LocalServices(asked.dir, throwaway=getattr(asked, "throwaway", False))
    try:
        if asked.action == "run":
            return run(services, asked.command)
        if asked.action in ("start", "status"):
            return {"start": start, "status": status}[asked.action](services)
        with services.held():
            {"stop": services.stop, "remove": services.remove}[asked.action]()
    except ServiceError as error:
        say(f"local services: {error}")
        return 1
    return 0


def run_as_script(main: Callable[[Sequence[str]], int]) -> NoReturn:
    """Exit with what `main` returns for the command line.

    SIGTERM and SIGHUP are handled like Ctrl-C, so that started processes are stopped.
    """
    for received in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(received, lambda number, _: sys.exit(128 + number))
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    run_as_script(main)
