"""Times of noon reports in UTC, from the zones that headings and cells state."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from app.datasources.headers import Zone
from app.engine.arrays import Floats

DAY_S: Final = 86400.0


def take_to_utc(
    seconds: Floats,
    is_ships: Sequence[bool | None],
    zone: Zone | None,
    offsets_h: Floats | None,
) -> tuple[Floats, list[int]]:
    """Return times in UTC, and the indices of ship's times without an offset.

    Where a cell does not say, ``zone`` is that of its column; without one, times are the ship's if
    there are offsets.
    """
    ships = np.full(seconds.size, np.nan) if offsets_h is None else offsets_h
    usual = ships
    if zone is not None and zone.offset_h is not None:
        usual = np.full(seconds.size, zone.offset_h)
    elif zone is None and offsets_h is None:
        usual = np.zeros(seconds.size)
    hours = np.array(
        [usual[at] if own is None else ships[at] if own else 0.0 for at, own in enumerate(is_ships)]
    )
    return seconds - 3600.0 * hours, np.flatnonzero(np.isnan(hours)).tolist()


def take_to_day(utc: Floats, days: Floats, zone: Zone, offsets_h: Floats | None) -> Floats:
    """Move times by whole days to those that their dates, of another zone, say."""
    ahead_h = offsets_h if zone.offset_h is None else np.full(utc.size, zone.offset_h)
    if ahead_h is None:
        return utc
    dated = np.floor((utc + 3600.0 * ahead_h) / DAY_S) * DAY_S
    return np.asarray(utc + days - dated)
