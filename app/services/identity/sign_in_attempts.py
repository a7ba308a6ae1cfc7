"""Guessing passwords is slow: who fails waits, and nobody else does.

Failures are counted by account and network address together, in Redis; what is lost there is only
a count. A stranger's failures make the stranger wait and not the account's owner, who comes from
another address. Addresses that fail with many accounts wait as a whole, but for accounts that have
signed in from there before.
"""

import ipaddress
from typing import Final

from app.extensions import chartroom
from app.services.errors import TooManyRequests

#: Failures are forgotten after [s].
WINDOW_S: Final = 3600
#: Failures of one account from one address before it waits, and of one address in all.
FREE_TRIES: Final = 5
MOST_PER_ORIGIN: Final = 50
#: The first wait, which doubles with each failure more, and the longest [s].
FIRST_WAIT_S: Final = 30
LONGEST_WAIT_S: Final = 900
#: How long an address is known as one that an account has signed in from [s].
KNOWN_S: Final = 90 * 86_400


def check(email: str, origin: str) -> None:
    """Raise :class:`TooManyRequests` while this account waits at this address."""
    redis = chartroom().redis
    wait_s = int(redis.ttl(_key("wait", email, origin)))  # type: ignore[arg-type]
    if wait_s > 0:
        raise _wait(wait_s)
    if int(redis.get(_key("origin", origin)) or 0) < MOST_PER_ORIGIN:  # type: ignore[arg-type]
        return
    if not redis.exists(_key("known", email, origin)):
        raise _wait(max(int(redis.ttl(_key("origin", origin))), 1))  # type: ignore[arg-type]


def count_failure(email: str, origin: str) -> None:
    """Remember a failed try, and let the next one wait if there were many."""
    pipeline = chartroom().redis.pipeline()
    pipeline.incr(_key("tries", email, origin))
    pipeline.expire(_key("tries", email, origin), WINDOW_S)
    pipeline.incr(_key("origin", origin))
    pipeline.expire(_key("origin", origin), LONGEST_WAIT_S, nx=True)
    tries = pipeline.execute()[0]
    if tries >= FREE_TRIES:
        wait_s = min(FIRST_WAIT_S * 2 ** min(tries - FREE_TRIES, 10), LONGEST_WAIT_S)
        chartroom().redis.set(_key("wait", email, origin), 1, ex=wait_s)


def forget(email: str, origin: str) -> None:
    """Start anew for an account whose owner has signed in from this address."""
    pipeline = chartroom().redis.pipeline()
    pipeline.delete(_key("tries", email, origin), _key("wait", email, origin))
    pipeline.set(_key("known", email, origin), 1, ex=KNOWN_S)
    pipeline.execute()


def _wait(wait_s: int) -> TooManyRequests:
    words = f"{wait_s} s" if wait_s < 120 else f"{-(-wait_s // 60)} min"
    return TooManyRequests(
        f"Too many failed tries. Wait {words}, then try again.", retry_after_s=wait_s
    )


def _key(kind: str, *parts: str) -> str:
    *email, origin = parts
    return ":".join(
        ["chartroom:sign-in", kind, *(each.lower() for each in email), _network(origin)]
    )


def _network(origin: str) -> str:
    """An address as who has it: of version 6 a household has 2⁶⁴."""
    try:
        address = ipaddress.ip_address(origin)
    except ValueError:
        return origin
    if address.version == 4:
        return origin
    return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))
