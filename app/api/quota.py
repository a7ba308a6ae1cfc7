"""Operations that may be used only so often: counted in Redis, for all web processes together."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from flask import Flask, Response, after_this_request, current_app, g
from flask_limiter import Limiter, RateLimitExceeded, RequestLimit

from app.extensions import CONNECT_TIMEOUT_S
from app.services.errors import TooManyRequests
from app.services.platform.actor import Actor

#: Explanations that an organization may ask for within an hour.
EXPLANATIONS_PER_HOUR = 10


@dataclass(frozen=True, slots=True)
class _Counter:
    """Counter of an application's explanations, called between the limiter's hooks."""

    limiter: Limiter
    count: Callable[[], None]


def init_app(app: Flask) -> None:
    """Count in the installation's Redis.

    The window moves: what counts is the last hour, not the hour of the clock.
    """
    limiter = Limiter(
        _asking_organization,
        strategy="moving-window",
        key_prefix="chartroom",
        storage_uri=app.extensions["chartroom"].settings.redis_url,
        storage_options={
            "socket_connect_timeout": CONNECT_TIMEOUT_S,
            "socket_timeout": CONNECT_TIMEOUT_S,
        },
    )
    limiter.init_app(app)
    count = limiter.limit(f"{EXPLANATIONS_PER_HOUR} per hour")(_count_explanation)
    app.extensions["explanation_quota"] = _Counter(limiter, count)


def _asking_organization() -> str:
    return str(g.quota_actor.organization_id)


def _count_explanation() -> None:
    """Do nothing; the limiter counts around this call."""


def spend_explanation(actor: Actor) -> None:
    """Count one explanation against the organization's quota, shown in the answer's headers.

    Raises :class:`TooManyRequests` when the quota is used up; that try is not
    counted.
    """
    counter: _Counter = current_app.extensions["explanation_quota"]
    g.quota_actor = actor
    try:
        counter.count()
    except RateLimitExceeded as exceeded:
        wait_s = _write_quota_headers(counter.limiter)
        raise TooManyRequests(
            f"Your organization may read {EXPLANATIONS_PER_HOUR} explanations an hour. The next"
            f" is free in {math.ceil(wait_s / 60)} min.",
            retry_after_s=wait_s,
        ) from exceeded
    _write_quota_headers(counter.limiter)


def _write_quota_headers(limiter: Limiter) -> int:
    """Lay the quota into the answer's headers; seconds until the next is free.

    ``RateLimit`` and ``RateLimit-Policy`` as in the IETF draft "RateLimit header
    fields for HTTP", 10.
    """
    spent: RequestLimit | None = limiter.current_limit
    if spent is None:
        raise LookupError("no quota was counted in this request")
    reset_s = max(math.ceil(spent.window.reset_time - time.time()), 1)
    policy = f'"explanation";q={spent.limit.amount};w={spent.limit.get_expiry()}'
    state = f'"explanation";r={spent.remaining};t={reset_s}'

    @after_this_request
    def add_headers(response: Response) -> Response:
        response.headers["RateLimit-Policy"] = policy
        response.headers["RateLimit"] = state
        return response

    return reset_s
