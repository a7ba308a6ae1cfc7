"""Telemetry: recorded once each, read by time, counted by day."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Select, and_, func, select, true
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.models import TelemetryDay, TelemetryRecord, Vessel
from app.services.errors import Conflict, Fault, Invalid
from app.services.instants import first_instant, last_instant
from app.services.paging import Page
from app.services.telemetry_fields import COLUMNS

#: Months whose partition is made before their first record comes.
MONTHS_AHEAD = 2


@dataclass(frozen=True, slots=True)
class Recorded:
    """A record as it is stored, and whether it was stored just now."""

    record: TelemetryRecord
    is_new: bool


def record(session: Session, vessel: Vessel, values: Mapping[str, Any]) -> Recorded:
    """Store one record; ``values`` by column.

    The same record again is answered with the stored one. Raises
    :class:`Conflict` when another is stored for that instant.
    """
    add_partitions(session, [values["timestamp"]])
    own = {"organization_id": vessel.organization_id, "vessel_id": vessel.id}
    statement = insert(TelemetryRecord).values(own | dict(values)).on_conflict_do_nothing()
    is_new = session.scalar(statement.returning(TelemetryRecord.timestamp)) is not None
    stored = session.get_one(TelemetryRecord, (vessel.id, values["timestamp"]))
    if is_new:
        count_days(session, vessel, [values["timestamp"]])
    elif any(getattr(stored, column) != values.get(column) for column in COLUMNS):
        raise Conflict(
            "Another record of this vessel is stored for this instant.", code="TELEMETRY_DIFFERS"
        )
    return Recorded(stored, is_new)


def add_partitions(session: Session, instants: Iterable[datetime]) -> None:
    """Make the partitions that records of these times need, where they are missing."""
    for year, month in sorted({(instant.year, instant.month) for instant in instants}):
        partition = f"telemetry_{year:04d}_{month:02d}"
        if session.scalar(select(func.to_regclass(partition))) is None:
            instant = first_instant(date(year, month, 1))
            session.execute(select(func.add_telemetry_partition(instant)))


def add_partitions_ahead(session: Session, now: datetime) -> None:
    """Make the partitions of this month and the next ones."""
    add_partitions(session, [now + timedelta(days=31 * month) for month in range(MONTHS_AHEAD + 1)])


def count_days(session: Session, vessel: Vessel, instants: Iterable[datetime]) -> None:
    """Count records that were just stored, so that totals need no scan."""
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
    if rows:
        statement = insert(TelemetryDay)
        added = TelemetryDay.records + statement.excluded.records
        session.execute(
            statement.on_conflict_do_update(
                index_elements=["vessel_id", "day"], set_={"records": added}
            ),
            rows,
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

    The days' counts tell on which day the page begins, so that a deep page
    skips no more than a day's records.
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


def list_latest(session: Session, organization_id: UUID) -> Sequence[TelemetryRecord]:
    """The last record of each vessel of an organization that has any."""
    latest = (
        select(TelemetryRecord.timestamp)
        .where(TelemetryRecord.vessel_id == Vessel.id)
        .order_by(TelemetryRecord.timestamp.desc())
        .limit(1)
        .correlate(Vessel)
        .lateral()
    )
    query = (
        select(TelemetryRecord)
        .select_from(Vessel)
        .join(latest, true())
        .join(
            TelemetryRecord,
            and_(
                TelemetryRecord.vessel_id == Vessel.id,
                TelemetryRecord.timestamp == latest.c.timestamp,
            ),
        )
        .where(Vessel.organization_id == organization_id, Vessel.deleted_at.is_(None))
    )
    return session.scalars(query).all()


def count(session: Session, vessel: Vessel, since: datetime | None, until: datetime | None) -> int:
    """How many records of a vessel lie in a range of time."""
    return sum(records for _, records in _count_days(session, vessel.id, since, until))


def refuse_reversed(since: datetime | None, until: datetime | None) -> None:
    """Raise :class:`Invalid` for a range that ends before it begins."""
    if since is not None and until is not None and since > until:
        raise Invalid([Fault("/from", "The range begins after its end (to).")])


def _count_days(
    session: Session, vessel_id: UUID, since: datetime | None, until: datetime | None
) -> list[tuple[date, int]]:
    """Records per day in a range; days that it cuts are counted one by one."""
    query = select(TelemetryDay.day, TelemetryDay.records).where(
        TelemetryDay.vessel_id == vessel_id
    )
    if since is not None:
        query = query.where(TelemetryDay.day >= since.date())
    if until is not None:
        query = query.where(TelemetryDay.day <= until.date())
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
) -> Select[tuple[TelemetryRecord]]:
    query = select(TelemetryRecord).where(TelemetryRecord.vessel_id == vessel_id)
    if since is not None:
        query = query.where(TelemetryRecord.timestamp >= since)
    return query if until is None else query.where(TelemetryRecord.timestamp <= until)
