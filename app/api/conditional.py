"""ETags and ``If-Match``.

A tag is a digest of the resource's state. Several representations of one state (such as a
charting with and without its waypoints) differ in a suffix.
"""

import hashlib
from typing import Any

from flask import Response, request

from app.services.errors import PreconditionFailed


def state_tag(*state: Any) -> str:
    """Return the tag of a state."""
    return hashlib.sha256(repr(state).encode()).hexdigest()[:32]


def tagged(response: Response, tag: str, variant: str = "") -> Response:
    """Set a response's ETag to the tag of the state that it shows."""
    response.set_etag(f"{tag}-{variant}" if variant else tag)
    return response


def check_if_match(tag: str) -> None:
    """Raise :class:`PreconditionFailed` if ``If-Match`` is given and has another tag."""
    wanted = request.if_match
    if not wanted or wanted.star_tag:
        return
    # Werkzeug reads an empty tag as None.
    if tag not in {(seen or "").partition("-")[0] for seen in wanted.as_set()}:
        raise PreconditionFailed("The resource has changed since you read it; read it again.")
