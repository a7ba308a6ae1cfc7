"""Guessing passwords is slow: failed sign-ins are counted for a while.

Counted by address and by where they come from, in Redis; what is lost there is
only a count.
"""

from app.extensions import chartroom
from app.services.errors import TooManyRequests

WINDOW_S = 900
#: Failures allowed in the window for one e-mail address, and from one network address.
MOST_PER_EMAIL = 10
MOST_PER_ORIGIN = 50


def check(email: str, origin: str) -> None:
    """Raise :class:`TooManyRequests` when too many tries have failed lately."""
    for key, most in _limits(email, origin):
        if int(chartroom().redis.get(key) or 0) >= most:  # type: ignore[arg-type]
            wait_s = max(int(chartroom().redis.ttl(key)), 1)  # type: ignore[arg-type]
            minutes = -(-wait_s // 60)
            raise TooManyRequests(
                f"Too many failed tries. Wait {minutes} min, then try again.", retry_after_s=wait_s
            )


def count_failure(email: str, origin: str) -> None:
    """Remember a failed try."""
    pipeline = chartroom().redis.pipeline()
    for key, _ in _limits(email, origin):
        pipeline.incr(key)
        pipeline.expire(key, WINDOW_S, nx=True)
    pipeline.execute()


def forget(email: str) -> None:
    """Start anew for an address whose owner has signed in."""
    chartroom().redis.delete(_email_key(email))


def _limits(email: str, origin: str) -> tuple[tuple[str, int], ...]:
    return (
        (_email_key(email), MOST_PER_EMAIL),
        (f"chartroom:sign-in:origin:{origin}", MOST_PER_ORIGIN),
    )


def _email_key(email: str) -> str:
    return f"chartroom:sign-in:email:{email.lower()}"
