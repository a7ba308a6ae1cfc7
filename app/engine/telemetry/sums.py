"""Sums of a ship's records by UTC day, and sums of periods from those of days.

A run is the sum of consecutive records: its first and last record and the totals of the intervals
between them. Two consecutive runs join into one, whose totals are theirs and those of the interval
between them. A day's run depends only on that day's records; intervals between two days are
measured when runs are joined.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Floats, Ints
from app.engine.constants import HOURS_PER_DAY
from app.engine.telemetry.records import (
    SAME_INSTANT_H,
    Intervals,
    RecordedVoyage,
    SpeedBin,
    VoyageRecords,
    build_speed_curve,
    measure_intervals,
)
from app.engine.telemetry.reports import PeriodReports, exclude_covered, no_reports

_RECORD: Final = len(VoyageRecords._fields)
#: Totals: intervals counted, hours, hours under way, distance [nm], fuel [t], fuel under way [t].
_TOTALS: Final = 6
_STORED: Final = np.dtype("<f8")
#: A speed curve's rows: day, speed [kn], hours, fuel [t].
_CURVE: Final = 4


class RecordSums(NamedTuple):
    """n runs of records in order of time.

    First and last records are arrays of shape (n, 5) with the columns of :class:`VoyageRecords`,
    times in hours since 1970-01-01 UTC; ``totals`` has shape (n, 6).
    """

    firsts: Floats
    lasts: Floats
    totals: Floats

    @property
    def days(self) -> Ints:
        """Days on which the runs begin, counted from 1970-01-01, shape (n,)."""
        return find_days(self.firsts[:, 0])


class DaySums(NamedTuple):
    """Runs of whole days, and their speed curves as an array of shape (k, 4)."""

    sums: RecordSums
    curves: Floats


def find_days(times_h: Floats) -> Ints:
    """Return the days of times [h], both counted from 1970-01-01 UTC."""
    return np.floor((times_h + SAME_INSTANT_H) / HOURS_PER_DAY).astype(np.int64)


def sum_days(records: VoyageRecords) -> DaySums:
    """Sum a ship's records by UTC day."""
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


def single_record_runs(records: VoyageRecords) -> RecordSums:
    """Return each record as a separate run."""
    columns = np.column_stack(records).reshape(-1, _RECORD)
    return RecordSums(columns, columns, np.zeros((len(columns), _TOTALS)))


def pack(found: DaySums) -> list[tuple[int, bytes, bytes]]:
    """Serialise the run and the speed curve of each day: (day, run, curve)."""
    rows = np.hstack(found.sums).astype(_STORED)
    curve_days = found.curves[:, 0]
    return [
        (int(day), row.tobytes(), found.curves[curve_days == day].astype(_STORED).tobytes())
        for day, row in zip(found.sums.days, rows, strict=True)
    ]


def unpack(sums: bytes, curves: bytes = b"") -> DaySums:
    """Deserialise days from concatenated runs and curves of :func:`pack`, in any order."""
    rows = np.frombuffer(sums, _STORED).astype(float).reshape(-1, 2 * _RECORD + _TOTALS)
    rows = rows[np.argsort(rows[:, 0])]
    parts = np.split(rows, [_RECORD, 2 * _RECORD], axis=1)
    return DaySums(
        RecordSums(*parts), np.frombuffer(curves, _STORED).astype(float).reshape(-1, _CURVE)
    )


def find_split_days(sums: RecordSums, spans_h: Floats) -> Ints:
    """Find the days whose runs begin or end outside a span that ends within them.

    ``spans_h`` are m spans of time [h since 1970-01-01T00Z], shape (m, 2).
    """
    firsts, lasts = sums.firsts[:, 0], sums.lasts[:, 0]
    begins, ends = spans_h.reshape(-1, 2).T
    at_begin = np.searchsorted(lasts, begins - SAME_INSTANT_H)
    at_end = np.searchsorted(firsts, ends + SAME_INSTANT_H, side="right") - 1
    split = [
        at[inside & (at >= 0) & (at < len(firsts))]
        for at, inside in (
            (at_begin, _take_clipped(firsts, at_begin) < begins - SAME_INSTANT_H),
            (at_end, _take_clipped(lasts, at_end) > ends + SAME_INSTANT_H),
        )
    ]
    return np.unique(sums.days[np.concatenate(split)])


def exclude_days(found: DaySums, days: Sequence[int] | Ints) -> DaySums:
    """Return the sums without some days."""
    kept = ~np.isin(found.sums.days, days)
    curves = found.curves[~np.isin(found.curves[:, 0], days)]
    return DaySums(RecordSums(*(part[kept] for part in found.sums)), curves)


@dataclass(frozen=True)
class Timeline:
    """A ship's runs in order of time, which sums up spans that split none of them.

    ``reports`` are of periods without records. An interval or a report counts in the span in which
    it ends, after the span's beginning, so that consecutive spans add up.
    """

    runs: RecordSums
    curves: Floats
    reports: PeriodReports = field(default_factory=no_reports)

    @classmethod
    def of(
        cls, days: DaySums, records: RecordSums, reports: PeriodReports | None = None
    ) -> "Timeline":
        """Join whole days with single records of other days, and with reports of other periods."""
        both = [np.concatenate(pair) for pair in zip(days.sums, records, strict=True)]
        order = np.argsort(both[0][:, 0], kind="stable")
        timeline = cls(RecordSums(*(part[order] for part in both)), days.curves)
        if reports is None:
            return timeline
        return replace(timeline, reports=exclude_covered(reports, *timeline._list_covered_h()))

    def _list_covered_h(self) -> tuple[Floats, Floats]:
        """Return the begins and ends of the spans that records cover, shape (n,) each."""
        if not self.runs.firsts.size:
            return np.empty(0), np.empty(0)
        is_cut = ~self._links.is_counted
        begins_h = self.runs.firsts[np.append(True, is_cut), 0]
        ends_h = self.runs.lasts[np.append(is_cut, True), 0]
        is_span = ends_h > begins_h
        return begins_h[is_span], ends_h[is_span]

    def span_ends_h(self, since_h: float, until_h: float) -> tuple[float, float] | None:
        """Return when the records and reports of a span begin and end; ``None`` without any."""
        begin, end = self._range(since_h, until_h)
        inside = self.reports_between(since_h, until_h)
        begins_h = [*self.runs.firsts[begin:end, 0][:1], *(inside.times_h - inside.hours)[:1]]
        ends_h = [*self.runs.lasts[begin:end, 0][-1:], *inside.times_h[-1:]]
        if not begins_h:
            return None
        return max(since_h, float(min(begins_h))), min(until_h, float(max(ends_h)))

    def end_fixes(self, since_h: float, until_h: float) -> Floats | None:
        """Return the first and the last fix in a span: times [h], latitudes and longitudes [deg].

        The shape is (2, 3); ``None`` without any.
        """
        begin, end = self._range(since_h, until_h)
        inside = self.reports_between(since_h, until_h)
        reported = np.column_stack((inside.times_h, inside.lats, inside.lngs))
        runs = (self.runs.firsts[begin:end, :3], self.runs.lasts[begin:end, :3])
        fixes = np.concatenate((*runs, reported[np.isfinite(reported).all(axis=1)]))
        if not fixes.size:
            return None
        return fixes[[np.argmin(fixes[:, 0]), np.argmax(fixes[:, 0])]]

    def reports_between(self, since_h: float, until_h: float) -> PeriodReports:
        """Return the reports that end in a span, after its beginning."""
        begin, end = map(int, self._report_range(since_h, until_h))
        return self.reports.take(slice(begin, end))

    def gaps_h(self) -> Floats:
        """Return the times of the records that follow a gap too long to be counted."""
        return self.runs.firsts[1:, 0][~self._links.is_counted]

    def sum_between(
        self, since_h: float, until_h: float, *, with_curve: bool = False
    ) -> RecordedVoyage | None:
        """Sum up what ends in a span; ``None`` if no interval and no report does."""
        totals = self.totals_between(np.array([[since_h, until_h]]))[0]
        if totals[0] == 0.0:
            return None
        _, hours, hours_under_way, distance_nm, fuel_t, fuel_under_way_t = map(float, totals)
        curve: tuple[SpeedBin, ...] = ()
        if with_curve:
            curve = self._speed_curve(since_h, until_h)
        stated = self.reports_between(since_h, until_h)
        stated = stated.take(np.isfinite(stated.auxiliary_t))
        return RecordedVoyage(
            *(distance_nm, hours, hours_under_way, fuel_t, fuel_under_way_t, curve),
            auxiliary_t=float(stated.auxiliary_t.sum()),
            auxiliary_hours=float(stated.hours.sum()),
        )

    def totals_between(self, spans_h: Floats) -> Floats:
        """Return the totals of what ends in m spans of shape (m, 2), shape (m, 6)."""
        begins, ends = self._range(spans_h[:, 0], spans_h[:, 1])
        ends = np.maximum(ends, begins)
        linked = np.minimum(self._find_linked(spans_h[:, 0]), ends)
        first, last = self._report_range(spans_h[:, 0], spans_h[:, 1])
        return (
            (self._run_sums[ends] - self._run_sums[begins])
            + (self._link_sums[ends] - self._link_sums[linked])
            + (self._report_sums[np.maximum(last, first)] - self._report_sums[first])
        )

    def _range(self, since_h: Floats | float, until_h: Floats | float) -> tuple[Ints, Ints]:
        """Indices of the first run of spans, and of the run after the last."""
        begins = np.searchsorted(self.runs.firsts[:, 0], np.subtract(since_h, SAME_INSTANT_H))
        ends = np.searchsorted(self.runs.lasts[:, 0], np.add(until_h, SAME_INSTANT_H), side="right")
        return begins, ends

    def _find_linked(self, since_h: Floats | float) -> Ints:
        """Indices of the first runs to which an interval leads that ends after an instant."""
        return np.searchsorted(
            self.runs.firsts[:, 0], np.add(since_h, SAME_INSTANT_H), side="right"
        )

    def _report_range(self, since_h: Floats | float, until_h: Floats | float) -> tuple[Ints, Ints]:
        """Indices of the first report that ends in spans, and of the report after the last."""
        begins, ends = (
            np.searchsorted(self.reports.times_h, np.add(at, SAME_INSTANT_H), side="right")
            for at in (since_h, until_h)
        )
        return begins, ends

    def _speed_curve(self, since_h: float, until_h: float) -> tuple[SpeedBin, ...]:
        begin, end = map(int, self._range(since_h, until_h))
        days = self.runs.days[begin:end]
        _, knots, hours, fuel_t = self.curves[np.isin(self.curves[:, 0], days)].T
        # the link to a run is the one before it
        first = max(int(self._find_linked(since_h)) - 1, 0)
        sailed = np.flatnonzero(self._links.is_under_way[first : max(first, end - 1)]) + first
        reports = self.reports_between(since_h, until_h)
        moved = reports.take(reports.hours_under_way > 0.0)
        made_kn = moved.distance_nm / moved.hours_under_way
        return build_speed_curve(
            np.concatenate([knots, np.round(self._links.speed_kn[sailed]), np.round(made_kn)]),
            np.concatenate([hours, self._links.hours[sailed], moved.hours_under_way]),
            np.concatenate([fuel_t, self._links.fuel_t[sailed], moved.fuel_t]),
        )

    @cached_property
    def _links(self) -> Intervals:
        return measure_intervals(
            _as_records(self.runs.lasts[:-1]), _as_records(self.runs.firsts[1:])
        )

    @cached_property
    def _run_sums(self) -> Floats:
        """Totals of the runs before each, and of all runs, shape (n + 1, 6)."""
        return _cumulate(self.runs.totals)

    @cached_property
    def _link_sums(self) -> Floats:
        """Totals of the intervals before each run, and of all, shape (n + 1, 6)."""
        leading = np.zeros_like(self.runs.totals)
        leading[1:] = _totals_of(self._links)
        return _cumulate(leading)

    @cached_property
    def _report_sums(self) -> Floats:
        """Totals of the reports before each, and of all reports, shape (n + 1, 6)."""
        given = self.reports
        counted, sailed_t = np.ones(given.hours.size), given.fuel_t * (given.hours_under_way > 0.0)
        totals = (
            counted,
            *(given.hours, given.hours_under_way, given.distance_nm, given.fuel_t),
            sailed_t,
        )
        return _cumulate(np.column_stack(totals))


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


def _curves(days: Ints, speed_kn: Floats, hours: Floats, fuel_t: Floats) -> Floats:
    """Sum hours and fuel by day and whole knots, shape (k, 4)."""
    keys = np.column_stack((days, np.round(speed_kn))).reshape(-1, 2)
    found, where = np.unique(keys, axis=0, return_inverse=True)
    where = where.reshape(-1)
    sums = [np.bincount(where, values, len(found)) for values in (hours, fuel_t)]
    return np.column_stack((found, *sums)).astype(float).reshape(-1, _CURVE)


def _take_clipped(values: Floats, indices: Ints) -> Floats:
    """Take values at indices clipped to the array; NaN if it is empty."""
    return values.take(indices, mode="clip") if values.size else np.full(indices.shape, np.nan)
