"""What a vessel's records of a period say month by month, and where she was."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from app.engine import voyage_records
from app.engine.vessel import co2_factor, find_rating_boundaries
from app.engine.voyage import CarbonIntensity, ShipParticulars
from app.engine.voyage_records import LONGEST_GAP_H, RecordedVoyage, VoyageRecords
from app.models import Vessel
from app.services.engine_mapping import build_ship_particulars, snapshot_vessel
from app.services.instants import first_instant
from app.services.vessel_statistics import EPOCH, LAST_DAY, carbon_intensity_of, load_records

#: Most places of a drawn track; a screen shows no more.
MOST_PLACES: Final = 1500


@dataclass(frozen=True, slots=True)
class MonthStatistics:
    """A calendar month: what was recorded in it, and its carbon intensity.

    ``year_so_far`` is that of the calendar year up to the month's end, as far
    as the period reaches back into it.
    """

    first_day: date
    recorded: RecordedVoyage
    co2_t: float
    carbon_intensity: CarbonIntensity | None
    year_so_far: CarbonIntensity | None


@dataclass(frozen=True, slots=True)
class VesselRecords:
    """A period's months, and places along the track; ``boundaries`` as shares of what is required.

    A track's part ends where records lie too far apart to say what was between.
    """

    months: tuple[MonthStatistics, ...]
    boundaries: tuple[float, ...] | None
    track: tuple[VoyageRecords, ...]


def describe(
    session: Session, vessel: Vessel, since: datetime | None, until: datetime | None
) -> VesselRecords:
    """A vessel's months and track in a period, or in all her time."""
    ship = build_ship_particulars(snapshot_vessel(vessel))
    records = load_records(session, vessel, since or EPOCH, until or LAST_DAY)
    return VesselRecords(
        tuple(_list_months(ship, records)),
        find_rating_boundaries(ship.ship_type, ship.dwt_t, ship.gross_tonnage),
        tuple(_list_parts(records)),
    )


def _list_months(ship: ShipParticulars, records: VoyageRecords) -> Iterator[MonthStatistics]:
    if records.times_h.size == 0:
        return
    month, end_h = _month_of(records.times_h[0]), float(records.times_h[-1])
    while _hours(month) <= end_h:
        following = _after(month)
        recorded = _sum_up(records, month, following)
        if recorded is not None:
            year = _sum_up(records, month.replace(month=1), following)
            last = first_instant(following) - timedelta(seconds=1)
            yield MonthStatistics(
                month,
                recorded,
                recorded.fuel_t * co2_factor(ship.fuel_type),
                carbon_intensity_of(ship, recorded, last),
                carbon_intensity_of(ship, year, last),
            )
        month = following


def _sum_up(records: VoyageRecords, first: date, end: date) -> RecordedVoyage | None:
    return voyage_records.sum_up(voyage_records.select(records, _hours(first), _hours(end)))


def _month_of(hours: Any) -> date:
    return (EPOCH + timedelta(hours=float(hours))).date().replace(day=1)


def _after(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1)


def _hours(day: date) -> float:
    return (first_instant(day) - EPOCH) / timedelta(hours=1)


def _list_parts(records: VoyageRecords) -> Iterator[VoyageRecords]:
    """The track in parts without gaps, thinned to what a screen can show."""
    count = records.times_h.size
    kept = np.unique(np.linspace(0, count - 1, min(count, MOST_PLACES)).astype(int))
    thin = VoyageRecords(*(values[kept] for values in records))
    # two neighbours of the thinned track are apart as far as the records between them
    gaps = np.flatnonzero(np.diff(records.times_h) > LONGEST_GAP_H) + 1
    cuts = np.unique(np.searchsorted(kept, gaps))
    for part in np.split(np.arange(kept.size), cuts):
        if part.size > 1:
            yield VoyageRecords(*(values[part] for values in thin))
