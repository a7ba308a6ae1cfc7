"""A private server of this project: loopback, password, unprivileged."""

from __future__ import annotations

import secrets
import signal
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

from local_processes import (
    Account,
    ProcessMark,
    ServiceError,
    free_port,
    own_directory,
    spawn,
    tail,
)

ATTEMPTS = 3  # another process may take the port before the server does


class LocalServer(ABC):
    """One server under `home`."""

    title: ClassVar[str]
    #: What ends it once its sessions have ended and its data are written.
    end_signal: ClassVar[signal.Signals]
    start_patience_s: ClassVar[float]
    stop_patience_s: ClassVar[float]

    def __init__(self, home: Path, account: Account, *, throwaway: bool = False) -> None:
        self.home = home
        self.account = account
        self.throwaway = throwaway
        self.log = home.with_name(f"{home.name}.log")

    def start(self, settings: dict[str, object], *, tied: bool) -> tuple[ProcessMark, int]:
        """Start the server and wait until it answers; return its process and port.

        `settings` keeps password and port for the next start. A `tied` server ends with this
        process. Raises ServiceError with the end of the log if the server does not start.
        """
        own_directory(self.home, self.account)
        kept = settings.get("password")
        password = kept if isinstance(kept, str) else secrets.token_urlsafe(24)
        self.prepare(None if kept == password else password)
        settings["password"] = password
        for _ in range(ATTEMPTS):
            remembered = settings.get("port")
            port = free_port(remembered if isinstance(remembered, int) else None)
            mark = self._launch(port, password, tied=tied)
            if mark is not None:
                settings["port"] = port
                return mark, port
            settings.pop("port", None)
        raise ServiceError(f"{self.title} does not start; {self.log} ends:\n{tail(self.log)}")

    @classmethod
    def stop(cls, mark: ProcessMark) -> None:
        """Stop a server, which first writes its data."""
        mark.stop(cls.end_signal, cls.stop_patience_s)

    def _launch(self, port: int, password: str, *, tied: bool) -> ProcessMark | None:
        process = spawn(
            self.command(port, password),
            log=self.log,
            account=self.account,
            cwd=self.home,
            death_signal=self.end_signal if tied else None,
        )
        mark = ProcessMark.of(process.pid)
        end = time.monotonic() + self.start_patience_s
        while time.monotonic() < end:
            if process.poll() is not None:
                time.sleep(0.5)  # a killed server's children release its shared memory
                return None
            if self.answers(port, password):
                return mark
            time.sleep(0.03)
        self.stop(mark)
        return None

    def prepare(self, new_password: str | None) -> None:  # noqa: B027 (not every server needs it)
        """Make the data ready; with a password if a new one is to be set."""

    @abstractmethod
    def url(self, settings: dict[str, object]) -> str:
        """Return the server's address, with the login of the project."""

    @abstractmethod
    def command(self, port: int, password: str) -> list[str]:
        """Return the command that runs the server."""

    @abstractmethod
    def answers(self, port: int, password: str) -> bool:
        """Return whether the server answers on loopback."""
