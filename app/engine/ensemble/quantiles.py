"""Percentiles of a small number of members.

The truth is taken as one more draw from the distribution of the members. It lies below the k-th of
n members with probability k / (n + 1): definition 6 of Hyndman & Fan (1996), Sample quantiles in
statistical packages, The American Statistician 50, 361.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from app.engine.arrays import Floats
from app.engine.spread import Percentiles, TimePercentiles
from app.engine.times import add_hours

_SHOWN: Final = (10.0, 50.0, 90.0)


def estimate_percentile(values: ArrayLike, share_pct: float) -> float:
    """Return the value below which the truth lies with a probability [%]."""
    return float(_estimate(values, (share_pct,))[0])


def find_percentiles(values: ArrayLike) -> Percentiles:
    """Return P10, P50 and P90 of values."""
    return Percentiles(*_estimate(values, _SHOWN).tolist())


def find_time_percentiles(departs_at: datetime, hours: ArrayLike) -> TimePercentiles:
    """Return P10, P50 and P90 of times given in hours since departure, to the second."""
    return _write_times(departs_at, _estimate(hours, _SHOWN).tolist())


def list_percentiles(values: ArrayLike) -> Iterator[Percentiles]:
    """Yield P10, P50 and P90 of each column of values, shape (members, n)."""
    return map(Percentiles, *_estimate(values, _SHOWN).tolist())


def list_time_percentiles(departs_at: datetime, hours: ArrayLike) -> Iterator[TimePercentiles]:
    """Yield P10, P50 and P90 of each column of times, shape (members, n), as for one of them."""
    for found in _estimate(hours, _SHOWN).T.tolist():
        yield _write_times(departs_at, found)


def _write_times(departs_at: datetime, hours: Sequence[float]) -> TimePercentiles:
    return TimePercentiles(*(add_hours(departs_at, h) for h in hours))


def _estimate(values: ArrayLike, shares_pct: Sequence[float]) -> Floats:
    """Estimate percentiles along the first axis; the result's first axis is that of the shares."""
    numbers = np.asarray(values, dtype=np.float64)
    return np.asarray(np.percentile(numbers, shares_pct, axis=0, method="weibull"))
