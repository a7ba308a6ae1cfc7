"""A receiver of webhooks: an HTTP server with configurable answers."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.waiting import wait_until


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer to a request, sent after ``hangs_s``; the body is repeated ``times`` times."""

    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    times: int = 1
    hangs_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Received:
    """A received request."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float


class Receiver:
    """Store requests; answer with ``answers`` one after another, then with 204."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.answers: list[Answer] = []
        self.received: list[Received] = []
        self.sent_bytes = 0

    def wait_for(self, count: int) -> list[Received]:
        wait_until(lambda: len(self.received) >= count, f"request number {count}")
        return self.received


@contextmanager
def listening() -> Iterator[Receiver]:
    """Run a receiver on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.received.append(
                Received(self.path, dict(self.headers), body, time.monotonic())
            )
            answer = receiver.answers.pop(0) if receiver.answers else Answer()
            time.sleep(answer.hangs_s)
            with suppress(OSError):  # the client has closed the connection
                self._answer(answer)

        def _answer(self, answer: Answer) -> None:
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            for _ in range(answer.times):
                self.wfile.write(answer.body)
                receiver.sent_bytes += len(answer.body)

        def log_message(self, *_arguments: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver = Receiver(f"http://127.0.0.1:{server.server_port}/hooks")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
