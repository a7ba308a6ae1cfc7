"""A vessel's statistics, from what she reported and what was planned for her."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import numpy as np
from sqlalchemy import Row, select, text
from sqlalchemy.orm import Session

from app.engine import voyage_records
from app.engine.vessel import co2_factor, find_carbon_intensity
from app.engine.voyage import CarbonIntensity, ShipParticulars
from app.engine.voyage_records import RecordedVoyage, VoyageRecords
from app.models import Charting, ChartingRevision, Vessel, utc_now
from app.services import telemetry
from app.services.engine_mapping import build_ship_particulars, snapshot_vessel
from app.services.instants import first_instant, parse_instant

#: Share of a planned voyage's hours that records must cover to be compared with it.
_COVERED: Final = 0.9

#: Where records are counted in hours from; none are older.
EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00Z")
LAST_DAY: Final = datetime.fromisoformat("2200-01-01T00:00:00Z")


@dataclass(frozen=True, slots=True)
class VoyageComparison:
    """What was planned for a voyage, and what the records of its time say."""

    charting_id: UUID
    departs_at: datetime
    predicted_fuel_t: float
    actual_fuel_t: float
    predicted_distance_nm: float
    actual_distance_nm: float


@dataclass(frozen=True, slots=True)
class VesselStatistics:
    """Figures of a period; ``None`` where its records don't suffice.

    ``year_to_date`` is the carbon intensity of the calendar year so far,
    whatever period is told of.
    """

    since: datetime | None
    until: datetime | None
    voyages: int
    telemetry_count: int
    recorded: RecordedVoyage | None
    co2_t: float | None
    carbon_intensity: CarbonIntensity | None
    year_to_date: CarbonIntensity | None
    comparisons: tuple[VoyageComparison, ...]


def describe(
    session: Session, vessel: Vessel, since: datetime | None, until: datetime | None
) -> VesselStatistics:
    """A vessel's statistics of a period, both ends included; of all her time if none is given."""
    telemetry.refuse_reversed(since, until)
    ship = build_ship_particulars(snapshot_vessel(vessel))
    records = load_records(session, vessel, since or EPOCH, until or LAST_DAY)
    recorded = voyage_records.sum_up(records)
    voyages = _list_voyages(session, vessel, since or EPOCH, until or LAST_DAY)
    co2_t = None if recorded is None else recorded.fuel_t * co2_factor(ship.fuel_type)
    first, last = _ends(records)
    return VesselStatistics(
        since=since or first,
        until=until or last,
        voyages=len(voyages),
        telemetry_count=telemetry.count(session, vessel, since, until),
        recorded=recorded,
        co2_t=co2_t,
        carbon_intensity=carbon_intensity_of(ship, recorded, last),
        year_to_date=_year_to_date(session, vessel, ship),
        comparisons=tuple(compare(voyages, records)),
    )


_COLUMNS: Final = (
    "date_part('epoch', timestamp) / 3600",
    "latitude",
    "longitude",
    "speed_kn",
    "fuel_consumption_t_day",
)
_RECORDS = text(
    f"SELECT asked.vessel_id, columns.* FROM unnest(CAST(:vessel_ids AS uuid[]))"  # noqa: S608
    " AS asked (vessel_id) CROSS JOIN LATERAL"
    f" (SELECT {', '.join(f'string_agg(float8send({column}), NULL)' for column in _COLUMNS)}"
    " FROM (SELECT * FROM telemetry WHERE telemetry.vessel_id = asked.vessel_id"
    " AND timestamp BETWEEN :since AND :until ORDER BY timestamp) AS ordered) AS columns"
)

#: Vessels whose records are held at once: a year of one, every five minutes, is 4 MB.
_VESSELS_AT_ONCE: Final = 8


def load_records(
    session: Session, vessel: Vessel, since: datetime, until: datetime
) -> VoyageRecords:
    """Load one vessel's records of a period, both ends included."""
    ((_, records),) = load_fleet_records(session, [vessel.id], since, until)
    return records


def load_fleet_records(
    session: Session, vessel_ids: Sequence[UUID], since: datetime, until: datetime
) -> Iterator[tuple[UUID, VoyageRecords]]:
    """Load each vessel's records of a period, all in one query.

    A year is a hundred thousand records, too many to be made objects one by one: they come
    as columns of PostgreSQL's own big-endian numbers, one text of bytes each. A large fleet's
    together would not fit into memory: they come a few vessels at a time, from a cursor.
    """
    span = {"vessel_ids": list(vessel_ids), "since": since, "until": until}
    options = {"yield_per": _VESSELS_AT_ONCE}
    for vessel_id, *columns in session.execute(_RECORDS, span, execution_options=options):
        values = (np.frombuffer(column or b"", ">f8").astype(float) for column in columns)
        yield vessel_id, VoyageRecords(*values)


def _ends(records: VoyageRecords) -> tuple[datetime | None, datetime | None]:
    """When the first and the last record was made."""
    if records.times_h.size == 0:
        return None, None
    first, last = (EPOCH + timedelta(hours=float(records.times_h[i])) for i in (0, -1))
    return first, last


def carbon_intensity_of(
    ship: ShipParticulars, recorded: RecordedVoyage | None, last: datetime | None
) -> CarbonIntensity | None:
    """The indicator of what was recorded, against what its last year requires."""
    if recorded is None or last is None:
        return None
    return find_carbon_intensity(
        ship_type=ship.ship_type,
        dwt_t=ship.dwt_t,
        gross_tonnage=ship.gross_tonnage,
        co2_t=recorded.fuel_t * co2_factor(ship.fuel_type),
        distance_nm=recorded.distance_nm,
        year=last.year,
    )


def _year_to_date(
    session: Session, vessel: Vessel, ship: ShipParticulars
) -> CarbonIntensity | None:
    now = utc_now()
    records = load_records(session, vessel, first_instant(date(now.year, 1, 1)), now)
    return carbon_intensity_of(ship, voyage_records.sum_up(records), now)


def _list_voyages(
    session: Session, vessel: Vessel, since: datetime, until: datetime
) -> Sequence[Row[Any]]:
    """The newest plans of a vessel's voyages that begin in a period."""
    fleet = list_fleet_voyages(session, vessel.organization_id, since, until, vessel_id=vessel.id)
    return fleet.get(vessel.id, [])


def list_fleet_voyages(
    session: Session,
    organization_id: UUID,
    since: datetime,
    until: datetime,
    *,
    vessel_id: UUID | None = None,
) -> dict[UUID, list[Row[Any]]]:
    """List the newest plans of voyages that begin in a period, by vessel: one's or the fleet's."""
    departs = ChartingRevision.request["startDate"].as_string()
    query = (
        select(Charting.id, Charting.vessel_id, departs.label("departs"), ChartingRevision.summary)
        .join(
            ChartingRevision,
            (ChartingRevision.charting_id == Charting.id)
            & (ChartingRevision.revision == Charting.completed_revision),
        )
        .where(Charting.organization_id == organization_id)
        .order_by(Charting.id)
    )
    if vessel_id is not None:
        query = query.where(Charting.vessel_id == vessel_id)
    found: dict[UUID, list[Row[Any]]] = {}
    for row in session.execute(query):
        if since <= parse_instant(row.departs) <= until:
            found.setdefault(row.vessel_id, []).append(row)
    return found


def compare(voyages: Sequence[Row[Any]], records: VoyageRecords) -> Iterator[VoyageComparison]:
    """Compare planned voyages with the records of their time, where records cover them."""
    for voyage in voyages:
        departs, arrives = parse_instant(voyage.departs), parse_instant(voyage.summary["eta"])
        since_h, until_h = ((t - EPOCH) / timedelta(hours=1) for t in (departs, arrives))
        recorded = voyage_records.sum_up(voyage_records.select(records, since_h, until_h))
        if recorded is None or recorded.hours < _COVERED * (until_h - since_h):
            continue
        yield VoyageComparison(
            charting_id=voyage.id,
            departs_at=departs,
            predicted_fuel_t=voyage.summary["fuelMt"],
            actual_fuel_t=recorded.fuel_t,
            predicted_distance_nm=voyage.summary["distanceNm"],
            actual_distance_nm=recorded.distance_nm,
        )
