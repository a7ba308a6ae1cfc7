"""Sums of a ship's records by UTC day, and periods put together from them.

A run is records that follow each other, summed up: its first and its last record and the
totals of the intervals inside it. Two runs that follow each other are one run whose totals
are theirs and those of the interval between them. A day's run depends on the records of that
day alone; what lies between two days is measured when they are put together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.telemetry.records import (
    Floats,
    Intervals,
    RecordedVoyage,
    SpeedBin,
    VoyageRecords,
    find_knots,
    make_speed_curve,
    measure_intervals,
)

Integers = NDArray[np.int64]

HOURS_PER_DAY: Final = 24.0
#: Records are kept to the millisecond; hours since 1970, as doubles, to a microsecond.
_SAME_INSTANT_H: Final = 1e-9

_RECORD: Final = len(VoyageRecords._fields)
#: Totals: intervals counted, hours, hours under way, distance [nm], fuel [t], fuel under way [t].
_TOTALS: Final = 6
_STORED: Final = np.dtype("<f8")
#: A speed curve's rows: day, speed [kn], hours, fuel [t].
_CURVE: Final = 4


class RecordSums(NamedTuple):
    """n runs of records in order of time.

    First and last records are arrays of shape (n, 5) in the order of :class:`VoyageRecords`,
    times in hours since 1970-01-01 UTC; ``totals`` of shape (n, 6).
    """

    firsts: Floats
    lasts: Floats
    totals: Floats

    @property
    def days(self) -> Integers:
        """The day on which each run begins, counted from 1970-01-01."""
        return find_days(self.firsts[:, 0])


class DaySums(NamedTuple):
    """Whole days' runs, and their speed curves, an array of shape (k, 4)."""

    sums: RecordSums
    curves: Floats


def find_days(times_h: Floats) -> Integers:
    """The days of times [h], both counted from 1970-01-01 UTC."""
    return np.floor((times_h + _SAME_INSTANT_H) / HOURS_PER_DAY).astype(np.int64)


def sum_days(records: VoyageRecords) -> DaySums:
    """Sum a ship's records up by day."""
    columns = np.column_stack(records).reshape(-1, _RECORD)
    days, starts = np.unique(find_days(records.times_h), return_index=True)
    ends = np.append(starts, len(columns))[1:] - 1
    within = measure_intervals(_as_records(columns[:-1]), _as_records(columns[1:]))
    of_day = np.searchsorted(starts, np.arange(1, len(columns)), side="right") - 1
    # an interval that ends with a day's first record lies between two days
    is_inside = ~np.isin(np.arange(1, len(columns)), starts)
    totals = np.zeros((len(days), _TOTALS))
    np.add.at(totals, of_day[is_inside], _totals_of(within)[is_inside])
    sailed = is_inside & within.is_under_way
    curves = _curves(
        days[of_day[sailed]], within.speed_kn[sailed], within.hours[sailed], within.fuel_t[sailed]
    )
    return DaySums(RecordSums(columns[starts], columns[ends], totals), curves)


def as_runs(records: VoyageRecords) -> RecordSums:
    """Each record as a run of its own."""
    columns = np.column_stack(records).reshape(-1, _RECORD)
    return RecordSums(columns, columns, np.zeros((len(columns), _TOTALS)))


def pack(found: DaySums) -> list[tuple[int, bytes, bytes]]:
    """Write each day's number, run and speed curve, for storing."""
    rows = np.hstack(found.sums).astype(_STORED)
    curve_days = found.curves[:, 0]
    return [
        (int(day), row.tobytes(), found.curves[curve_days == day].astype(_STORED).tobytes())
        for day, row in zip(found.sums.days, rows, strict=True)
    ]


def unpack(sums: bytes, curves: bytes = b"") -> DaySums:
    """Read what was packed of days, one behind the other in any order."""
    rows = np.frombuffer(sums, _STORED).astype(float).reshape(-1, 2 * _RECORD + _TOTALS)
    rows = rows[np.argsort(rows[:, 0])]
    parts = np.split(rows, [_RECORD, 2 * _RECORD], axis=1)
    return DaySums(
        RecordSums(*parts), np.frombuffer(curves, _STORED).astype(float).reshape(-1, _CURVE)
    )


def find_cut(sums: RecordSums, spans_h: Floats) -> Integers:
    """Find the days of runs that spans of time, of shape (m, 2), cut in two."""
    firsts, lasts = sums.firsts[:, 0], sums.lasts[:, 0]
    begins, ends = spans_h.reshape(-1, 2).T
    at_begin = np.searchsorted(lasts, begins - _SAME_INSTANT_H)
    at_end = np.searchsorted(firsts, ends + _SAME_INSTANT_H, side="right") - 1
    cut = [
        at[inside & (at >= 0) & (at < len(firsts))]
        for at, inside in (
            (at_begin, _at(firsts, at_begin) < begins - _SAME_INSTANT_H),
            (at_end, _at(lasts, at_end) > ends + _SAME_INSTANT_H),
        )
    ]
    return np.unique(sums.days[np.concatenate(cut)])


def leave_out(found: DaySums, days: Sequence[int] | Integers) -> DaySums:
    """Leave some days out."""
    kept = ~np.isin(found.sums.days, days)
    curves = found.curves[~np.isin(found.curves[:, 0], days)]
    return DaySums(RecordSums(*(part[kept] for part in found.sums)), curves)


@dataclass(frozen=True)
class Timeline:
    """A ship's runs in order of time, to be asked for spans that cut none of them."""

    runs: RecordSums
    curves: Floats

    @classmethod
    def of(cls, days: DaySums, records: RecordSums) -> "Timeline":
        """Put whole days together with single records of other days."""
        both = [np.concatenate(pair) for pair in zip(days.sums, records, strict=True)]
        order = np.argsort(both[0][:, 0], kind="stable")
        return cls(RecordSums(*(part[order] for part in both)), days.curves)

    def ends_h(self, since_h: float, until_h: float) -> tuple[float, float] | None:
        """Times of the first and the last record of a span, if there are any."""
        begin, end = self._range(since_h, until_h)
        if begin >= end:
            return None
        return float(self.runs.firsts[begin, 0]), float(self.runs.lasts[end - 1, 0])

    def gaps_h(self) -> Floats:
        """Times of the records that follow a gap too long to be counted."""
        return self.runs.firsts[1:, 0][~self._links.is_counted]

    def sum_between(
        self, since_h: float, until_h: float, *, with_curve: bool = False
    ) -> RecordedVoyage | None:
        """Sum up a span, both ends included; ``None`` where its records say nothing."""
        totals = self.totals_between(np.array([[since_h, until_h]]))[0]
        if totals[0] == 0.0:
            return None
        _, hours, hours_under_way, distance_nm, fuel_t, fuel_under_way_t = map(float, totals)
        curve = self._speed_curve(*self._range(since_h, until_h)) if with_curve else ()
        return RecordedVoyage(distance_nm, hours, hours_under_way, fuel_t, fuel_under_way_t, curve)

    def totals_between(self, spans_h: Floats) -> Floats:
        """Totals of m spans of shape (m, 2), both ends included, as an array of shape (m, 6)."""
        begins, ends = self._range(spans_h[:, 0], spans_h[:, 1])
        ends = np.maximum(ends, begins)
        # the interval before a span's first run lies outside it
        inner = np.minimum(begins + 1, ends)
        return (self._run_sums[ends] - self._run_sums[begins]) + (
            self._link_sums[ends] - self._link_sums[inner]
        )

    def _range(self, since_h: Floats | float, until_h: Floats | float) -> tuple[Integers, Integers]:
        """The runs of spans, from the first to behind the last."""
        begins = np.searchsorted(self.runs.firsts[:, 0], np.subtract(since_h, _SAME_INSTANT_H))
        ends = np.searchsorted(
            self.runs.lasts[:, 0], np.add(until_h, _SAME_INSTANT_H), side="right"
        )
        return begins, ends

    def _speed_curve(self, begin: Integers, end: Integers) -> tuple[SpeedBin, ...]:
        inside = slice(int(begin), int(end))
        _, knots, hours, fuel_t = self.curves[np.isin(self.curves[:, 0], self.runs.days[inside])].T
        links = slice(int(begin), max(int(begin), int(end) - 1))
        sailed = np.flatnonzero(self._links.is_under_way[links]) + int(begin)
        return make_speed_curve(
            np.append(knots, find_knots(self._links.speed_kn[sailed])),
            np.append(hours, self._links.hours[sailed]),
            np.append(fuel_t, self._links.fuel_t[sailed]),
        )

    @cached_property
    def _links(self) -> Intervals:
        """The intervals from each run to the next."""
        return measure_intervals(
            _as_records(self.runs.lasts[:-1]), _as_records(self.runs.firsts[1:])
        )

    @cached_property
    def _run_sums(self) -> Floats:
        """Totals of all runs before each, and of all."""
        return _cumulate(self.runs.totals)

    @cached_property
    def _link_sums(self) -> Floats:
        """Totals of all intervals that lead to a run before each, and of all."""
        leading = np.zeros_like(self.runs.totals)
        leading[1:] = _totals_of(self._links)
        return _cumulate(leading)


def _as_records(columns: Floats) -> VoyageRecords:
    return VoyageRecords(*columns.T)


def _totals_of(between: Intervals) -> Floats:
    return np.column_stack(
        (
            between.is_counted,
            between.hours,
            between.hours * between.is_under_way,
            between.distance_nm,
            between.fuel_t,
            between.fuel_t * between.is_under_way,
        )
    )


def _cumulate(totals: Floats) -> Floats:
    return np.concatenate((np.zeros((1, _TOTALS)), np.cumsum(totals, axis=0)))


def _curves(days: Integers, speed_kn: Floats, hours: Floats, fuel_t: Floats) -> Floats:
    """Hours and fuel by day and whole knots, an array of shape (k, 4)."""
    keys = np.column_stack((days, find_knots(speed_kn))).reshape(-1, 2)
    found, where = np.unique(keys, axis=0, return_inverse=True)
    where = where.reshape(-1)
    sums = [np.bincount(where, values, len(found)) for values in (hours, fuel_t)]
    return np.column_stack((found, *sums)).astype(float).reshape(-1, _CURVE)


def _at(values: Floats, places: Integers) -> Floats:
    """Values at places, of which those outside count for nothing."""
    if values.size == 0:
        return np.full(places.shape, np.nan)
    return values[np.clip(places, 0, values.size - 1)]
