"""Percentiles of a few members that hold the truth as often as they say.

The truth is one more draw from what the members are drawn from. It lies below the k-th of n with
probability k / (n + 1), which is the sixth definition of Hyndman & Fan (1996), Sample quantiles in
statistical packages, The American Statistician 50, 361.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from app.engine.spread import Percentiles, TimePercentiles

_SHOWN: Final = (10.0, 50.0, 90.0)


def percentile(values: ArrayLike, share_pct: float) -> float:
    """Return the value that the truth stays under with a probability [%]."""
    return _find_all(values, (share_pct,))[0]


def find_percentiles(values: ArrayLike) -> Percentiles:
    """Return the percentiles that are shown."""
    return Percentiles(*_find_all(values, _SHOWN))


def find_times(departs_at: datetime, hours: ArrayLike) -> TimePercentiles:
    """Return the percentiles of times given as hours since departure, to the second."""
    found = _find_all(hours, _SHOWN)
    return TimePercentiles(*(departs_at + timedelta(seconds=round(3600.0 * h)) for h in found))


def _find_all(values: ArrayLike, shares_pct: Sequence[float]) -> list[float]:
    numbers = np.asarray(values, dtype=np.float64)
    return [float(found) for found in np.percentile(numbers, shares_pct, method="weibull")]
