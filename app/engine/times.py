"""Times of the engine as hours since 1970-01-01T00Z."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from app.engine.arrays import Floats

#: Hours since 1970-01-01T00Z, or aware datetimes, one or many.
Times: TypeAlias = ArrayLike | datetime | Sequence[datetime]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def hours_since_epoch(moment: datetime) -> float:
    """Convert a datetime to hours since 1970-01-01T00Z.

    Raise :class:`ValueError` if the datetime has no time zone.
    """
    if moment.tzinfo is None:
        raise ValueError("a time needs a time zone")
    return (moment - _EPOCH) / timedelta(hours=1)


def moment_at(time_h: float) -> datetime:
    """Convert hours since 1970-01-01T00Z to a datetime in UTC."""
    return _EPOCH + timedelta(hours=float(time_h))


def add_hours(moment: datetime, hours: float) -> datetime:
    """Return the time a number of hours after a moment, to the second."""
    return moment + timedelta(seconds=round(3600.0 * float(hours)))


def add_each_hours(moment: datetime, hours: Floats) -> list[datetime]:
    """Return for each number of hours the time as :func:`add_hours` does, but sooner."""
    seconds = np.rint(3600.0 * hours).tolist()
    return [moment + timedelta(seconds=each) for each in seconds]


def times_as_hours(times: Times) -> Floats:
    """Convert datetimes, or hours, to an array of hours since 1970-01-01T00Z."""
    if isinstance(times, datetime):
        return np.array(hours_since_epoch(times))
    values = np.asarray(times)
    if values.dtype == object:
        return np.array([hours_since_epoch(moment) for moment in values.ravel()]).reshape(
            values.shape
        )
    return values.astype(np.float64)
