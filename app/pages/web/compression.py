"""Compression of responses by gzip, for slow satellite links.

Session cookies are SameSite, so other sites cannot make a signed-in browser request compressed
pages to measure their size (BREACH).

A strong ETag names bytes (RFC 9110, 8.8.3.1), so that of a compressed response has the suffix
``-gzip``. Requests may send it back in ``If-Match`` and ``If-None-Match``.
"""

import gzip
from functools import lru_cache
from pathlib import Path

from flask import Flask, Response, current_app, g, request

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
_SUFFIX = "-gzip"


def init_app(app: Flask) -> None:
    """Compress pages and static files."""
    app.before_request(_read_packed_tags)
    app.after_request(_pack)


def _read_packed_tags() -> None:
    """Replace ETags of compressed responses in a request by those of the responses themselves."""
    for name in ("HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH"):
        sent = request.environ.get(name, "")
        if f'{_SUFFIX}"' in sent:
            request.environ[name] = sent.replace(f'{_SUFFIX}"', '"')
            g.has_packed_tag = True


def _pack(response: Response) -> Response:
    if response.status_code == 304 and g.get("has_packed_tag"):
        _mark_tag(response)
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
        _mark_tag(response)
    return response


def _mark_tag(response: Response) -> None:
    """Add the suffix to a strong ETag; a weak one holds for both."""
    tag, is_weak = response.get_etag()
    if tag and not is_weak:
        response.set_etag(f"{tag}{_SUFFIX}")


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
