"""The newest reported position of each vessel, by telemetry, noon report or AIS."""

from collections.abc import Iterator
from datetime import datetime
from operator import attrgetter
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import func, select, true
from sqlalchemy.orm import Session

from app.models import AisPosition, NoonReport, TelemetryRecord, Vessel


class LatestPosition(NamedTuple):
    """A reported position [deg]; speed over ground [kn] and heading [deg], ``None`` if unknown."""

    vessel_id: UUID
    time: datetime
    lat: float
    lng: float
    speed_kn: float | None
    heading_deg: float | None


def list_latest(session: Session, organization_id: UUID) -> list[LatestPosition]:
    """List the newest position of each vessel of an organization that reported one."""
    newest: dict[UUID, LatestPosition] = {}
    for latest in _list_reported(session, organization_id):
        known = newest.setdefault(latest.vessel_id, latest)
        newest[latest.vessel_id] = max(known, latest, key=attrgetter("time"))
    return [*newest.values()]


def _list_reported(session: Session, organization_id: UUID) -> Iterator[LatestPosition]:
    """List the newest position of each vessel in each kind of report."""
    record, noon, ais = TelemetryRecord, NoonReport, AisPosition
    ais_heading_deg = func.coalesce(ais.heading_deg, ais.course_deg)
    for row, speed_kn, heading_deg, order in (
        (record, record.speed_kn, record.heading_deg, record.timestamp),
        (noon, noon.speed_over_ground_kn, noon.heading_deg, noon.timestamp),
        (ais, ais.speed_kn, ais_heading_deg, ais.minute),
    ):
        newest = (
            select(row.timestamp, row.latitude, row.longitude, speed_kn, heading_deg)
            .where(row.vessel_id == Vessel.id)
            .where(row.latitude.is_not(None), row.longitude.is_not(None))
            .order_by(order.desc())
            .limit(1)
            .correlate(Vessel)
            .lateral()
        )
        query = (
            select(Vessel.id, *newest.c)
            .join(newest, true())
            .where(Vessel.organization_id == organization_id, Vessel.deleted_at.is_(None))
        )
        yield from map(LatestPosition._make, session.execute(query))
