"""Limits on failed sign-ins: increasing delays by account and network address.

Failures are counted in Redis for each pair of account and network address, so that failures from
a foreign address do not delay the account's owner; losing Redis loses only counts. An address
with failures for many accounts is blocked for all e-mail addresses but those that have signed in
from there before, in whichever organization.
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


def count(email: str, origin: str) -> None:
    """Count an attempt as failed before its password is checked.

    Concurrent attempts are thus all counted. Call :func:`forget` or :func:`take_back`
    after a success.

    Raises :class:`TooManyRequests`, and does not count, while sign-in of this account is
    delayed at this address.
    """
    redis, wait = chartroom().redis, _key("wait", email, origin)
    wait_s = int(redis.ttl(wait))  # type: ignore[arg-type]
    if wait_s > 0:
        raise _wait(wait_s)
    pipeline = redis.pipeline()
    pipeline.incr(_key("tries", email, origin))
    pipeline.expire(_key("tries", email, origin), WINDOW_S)
    pipeline.incr(_key("origin", origin))
    pipeline.expire(_key("origin", origin), LONGEST_WAIT_S, nx=True)
    tries, _, of_origin, _ = pipeline.execute()
    if of_origin > MOST_PER_ORIGIN and not redis.exists(_key("known", email, origin)):
        reason = _key("origin", origin)
    elif tries >= FREE_TRIES and not redis.set(wait, 1, ex=_delay_s(tries), nx=True):
        reason = wait  # a concurrent attempt is the last one before the delay
    else:
        return
    _uncount(email, origin)
    raise _wait(max(int(redis.ttl(reason)), 1))  # type: ignore[arg-type]


def take_back(email: str, origin: str) -> None:
    """Take back the count of an attempt that succeeded; earlier failures still count."""
    if _uncount(email, origin) >= FREE_TRIES - 1:
        chartroom().redis.delete(_key("wait", email, origin))


def forget(email: str, origin: str) -> None:
    """Reset the counts of an account after a successful sign-in from this address."""
    pipeline = chartroom().redis.pipeline()
    pipeline.delete(_key("tries", email, origin), _key("wait", email, origin))
    pipeline.decr(_key("origin", origin))
    pipeline.execute()


def remember(email: str, origin: str) -> None:
    """Keep an address as known to an account that has signed in from there."""
    chartroom().redis.set(_key("known", email, origin), 1, ex=KNOWN_S)


def _uncount(email: str, origin: str) -> int:
    """Take one attempt from the counts; return how many are left of the account."""
    pipeline = chartroom().redis.pipeline()
    pipeline.decr(_key("tries", email, origin))
    pipeline.decr(_key("origin", origin))
    return int(pipeline.execute()[0])


def _delay_s(tries: int) -> int:
    """Delay after so many failures [s]."""
    return min(FIRST_WAIT_S << min(tries - FREE_TRIES, 10), LONGEST_WAIT_S)


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
