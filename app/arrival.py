"""Buffering of a request until it has arrived completely and can be given to a thread.

HTTP/1.1 is parsed only as far as needed to find a request's end (RFC 9112, 6): its head, and a
body of a given length or in chunks. Unreadable data counts as complete, so that the server's own
parser refuses it.
"""

import re
import time
from dataclasses import dataclass, field
from typing import Final

#: Timeout of a head, and of a body of which no data arrive [s].
READ_WITHIN_S: Final = 10.0
#: Lowest mean rate at which a body may arrive [bytes/s].
SLOWEST_BYTES_PER_S: Final = 8 * 1024
#: Longest buffered head; the server refuses longer ones [bytes].
LONGEST_HEAD: Final = 64 * 1024
#: Longest buffered body; the application refuses longer ones unread [bytes].
LONGEST_BODY: Final = 9 * 1024 * 1024

_HEAD_END: Final = b"\r\n\r\n"
_LENGTH: Final = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*(?=\r\n)", re.IGNORECASE)
_CHUNKED: Final = re.compile(rb"\r\ntransfer-encoding:", re.IGNORECASE)
_EXPECTS: Final = re.compile(rb"\r\nexpect:[ \t]*100-continue[ \t]*(?=\r\n)", re.IGNORECASE)
_LAST_CHUNK: Final = re.compile(rb"(?:^|\r\n)0+(?:;[^\r\n]*)?\r\n(?:[^\r\n]+\r\n)*\r\n\Z")


@dataclass(slots=True)
class Arrival:
    """The part of a request that has arrived.

    ``expects_continue``: the client waits for "100 Continue" before it sends the body.
    """

    data: bytearray = field(default_factory=bytearray)
    began_at: float = field(default_factory=time.monotonic)
    moved_at: float = field(default_factory=time.monotonic)
    expects_continue: bool = False
    _head: int = 0
    _length: int | None = None

    def add(self, data: bytes) -> None:
        """Append received data."""
        self.data += data
        self.moved_at = time.monotonic()
        if not self._head:
            self._read_head()

    @property
    def is_too_long(self) -> bool:
        """Return whether the body is longer than what is buffered of it."""
        return max(len(self.data) - self._head, self._length or 0) > LONGEST_BODY

    @property
    def is_whole(self) -> bool:
        """Return whether the request is complete."""
        if not self._head:
            return len(self.data) > LONGEST_HEAD
        if self.is_too_long:
            return True
        if self._length is not None:
            return len(self.data) - self._head >= self._length
        return _LAST_CHUNK.search(self.data, max(self._head - 2, len(self.data) - 1024)) is not None

    def is_late(self, now: float) -> bool:
        """Return whether the request has timed out."""
        if not self._head:
            return now - self.began_at > READ_WITHIN_S
        allowed_s = READ_WITHIN_S + len(self.data) / SLOWEST_BYTES_PER_S
        return now - self.moved_at > READ_WITHIN_S or now - self.began_at > allowed_s

    def _read_head(self) -> None:
        end = self.data.find(_HEAD_END)
        if end < 0:
            return
        head = bytes(self.data[: end + 2])
        if _EXPECTS.search(head):
            # answered here, so that the server does not answer it once more
            head = _EXPECTS.sub(b"", head)
            self.data[: end + 2] = head
            self.expects_continue = True
        self._head = len(head) + 2
        length = _LENGTH.search(head)
        self._length = 0 if length is None else int(length[1])
        if _CHUNKED.search(head):
            self._length = None
