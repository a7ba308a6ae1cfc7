"""Fleet summary: each vessel's rating this year and its fuel of twelve months."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy.orm import Session

from app.engine.telemetry.records import RecordedVoyage
from app.engine.telemetry.sums import Timeline
from app.models import Vessel
from app.records.instants import first_instant
from app.services.engine_mapping import build_registered_ship
from app.services.vessels import telemetry_sums, vessel_statistics
from app.services.vessels.vessel_statistics import PlannedVoyage, Span, in_hours

_YEAR: Final = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class VesselSummary:
    """A vessel's row in the fleet; ``None`` where its records do not suffice.

    ``rating`` is that of its carbon intensity in the calendar year so far. Fuel per mile and
    ``off_pct``, fuel used against predicted, are of the last twelve months.
    """

    vessel_id: UUID
    rating: str | None = None
    fuel_kg_per_nm: float | None = None
    off_pct: float | None = None


def summarise(
    session: Session, organization_id: UUID, fleet: Sequence[Vessel], now: datetime
) -> Iterator[VesselSummary]:
    """Summarise each vessel that has records of the last twelve months."""
    year, to_date = (now - _YEAR, now), (first_instant(date(now.year, 1, 1)), now)
    # the first day of a leap year lies 366 days before its last
    span = min(year, to_date)
    listed = {vessel.id: vessel for vessel in fleet}
    voyages = vessel_statistics.list_fleet_voyages(session, organization_id, *year)
    timelines = telemetry_sums.load_fleet_timelines(
        session,
        [*listed],
        *span,
        lambda days: vessel_statistics.list_spans(
            voyages.get(days.vessel_id, []), span, year, to_date
        ),
    )
    for vessel_id, timeline in timelines:
        if timeline.span_ends_h(*in_hours(year)) is not None:
            planned = voyages.get(vessel_id, [])
            yield _summarise(listed[vessel_id], planned, timeline, span, year, to_date)


def _summarise(
    vessel: Vessel,
    voyages: Sequence[PlannedVoyage],
    timeline: Timeline,
    span: Span,
    year: Span,
    to_date: Span,
) -> VesselSummary:
    recorded = timeline.sum_between(*in_hours(year))
    this_year = timeline.sum_between(*in_hours(to_date))
    ship = build_registered_ship(vessel)
    intensity = vessel_statistics.carbon_intensity_of(ship, this_year, to_date[1])
    sailed = vessel_statistics.select_sailed(voyages, timeline, span)
    compared = list(vessel_statistics.compare(sailed, timeline, span))
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
