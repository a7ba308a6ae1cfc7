"""The fleet at a glance: each vessel's rating this year, and her fuel of twelve months."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from app.engine import voyage_records
from app.engine.voyage_records import RecordedVoyage, VoyageRecords
from app.models import TelemetryDay, Vessel
from app.services import vessel_statistics
from app.services.engine_mapping import build_ship_particulars, snapshot_vessel
from app.services.instants import first_instant

_YEAR: Final = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class VesselSummary:
    """A vessel's row in the fleet; ``None`` where her records don't suffice.

    ``rating`` is her carbon intensity's in the calendar year so far. Fuel per mile and
    ``off_pct``, fuel used against predicted, are of the last twelve months.
    """

    vessel_id: UUID
    rating: str | None = None
    fuel_kg_per_nm: float | None = None
    off_pct: float | None = None


def summarise(
    session: Session, organization_id: UUID, fleet: Sequence[Vessel], now: datetime
) -> Iterator[VesselSummary]:
    """Summarise each vessel that has records of the last twelve months.

    The number of queries does not depend on the number of vessels.
    """
    since = now - _YEAR
    reporting = _list_reporting(session, organization_id, since.date())
    listed = {vessel.id: vessel for vessel in fleet if vessel.id in reporting}
    voyages = vessel_statistics.list_fleet_voyages(session, organization_id, since, now)
    # The first day of a leap year lies 366 days before its last.
    first = min(since, _new_year(now))
    for vessel_id, records in vessel_statistics.load_fleet_records(session, [*listed], first, now):
        yield _summarise(listed[vessel_id], voyages.get(vessel_id, []), records, now)


def _new_year(now: datetime) -> datetime:
    return first_instant(date(now.year, 1, 1))


def _list_reporting(session: Session, organization_id: UUID, since: date) -> set[UUID]:
    """List the vessels that have records since a day."""
    query = (
        select(TelemetryDay.vessel_id)
        .where(TelemetryDay.organization_id == organization_id, TelemetryDay.day >= since)
        .distinct()
    )
    return set(session.scalars(query))


def _summarise(
    vessel: Vessel, voyages: Sequence[Row[Any]], records: VoyageRecords, now: datetime
) -> VesselSummary:
    recorded = voyage_records.sum_up(_between(records, now - _YEAR, now))
    this_year = voyage_records.sum_up(_between(records, _new_year(now), now))
    ship = build_ship_particulars(snapshot_vessel(vessel))
    intensity = vessel_statistics.carbon_intensity_of(ship, this_year, now)
    compared = list(vessel_statistics.compare(voyages, records))
    predicted_t = sum(voyage.predicted_fuel_t for voyage in compared)
    actual_t = sum(voyage.actual_fuel_t for voyage in compared)
    return VesselSummary(
        vessel_id=vessel.id,
        rating=intensity.rating if intensity else None,
        fuel_kg_per_nm=_fuel_kg_per_nm(recorded),
        off_pct=100.0 * (actual_t / predicted_t - 1.0) if predicted_t else None,
    )


def _fuel_kg_per_nm(recorded: RecordedVoyage | None) -> float | None:
    if recorded is None or recorded.distance_nm <= 0.0:
        return None
    return 1000.0 * recorded.fuel_t / recorded.distance_nm


def _between(records: VoyageRecords, since: datetime, until: datetime) -> VoyageRecords:
    hours = ((moment - vessel_statistics.EPOCH) / timedelta(hours=1) for moment in (since, until))
    return voyage_records.select(records, *hours)
