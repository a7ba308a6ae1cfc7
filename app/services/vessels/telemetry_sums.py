"""Sums of telemetry by day: stored by the sweeper, combined for any period by readers.

Noon reports count in periods without telemetry. They are few and read each time.

The sums of a day are valid until its records change. A change of records clears ``is_summed``
of the day and raises its ``changes`` in the same transaction; the sweeper sets ``is_summed``
only if ``changes`` is still that of the summed snapshot. Readers use the stored sums, read the
records of all other days and of partly covered days, and store nothing.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Final
from uuid import UUID

import numpy as np
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from app.engine.arrays import Floats
from app.engine.telemetry.records import LONGEST_GAP_H, SAME_INSTANT_H, VoyageRecords, join_records
from app.engine.telemetry.reports import (
    LONGEST_PERIOD_H,
    PeriodReports,
    StatedReports,
    read_reports,
    select_fuelled,
)
from app.engine.telemetry.sums import (
    DaySums,
    Timeline,
    exclude_days,
    find_split_days,
    pack,
    single_record_runs,
    sum_days,
    unpack,
)
from app.engine.times import hours_since_epoch
from app.models import TelemetryDay
from app.services.platform.sessions import cross_tenant_session, organization_session

#: Origin of days and hours.
EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00Z")
_FIRST_DAY: Final = EPOCH.date()

#: Vessels whose sums are in memory at once: a year of one takes 60 kB.
_VESSELS_AT_ONCE: Final = 200
#: Records in memory at once, 40 bytes each; those of one vessel may be more.
_RECORDS_AT_ONCE: Final = 500_000
#: Days of one vessel that one transaction of the sweeper sums.
_DAYS_AT_ONCE: Final = 400

_DAYS: Final = text(
    "SELECT vessel_id, coalesce(string_agg(sums, NULL) FILTER (WHERE is_summed), '') AS sums,"
    " CASE WHEN :with_curves THEN string_agg(curve, NULL) FILTER (WHERE is_summed) END AS curves,"
    " coalesce(array_agg(day - DATE '1970-01-01') FILTER (WHERE NOT is_summed), '{}') AS unsummed,"
    " coalesce(sum(records) FILTER (WHERE NOT is_summed), 0) AS records"
    " FROM telemetry_day WHERE vessel_id = ANY(CAST(:vessel_ids AS uuid[]))"
    " AND day BETWEEN :first AND :last GROUP BY vessel_id"
)

#: Records are read as columns of PostgreSQL's big-endian numbers, one byte string each: objects
#: for a hundred thousand rows would take too long.
_COLUMNS: Final = ", ".join(
    f"string_agg(float8send({column}), NULL)"
    for column in (
        "date_part('epoch', timestamp) / 3600",
        "latitude",
        "longitude",
        "speed_kn",
        "fuel_consumption_t_day",
    )
)
#: The requested days, with their records in order of time.
_RECORDS_OF_DAYS: Final = (
    f"LATERAL (SELECT {_COLUMNS} FROM (SELECT * FROM telemetry"  # noqa: S608
    " WHERE telemetry.vessel_id = asked.vessel_id"
    " AND timestamp >= (asked.day + CAST('00:00' AS time)) AT TIME ZONE 'UTC'"
    " AND timestamp < (asked.day + CAST('24:00' AS time)) AT TIME ZONE 'UTC'"
    " ORDER BY timestamp) AS ordered) AS columns"
)
_RECORDS: Final = text(
    "SELECT asked.vessel_id, columns.* FROM"  # noqa: S608
    " unnest(CAST(:vessel_ids AS uuid[]), CAST(:days AS date[])) AS asked (vessel_id, day),"
    f" {_RECORDS_OF_DAYS}"
)
_RECORDS_BETWEEN: Final = text(
    f"SELECT {_COLUMNS} FROM (SELECT * FROM telemetry WHERE vessel_id = :vessel_id"  # noqa: S608
    " AND timestamp BETWEEN :since AND :until ORDER BY timestamp) AS ordered"
)
#: The first record at or after each instant.
_RECORDS_AT: Final = text(
    f"SELECT {_COLUMNS} FROM (SELECT DISTINCT ON (timestamp) found.* FROM"  # noqa: S608
    " unnest(CAST(:instants AS timestamptz[])) AS asked (instant), LATERAL (SELECT * FROM telemetry"
    "  WHERE vessel_id = :vessel_id AND timestamp BETWEEN asked.instant AND :until"
    "  ORDER BY timestamp LIMIT 1) AS found ORDER BY timestamp) AS ordered"
)
#: Hours under way: none where a report of departure, or from a port, states neither distance nor
#: speed, because officers leave blank what is zero.
_STEAMING_H: Final = (
    "CASE WHEN report_type IN ('DEPARTURE', 'PORT') AND distance_nm IS NULL"
    " AND speed_over_ground_kn IS NULL THEN coalesce(steaming_hours, 0) ELSE steaming_hours END"
)
#: Noon reports by vessel, in columns of :class:`StatedReports`.
_REPORTS: Final = text(
    "SELECT vessel_id, "  # noqa: S608
    + ", ".join(
        f"array_agg({column} ORDER BY timestamp)"
        for column in (
            *("date_part('epoch', timestamp) / 3600", _STEAMING_H, "distance_nm"),
            *("speed_over_ground_kn", "fuel_t", "latitude", "longitude"),
            *("auxiliary_fuel_t", "boiler_fuel_t", "date_part('epoch', received_at) / 3600"),
            "CASE report_type WHEN 'ARRIVAL' THEN 1 ELSE 0 END",
        )
    )
    + " FROM noon_report WHERE vessel_id = ANY(CAST(:vessel_ids AS uuid[]))"
    " AND timestamp BETWEEN :since AND :until GROUP BY vessel_id"
)
#: The counts of changes come from the same snapshot as the records.
_UNSUMMED: Final = text(
    "SELECT asked.day - DATE '1970-01-01', asked.changes, columns.*"  # noqa: S608
    " FROM (SELECT vessel_id, day, changes FROM telemetry_day"
    "  WHERE vessel_id = :vessel_id AND NOT is_summed AND day < :before"
    f" ORDER BY day LIMIT :most) AS asked, {_RECORDS_OF_DAYS} ORDER BY asked.day"
)
#: A day that another transaction is changing is skipped, so that neither waits.
_STORE: Final = text(
    "UPDATE telemetry_day SET is_summed = true, sums = new.sums, curve = new.curve FROM"
    " (SELECT known.vessel_id, known.day, given.sums, given.curve FROM"
    "  unnest(CAST(:days AS integer[]), CAST(:changes AS bigint[]), CAST(:sums AS bytea[]),"
    "   CAST(:curves AS bytea[])) AS given (day, changes, sums, curve)"
    "  JOIN telemetry_day AS known ON known.vessel_id = :vessel_id"
    "   AND known.day = DATE '1970-01-01' + given.day AND known.changes = given.changes"
    "  FOR NO KEY UPDATE OF known SKIP LOCKED) AS new"
    " WHERE telemetry_day.vessel_id = new.vessel_id AND telemetry_day.day = new.day"
)


@dataclass(slots=True)
class VesselDays:
    """A vessel's days in a period: summed days, and days whose records must be read.

    ``spans_h`` are the spans of time that will be queried.
    """

    vessel_id: UUID
    summed: DaySums
    unsummed: list[int]
    unsummed_records: int
    spans_h: Floats = field(default_factory=lambda: np.empty((0, 2)))

    def to_read(self) -> tuple[list[int], int]:
        """Return the days whose records are needed, and the approximate number of records."""
        sums = self.summed.sums
        cut = find_split_days(sums, self.spans_h)
        cut_records = sums.totals[np.isin(sums.days, cut), 0].sum() + cut.size
        return self.unsummed + cut.tolist(), self.unsummed_records + int(cut_records)


def instant_of(hours: float) -> datetime:
    """The instant a number of hours after the epoch, to the millisecond."""
    return EPOCH + timedelta(milliseconds=round(hours * 3.6e6))


def load_timeline(
    session: Session,
    vessel_id: UUID,
    since: datetime,
    until: datetime,
    spans_of: Callable[[VesselDays], Floats],
    *,
    with_curves: bool = False,
) -> Timeline:
    """Load a vessel's timeline of a period's days, complete for the given spans."""
    days = load_days(session, [vessel_id], since, until, with_curves=with_curves)
    ((_, timeline),) = load_timelines(session, days, spans_of)
    return timeline


def load_days(
    session: Session,
    vessel_ids: Sequence[UUID],
    since: datetime,
    until: datetime,
    *,
    with_curves: bool = False,
) -> list[VesselDays]:
    """Load the sums of each vessel's days from the first to the last day of a period.

    An interval counts where it ends: the days before are those on which one that ends in the
    period may begin, and the last day is that of a record at the midnight that ends it.
    """
    asked = {
        "vessel_ids": list(vessel_ids),
        "first": (max(since, EPOCH) - timedelta(hours=LONGEST_GAP_H)).date(),
        "last": instant_of(hours_since_epoch(until)).date(),
        "with_curves": with_curves,
    }
    known = {
        row.vessel_id: VesselDays(
            row.vessel_id, unpack(row.sums, row.curves or b""), row.unsummed, int(row.records)
        )
        for row in session.execute(_DAYS, asked)
    }
    return [
        known.get(vessel_id, VesselDays(vessel_id, unpack(b""), [], 0)) for vessel_id in vessel_ids
    ]


def load_fleet_timelines(
    session: Session,
    vessel_ids: Sequence[UUID],
    since: datetime,
    until: datetime,
    spans_of: Callable[[VesselDays], Floats],
) -> Iterator[tuple[UUID, Timeline]]:
    """Load each vessel's timeline, with two statements for many vessels at a time."""
    for start in range(0, len(vessel_ids), _VESSELS_AT_ONCE):
        some = vessel_ids[start : start + _VESSELS_AT_ONCE]
        yield from load_timelines(session, load_days(session, some, since, until), spans_of)


def load_timelines(
    session: Session, fleet: Sequence[VesselDays], spans_of: Callable[[VesselDays], Floats]
) -> Iterator[tuple[UUID, Timeline]]:
    """Complete vessels' days with the needed records, as many at a time as fit into memory."""
    group: dict[UUID, tuple[VesselDays, list[int]]] = {}
    held = 0
    for days in fleet:
        days.spans_h = spans_of(days)
        to_read, records = days.to_read()
        if group and held + records > _RECORDS_AT_ONCE:
            yield from _complete(session, group)
            group, held = {}, 0
        group[days.vessel_id] = (days, to_read)
        held += records
    yield from _complete(session, group)


def _complete(
    session: Session, group: dict[UUID, tuple[VesselDays, list[int]]]
) -> Iterator[tuple[UUID, Timeline]]:
    read: dict[UUID, list[VoyageRecords]] = {vessel_id: [] for vessel_id in group}
    reports = _load_reports(session, [days for days, _ in group.values()])
    asked = [(vessel_id, day) for vessel_id, (_, to_read) in group.items() for day in to_read]
    if asked:
        vessel_ids, days = zip(*asked, strict=True)
        span = {
            "vessel_ids": list(vessel_ids),
            "days": [_FIRST_DAY + timedelta(days=day) for day in days],
        }
        for vessel_id, *columns in session.execute(_RECORDS, span):
            read[vessel_id].append(_read_columns(columns))
    for vessel_id, (known, to_read) in group.items():
        days, parts = exclude_days(known.summed, to_read), read[vessel_id]
        runs = single_record_runs(join_records(parts)) if parts else unpack(b"").sums
        yield vessel_id, Timeline.of(days, runs, reports.get(vessel_id))


def _load_reports(session: Session, fleet: Sequence[VesselDays]) -> dict[UUID, PeriodReports]:
    """Load the noon reports in the spans of vessels, by vessel."""
    spans_h = np.concatenate([days.spans_h for days in fleet]) if fleet else np.empty((0, 2))
    if not spans_h.size:
        return {}
    found = load_noon_reports(
        session,
        [days.vessel_id for days in fleet],
        instant_of(float(spans_h[:, 0].min())),
        instant_of(float(spans_h[:, 1].max())),
    )
    return {vessel_id: select_fuelled(reports) for vessel_id, reports in found.items()}


def load_noon_reports(
    session: Session, vessel_ids: Sequence[UUID], since: datetime, until: datetime
) -> dict[UUID, PeriodReports]:
    """Load the noon reports whose periods may reach into a span, by vessel; none of some vessels.

    Those of the longest period before and after the span are read too: a period begins with the
    report before it, and a report after the span may replace one in it.
    """
    around = timedelta(hours=LONGEST_PERIOD_H)
    asked = {"vessel_ids": list(vessel_ids), "since": since - around, "until": until + around}
    found = {
        row.vessel_id: read_reports(
            StatedReports(*(np.array(column, dtype=np.float64) for column in row[1:]))
        )
        for row in session.execute(_REPORTS, asked)
    }
    last_h = hours_since_epoch(until) + SAME_INSTANT_H
    return {
        vessel_id: reports.take(reports.times_h <= last_h) for vessel_id, reports in found.items()
    }


def load_records(
    session: Session, vessel_id: UUID, since: datetime, until: datetime
) -> VoyageRecords:
    """Load a vessel's records of a period, both ends included."""
    span = {"vessel_id": vessel_id, "since": since, "until": until}
    return _read_columns(session.execute(_RECORDS_BETWEEN, span).one())


def load_records_at(
    session: Session, vessel_id: UUID, instants: Sequence[datetime]
) -> VoyageRecords:
    """Load the first record at or after each instant, up to the last instant; each only once."""
    asked = {"vessel_id": vessel_id, "instants": list(instants), "until": max(instants)}
    return _read_columns(session.execute(_RECORDS_AT, asked).one())


def _read_columns(columns: Sequence[bytes | None]) -> VoyageRecords:
    return VoyageRecords(*(np.frombuffer(column or b"", ">f8").astype(float) for column in columns))


def sum_unsummed_days(now: datetime, *, for_s: float) -> int:
    """Sum ended days of all organizations for at most ``for_s``; return their number.

    A day that has not ended would soon change again.
    """
    ends = time.monotonic() + for_s
    today, summed, last = now.date(), 0, UUID(int=0)
    while listed := _list_vessels_to_sum(today, last):
        for organization_id, vessel_id in listed:
            if time.monotonic() > ends:
                return summed
            with organization_session(organization_id) as session:
                summed += _sum_vessel_days(session, vessel_id, today)
            last = vessel_id
    return summed


def _list_vessels_to_sum(today: date, after: UUID) -> list[tuple[UUID, UUID]]:
    """List the next vessels with ended days that have no sums, by id."""
    query = (
        select(TelemetryDay.organization_id, TelemetryDay.vessel_id)
        .where(~TelemetryDay.is_summed, TelemetryDay.day < today, TelemetryDay.vessel_id > after)
        .distinct()
        .order_by(TelemetryDay.vessel_id)
        .limit(_VESSELS_AT_ONCE)
    )
    with cross_tenant_session() as session:
        return [(row.organization_id, row.vessel_id) for row in session.execute(query)]


def _sum_vessel_days(session: Session, vessel_id: UUID, today: date) -> int:
    asked = {"vessel_id": vessel_id, "before": today, "most": _DAYS_AT_ONCE}
    changes: dict[int, int] = {}
    parts = []
    for day, counted, *columns in session.execute(_UNSUMMED, asked):
        changes[day] = counted
        parts.append(_read_columns(columns))
    if not parts:
        return 0
    packed = {day: (sums, curve) for day, sums, curve in pack(sum_days(join_records(parts)))}
    nothing = (b"", b"")
    session.execute(
        _STORE,
        {
            "vessel_id": vessel_id,
            "days": list(changes),
            "changes": list(changes.values()),
            "sums": [packed.get(day, nothing)[0] for day in changes],
            "curves": [packed.get(day, nothing)[1] for day in changes],
        },
    )
    return len(changes)
