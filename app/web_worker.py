"""gunicorn worker that gives threads only to complete requests and refuses unreadable ones.

gunicorn's threads wait for the rest of a request, so that a few clients with incomplete requests
occupy all threads. This worker buffers thousands of requests in the main loop without a thread,
and drops those that do not arrive in time.

gunicorn answers in HTML if the request line or headers are too long or malformed; this worker
answers with a problem (RFC 9457). The application never sees such a request.

Idle connections are kept for over a minute, so that clients can use them again. Where a process
runs short of connections, the oldest idle ones are closed early.
"""

import json
import logging
import resource
import selectors
import socket as sockets
import struct
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from itertools import islice
from socket import socket
from typing import Any, Final
from uuid import uuid4
from weakref import WeakSet

from gunicorn import util
from gunicorn.http import errors
from gunicorn.workers.gthread import TConn, ThreadWorker

from app.arrival import READ_WITHIN_S, Arrival
from app.services.problem_codes import describe_problem

logger = logging.getLogger(__name__)

#: Status and detail by gunicorn's parsing errors; any other one is a bad request.
_REFUSALS: Final[Mapping[type[errors.ParseException], tuple[HTTPStatus, str]]] = {
    errors.LimitRequestLine: (
        HTTPStatus.REQUEST_URI_TOO_LONG,
        "The address is too long. Send less in the query string.",
    ),
    errors.LimitRequestHeaders: (
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        "The headers are too many or too long. Send fewer or shorter ones.",
    ),
    errors.UnsupportedTransferCoding: (
        HTTPStatus.NOT_IMPLEMENTED,
        "This transfer coding is not supported. Send the body as it is or chunked.",
    ),
    errors.ExpectationFailed: (
        HTTPStatus.EXPECTATION_FAILED,
        "This expectation cannot be met. Leave the header Expect out.",
    ),
}
_TOO_SLOW: Final = (
    HTTPStatus.REQUEST_TIMEOUT,
    f"The request did not arrive within {READ_WITHIN_S:.0f} s. Send it again.",
)
_UNREADABLE: Final = (HTTPStatus.BAD_REQUEST, "The request line or a header is malformed.")


#: Limits of incomplete requests: number of one network address, and bytes of all together.
MOST_FROM_ONE: Final = 128
MOST_GATHERED_BYTES: Final = 128 * 1024 * 1024
#: Timeout of writing to a client [s].
WRITE_WITHIN_S: Final = 30
#: Share of a process's connections above which the oldest idle ones are closed.
_CROWDED: Final = 0.9
#: Files that a process opens other than connections of clients.
_OTHER_FILES: Final = 256
_PIECE: Final = 64 * 1024


class WebWorker(ThreadWorker):
    """gunicorn's threaded worker, whose threads never wait for a request."""

    poller: selectors.BaseSelector

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.worker_connections = min(self.worker_connections, _count_files_left())
        #: Incomplete requests by connection, the oldest first.
        self.arriving: dict[TConn, Arrival] = {}
        #: Connections whose request is not buffered completely.
        self.too_long: WeakSet[TConn] = WeakSet()

    def enqueue_req(self, conn: TConn) -> None:
        """Buffer the connection's next request before a thread handles it."""
        arrival = Arrival()
        if conn.parser is not None:
            arrival.add(conn.parser.unreader.take_buffered())
        else:
            _limit_waits(conn.sock)
        self.arriving[conn] = arrival
        self._make_room(conn)
        conn.sock.setblocking(False)
        receive = partial(self._receive, conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, receive)
        receive(conn.sock)

    def murder_keepalived(self, force: bool = False) -> None:
        """Close idle connections that are timed out, and the oldest ones in a crowd."""
        surplus = self.nr_conns - int(_CROWDED * self.worker_connections)
        for conn in islice(self.keepalived_conns, max(surplus, 0)):
            conn.timeout = 0.0
        super().murder_keepalived(force)

    def murder_pending(self) -> None:
        """Drop timed-out connections, and requests that do not arrive in time."""
        super().murder_pending()
        now = time.monotonic()
        for conn, arrival in list(self.arriving.items()):
            # what has not begun keeps no worker from stopping
            if arrival.is_late(now) or not (self.alive or arrival.data):
                self._drop(conn)

    def _receive(self, conn: TConn, client: socket) -> None:
        """Receive data; pass a complete request to a thread."""
        arrival = self.arriving.get(conn)
        if arrival is None:  # dropped within the same round of events
            return
        ended = arrival.is_whole
        try:
            while not ended:
                piece = client.recv(_PIECE)
                arrival.add(piece)
                ended = not piece or arrival.is_whole
                if arrival.expects_continue and not ended:
                    arrival.expects_continue = False
                    client.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        except BlockingIOError:
            self._make_room(conn)
            return
        except OSError:
            self._drop(conn)
            return
        self._hand_over(conn)

    def _hand_over(self, conn: TConn) -> None:
        arrival = self.arriving.pop(conn)
        self.poller.unregister(conn.sock)
        conn.sock.setblocking(True)
        if arrival.is_too_long:
            self.too_long.add(conn)
        conn.data_ready = True
        conn.init()
        parser: Any = conn.parser
        parser.unreader.unread(bytes(arrival.data))
        super().enqueue_req(conn)

    def handle_request(self, req: Any, conn: TConn) -> bool:
        """Serve a request; return whether the connection is kept, as the response has announced.

        gunicorn announces that it is kept, then closes it if more than 64 kB of the body are
        unread. Here a buffered body is read to its end, and a longer one ends the connection.
        """
        if conn in self.too_long:
            req.force_close()
        is_kept: bool = super().handle_request(req, conn)
        if is_kept:
            req.body.read()
        return is_kept

    def _make_room(self, newest: TConn) -> None:
        """Drop the oldest request of an address with too many, or of all if they use too much."""
        host = _host(newest)
        of_host = [conn for conn in self.arriving if _host(conn) == host] if host else []
        if len(of_host) > MOST_FROM_ONE:
            self._drop(of_host[0])
        if sum(len(each.data) for each in self.arriving.values()) > MOST_GATHERED_BYTES:
            self._drop(max(self.arriving, key=lambda conn: len(self.arriving[conn].data)))

    def _drop(self, conn: TConn) -> None:
        """Close a connection whose request did not arrive, with a problem if it had begun."""
        arrival = self.arriving.pop(conn)
        with suppress(OSError, KeyError, ValueError):
            self.poller.unregister(conn.sock)
        if arrival.data:
            with suppress(OSError):
                conn.sock.send(write_problem(*_TOO_SLOW))
        self.nr_conns -= 1
        conn.close()

    def handle_error(
        self, req: Any, client: socket, addr: tuple[str, int] | None, exc: BaseException
    ) -> None:
        """Answer an unreadable request with a problem."""
        if not isinstance(exc, errors.ParseException):
            super().handle_error(req, client, addr, exc)
            return
        status, detail = _REFUSALS.get(type(exc), _UNREADABLE)
        logger.warning("request refused with %s: %s", int(status), exc)
        try:
            util.write_nonblock(client, write_problem(status, detail))
        except OSError:
            logger.debug("the client of a refused request has disconnected")


def _count_files_left() -> int:
    """Return how many connections the limit of open files leaves to a process."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if most == resource.RLIM_INFINITY else max(most - _OTHER_FILES, 1)


def _limit_waits(client: socket) -> None:
    """Set the timeouts of a client's socket, for reading and for writing."""
    for option, seconds in (
        (sockets.SO_RCVTIMEO, READ_WITHIN_S),
        (sockets.SO_SNDTIMEO, WRITE_WITHIN_S),
    ):
        client.setsockopt(sockets.SOL_SOCKET, option, struct.pack("ll", int(seconds), 0))


def _host(conn: TConn) -> str:
    """The peer's address; empty for a Unix socket of a proxy."""
    return conn.client[0] if isinstance(conn.client, tuple) else ""


def write_problem(status: HTTPStatus, detail: str) -> bytes:
    """Write a complete HTTP response; the path is unknown, so ``instance`` is the root."""
    request_id = uuid4().hex
    body = json.dumps(describe_problem(status, detail, "/", request_id)).encode()
    head = (
        f"HTTP/1.1 {int(status)} {status.phrase}",
        "Connection: close",
        "Content-Type: application/problem+json",
        f"Content-Length: {len(body)}",
        f"X-Request-Id: {request_id}",
    )
    return "\r\n".join([*head, "", ""]).encode("latin-1") + body
