"""A private Redis: loopback, password, unprivileged."""

from __future__ import annotations

import secrets
import shutil
import signal
import socket
import time
from pathlib import Path

from local_processes import (
    Account,
    ProcessMark,
    ServiceError,
    free_port,
    own_directory,
    spawn,
    tail,
    write_private,
)

START_PATIENCE_S = 30.0
STOP_PATIENCE_S = 10.0
ATTEMPTS = 3


class RedisServer:
    """One Redis under `home`."""

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
        program = shutil.which("redis-server")
        if program is None:
            raise ServiceError("Redis is not installed (apt: redis-server)")
        own_directory(self.home, self.account)
        if not isinstance(settings.get("password"), str):
            settings["password"] = secrets.token_urlsafe(24)
        for _ in range(ATTEMPTS):
            remembered = settings.get("port")
            port = free_port(remembered if isinstance(remembered, int) else None)
            mark = self._launch(program, port, str(settings["password"]), tied=tied)
            if mark is not None:
                settings["port"] = port
                return mark, port
            settings.pop("port", None)
        raise ServiceError(f"Redis does not start; {self.log} ends:\n{tail(self.log)}")

    def url(self, settings: dict[str, object]) -> str:
        """Return the server's address."""
        return f"redis://default:{settings['password']}@127.0.0.1:{settings['port']}/0"

    @staticmethod
    def stop(mark: ProcessMark) -> None:
        """Stop a server, which first writes its data."""
        mark.stop(signal.SIGTERM, STOP_PATIENCE_S)

    def _configuration(self, port: int, password: str) -> str:
        # jobs must survive a restart, except those of tests
        keep = (
            ["appendonly no", 'save ""']
            if self.throwaway
            else ["appendonly yes", "appendfsync everysec"]
        )
        lines = [
            "bind 127.0.0.1",
            f"port {port}",
            f"requirepass {password}",
            f'dir "{self.home}"',
            "daemonize no",
            "maxmemory-policy noeviction",
            *keep,
        ]
        return "\n".join(lines) + "\n"

    def _launch(self, program: str, port: int, password: str, *, tied: bool) -> ProcessMark | None:
        configuration = self.home / "redis.conf"  # other users can see a command line
        write_private(configuration, self._configuration(port, password), self.account)
        process = spawn(
            [program, str(configuration)],
            log=self.log,
            account=self.account,
            cwd=self.home,
            death_signal=signal.SIGTERM if tied else None,
        )
        mark = ProcessMark.of(process.pid)
        end = time.monotonic() + START_PATIENCE_S
        while time.monotonic() < end:
            if process.poll() is not None:
                return None
            if answers(port, password):
                return mark
            time.sleep(0.03)
        self.stop(mark)
        return None


def answers(port: int, password: str) -> bool:
    """Return whether Redis on loopback accepts the password and has loaded its data."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(f"AUTH {password}\r\nPING\r\n".encode())
            reply = connection.recv(64)
            if reply.startswith(b"+OK\r\n") and len(reply) == len(b"+OK\r\n"):
                reply += connection.recv(64)
    except OSError:
        return False
    return reply == b"+OK\r\n+PONG\r\n"
