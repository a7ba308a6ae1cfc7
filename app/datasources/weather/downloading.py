"""Downloads by byte ranges, which are resumed, checked and retried."""

import time
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import urllib3

T = TypeVar("T")

_CHUNK_BYTES: Final = 1 << 14
_ATTEMPTS: Final = 5

#: Longest time to connect, and longest silence from a server [s].
CONNECT_S: Final = 10.0
READ_S: Final = 30.0

#: Timeout of the check whether a server is reachable [s].
_PROBE_S: Final = 5.0

#: Faults of the line; other OSErrors are those of the disk, for which no server is asked again.
_OF_LINE: Final = (urllib3.exceptions.HTTPError, ConnectionError, TimeoutError)

#: Statuses after which another try may help.
_PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
#: Status of a range that begins beyond the end of the file.
_NOT_SATISFIABLE: Final = 416


class DownloadFailed(Exception):
    """A download failed; the message gives the reason."""


class NotThere(DownloadFailed):
    """A file that the server does not have (yet)."""


@dataclass(frozen=True)
class ByteRange:
    """Bytes ``first`` to before ``end``; to the end of the file when ``end`` is ``None``."""

    first: int
    end: int | None


def join_ranges(ranges: Iterable[ByteRange]) -> list[ByteRange]:
    """Join neighbours among ranges that are in their order."""
    joined: list[ByteRange] = []
    for each in ranges:
        if joined and joined[-1].end == each.first:
            joined[-1] = ByteRange(joined[-1].first, each.end)
        else:
            joined.append(each)
    return joined


class Downloader:
    """Fetches files over HTTP.

    ``wait_s`` is the first wait between two tries [s]; each further one is twice as long.
    ``timeout_s`` is the longest silence from the server [s].
    """

    def __init__(self, wait_s: float = 2.0, timeout_s: float = READ_S) -> None:
        self._wait_s = wait_s
        self._http = urllib3.PoolManager(
            timeout=urllib3.Timeout(connect=CONNECT_S, read=timeout_s),
            retries=urllib3.Retry(0, redirect=3),
        )

    def read_text(self, url: str) -> str:
        """A small file whole, with marks for what is no UTF-8; raises :class:`DownloadFailed`."""
        return self._with_tries(url, lambda: self._request(url, {}).data.decode(errors="replace"))

    def check_reachable(self, url: str) -> None:
        """Connect to a server once; raises :class:`DownloadFailed` if it does not answer.

        Behind a proxy nothing is checked, as the proxy would answer.
        """
        if urllib.request.getproxies():
            return
        try:
            self._http.request("HEAD", url, timeout=_PROBE_S, redirect=False)
        except (urllib3.exceptions.HTTPError, OSError) as fault:
            host = urllib3.util.parse_url(url).netloc
            raise DownloadFailed(f"{host} does not answer") from fault

    def fetch(self, url: str, ranges: Sequence[ByteRange], target: Path) -> None:
        """Download byte ranges of a file, one after the other, into ``target``.

        Pieces from an interrupted call are not fetched again. ``target`` is created when it is
        complete. Raise :class:`NotThere` if the server has no such file,
        :class:`DownloadFailed` if all attempts have failed, and :class:`OSError` if it cannot be
        stored.
        """
        if target.exists():
            return
        for index, wanted in enumerate(ranges):
            piece = target.with_name(f".{target.name}.{index}")
            self._with_tries(url, lambda w=wanted, p=piece: self._fetch_piece(url, w, p))  # type: ignore[misc]
        _join(target, len(ranges))

    def _fetch_piece(self, url: str, wanted: ByteRange, piece: Path) -> None:
        have = piece.stat().st_size if piece.exists() else 0
        first = wanted.first + have
        if wanted.end is not None and first >= wanted.end:
            return
        last = "" if wanted.end is None else str(wanted.end - 1)
        headers = {"Range": f"bytes={first}-{last}"}
        response = self._request(url, headers, stream=True)
        try:
            if response.status == _NOT_SATISFIABLE:
                _check_end(url, piece, first, response.headers.get("Content-Range"))
                return
            if response.status != 206:
                raise DownloadFailed(f"{url}: the server gives no byte ranges")
            _check_range(url, first, response.headers.get("Content-Range"))
            with piece.open("ab") as file:
                for chunk in response.stream(_CHUNK_BYTES):
                    file.write(chunk)
        finally:
            response.release_conn()
        expected = first + int(response.headers.get("Content-Length", -1)) - wanted.first
        _check_size(url, wanted, piece, expected)

    def _request(
        self, url: str, headers: dict[str, str], *, stream: bool = False
    ) -> urllib3.BaseHTTPResponse:
        response = self._http.request("GET", url, headers=headers, preload_content=not stream)
        if response.status in (403, 404, 410):
            raise NotThere(f"{url}: not there (status {response.status})")
        if response.status >= 400 and response.status != _NOT_SATISFIABLE:
            kind = _Passing if response.status in _PASSING else DownloadFailed
            raise kind(f"{url}: the server answered {response.status}")
        return response

    def _with_tries(self, url: str, action: Callable[[], T]) -> T:
        for attempt in range(_ATTEMPTS):
            try:
                return action()
            except (*_OF_LINE, _Passing) as fault:
                if attempt == _ATTEMPTS - 1:
                    raise DownloadFailed(f"{url}: {fault} ({_ATTEMPTS} tries)") from fault
            time.sleep(self._wait_s * 2**attempt)
        raise AssertionError("unreachable")


class _Passing(DownloadFailed):
    """A temporary failure, which is retried."""


def _check_range(url: str, first: int, content_range: str | None) -> None:
    """Check that an answer begins at the byte asked for: a cache may send another part."""
    if not (content_range or "").startswith(f"bytes {first}-"):
        raise _Passing(f"{url}: {content_range or 'an unnamed range'} came instead of byte {first}")


def _check_size(url: str, wanted: ByteRange, piece: Path, expected: int) -> None:
    """Check the length: a connection that closes early looks like an end."""
    size = piece.stat().st_size
    whole = expected if wanted.end is None else wanted.end - wanted.first
    if size < whole:
        raise _Passing(f"{url}: {size} of {whole} bytes came")
    if size > whole:
        piece.unlink()
        raise _Passing(f"{url}: {size} bytes came instead of {whole}")


def _check_end(url: str, piece: Path, size: int, content_range: str | None) -> None:
    """Check a piece whose file has no byte after it: an earlier call may have stopped there."""
    if content_range != f"bytes */{size}":
        piece.unlink(missing_ok=True)
        raise _Passing(f"{url}: the server has no byte {size}")


def _join(target: Path, count: int) -> None:
    pieces = [target.with_name(f".{target.name}.{index}") for index in range(count)]
    whole = target.with_name(f".{target.name}.whole")
    with whole.open("wb") as file:
        for piece in pieces:
            file.write(piece.read_bytes())
    whole.rename(target)
    for piece in pieces:
        piece.unlink()
