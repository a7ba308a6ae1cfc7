"""Hourly quota of explanations, counted in Redis for all web processes together."""

import logging
import math
from typing import Final

from flask import Flask, current_app
from limits import RateLimitItemPerHour
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter
from redis.exceptions import RedisError

from app.extensions import IMPATIENT_REDIS
from app.rate_limit import seconds_to, set_limit_headers
from app.services.errors import TooManyRequests
from app.services.platform.actor import Actor

logger = logging.getLogger(__name__)

#: Explanations that an organization may request within an hour.
EXPLANATIONS_PER_HOUR: Final = 10
_EXPLANATIONS: Final = RateLimitItemPerHour(EXPLANATIONS_PER_HOUR, namespace="chartroom-quota")


def init_app(app: Flask) -> None:
    """Prepare the counter in Redis, with a moving window of one hour."""
    storage = storage_from_string(app.extensions["chartroom"].settings.redis_url, **IMPATIENT_REDIS)
    app.extensions["explanation_quota"] = MovingWindowRateLimiter(storage)


def spend_explanation(actor: Actor) -> None:
    """Count one explanation against the organization's quota and set the quota headers.

    Raises :class:`TooManyRequests` when the quota is used up; that request is not counted. None is
    counted or refused while Redis is unavailable: all that an explanation needs is in the database.
    """
    strategy: MovingWindowRateLimiter = current_app.extensions["explanation_quota"]
    organization = str(actor.organization_id)
    try:
        is_granted = strategy.hit(_EXPLANATIONS, organization)
        window = strategy.get_window_stats(_EXPLANATIONS, organization)
    except RedisError as error:
        logger.warning("an explanation is not counted: %s", error)
        return
    reset_s = seconds_to(window.reset_time)
    set_limit_headers("explanation", _EXPLANATIONS, window.remaining, reset_s)
    if not is_granted:
        raise TooManyRequests(
            f"Your organization has used its {EXPLANATIONS_PER_HOUR} explanations an hour. Try"
            f" again in {math.ceil(reset_s / 60)} min.",
            retry_after_s=reset_s,
        )
