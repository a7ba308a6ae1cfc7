"""A recorded voyage, from the ship's reports: distance, hours, fuel, speed against fuel.

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
Flags = NDArray[np.bool_]

#: Noon reports come a day apart; with an hour's change of clock and some delay.
LONGEST_GAP_H: Final = 26.0
#: Fuel reported for less than this share of the hours is not the fuel of the voyage.
LEAST_FUEL_SHARE: Final = 0.9
#: Slower than this over ground a ship is taken to lie still [kn].
UNDER_WAY_KN: Final = 1.0


class VoyageRecords(NamedTuple):
    """n records in order of time, arrays of shape (n,).

    Times [h] from any epoch, positions [deg], speed over ground [kn], fuel
    consumption [t/day], NaN where it is not reported.
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
    """Sums of records.

    ``hours`` is the time that the records cover, ``hours_under_way`` the part
    of it under way; ``fuel_t`` is burnt in all of it, ``fuel_under_way_t`` in
    the part.
    """

    distance_nm: float
    hours: float
    hours_under_way: float
    fuel_t: float
    fuel_under_way_t: float
    speed_curve: tuple[SpeedBin, ...] = ()


class Intervals(NamedTuple):
    """n intervals between two neighbouring records each, arrays of shape (n,).

    An interval longer than the longest gap is not counted: its figures are 0. Distance is
    counted under way only.
    """

    is_counted: Flags
    is_under_way: Flags
    hours: Floats
    distance_nm: Floats
    speed_kn: Floats
    fuel_t: Floats


def sum_up(records: VoyageRecords) -> RecordedVoyage | None:
    """Sum records up; ``None`` where no two are near enough in time to say anything."""
    between = measure_intervals(
        VoyageRecords(*(values[:-1] for values in records)),
        VoyageRecords(*(values[1:] for values in records)),
    )
    if not between.is_counted.any():
        return None
    sailed = between.is_under_way
    return RecordedVoyage(
        distance_nm=float(between.distance_nm.sum()),
        hours=float(between.hours.sum()),
        hours_under_way=float(between.hours[sailed].sum()),
        fuel_t=float(between.fuel_t.sum()),
        fuel_under_way_t=float(between.fuel_t[sailed].sum()),
        speed_curve=make_speed_curve(
            find_knots(between.speed_kn[sailed]), between.hours[sailed], between.fuel_t[sailed]
        ),
    )


def sum_fuel_t(records: VoyageRecords) -> float | None:
    """Sum up the fuel [t] of the records that report it; ``None`` where that is not the voyage's.

    Positions from elsewhere may lie between the reports of fuel, but go on for no longer.
    """
    has_fuel = np.isfinite(records.fuel_t_per_day)
    reported = sum_up(VoyageRecords(*(values[has_fuel] for values in records)))
    sailed = sum_up(records)
    if reported is None or sailed is None:
        return None
    return reported.fuel_t if reported.hours >= LEAST_FUEL_SHARE * sailed.hours else None


def merge(records: VoyageRecords, others: VoyageRecords) -> VoyageRecords:
    """Merge two series of records in order of time; of two at one time the first series' counts."""
    is_new = ~np.isin(others.times_h, records.times_h)
    pairs = zip(records, others, strict=True)
    columns = [np.concatenate([first, second[is_new]]) for first, second in pairs]
    order = np.argsort(columns[0], kind="stable")
    return VoyageRecords(*(values[order] for values in columns))


def measure_intervals(earlier: VoyageRecords, later: VoyageRecords) -> Intervals:
    """Measure n intervals, each from one of n records to one of n later ones."""
    elapsed_h = later.times_h - earlier.times_h
    is_counted = elapsed_h <= LONGEST_GAP_H
    hours = np.where(is_counted, elapsed_h, 0.0)
    speed_kn = (earlier.speed_kn + later.speed_kn) / 2.0
    fuel_t_per_day = (earlier.fuel_t_per_day + later.fuel_t_per_day) / 2.0
    is_under_way = is_counted & (speed_kn >= UNDER_WAY_KN)
    distance_nm = np.zeros_like(hours)
    ends = (earlier.lats, earlier.lngs, later.lats, later.lngs)
    distance_nm[is_under_way] = great_circle_distance_nm(*(end[is_under_way] for end in ends))
    return Intervals(
        is_counted, is_under_way, hours, distance_nm, speed_kn, fuel_t_per_day * hours / 24.0
    )


def find_knots(speed_kn: Floats) -> Floats:
    """The whole knots that speeds are counted with."""
    return np.round(speed_kn)


def make_speed_curve(knots: Floats, hours: Floats, fuel_t: Floats) -> tuple[SpeedBin, ...]:
    """Consumption by whole knots, where the ship spent any time."""
    found, where = np.unique(knots, return_inverse=True)
    hours_of, fuel_of = np.bincount(where, hours), np.bincount(where, fuel_t)
    return tuple(
        SpeedBin(float(knot), float(24.0 * fuel / time), float(time))
        for knot, fuel, time in zip(found, fuel_of, hours_of, strict=True)
        if time > 0.0
    )


def select(records: VoyageRecords, since_h: float, until_h: float) -> VoyageRecords:
    """The records within a span of time, both ends included."""
    first, last = np.searchsorted(records.times_h, [since_h, until_h + 1e-9])
    return VoyageRecords(*(values[first:last] for values in records))
