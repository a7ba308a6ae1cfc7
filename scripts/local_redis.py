"""A private Redis: loopback, password, unprivileged."""

from __future__ import annotations

import shutil
import signal
import socket
from typing import ClassVar

from local_processes import ServiceError, write_private
from local_server import LocalServer


class RedisServer(LocalServer):
    """One Redis under `home`."""

    title: ClassVar = "Redis"
    end_signal: ClassVar = signal.SIGTERM
    start_patience_s: ClassVar = 30.0
    stop_patience_s: ClassVar = 10.0

    def url(self, settings: dict[str, object]) -> str:
        """Return the server's address."""
        return f"redis://default:{settings['password']}@127.0.0.1:{settings['port']}/0"

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

    def command(self, port: int, password: str) -> list[str]:
        """Write the configuration, and return the command that reads it."""
        program = shutil.which("redis-server")
        if program is None:
            raise ServiceError("Redis is not installed (apt: redis-server)")
        configuration = self.home / "redis.conf"  # other users can see a command line
        write_private(configuration, self._configuration(port, password), self.account)
        return [program, str(configuration)]

    def answers(self, port: int, password: str) -> bool:
        """Return whether Redis accepts the password and has loaded its data."""
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
                connection.sendall(f"AUTH {password}\r\nPING\r\n".encode())
                reply = connection.recv(64)
                if reply.startswith(b"+OK\r\n") and len(reply) == len(b"+OK\r\n"):
                    reply += connection.recv(64)
        except OSError:
            return False
        return reply == b"+OK\r\n+PONG\r\n"
