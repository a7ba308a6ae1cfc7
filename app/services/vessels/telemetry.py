"""Telemetry records: store, correct, delete, list by time, count by day."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.extensions import chartroom
from app.models import TelemetryDay, TelemetryRecord, Vessel, utc_now
from app.records.instants import first_instant, last_instant
from app.services.errors import Conflict, Invalid, NotFound, refuse_reversed
from app.services.platform import audit, quotas
from app.services.platform.actor import Actor
from app.services.platform.ids import find_id
from app.services.platform.paging import Page
from app.services.platform.sessions import after_commit, fetch_first
from app.services.problem_codes import ProblemCode
from app.services.vessels import vessels
from app.services.vessels.telemetry_fields import COLUMNS, FIELDS, describe, to_millisecond

#: Number of months ahead for which partitions are created.
MONTHS_AHEAD = 2

#: Texts about a record that differs from the stored one.
IS_STORED: Final = "Another record of this vessel is stored for this instant."
WAY_OUT: Final = "An admin can correct it with PUT /v1/telemetry/{vesselId}/{timestamp}."


@dataclass(frozen=True, slots=True)
class Recorded:
    """A stored record, by its columns; ``is_new`` if it was stored just now."""

    record: Any
    is_new: bool


def record(
    session: Session, organization_id: UUID, vessel_id: str, values: Mapping[str, Any]
) -> Recorded:
    """Store one record of a vessel; ``values`` by column.

    If the same record is stored already, returns the stored one. Raises
    :class:`NotFound` if there is no such vessel and :class:`Conflict` if a
    different record is stored for that instant.
    """
    add_partitions(session, [values["timestamp"]])
    row = {column: values.get(column) for column in COLUMNS}
    row |= {
        "organization_id": organization_id,
        "vessel_id": find_id(vessel_id),
        "received_at": utc_now(),
    }
    if fetch_first(session, _STORE_AND_COUNT, row) is not None:
        return Recorded(SimpleNamespace(**row), is_new=True)
    vessel = vessels.get(session, organization_id, vessel_id)
    stored = session.get(TelemetryRecord, (vessel.id, values["timestamp"]))
    if stored is None:
        quotas.check(session, organization_id, quotas.TELEMETRY)
        return record(session, organization_id, vessel_id, values)  # there is room again
    pairs = {
        field.name: (getattr(stored, field.column), values.get(field.column)) for field in FIELDS
    }
    differing = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    if differing:
        shown = ", ".join(
            f"{name} {_show(known)}, not {_show(sent)}" for name, (known, sent) in differing.items()
        )
        raise Conflict(
            f"{IS_STORED} It has {shown}. {WAY_OUT}",
            code=ProblemCode.TELEMETRY_DIFFERS,
            fields=list(differing),
        )
    return Recorded(stored, is_new=False)


def _show(value: float | None) -> str:
    """Write a value with all its digits: two that differ must not look the same."""
    return "null" if value is None else repr(value).removesuffix(".0")


def get(session: Session, vessel: Vessel, instant: datetime | None) -> TelemetryRecord:
    """A vessel's record of an instant, locked for changing; raises :class:`NotFound`."""
    key = (vessel.id, to_millisecond(instant)) if instant else None
    row = session.get(TelemetryRecord, key, with_for_update=True) if key else None
    if row is None:
        raise NotFound("There is no record of this vessel for this instant.")
    return row


def correct(
    session: Session, actor: Actor, row: TelemetryRecord, values: Mapping[str, Any]
) -> TelemetryRecord:
    """Replace the values of a stored record; the audit log keeps both versions.

    Raises :class:`Invalid` for another instant.
    """
    if values["timestamp"] != row.timestamp:
        raise Invalid.at("/timestamp", "This is not the instant of the record in the path.")
    before = describe(row)
    for column in COLUMNS:
        setattr(row, column, values.get(column))
    session.flush()
    _note_change(session, row)
    audit.record(
        session,
        actor,
        audit.Action.TELEMETRY_CORRECTED,
        row.vessel_id,
        before=before,
        after=describe(row),
    )
    return row


def delete(session: Session, actor: Actor, row: TelemetryRecord) -> None:
    """Delete a stored record; the audit log keeps its values."""
    audit.record(
        session, actor, audit.Action.TELEMETRY_DELETED, row.vessel_id, before=describe(row)
    )
    session.delete(row)
    session.flush()
    _note_change(session, row, more=-1)


def _note_change(session: Session, row: TelemetryRecord, more: int = 0) -> None:
    """Invalidate the sums of a changed record's day."""
    session.execute(
        update(TelemetryDay)
        .where(TelemetryDay.vessel_id == row.vessel_id, TelemetryDay.day == row.timestamp.date())
        .values(
            records=TelemetryDay.records + more, changes=TelemetryDay.changes + 1, is_summed=False
        )
    )


#: Stores a record and counts it for its day. Returns no row if there is no such vessel, if that
#: instant has a record, or if the quota is used up; counts records only if there is a quota.
_STORE_AND_COUNT: Final = f"""
    WITH new AS (
        INSERT INTO telemetry (organization_id, vessel_id, received_at, {", ".join(COLUMNS)})
        SELECT v.organization_id, v.id, %(received_at)s, %(timestamp)s,
            {", ".join(f"%({field.column})s::float8" for field in FIELDS)}
        FROM vessel v JOIN organization o ON o.id = v.organization_id
        WHERE v.organization_id = %(organization_id)s AND v.id = %(vessel_id)s
            AND v.deleted_at IS NULL
            AND (o.most_telemetry_records IS NULL OR o.most_telemetry_records > (
                SELECT coalesce(sum(records), 0) FROM telemetry_day
                WHERE organization_id = %(organization_id)s))
        ON CONFLICT DO NOTHING
        RETURNING organization_id, vessel_id, timestamp
    ), counted AS (
        INSERT INTO telemetry_day AS stored (organization_id, vessel_id, day, records)
        SELECT organization_id, vessel_id, (timestamp AT TIME ZONE 'UTC')::date, 1 FROM new
        ON CONFLICT (vessel_id, day) DO UPDATE
        SET records = stored.records + 1, changes = stored.changes + 1, is_summed = false
    )
    SELECT true FROM new
"""  # noqa: S608


def add_partitions(session: Session, instants: Iterable[datetime]) -> None:
    """Create missing partitions for records of these times."""
    known = chartroom().telemetry_months
    wanted = {(instant.year, instant.month) for instant in instants}
    for year, month in sorted(wanted - known):
        partition = f"telemetry_{year:04d}_{month:02d}"
        if session.scalar(select(func.to_regclass(partition))) is None:
            instant = first_instant(date(year, month, 1))
            session.execute(select(func.add_telemetry_partition(instant)))
        after_commit(session, partial(known.add, (year, month)))


def add_partitions_ahead(session: Session, now: datetime) -> None:
    """Create the partitions of this month and of the next ones."""
    add_partitions(session, [now + timedelta(days=31 * month) for month in range(MONTHS_AHEAD + 1)])


def count_days(session: Session, vessel: Vessel, instants: Iterable[datetime]) -> None:
    """Add newly stored records to the counts by day, so that totals need no scan."""
    counts = Counter(instant.date() for instant in instants)
    rows = [
        {
            "organization_id": vessel.organization_id,
            "vessel_id": vessel.id,
            "day": day,
            "records": records,
        }
        for day, records in sorted(counts.items())
    ]
    if not rows:
        return
    count = insert(TelemetryDay)
    added_up = {
        "records": TelemetryDay.records + count.excluded.records,
        "changes": TelemetryDay.changes + 1,
        "is_summed": False,
    }
    session.execute(
        count.on_conflict_do_update(index_elements=["vessel_id", "day"], set_=added_up), rows
    )


def list_page(
    session: Session,
    vessel: Vessel,
    since: datetime | None,
    until: datetime | None,
    page: int,
    page_size: int,
) -> Page[TelemetryRecord]:
    """A page of a vessel's records in a range of time, both ends included, oldest first.

    The counts by day give the day on which the page begins, so that a late page
    skips at most one day's records.
    """
    refuse_reversed(since, until)
    counts = _count_days(session, vessel.id, since, until)
    total, skipped = sum(count for _, count in counts), (page - 1) * page_size
    for day, count in counts:
        if skipped < count:
            start = first_instant(day) if since is None else max(since, first_instant(day))
            query = _between(vessel.id, start, until).order_by(TelemetryRecord.timestamp)
            items = session.scalars(query.offset(skipped).limit(page_size)).all()
            return Page(items, page, page_size, total)
        skipped -= count
    return Page([], page, page_size, total)


def count(session: Session, vessel: Vessel, since: datetime | None, until: datetime | None) -> int:
    """Count a vessel's records in a time range."""
    return sum(records for _, records in _count_days(session, vessel.id, since, until))


def in_range(column: Any, since: Any, until: Any) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions of a range, both ends included; an end that is ``None`` is open."""
    if since is not None:
        yield column >= since
    if until is not None:
        yield column <= until


def _count_days(
    session: Session, vessel_id: UUID, since: datetime | None, until: datetime | None
) -> list[tuple[date, int]]:
    """Records per day in a range; the records of partly covered days are counted."""
    query = select(TelemetryDay.day, TelemetryDay.records).where(
        TelemetryDay.vessel_id == vessel_id,
        *in_range(TelemetryDay.day, since and since.date(), until and until.date()),
    )
    days = session.execute(query.order_by(TelemetryDay.day)).all()
    return [
        (
            day,
            records
            if _is_whole(day, since, until)
            else _count_part(session, vessel_id, day, since, until),
        )
        for day, records in days
    ]


def _is_whole(day: date, since: datetime | None, until: datetime | None) -> bool:
    begun = since is None or since <= first_instant(day)
    # records are kept to the millisecond
    ended = until is None or until >= last_instant(day) - timedelta(microseconds=999)
    return begun and ended


def _count_part(
    session: Session, vessel_id: UUID, day: date, since: datetime | None, until: datetime | None
) -> int:
    start = max(filter(None, (since, first_instant(day))))
    end = min(filter(None, (until, last_instant(day))))
    inside = _between(vessel_id, start, end).subquery()
    return session.scalar(select(func.count()).select_from(inside)) or 0


def _between(
    vessel_id: UUID, since: datetime | None, until: datetime | None
) -> Select[TelemetryRecord]:
    within = in_range(TelemetryRecord.timestamp, since, until)
    return select(TelemetryRecord).where(TelemetryRecord.vessel_id == vessel_id, *within)
