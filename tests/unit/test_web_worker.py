"""What the web process refuses before the application sees it, by a real gunicorn."""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
APPLICATION = "flask:Flask('empty')"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    command = [sys.executable, "-m", "gunicorn", "--config", "/dev/null", "--bind", "127.0.0.1:0"]
    command += ["--worker-class", "app.web_worker.WebWorker", "--no-control-socket", APPLICATION]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as gunicorn:
        assert gunicorn.stderr
        said = []
        for line in gunicorn.stderr:
            said.append(line)
            if found := re.search(r"Listening at: http://127\.0\.0\.1:(\d+)", line):
                yield int(found[1])
                break
        else:
            pytest.fail("".join(said))
        gunicorn.terminate()
        gunicorn.communicate()


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
