"""What a ship did, from what she reported: distance, hours, fuel, speed against fuel.

Records are samples of a voyage, not the voyage: between two of them the ship is
taken to have sailed the great circle, at speed and consumption that change
evenly. Two records further apart than the longest gap say nothing of what lies
between, and it isn't counted.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.geodesy import great_circle_distance_nm

Floats = NDArray[np.float64]

#: Noon reports come a day apart; with an hour's change of clock and some delay.
LONGEST_GAP_H: Final = 26.0
#: Slower than this over ground a ship is taken to lie still [kn].
UNDER_WAY_KN: Final = 1.0


class VoyageRecords(NamedTuple):
    """n records in order of time, arrays of shape (n,).

    Times [h] from any epoch, positions [deg], speed over ground [kn], fuel
    consumption [t/day].
    """

    times_h: Floats
    lats: Floats
    lngs: Floats
    speed_kn: Floats
    fuel_t_per_day: Floats


@dataclass(frozen=True, slots=True)
class SpeedBin:
    """Mean consumption [t/day] over some hours under way near a speed [kn]."""

    speed_kn: float
    fuel_t_per_day: float
    hours: float


@dataclass(frozen=True, slots=True)
class RecordedVoyage:
    """What records sum up to.

    ``hours`` is the time that the records cover, ``hours_under_way`` the part
    of it under way; ``fuel_t`` is burnt in all of it, ``fuel_under_way_t`` in
    the part.
    """

    distance_nm: float
    hours: float
    hours_under_way: float
    fuel_t: float
    fuel_under_way_t: float
    speed_curve: tuple[SpeedBin, ...]


def sum_up(records: VoyageRecords) -> RecordedVoyage | None:
    """Sum records up; ``None`` where no two are near enough in time to say anything."""
    hours = np.diff(records.times_h)
    counted = hours <= LONGEST_GAP_H
    if not counted.any():
        return None
    hours = hours[counted]
    speed_kn = _means(records.speed_kn)[counted]
    fuel_t_per_day = _means(records.fuel_t_per_day)[counted]
    lats, lngs = records.lats, records.lngs
    miles = great_circle_distance_nm(lats[:-1], lngs[:-1], lats[1:], lngs[1:])[counted]
    under_way = speed_kn >= UNDER_WAY_KN
    fuel_t = fuel_t_per_day * hours / 24.0
    return RecordedVoyage(
        distance_nm=float(miles[under_way].sum()),
        hours=float(hours.sum()),
        hours_under_way=float(hours[under_way].sum()),
        fuel_t=float(fuel_t.sum()),
        fuel_under_way_t=float(fuel_t[under_way].sum()),
        speed_curve=_speed_curve(speed_kn[under_way], fuel_t[under_way], hours[under_way]),
    )


def _means(values: Floats) -> Floats:
    """Mean of each two neighbours."""
    return (values[:-1] + values[1:]) / 2.0


def _speed_curve(speed_kn: Floats, fuel_t: Floats, hours: Floats) -> tuple[SpeedBin, ...]:
    """Consumption by whole knots, where the ship spent any time."""
    knots, where = np.unique(np.round(speed_kn), return_inverse=True)
    hours_of, fuel_of = np.bincount(where, hours), np.bincount(where, fuel_t)
    return tuple(
        SpeedBin(float(knot), float(24.0 * fuel / time), float(time))
        for knot, fuel, time in zip(knots, fuel_of, hours_of, strict=True)
        if time > 0.0
    )


def select(records: VoyageRecords, since_h: float, until_h: float) -> VoyageRecords:
    """The records within a span of time, both ends included."""
    first, last = np.searchsorted(records.times_h, [since_h, until_h + 1e-9])
    return VoyageRecords(*(values[first:last] for values in records))
