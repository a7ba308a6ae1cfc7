"""Recorded voyages, from the ship's reports: distance, time, fuel and speed curve.

Records are samples. Between two of them the ship is assumed to sail the great circle, with speed
and consumption that vary linearly. Intervals longer than the longest gap are not counted. Between
positions that the ship cannot sail in the time, the distance is that of the reported speeds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Bools, Floats, Ints
from app.engine.constants import HOURS_PER_DAY
from app.engine.geodesy import great_circle_distance_nm

#: Times closer than this are equal [h]: times are stored to the millisecond, and hours since 1970
#: as doubles are exact to a microsecond.
SAME_INSTANT_H: Final = 1e-9

#: Longest interval counted [h]: a day between noon reports, a change of clock and some delay.
LONGEST_GAP_H: Final = 26.0
#: Least share of a voyage's hours for which fuel must be reported.
LEAST_FUEL_SHARE: Final = 0.9
#: Least speed over ground of a ship under way [kn].
UNDER_WAY_KN: Final = 1.0
#: Greatest credible speed made good between two positions [kn].
FASTEST_KN: Final = 60.0
#: Greatest credible speed made good over the higher speed reported, and addition to it [kn]: the
#: speed may have been higher between the reports.
_FASTER, _FASTER_BY_KN = 2.0, 5.0
#: Time that is none, in sums of hours [h].
_SHORTEST_H: Final = 1e-6
#: Error of two fixes together, so that two fixes a second apart are no jump [nm].
_FIX_ERROR_NM: Final = 0.2


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

    def take(self, chosen: Bools | Ints | slice) -> "VoyageRecords":
        """Return the chosen records."""
        return VoyageRecords(*(values[chosen] for values in self))


@dataclass(frozen=True, slots=True)
class SpeedBin:
    """Mean consumption [t/day] over the hours under way near a speed [kn]."""

    speed_kn: float
    fuel_t_per_day: float
    hours: float


class FuelBasis(StrEnum):
    """Source of the fuel of auxiliaries and boilers, the least certain of any hour."""

    REPORTED = "REPORTED"
    DECLARED = "DECLARED"
    MAIN_ENGINE_ONLY = "MAIN_ENGINE_ONLY"


@dataclass(frozen=True, slots=True)
class RecordedVoyage:
    """Sums of records.

    ``hours`` is the time that the records cover, ``hours_under_way`` the part of it under way;
    ``fuel_t`` is burnt by the main engine in all hours, ``fuel_under_way_t`` in those under way
    [t]. ``auxiliary_t`` is burnt by auxiliaries and boilers in ``auxiliary_hours``, for which
    reports state it.
    """

    distance_nm: float
    hours: float
    hours_under_way: float
    fuel_t: float
    fuel_under_way_t: float
    speed_curve: tuple[SpeedBin, ...] = ()
    auxiliary_t: float = 0.0
    auxiliary_hours: float = 0.0

    def total_fuel(self, auxiliary_t_per_day: float | None) -> tuple[float, FuelBasis]:
        """Return the fuel of all consumers [t], and its basis.

        Auxiliaries burn the declared ``auxiliary_t_per_day`` in hours without reports of it.
        """
        total_t, unstated_h = self.fuel_t + self.auxiliary_t, self.hours - self.auxiliary_hours
        if unstated_h <= _SHORTEST_H:
            return total_t, FuelBasis.REPORTED
        if auxiliary_t_per_day is None:
            return total_t, FuelBasis.MAIN_ENGINE_ONLY
        return total_t + auxiliary_t_per_day * unstated_h / HOURS_PER_DAY, FuelBasis.DECLARED


class Intervals(NamedTuple):
    """n intervals between consecutive records, arrays of shape (n,).

    Hours, distance and fuel are 0 in an interval longer than the longest gap. Distance is counted
    only under way.
    """

    is_counted: Bools
    is_under_way: Bools
    hours: Floats
    distance_nm: Floats
    speed_kn: Floats
    fuel_t: Floats


def sum_records(records: VoyageRecords) -> RecordedVoyage | None:
    """Sum records up; ``None`` if no interval between them is counted."""
    between = measure_intervals(records.take(slice(None, -1)), records.take(slice(1, None)))
    if not between.is_counted.any():
        return None
    sailed = between.is_under_way
    return RecordedVoyage(
        distance_nm=float(between.distance_nm.sum()),
        hours=float(between.hours.sum()),
        hours_under_way=float(between.hours[sailed].sum()),
        fuel_t=float(between.fuel_t.sum()),
        fuel_under_way_t=float(between.fuel_t[sailed].sum()),
        speed_curve=build_speed_curve(
            np.round(between.speed_kn[sailed]), between.hours[sailed], between.fuel_t[sailed]
        ),
    )


def sum_covering(records: VoyageRecords, hours: float) -> RecordedVoyage | None:
    """Sum records up; ``None`` if they cover too few of the hours."""
    found = sum_records(records)
    return found if found is not None and found.hours >= LEAST_FUEL_SHARE * hours else None


def sum_fuel_t(records: VoyageRecords) -> float | None:
    """Sum the fuel [t] of the records that report it; ``None`` if they cover too few hours.

    Records of positions without fuel may lie between them.
    """
    sailed = sum_records(records)
    if sailed is None:
        return None
    reported = sum_covering(records.take(np.isfinite(records.fuel_t_per_day)), sailed.hours)
    return None if reported is None else reported.fuel_t


def sum_fuel_until_t(records: VoyageRecords, until_h: float) -> float:
    """Sum the fuel [t] of records until a time; an interval that spans it counts in part."""
    if not records.times_h.size:
        return 0.0
    between = measure_intervals(records.take(slice(None, -1)), records.take(slice(1, None)))
    burnt_t = np.concatenate([[0.0], np.cumsum(between.fuel_t)])
    return float(np.interp(until_h, records.times_h, burnt_t))


def join_records(parts: Sequence[VoyageRecords]) -> VoyageRecords:
    """Join series of records one after the other."""
    return VoyageRecords(*map(np.concatenate, zip(*parts, strict=True)))


def merge(records: VoyageRecords, others: VoyageRecords) -> VoyageRecords:
    """Merge two series of records in order of time; at equal times the first series counts."""
    is_new = ~np.isin(others.times_h, records.times_h)
    both = join_records([records, others.take(is_new)])
    return both.take(np.argsort(both.times_h, kind="stable"))


def measure_intervals(earlier: VoyageRecords, later: VoyageRecords) -> Intervals:
    """Measure n intervals from n records to n later ones."""
    elapsed_h = later.times_h - earlier.times_h
    is_counted = elapsed_h <= LONGEST_GAP_H
    hours = np.where(is_counted, elapsed_h, 0.0)
    speed_kn = (earlier.speed_kn + later.speed_kn) / 2.0
    fuel_t_per_day = (earlier.fuel_t_per_day + later.fuel_t_per_day) / 2.0
    is_under_way = is_counted & (speed_kn >= UNDER_WAY_KN)
    distance_nm = np.zeros_like(hours)
    ends = (earlier.lats, earlier.lngs, later.lats, later.lngs)
    distance_nm[is_under_way] = great_circle_distance_nm(*(end[is_under_way] for end in ends))
    is_jump = distance_nm > _reach_at_reported_nm(earlier, later, hours)
    distance_nm[is_jump] = (speed_kn * hours)[is_jump]
    return Intervals(
        is_counted,
        is_under_way,
        hours,
        distance_nm,
        speed_kn,
        fuel_t_per_day * hours / HOURS_PER_DAY,
    )


def drop_spikes(records: VoyageRecords) -> VoyageRecords:
    """Return the records without those off the track that the others sail at credible speeds.

    Such a position can be reached from neither the one before nor to the one after it at the
    speeds reported, but the ship can have sailed from the one to the other.
    """
    if records.times_h.size < 3:
        return records
    before, at, after = (records.take(slice(i, records.times_h.size - 2 + i)) for i in range(3))
    is_spike = _is_jump(before, at) & _is_jump(at, after) & ~_is_jump(before, after)
    return records.take(np.concatenate([[True], ~is_spike, [True]]))


def _is_jump(earlier: VoyageRecords, later: VoyageRecords) -> Bools:
    """Return whether a ship cannot have sailed from n positions to n later ones."""
    away_nm = great_circle_distance_nm(earlier.lats, earlier.lngs, later.lats, later.lngs)
    reach = _reach_at_reported_nm(earlier, later, later.times_h - earlier.times_h)
    return np.asarray(away_nm > reach)


def _reach_at_reported_nm(earlier: VoyageRecords, later: VoyageRecords, hours: Floats) -> Floats:
    """Return the greatest credible distance [nm] between two fixes at the speeds reported."""
    reported_kn = np.maximum(earlier.speed_kn, later.speed_kn)
    made_kn = np.minimum(_FASTER * reported_kn + _FASTER_BY_KN, FASTEST_KN)
    return np.asarray(_FIX_ERROR_NM + made_kn * hours)


def reach_nm(hours: Floats) -> Floats:
    """Return the greatest credible distance [nm] between two fixes some hours apart."""
    return _FIX_ERROR_NM + FASTEST_KN * hours


def build_speed_curve(knots: Floats, hours: Floats, fuel_t: Floats) -> tuple[SpeedBin, ...]:
    """Build the curve of consumption by whole knots, of speeds with any time."""
    found, where = np.unique(knots, return_inverse=True)
    hours_by_knot, fuel_by_knot = np.bincount(where, hours), np.bincount(where, fuel_t)
    return tuple(
        SpeedBin(float(knot), float(HOURS_PER_DAY * fuel / time), float(time))
        for knot, fuel, time in zip(found, fuel_by_knot, hours_by_knot, strict=True)
        if time > 0.0
    )


def mark_regular(times_h: Floats, step_h: float) -> Bools:
    """Mark the first of n times in each step of hours, and the last time, shape (n,)."""
    is_regular = np.diff(np.floor(times_h / step_h), prepend=-np.inf) > 0.0
    is_regular[-1] = True
    return is_regular


def select(records: VoyageRecords, since_h: float, until_h: float) -> VoyageRecords:
    """Select the records within a span of time, both ends included."""
    ends_h = [since_h - SAME_INSTANT_H, until_h + SAME_INSTANT_H]
    first, last = np.searchsorted(records.times_h, ends_h)
    return records.take(slice(first, last))
