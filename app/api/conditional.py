"""ETags: what a client has seen, and whether it is still so.

A tag is made of the state that it stands for; several representations of one
state (such as a charting with and without its waypoints) differ in a suffix.
"""

import hashlib
from typing import Any

from flask import Response, request

from app.services.errors import PreconditionFailed


def state_tag(*state: Any) -> str:
    """A tag for a state."""
    return hashlib.sha256(repr(state).encode()).hexdigest()[:32]


def tagged(response: Response, tag: str, variant: str = "") -> Response:
    """Give a response the tag of the state that it shows."""
    response.set_etag(f"{tag}-{variant}" if variant else tag)
    return response


def check_if_match(tag: str) -> None:
    """Raise :class:`PreconditionFailed` when the client has seen another state than this."""
    wanted = request.if_match
    if not wanted or wanted.star_tag:
        return
    # an empty tag is read as none at all
    if tag not in {(seen or "").partition("-")[0] for seen in wanted.as_set()}:
        raise PreconditionFailed("It has changed since you read it; read it again.")
