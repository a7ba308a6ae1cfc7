"""AIS positions of vessels, of which at most one per minute is stored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import numpy as np
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.datasources.nmea import LineFault, ReportedPosition
from app.engine.telemetry.records import VoyageRecords
from app.engine.times import hours_since_epoch
from app.models import AisPosition, Vessel
from app.services.errors import refuse_reversed
from app.services.platform import quotas
from app.services.platform.paging import Page, fetch_page
from app.services.vessels.telemetry import in_range
from app.services.vessels.telemetry_fields import MOST_SPEED_KN, find_time_fault, to_millisecond

#: The last minute of the column, in the year 6053; ends of ranges may be later.
_LAST_MINUTE: Final = 2**31 - 1

_NO_MMSI: Final = "The vessel has no MMSI, so no AIS message can be matched to it: set its mmsi."


@dataclass(slots=True)
class Received:
    """Counts of received positions: stored, duplicates of a minute, of other ships.

    ``faults`` are those of unusable lines. ``note`` states why no message can be of the fleet.
    """

    stored: int = 0
    duplicates: int = 0
    other_ships: int = 0
    faults: list[LineFault] = field(default_factory=list)
    note: str | None = None


def store(
    session: Session,
    organization_id: UUID,
    fleet: Mapping[str | None, Vessel],
    found: Iterable[ReportedPosition | LineFault],
    now: datetime,
) -> Received:
    """Store positions of a fleet, a mapping by MMSI; ``None`` is the key of the own ship.

    Raises :class:`Conflict` if the organization's telemetry quota is used up.
    """
    quotas.check(session, organization_id, quotas.TELEMETRY)
    received = Received()
    rows: dict[tuple[UUID, int], dict[str, Any]] = {}
    for each in found:
        fault = each if isinstance(each, LineFault) else _find_fault(each, now)
        if fault is not None:
            received.faults.append(fault)
        elif isinstance(each, ReportedPosition) and each.mmsi in fleet:
            row = _row(fleet[each.mmsi], each)
            received.duplicates += (row["vessel_id"], row["minute"]) in rows
            rows.setdefault((row["vessel_id"], row["minute"]), row)
        else:
            received.other_ships += 1
    if received.other_ships and fleet.keys() == {None}:
        received.note = _NO_MMSI
    received.stored = _insert(session, [*rows.values()])
    received.duplicates += len(rows) - received.stored
    return received


def list_page(
    session: Session,
    vessel: Vessel,
    since: datetime | None,
    until: datetime | None,
    page: int,
    page_size: int,
) -> Page[AisPosition]:
    """A page of a vessel's positions in a range of time, both ends included, oldest first."""
    refuse_reversed(since, until)
    query = select(AisPosition).where(
        AisPosition.vessel_id == vessel.id,
        *in_range(AisPosition.minute, since and _minute(since), until and _minute(until)),
        *in_range(AisPosition.timestamp, since, until),
    )
    return fetch_page(session, query.order_by(AisPosition.minute), page, page_size)


def load_records(
    session: Session, vessel_id: UUID, since: datetime, until: datetime
) -> VoyageRecords:
    """Load a vessel's positions of a period, both ends included, as records without fuel."""
    row = AisPosition
    query = (
        select(row.timestamp, row.latitude, row.longitude, row.speed_kn)
        .where(row.vessel_id == vessel_id, row.minute.between(_minute(since), _minute(until)))
        .where(row.timestamp.between(since, until))
        .order_by(row.minute)
    )
    found = [(hours_since_epoch(at), *figures) for at, *figures in session.execute(query)]
    times_h, lats, lngs, speed_kn = np.array(found, dtype=float).reshape(-1, 4).T
    return VoyageRecords(times_h, lats, lngs, speed_kn, np.full(len(found), np.nan))


def _find_fault(position: ReportedPosition, now: datetime) -> LineFault | None:
    fault = find_time_fault(position.time, now)
    if fault is None and position.speed_kn > MOST_SPEED_KN:
        fault = f"{position.speed_kn:g} kn is more than any ship makes, {MOST_SPEED_KN:g} kn."
    return None if fault is None else LineFault(position.line, fault)


def _row(vessel: Vessel, position: ReportedPosition) -> dict[str, Any]:
    return {
        "organization_id": vessel.organization_id,
        "vessel_id": vessel.id,
        "minute": _minute(position.time),
        "timestamp": to_millisecond(position.time),
        "latitude": position.latitude,
        "longitude": position.longitude,
        "speed_kn": position.speed_kn,
        "course_deg": position.course_deg,
        "heading_deg": position.heading_deg,
    }


def _minute(instant: datetime) -> int:
    """Minute of an instant since 1970, at most the last that its column can have."""
    return min(int(instant.timestamp() // 60), _LAST_MINUTE)


def _insert(session: Session, rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert rows except those of minutes that have one; return the number of new rows."""
    if not rows:
        return 0
    adding = insert(AisPosition).on_conflict_do_nothing().returning(AisPosition.minute)
    return len(session.execute(adding, rows).all())
