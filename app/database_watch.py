"""Watchdog that ends requests which wait for a hanging database.

A hanging server keeps its connections open, so a wait would never end: the server enforces the
statement timeout, and its kernel still acknowledges TCP segments.
"""

import logging
import os
import socket
import struct
import threading
import time
from contextlib import suppress
from typing import Any, Final

import psycopg
from sqlalchemy import Engine, event
from sqlalchemy.exc import TimeoutError as PoolExhausted
from sqlalchemy.pool import ConnectionPoolEntry

logger = logging.getLogger(__name__)

#: Time in use after which a connection is suspect and the database is probed [s].
_SUSPECT_AFTER_S: Final = 1.5
#: Interval of the checks [s].
_EVERY_S: Final = 0.5
#: Timeout of the probe [s].
_ANSWERS_WITHIN_S: Final = 2.0
#: Request for encryption, which a server answers with one byte (PostgreSQL 17, 53.7 SSLRequest).
_SSL_REQUEST: Final = struct.pack("!ii", 8, 80877103)


class DatabaseWatch:
    """Watchdog of an engine's connections.

    If connections are in use for long and the database does not answer a probe, they are closed,
    which ends their requests with an error. New connections are refused until it answers again.
    """

    def __init__(self, engine: Engine) -> None:
        self._address: tuple[str, int] = ("", 0)
        self._in_use: dict[ConnectionPoolEntry, tuple[psycopg.Connection[Any], float]] = {}
        self._lock = threading.Lock()
        self._process = 0
        self.hangs = False
        event.listen(engine, "do_connect", self._refuse_while_hanging)
        event.listen(engine, "checkout", self._note)
        event.listen(engine, "checkin", self._forget)

    def _refuse_while_hanging(self, *_connecting: object) -> None:
        if self.hangs:
            raise PoolExhausted("the database does not answer")

    def _note(self, connection: Any, entry: ConnectionPoolEntry, _proxy: object) -> None:
        if self._process != os.getpid():
            self._begin()
        self._refuse_while_hanging()
        with self._lock:
            self._in_use[entry] = (connection, time.monotonic())

    def _forget(self, _connection: Any, entry: ConnectionPoolEntry) -> None:
        with self._lock:
            self._in_use.pop(entry, None)

    def _begin(self) -> None:
        """Start the watching thread; each process needs its own, as forks inherit none."""
        with self._lock:
            if self._process == os.getpid():
                return
            self._process = os.getpid()
            self._in_use.clear()
        threading.Thread(target=self._watch, name="database-watch", daemon=True).start()

    def _watch(self) -> None:
        while True:
            time.sleep(_EVERY_S)
            if not self._finds_suspect() and not self.hangs:
                continue
            is_silent = not self._answers()
            if is_silent and not self.hangs:
                logger.error("the database does not answer; requests that need it are refused")
            if self.hangs and not is_silent:
                logger.warning("the database answers again")
            self.hangs = is_silent
            if is_silent:
                self._cut()

    def _finds_suspect(self) -> bool:
        """Return whether a connection is suspect, and store its server's address."""
        for connection in self._list_suspects():
            with suppress(psycopg.Error):  # closed meanwhile
                self._address = (connection.info.host, connection.info.port)
                return True
        return False

    def _list_suspects(self) -> list[psycopg.Connection[Any]]:
        since = time.monotonic() - _SUSPECT_AFTER_S
        with self._lock:
            return [connection for connection, begun in self._in_use.values() if begun < since]

    def _answers(self) -> bool:
        """Return whether the server of the suspect connection answers a probe.

        The probe opens no database session, which might time out in a busy process.
        """
        host, port = self._address
        try:
            with _dial(host, port) as wire:
                wire.sendall(_SSL_REQUEST)
                wire.recv(1)
        except TimeoutError:
            return False
        except OSError:
            pass  # it is unreachable, and requests fail by themselves
        return True

    def _cut(self) -> None:
        for connection in self._list_suspects():
            # closed meanwhile, by this side or the other
            with (
                suppress(psycopg.Error, OSError),
                socket.socket(fileno=os.dup(connection.fileno())) as wire,
            ):
                wire.shutdown(socket.SHUT_RDWR)


def _dial(host: str, port: int) -> socket.socket:
    if not host.startswith("/"):
        return socket.create_connection((host, port), _ANSWERS_WITHIN_S)
    wire = socket.socket(socket.AF_UNIX)
    wire.settimeout(_ANSWERS_WITHIN_S)
    wire.connect(f"{host}/.s.PGSQL.{port}")
    return wire
