"""A local HTTP server with byte ranges and simulated network faults."""

import re
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Faults:
    """Number and kind of faults of a path before it is served correctly."""

    def __init__(self):
        self.cut, self.slow, self.busy = Counter(), Counter(), Counter()
        self.elsewhere = Counter()
        self.slow_s = 1.0
        self.requests = []

    def take(self, counter, path):
        if counter[path] > 0:
            counter[path] -= 1
            return True
        return False


@contextmanager
def serving(files):
    """Serve ``{path: bytes}``; gives the server's address and its faults."""
    faults = Faults()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self):
            self._answer(with_body=False)

        def do_GET(self):
            self._answer(with_body=True)

        def _answer(self, *, with_body):
            span = self.headers.get("Range")
            faults.requests.append((self.command, self.path, span))
            if with_body and faults.take(faults.busy, self.path):
                return self._send(503, b"", {})
            if self.path not in files:
                return self._send(404, b"", {})
            if with_body and faults.take(faults.slow, self.path):
                time.sleep(faults.slow_s)
            body, status, headers = files[self.path], 200, {"Accept-Ranges": "bytes"}
            if span:
                first, last = re.fullmatch(r"bytes=(\d+)-(\d*)", span).groups()
                if int(first) >= len(body):
                    return self._send(416, b"", {"Content-Range": f"bytes */{len(body)}"})
                end = int(last) + 1 if last else len(body)
                if faults.take(faults.elsewhere, self.path):
                    first, end = 0, end - int(first)
                headers["Content-Range"] = f"bytes {first}-{end - 1}/{len(body)}"
                body, status = body[int(first) : end], 206
            return self._send(status, body, headers, with_body=with_body)

        def _send(self, status, body, headers, *, with_body=True):
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            if not with_body:
                return
            if body and faults.take(faults.cut, self.path):
                self.wfile.write(body[: len(body) // 2])
                self.close_connection = True
            else:
                # A client that ran out of patience has hung up.
                with suppress(ConnectionError):
                    self.wfile.write(body)

        def log_message(self, *_arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", faults
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
