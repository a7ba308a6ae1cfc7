"""Client of a TCP feed of AIS sentences, which stores the received positions."""

import logging
import socket
import time
from collections.abc import Iterator
from typing import Final
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError

from app.datasources.nmea import read_positions
from app.models import utc_now
from app.services.errors import ServiceError
from app.services.platform.sessions import organization_session
from app.services.vessels import ais, vessels
from app.services.vessels.ais import Received

logger = logging.getLogger(__name__)

#: Time [s] and number of lines after which received lines are stored together.
_FLUSH_S: Final = 5.0
_MOST_LINES: Final = 20_000
_CONNECT_S: Final = 10.0
#: Longest silence before the feed is connected again [s]. Ships at anchor report every three
#: minutes (ITU-R M.1371-5, annex 1, table 1).
_MOST_SILENCE_S: Final = 300.0
#: Shortest and longest pause before reconnecting [s].
_LEAST_PAUSE_S, _MOST_PAUSE_S = 1.0, 60.0
#: Longest line; a feed without line ends is rejected [bytes].
_LONGEST_LINE: Final = 4096


def follow(organization_id: UUID, host: str, port: int) -> Iterator[Received]:
    """Follow a feed forever: store the positions of the organization's vessels, by MMSI.

    The feed is read no faster than positions are stored. A lost connection is reopened.
    """
    pause_s = _LEAST_PAUSE_S
    while True:
        try:
            for lines in _receive(host, port):
                yield _store(organization_id, lines)
                pause_s = _LEAST_PAUSE_S
            words = "the feed ended"
        except (OSError, SQLAlchemyError, ServiceError) as fault:
            words = str(fault).partition("\n")[0]
        logger.warning("AIS feed %s:%d: %s; again in %.0f s", host, port, words, pause_s)
        time.sleep(pause_s)
        pause_s = min(2.0 * pause_s, _MOST_PAUSE_S)


def _store(organization_id: UUID, lines: list[bytes]) -> Received:
    with organization_session(organization_id) as session:
        fleet = vessels.list_by_mmsi(session, organization_id)
        found = read_positions(lines, received_at=utc_now)
        return ais.store(session, organization_id, fleet, found, utc_now())


def _receive(host: str, port: int) -> Iterator[list[bytes]]:
    """Receive lines in groups of a few seconds until the sender closes the connection."""
    with socket.create_connection((host, port), timeout=_CONNECT_S) as connection:
        logger.info("AIS feed %s:%d: connected", host, port)
        lines, rest, flushed_at = [], b"", time.monotonic()
        for received in _receive_bytes(connection):
            *whole, rest = (rest + received).split(b"\n")
            lines += whole
            if len(rest) > _LONGEST_LINE:
                raise OSError(f"no line end within {_LONGEST_LINE} bytes: not an AIS feed")
            is_due = time.monotonic() - flushed_at >= _FLUSH_S or len(lines) >= _MOST_LINES
            if lines and is_due:
                yield lines
                lines, flushed_at = [], time.monotonic()
    if lines:
        yield lines


def _receive_bytes(connection: socket.socket) -> Iterator[bytes]:
    """Receive bytes, none after a few seconds of silence, until the sender closes the connection.

    Raises :class:`OSError` after a longer silence: TCP does not report that a sender is gone.
    """
    connection.settimeout(_FLUSH_S)
    heard_at = time.monotonic()
    while True:
        try:
            received = connection.recv(65_536)
        except TimeoutError:
            if time.monotonic() - heard_at >= _MOST_SILENCE_S:
                raise OSError(f"nothing received for {_MOST_SILENCE_S:.0f} s") from None
            yield b""
        else:
            if not received:
                return
            heard_at = time.monotonic()
            yield received
