"""Percentiles of a small number of members.

The truth is taken as one more draw from the distribution of the members. It lies below the k-th of
n members with probability k / (n + 1): definition 6 of Hyndman & Fan (1996), Sample quantiles in
statistical packages, The American Statistician 50, 361.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from app.engine.spread import Percentiles, TimePercentiles

_SHOWN: Final = (10.0, 50.0, 90.0)


def estimate_percentile(values: ArrayLike, share_pct: float) -> float:
    """Return the value below which the truth lies with a probability [%]."""
    return _find_all(values, (share_pct,))[0]


def find_percentiles(values: ArrayLike) -> Percentiles:
    """Return P10, P50 and P90 of values."""
    return Percentiles(*_find_all(values, _SHOWN))


def find_time_percentiles(departs_at: datetime, hours: ArrayLike) -> TimePercentiles:
    """Return P10, P50 and P90 of times given in hours since departure, to the second."""
    found = _find_all(hours, _SHOWN)
    return TimePercentiles(*(departs_at + timedelta(seconds=round(3600.0 * h)) for h in found))


def _find_all(values: ArrayLike, shares_pct: Sequence[float]) -> list[float]:
    numbers = np.asarray(values, dtype=np.float64)
    return [float(found) for found in np.percentile(numbers, shares_pct, method="weibull")]
