"""Rate limits of organizations and their keys in the API, and of users on pages; explanations.

The counts are in Redis.

Each process takes tokens from a count in batches, so that most requests need no call to Redis.
While Redis is unavailable no request is refused; ``/readyz`` reports it.
"""

import logging
import math
import threading
import time
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final
from uuid import UUID

from flask import Flask, after_this_request, current_app
from flask.wrappers import Response
from limits import RateLimitItem, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.storage import storage_from_string
from limits.strategies import FixedWindowRateLimiter, MovingWindowRateLimiter
from redis.exceptions import RedisError

from app.extensions import IMPATIENT_REDIS
from app.services.errors import TooManyRequests
from app.services.platform.actor import Actor

logger = logging.getLogger(__name__)

#: Time without another attempt after Redis was unavailable [s].
AWAY_S = 5.0
#: Share of an organization's requests that one key may make.
_KEY_SHARE = Fraction(3, 4)
#: Share of the limit that one batch takes, as 1 part in this many.
_BATCH_SHARE = 100
#: Least time that a batch may be used [s].
_SHORTEST_BATCH_S = 1.0
#: Explanations that an organization may request within an hour.
EXPLANATIONS_PER_HOUR: Final = 10
_EXPLANATIONS: Final = RateLimitItemPerHour(EXPLANATIONS_PER_HOUR, namespace="chartroom-quota")


@dataclass(slots=True)
class _TokenBatch:
    """Tokens that this process holds until the window ends."""

    item: RateLimitItem
    left: int
    remaining: int
    ends_at: float

    @property
    def total_left(self) -> int:
        """Tokens left of the window's, including those that this process holds."""
        return self.remaining + self.left


@dataclass(slots=True)
class RequestCount:
    """Count of requests; ``whose`` names the owner in refusals."""

    whose: str
    item: RateLimitItem
    strategy: FixedWindowRateLimiter
    batches: dict[str, _TokenBatch] = field(default_factory=dict)
    asks_again_at: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, owner: str) -> _TokenBatch | None:
        """Take one token; return the batch, or ``None`` while Redis is unavailable.

        Raises :class:`TooManyRequests` when the window's requests are used up.
        """
        with self.lock:
            batch = self.batches.get(owner)
            if batch is None or batch.left == 0 or batch.ends_at <= time.time():
                batch = self._take_batch(owner)
            if batch is not None:
                batch.left -= 1
            return batch

    def _take_batch(self, owner: str) -> _TokenBatch | None:
        """Take the next batch from the owner's count."""
        if time.monotonic() < self.asks_again_at:
            return None
        size = max(1, self.item.amount // _BATCH_SHARE)
        try:
            is_granted = self.strategy.hit(self.item, owner, cost=size)
            state = self.strategy.get_window_stats(self.item, owner)
        except RedisError as error:
            logger.warning("requests are not counted: %s", error)
            self.asks_again_at = time.monotonic() + AWAY_S
            return None
        if not is_granted:
            raise self._refusal(state.reset_time)
        # Redis rounds to seconds: in a window's last half second it has ended already, and each
        # request would take a batch of its own
        ends_at = max(state.reset_time, time.time() + _SHORTEST_BATCH_S)
        batch = _TokenBatch(self.item, size, state.remaining, ends_at)
        self.batches[owner] = batch
        return batch

    def _refusal(self, ends_at: float) -> TooManyRequests:
        wait_s = seconds_to(ends_at)
        return TooManyRequests(
            f"{self.whose} may make {self.item.amount} requests a minute; go on in {wait_s} s.",
            retry_after_s=wait_s,
        )


def init_app(app: Flask) -> None:
    """Count in the installation's Redis."""
    settings = app.extensions["chartroom"].settings
    storage = storage_from_string(settings.redis_url, **IMPATIENT_REDIS)
    amount = settings.requests_per_minute
    counts = (
        ("request_count", "Your organization", "chartroom-requests", amount),
        ("key_count", "A key", "chartroom-keys", max(1, int(amount * _KEY_SHARE))),
        ("page_count", "You", "chartroom-pages", amount),
    )
    for name, whose, namespace, most in counts:
        app.extensions[name] = RequestCount(
            whose,
            RateLimitItemPerMinute(most, namespace=namespace),
            FixedWindowRateLimiter(storage),
        )
    app.extensions["explanation_quota"] = MovingWindowRateLimiter(storage)


def count_request(actor: Actor) -> None:
    """Count a request of a key and its organization; the answer's headers show what is left.

    A key may make only a part of the requests, so that it does not keep the other keys out.

    Raises :class:`TooManyRequests` when there have been too many within a minute.
    """
    owners = ("key_count", actor.key_id), ("request_count", actor.organization_id)
    batches = []
    for name, owner in owners:
        count: RequestCount = current_app.extensions[name]
        try:
            batch = count.take(str(owner))
        except TooManyRequests as refused:
            set_limit_headers("requests", count.item, 0, refused.retry_after_s)
            raise
        if batch is not None:
            batches.append(batch)
    if batches:
        least = min(batches, key=lambda batch: batch.total_left)
        set_limit_headers("requests", least.item, least.total_left, seconds_to(least.ends_at))


def count_page(user_id: UUID) -> None:
    """Count a person's request of a page.

    Raises :class:`TooManyRequests` when there have been too many within a minute.
    """
    count: RequestCount = current_app.extensions["page_count"]
    count.take(str(user_id))


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


def set_limit_headers(name: str, item: RateLimitItem, left: int, reset_s: int) -> None:
    """Set the limit in the answer's headers; a narrower one that is counted later replaces it.

    ``RateLimit`` and ``RateLimit-Policy`` as in the IETF draft "RateLimit header
    fields for HTTP", 10.
    """

    @after_this_request
    def add_headers(response: Response) -> Response:
        response.headers["RateLimit-Policy"] = f'"{name}";q={item.amount};w={item.get_expiry()}'
        response.headers["RateLimit"] = f'"{name}";r={left};t={reset_s}'
        return response


def seconds_to(ends_at: float) -> int:
    """Whole seconds until a time, at least one [s]."""
    return max(math.ceil(ends_at - time.time()), 1)
