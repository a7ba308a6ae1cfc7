"""Compression of responses by gzip, for slow satellite links.

Session cookies are SameSite, so other sites cannot make a signed-in browser request compressed
pages to measure their size (BREACH).
"""

import gzip
from functools import lru_cache
from pathlib import Path

from flask import Flask, Response, current_app, request

_PACKED = frozenset(
    {
        "text/html",
        "text/css",
        "text/javascript",
        "application/javascript",
        "application/json",
        "image/svg+xml",
    }
)
#: Smaller responses fit into one packet anyway [bytes].
_SMALLEST = 1400


def init_app(app: Flask) -> None:
    """Compress pages and static files."""
    app.after_request(_pack)


def _pack(response: Response) -> Response:
    if not _may_be_packed(response):
        return response
    response.vary.add("Accept-Encoding")
    if not request.accept_encodings.quality("gzip"):
        return response
    content = _static_content() if response.direct_passthrough else _packed(response.get_data())
    if content is not None:
        if response.direct_passthrough:
            response.direct_passthrough = False
            response.response.close()  # type: ignore[union-attr]
        response.set_data(content)
        response.content_encoding = "gzip"
    return response


def _may_be_packed(response: Response) -> bool:
    return (
        response.status_code == 200
        and request.method == "GET"
        and response.mimetype in _PACKED
        and "Content-Encoding" not in response.headers
        and "Content-Range" not in response.headers
        and (response.content_length or 0) >= _SMALLEST
    )


def _static_content() -> bytes | None:
    """Return the compressed static file, cached until it changes."""
    if request.endpoint != "static" or current_app.static_folder is None:
        return None
    path = Path(current_app.static_folder) / request.view_args["filename"]  # type: ignore[index]
    return _packed_file(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _packed_file(path: Path, _changed_at_ns: int) -> bytes:
    return gzip.compress(path.read_bytes(), compresslevel=9, mtime=0)


def _packed(content: bytes) -> bytes:
    return gzip.compress(content, compresslevel=6, mtime=0)
