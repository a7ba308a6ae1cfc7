"""ETags and ``If-Match``.

A tag is a digest of the resource's state. Several representations of one state (such as a
charting with and without its waypoints) differ in a suffix.
"""

import hashlib
import re
from http import HTTPStatus
from typing import Any, Final

from flask import Response, request
from werkzeug.exceptions import BadRequest

from app.services.errors import PreconditionFailed

_TAG: Final = r'(?:W/)?"[^"]*"'
#: A list of entity tags, each in quotes (RFC 9110, 8.8.3 and 13.1.1); Werkzeug takes bare ones too.
_TAGS: Final = re.compile(rf"\s*(?:\*|{_TAG}(?:\s*,\s*{_TAG})*)\s*")
_CHANGED: Final = "The resource has changed since you read it; read it again."


def state_tag(*state: Any) -> str:
    """Return the tag of a state."""
    return hashlib.sha256(repr(state).encode()).hexdigest()[:32]


def tagged(response: Response, tag: str, variant: str = "") -> Response:
    """Set a response's ETag to the tag of the state that it shows."""
    response.set_etag(f"{tag}-{variant}" if variant else tag)
    return response


def check_if_match(tag: str) -> None:
    """Raise :class:`PreconditionFailed` if ``If-Match`` is given and has another tag.

    A weak tag never matches (RFC 9110, 13.1.1). Raises 400 for a tag without quotes.
    """
    sent = request.headers.get("If-Match")
    if sent is not None and not _TAGS.fullmatch(sent):
        raise BadRequest('Send the ETag in If-Match with its quotes, such as "0f3c", or *.')
    wanted = request.if_match
    if not wanted or wanted.star_tag:
        return
    # Werkzeug reads an empty tag as None.
    if tag not in {(seen or "").partition("-")[0] for seen in wanted.as_set()}:
        raise PreconditionFailed(_CHANGED)


def refuse_if_changed(response: Response) -> None:
    """Raise :class:`PreconditionFailed` for a response to GET whose ``If-Match`` is not met.

    Werkzeug sets its status alone, and the body would be the resource.
    """
    if response.status_code == HTTPStatus.PRECONDITION_FAILED:
        raise PreconditionFailed(_CHANGED)
