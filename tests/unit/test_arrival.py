"""Requests that are complete, and requests that take too long."""

import pytest

from app.arrival import LONGEST_BODY, LONGEST_HEAD, Arrival

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def arrived(data: bytes) -> Arrival:
    arrival = Arrival(began_at=0.0)
    arrival.add(data)
    arrival.moved_at = 0.0
    return arrival


@pytest.mark.parametrize(
    ("data", "is_whole"),
    [
        (GET, True),
        (GET[:-1], False),
        (b"POST / HTTP/1.1\r\ncontent-LENGTH: 3\r\n\r\nab", False),
        (b"POST / HTTP/1.1\r\ncontent-LENGTH: 3\r\n\r\nabc", True),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n", False),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", True),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", True),
        (b"x" * (LONGEST_HEAD + 1), True),
        (b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (LONGEST_BODY + 1), True),
    ],
)
def test_a_request_is_whole_at_its_end(data: bytes, is_whole: bool) -> None:
    assert arrived(data).is_whole is is_whole


def test_a_head_has_ten_seconds() -> None:
    assert not arrived(GET[:-2]).is_late(9.9)
    assert arrived(GET[:-2]).is_late(10.1)


def test_a_body_that_stands_still_has_ten_seconds_and_one_that_moves_eight_kilobytes_a_second() -> (
    None
):
    arrival = arrived(b"POST / HTTP/1.1\r\nContent-Length: 90000\r\n\r\n" + b"x" * 80_000)
    assert arrival.is_late(10.1)
    arrival.moved_at = 15.0
    assert not arrival.is_late(16.0)
    arrival.moved_at = 30.0
    assert arrival.is_late(31.0)
