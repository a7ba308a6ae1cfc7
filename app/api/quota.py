"""Operations that may be used only so often: counted in Redis, for all web processes together."""

import math
import time
from typing import Final

from flask import Flask, Response, after_this_request, current_app
from limits import RateLimitItemPerHour
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter

from app.extensions import IMPATIENT_REDIS
from app.services.errors import TooManyRequests
from app.services.platform.actor import Actor

#: Explanations that an organization may ask for within an hour.
EXPLANATIONS_PER_HOUR: Final = 10
_EXPLANATIONS: Final = RateLimitItemPerHour(EXPLANATIONS_PER_HOUR, namespace="chartroom-quota")


def init_app(app: Flask) -> None:
    """Count in the installation's Redis.

    The window moves: what counts is the last hour, not the hour of the clock.
    """
    storage = storage_from_string(app.extensions["chartroom"].settings.redis_url, **IMPATIENT_REDIS)
    app.extensions["explanation_quota"] = MovingWindowRateLimiter(storage)


def spend_explanation(actor: Actor) -> None:
    """Count one explanation against the organization's quota, shown in the answer's headers.

    Raises :class:`TooManyRequests` when the quota is used up; that try is not
    counted.
    """
    strategy: MovingWindowRateLimiter = current_app.extensions["explanation_quota"]
    whose = str(actor.organization_id)
    is_granted = strategy.hit(_EXPLANATIONS, whose)
    window = strategy.get_window_stats(_EXPLANATIONS, whose)
    reset_s = max(math.ceil(window.reset_time - time.time()), 1)
    _set_quota_headers(window.remaining, reset_s)
    if not is_granted:
        raise TooManyRequests(
            f"Your organization may read {EXPLANATIONS_PER_HOUR} explanations an hour. The next"
            f" is free in {math.ceil(reset_s / 60)} min.",
            retry_after_s=reset_s,
        )


def _set_quota_headers(left: int, reset_s: int) -> None:
    """Set the quota in the answer's headers.

    ``RateLimit`` and ``RateLimit-Policy`` as in the IETF draft "RateLimit header
    fields for HTTP", 10.
    """

    @after_this_request
    def add_headers(response: Response) -> Response:
        policy = f'"explanation";q={EXPLANATIONS_PER_HOUR};w={_EXPLANATIONS.get_expiry()}'
        response.headers["RateLimit-Policy"] = policy
        response.headers["RateLimit"] = f'"explanation";r={left};t={reset_s}'
        return response
