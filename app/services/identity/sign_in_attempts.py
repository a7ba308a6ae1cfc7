"""Limits on failed sign-ins: increasing delays by account and network address.

Failures are counted in Redis for each pair of account and network address, so that failures from
a foreign address do not delay the account's owner; losing Redis loses only counts. An address
with failures for many accounts is blocked for all accounts but those that have signed in from
there before.
"""

import ipaddress
from typing import Final

from app.extensions import chartroom
from app.services.errors import TooManyRequests

#: Period over which failures are counted [s].
WINDOW_S: Final = 3600
#: Failures allowed for one account from one address, and for one address in all.
FREE_TRIES: Final = 5
MOST_PER_ORIGIN: Final = 50
#: The first delay, which doubles with each further failure, and the longest [s].
FIRST_WAIT_S: Final = 30
LONGEST_WAIT_S: Final = 900
#: Time for which an address counts as known to an account after a sign-in [s].
KNOWN_S: Final = 90 * 86_400


def check(email: str, origin: str) -> None:
    """Raise :class:`TooManyRequests` while sign-in of this account is delayed at this address."""
    redis = chartroom().redis
    wait_s = int(redis.ttl(_key("wait", email, origin)))  # type: ignore[arg-type]
    if wait_s > 0:
        raise _wait(wait_s)
    if int(redis.get(_key("origin", origin)) or 0) < MOST_PER_ORIGIN:  # type: ignore[arg-type]
        return
    if not redis.exists(_key("known", email, origin)):
        raise _wait(max(int(redis.ttl(_key("origin", origin))), 1))  # type: ignore[arg-type]


def count_failure(email: str, origin: str) -> None:
    """Count a failed sign-in, and delay the next one if there were many."""
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
    """Reset the counts of an account after a successful sign-in from this address."""
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
    """Network of one subscriber: an IPv4 address, or the /64 network of an IPv6 address."""
    try:
        address = ipaddress.ip_address(origin)
    except ValueError:
        return origin
    if address.version == 4:
        return origin
    return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))
