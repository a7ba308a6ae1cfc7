"""A vessel's records of a period by month, and its track."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from app.engine.arrays import Floats
from app.engine.monitoring.positions import select_credible
from app.engine.particulars import ShipParticulars
from app.engine.plan import CarbonIntensity
from app.engine.telemetry.records import RecordedVoyage, VoyageRecords, drop_spikes
from app.engine.telemetry.sums import Timeline, find_days
from app.engine.times import hours_since_epoch
from app.engine.vessel import find_rating_boundaries
from app.models import Vessel, utc_now
from app.records.instants import first_instant
from app.services.engine_mapping import build_registered_ship
from app.services.vessels import telemetry, telemetry_sums
from app.services.vessels.telemetry_sums import EPOCH, VesselDays, instant_of
from app.services.vessels.vessel_statistics import (
    Span,
    bound,
    carbon_intensity_of,
    find_co2,
    in_hours,
)

#: Largest number of positions in a drawn track; a screen shows no more.
MOST_PLACES: Final = 1500


@dataclass(frozen=True, slots=True)
class MonthStatistics:
    """Records of a calendar month, and its carbon intensity.

    ``year_so_far`` is the carbon intensity of the calendar year up to the end of
    the month, as far as it lies in the period.
    """

    first_day: date
    recorded: RecordedVoyage
    co2_t: float
    carbon_intensity: CarbonIntensity | None
    year_so_far: CarbonIntensity | None


@dataclass(frozen=True, slots=True)
class VesselRecords:
    """Months and track of a period; ``boundaries`` are shares of the required carbon intensity.

    The track is of the credible positions, as on a voyage, without spikes. It is split where
    consecutive records are too far apart in time.
    """

    months: tuple[MonthStatistics, ...]
    boundaries: tuple[float, ...] | None
    track: tuple[VoyageRecords, ...]


def describe(
    session: Session, vessel: Vessel, since: datetime | None, until: datetime | None
) -> VesselRecords:
    """Describe a vessel's months and track in a period, by default of all time."""
    ship = build_registered_ship(vessel)
    span = bound(since, until)
    timeline = telemetry_sums.load_timeline(
        session, vessel.id, *span, lambda days: _list_spans(days, span)
    )
    ends = timeline.span_ends_h(*in_hours(span))
    return VesselRecords(
        tuple(_list_months(ship, timeline, span, ends)) if ends else (),
        find_rating_boundaries(ship),
        tuple(_list_parts(_load_places(session, vessel, ends), timeline)) if ends else (),
    )


def _list_spans(days: VesselDays, span: Span) -> Floats:
    """The period, its months, and its years up to the end of each month, as hours (m, 2)."""
    first = find_days(np.array(hours_since_epoch(span[0])))
    known = [day for day in (*days.unsummed, *days.summed.sums.days) if day >= first]
    spans = [span]
    for month in _months_between(min(known), max(known)) if known else ():
        spans += _month_and_year(month, span)
    return np.array([*map(in_hours, spans)])


def _months_between(first: float, last: float) -> Iterator[date]:
    """First day of each calendar month between two days, which count from the epoch."""
    month = (EPOCH + timedelta(days=int(first))).date().replace(day=1)
    end = (EPOCH + timedelta(days=int(last))).date()
    while month <= end:
        yield month
        month = _after(month)


def _month_and_year(month: date, span: Span) -> tuple[Span, Span]:
    """A month, and its year up to its end, as far as they lie in a span."""
    since, until = span
    end = min(until, first_instant(_after(month)))
    return (
        (max(since, first_instant(month)), end),
        (max(since, first_instant(month.replace(month=1))), end),
    )


def _list_months(
    ship: ShipParticulars, timeline: Timeline, span: Span, ends_h: tuple[float, float]
) -> Iterator[MonthStatistics]:
    for month in _months_between(*find_days(np.array(ends_h))):
        recorded, year = (
            timeline.sum_between(*in_hours(part)) for part in _month_and_year(month, span)
        )
        if recorded is None:
            continue
        last = first_instant(_after(month)) - timedelta(seconds=1)
        yield MonthStatistics(
            month,
            recorded,
            find_co2(ship, recorded)[0],
            carbon_intensity_of(ship, recorded, last),
            carbon_intensity_of(ship, year, last),
        )


def _after(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1)


def _load_places(session: Session, vessel: Vessel, ends_h: tuple[float, float]) -> VoyageRecords:
    """Load the records of a span, thinned to even times if there are too many for a screen."""
    since, until = map(instant_of, ends_h)
    if telemetry.count(session, vessel, since, until) <= MOST_PLACES:
        return telemetry_sums.load_records(session, vessel.id, since, until)
    at = [instant_of(hours) for hours in np.linspace(*ends_h, MOST_PLACES)]
    return telemetry_sums.load_records_at(session, vessel.id, at)


def _list_parts(places: VoyageRecords, timeline: Timeline) -> Iterator[VoyageRecords]:
    """Split the track of credible positions at the gaps between records."""
    track = drop_spikes(select_credible(places, hours_since_epoch(utc_now())).records)
    cuts = np.unique(np.searchsorted(track.times_h, timeline.gaps_h() - 1e-9))
    for part in np.split(np.arange(track.times_h.size), cuts):
        if part.size > 1:
            yield track.take(part)
