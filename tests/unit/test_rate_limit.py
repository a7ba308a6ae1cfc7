"""Batches of requests that a process takes from the common count."""

import time
from typing import cast

from limits import RateLimitItemPerMinute, WindowStats
from limits.strategies import FixedWindowRateLimiter

from app.rate_limit import RequestCount


class EndingWindow:
    """A count in the last half second of its window, whose end is rounded to now."""

    def __init__(self) -> None:
        self.costs: list[int] = []

    def hit(self, _item: object, _owner: str, cost: int) -> bool:
        self.costs.append(cost)
        return True

    def get_window_stats(self, _item: object, _owner: str) -> WindowStats:
        return WindowStats(time.time(), 300)


def test_requests_at_the_end_of_a_window_share_a_batch() -> None:
    window, owner = EndingWindow(), "an organization"
    strategy = cast(FixedWindowRateLimiter, window)
    count = RequestCount("You", RateLimitItemPerMinute(10_000), strategy)
    # fewer than the batch has: a busy machine may take longer than a batch lasts
    for _ in range(50):
        count.take(owner)
    assert len(window.costs) < 50
