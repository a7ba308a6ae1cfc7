"""Requests that the web process refuses before the application, by a real gunicorn."""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from app.arrival import LONGEST_BODY

ROOT = Path(__file__).parents[2]
APPLICATION = "flask:Flask('empty')"


@contextmanager
def serving(*options: str) -> Iterator[int]:
    command = [sys.executable, "-m", "gunicorn", "--config", "/dev/null", "--bind", "127.0.0.1:0"]
    command += ["--worker-class", "app.web_worker.WebWorker", "--no-control-socket", *options]
    command += [APPLICATION]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as gunicorn:
        assert gunicorn.stderr
        said = []
        try:
            for line in gunicorn.stderr:
                said.append(line)
                if found := re.search(r"Listening at: http://127\.0\.0\.1:(\d+)", line):
                    yield int(found[1])
                    break
            else:
                pytest.fail("".join(said))
        finally:
            gunicorn.terminate()
            gunicorn.communicate()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving() as found:
        yield found


def ask(port: int, request: bytes) -> tuple[str, dict[str, str], bytes]:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(request)
        with connection.makefile("rb") as answer:
            status = answer.readline().decode().strip()
            lines = iter(lambda: answer.readline().decode().strip(), "")
            headers = dict(line.split(": ", 1) for line in lines)
            return status, headers, answer.read()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /v1/vessel?search=" + b"x" * 4100 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET /v1/vessel HTTP/1.1\r\nX-Long: " + b"x" * 8200 + b"\r\n\r\n", 431),
        (b"GET /v1/vessel HTTP/1.1\r\n" + b"X-Many: x\r\n" * 101 + b"\r\n", 431),
        (b"GET /v1/vessel HTTP/1.1\r\nno colon\r\n\r\n", 400),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_problem(
    port: int, request_: bytes, status: int
) -> None:
    first, headers, body = ask(port, request_)
    assert first.split()[1] == str(status)
    assert headers["Content-Type"] == "application/problem+json"
    problem = json.loads(body)
    assert problem["status"] == status
    assert problem["requestId"] == headers["X-Request-Id"]
    assert problem["detail"]


def test_what_can_be_read_reaches_the_application(port: int) -> None:
    first, _, _ = ask(port, b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
    assert first.split()[1] == "404"


HALF = b"GET / HTTP/1.1\r\nHost: x\r\n"
WHOLE = HALF + b"Connection: close\r\n\r\n"


def test_clients_that_send_half_a_request_keep_nobody_else_waiting(port: int) -> None:
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
    try:
        for number, connection in enumerate(slow):
            halves = (HALF, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nhalf")
            connection.sendall(halves[number % 2])
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", port), timeout=5) as quick:
                quick.sendall(WHOLE)
                assert quick.recv(100).startswith(b"HTTP/1.1 404")
    finally:
        for connection in slow:
            connection.close()


def test_a_request_that_comes_in_pieces_is_answered(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        for byte in WHOLE:
            connection.sendall(bytes([byte]))
        assert connection.recv(100).startswith(b"HTTP/1.1 404")


def test_requests_follow_each_other_on_one_connection(port: int) -> None:
    keep = HALF + b"\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(keep + keep + WHOLE)
        with connection.makefile("rb") as answers:
            assert answers.read().count(b"HTTP/1.1 404") == 3


def ask_again(client: socket.socket) -> None:
    """Ask on a connection that is to be kept, and read the whole answer."""
    client.sendall(HALF + b"\r\n")
    said = b""
    while not said.endswith(b"</p>\n"):
        piece = client.recv(4096)
        assert piece, said
        said += piece
    assert said.startswith(b"HTTP/1.1 404")


def test_idle_connections_make_room_for_new_ones() -> None:
    with serving("--worker-connections", "10", "--keep-alive", "75") as port, ExitStack() as open_:
        idle = []
        for _ in range(15):
            client = socket.create_connection(("127.0.0.1", port), timeout=15)
            idle.append(open_.enter_context(client))
            ask_again(client)
        assert idle[0].recv(4096) == b""  # closed, as the one that was idle for longest
        ask_again(idle[-1])


def test_the_service_keeps_idle_connections_for_longer_than_the_balancer() -> None:
    balancer = (ROOT / "deploy" / "balancer.conf").read_text()
    reused_for = re.search(r"^ +keepalive_timeout (\d+)s;", balancer, re.MULTILINE)
    kept_for = re.search(
        r"^keepalive = (\d+)", (ROOT / "gunicorn.conf.py").read_text(), re.MULTILINE
    )
    assert reused_for is not None
    assert kept_for is not None
    assert int(kept_for[1]) > int(reused_for[1])


@pytest.mark.parametrize("length", [100_000, 2_000_000])
def test_an_unread_body_does_not_end_a_connection_that_is_said_to_be_kept(
    port: int, length: int
) -> None:
    head = f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(head + b"x" * length)
        assert b"connection: keep-alive" in connection.recv(4096).lower()
        connection.sendall(WHOLE)
        with connection.makefile("rb") as answer:
            assert b"HTTP/1.1 404" in answer.read()


def test_a_body_too_long_to_be_buffered_ends_its_connection_as_announced(port: int) -> None:
    head = f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {LONGEST_BODY + 1}\r\n\r\n"
    _, headers, _ = ask(port, head.encode())
    assert headers["Connection"] == "close"


def test_a_client_that_waits_for_the_word_is_given_it_once(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(head + b"Connection: close\r\n\r\n")
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"body")
        with connection.makefile("rb") as answer:
            said = answer.read()
    assert said.startswith(b"HTTP/1.1 404")
    assert b"100 Continue" not in said


def test_a_body_in_chunks_is_gathered_to_its_end(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        for piece in (head, b"4\r\nbo", b"dy\r\n", b"0\r", b"\n\r\n"):
            connection.sendall(piece)
        assert connection.recv(100).startswith(b"HTTP/1.1 404")
