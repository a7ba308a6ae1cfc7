"""ETags, ``If-Match``, ``If-None-Match`` and cache headers.

A tag is a digest of the resource's state. Several representations of one state (such as a
charting with and without its waypoints) differ in a suffix. Only private caches may store
responses, and only those with a tag.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final

from flask import Flask, Response, request
from werkzeug.exceptions import BadRequest

from app.services.errors import CHANGED, PreconditionFailed

_TAG: Final = r'(?:W/)?"[^"]*"'
#: A list of entity tags, each in quotes (RFC 9110, 8.8.3 and 13.1.1); Werkzeug takes bare ones too.
_TAGS: Final = re.compile(rf"\s*(?:\*|{_TAG}(?:\s*,\s*{_TAG})*)\s*")
#: Request headers that a response depends on.
_CREDENTIALS: Final = ("X-API-Key", "Authorization")
_EXISTS: Final = "The resource exists, with an ETag that If-None-Match excludes."


def state_tag(*state: Any) -> str:
    """Return the tag of a state."""
    return hashlib.sha256(repr(state).encode()).hexdigest()[:32]


def split_tag(kind: str, record: Mapping[str, Any], *noted: str) -> tuple[str, str]:
    """Return the tag of a record and its variant by fields that the service notes.

    Clients do not change those, such as the time of the last use, and ``If-Match`` does not
    compare variants.
    """
    state = {name: value for name, value in record.items() if name not in noted}
    return state_tag(kind, state), state_tag([record[name] for name in noted])


def tagged(response: Response, tag: str, variant: str = "") -> Response:
    """Set a response's ETag to the tag of the state that it shows."""
    response.set_etag(f"{tag}-{variant}" if variant else tag)
    return response


def check_preconditions(tag: str) -> None:
    """Raise :class:`PreconditionFailed` unless a change may be made to a resource with this tag.

    ``If-Match`` must have the tag; a weak tag never matches (RFC 9110, 13.1.1). ``If-None-Match``
    must not have it, not even as a weak one (13.1.2); ``*`` asks that there be no resource.
    Raises 400 for a tag without quotes.
    """
    for name in ("If-Match", "If-None-Match"):
        sent = request.headers.get(name)
        if sent is not None and not _TAGS.fullmatch(sent):
            raise BadRequest(f'Send the ETag in {name} with its quotes, such as "0f3c", or *.')
    wanted, unwanted = request.if_match, request.if_none_match
    if wanted and not wanted.star_tag and tag not in _without_variants(wanted.as_set()):
        raise PreconditionFailed(CHANGED)
    if unwanted.star_tag or tag in _without_variants(unwanted.as_set(include_weak=True)):
        raise PreconditionFailed(_EXISTS)


def _without_variants(tags: Iterable[str | None]) -> set[str]:
    """Return the tags of states; Werkzeug reads an empty tag as ``None``."""
    return {(tag or "").partition("-")[0] for tag in tags}


def refuse_if_changed(response: Response) -> None:
    """Raise :class:`PreconditionFailed` for a response to GET whose ``If-Match`` is not met.

    Werkzeug sets its status alone, and the body would be the resource.
    """
    if response.status_code == HTTPStatus.PRECONDITION_FAILED:
        raise PreconditionFailed(CHANGED)


def init_app(app: Flask) -> None:
    """Set the headers on every response of the API."""
    app.after_request(_set_headers)


def _set_headers(response: Response) -> Response:
    """Allow caching with revalidation where there is an ETag; forbid it elsewhere."""
    if not request.path.startswith("/v1/"):
        return response
    may_keep = response.status_code in (200, 304) and "ETag" in response.headers
    response.headers["Cache-Control"] = "private, no-cache" if may_keep else "private, no-store"
    response.vary.update(_CREDENTIALS)
    return response
