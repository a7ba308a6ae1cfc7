"""A vessel's statistics, from its reports and planned voyages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import numpy as np
from sqlalchemy import DateTime, Select, func, literal_column, select
from sqlalchemy.orm import Session

from app.engine.arrays import Floats
from app.engine.geodesy import great_circle_distance_nm
from app.engine.monitoring.departure import PORT_AREA_NM
from app.engine.particulars import ShipParticulars
from app.engine.plan import CarbonIntensity
from app.engine.request import Position
from app.engine.telemetry.records import LONGEST_GAP_H, FuelBasis, RecordedVoyage
from app.engine.telemetry.sums import Timeline
from app.engine.times import hours_since_epoch
from app.engine.vessel import co2_factor, find_carbon_intensity
from app.models import (
    Charting,
    ChartingRevision,
    ChartingStatus,
    ExecutionState,
    Vessel,
    VoyageExecution,
    utc_now,
)
from app.records.instants import first_instant, parse_instant
from app.services.engine_mapping import build_registered_ship
from app.services.errors import refuse_reversed
from app.services.vessels import telemetry, telemetry_sums
from app.services.vessels.telemetry_sums import EPOCH, instant_of

#: The first and the last instant of a period, both included.
Span = tuple[datetime, datetime]

#: Least share of a planned voyage's hours that records must cover for a comparison.
_COVERED: Final = 0.9
#: Share of a plan's length by which records may miss its ends.
_MISSED: Final = 1.0 - _COVERED

#: Later than any record.
LAST_DAY: Final = datetime.fromisoformat("2200-01-01T00:00:00Z")

#: Departure time of a request; indexed for completed revisions.
DEPARTS_AT: Final = func.instant_of(
    # PostgreSQL uses the index only for this literal expression, not for a parameter
    literal_column("charting_revision.request ->> 'startDate'"),
    type_=DateTime(timezone=True),
)
#: Longest time between planned and actual departure for which the actual one decides on the period.
_MOST_APART: Final = timedelta(days=28)
#: The plan that a voyage departed with, or the newest one.
_COMPARED: Final = func.coalesce(VoyageExecution.departed_revision, Charting.completed_revision)


@dataclass(frozen=True, slots=True)
class VoyageComparison:
    """Planned and recorded values of a voyage."""

    charting_id: UUID
    departs_at: datetime
    predicted_fuel_t: float
    actual_fuel_t: float
    predicted_distance_nm: float
    actual_distance_nm: float


@dataclass(frozen=True, slots=True)
class VesselStatistics:
    """Statistics of a period; ``None`` where its records do not suffice.

    ``voyages`` counts the planned voyages that were sailed, as of :func:`select_sailed`.
    ``co2_t`` is of the fuel of all consumers, as far as known: ``fuel_basis``.
    ``noon_report_count`` counts the noon reports in the figures: those of times without telemetry.
    ``unrecorded_h`` are the hours between the first and the last record that no record covers.
    ``year_to_date`` is the carbon intensity of the calendar year so far,
    whatever the period.
    """

    since: datetime | None
    until: datetime | None
    voyages: int
    telemetry_count: int
    noon_report_count: int
    recorded: RecordedVoyage | None
    unrecorded_h: float
    co2_t: float | None
    fuel_basis: FuelBasis | None
    carbon_intensity: CarbonIntensity | None
    year_to_date: CarbonIntensity | None
    comparisons: tuple[VoyageComparison, ...]


def describe(
    session: Session, vessel: Vessel, since: datetime | None, until: datetime | None
) -> VesselStatistics:
    """Describe a vessel's statistics of a period, both ends included, by default of all time."""
    refuse_reversed(since, until)
    ship = build_registered_ship(vessel)
    span = bound(since, until)
    fleet = list_fleet_voyages(session, vessel.organization_id, *span, vessel_id=vessel.id)
    planned = fleet.get(vessel.id, [])
    timeline = telemetry_sums.load_timeline(
        session, vessel.id, *span, lambda _: list_spans(planned, span), with_curves=True
    )
    voyages = select_sailed(planned, timeline, span)
    recorded = timeline.sum_between(*in_hours(span), with_curve=True)
    ends = timeline.span_ends_h(*in_hours(span))
    co2_t, fuel_basis = find_co2(ship, recorded) if recorded else (None, None)
    # a period may end within the millisecond before its last record
    first, last = (instant_of(ends[0]), min(instant_of(ends[1]), span[1])) if ends else (None, None)
    return VesselStatistics(
        since=since or first,
        until=until or last,
        voyages=len(voyages),
        telemetry_count=telemetry.count(session, vessel, since, until),
        noon_report_count=timeline.reports_between(*in_hours(span)).times_h.size,
        recorded=recorded,
        unrecorded_h=_find_unrecorded_h(recorded, ends),
        co2_t=co2_t,
        fuel_basis=fuel_basis,
        carbon_intensity=carbon_intensity_of(ship, recorded, last),
        year_to_date=_year_to_date(session, vessel, ship),
        comparisons=tuple(compare(voyages, timeline, span)),
    )


def _find_unrecorded_h(
    recorded: RecordedVoyage | None, ends_h: tuple[float, float] | None
) -> float:
    """Return the hours of a span that no record covers.

    An interval that began before the span counts in it, so that the records may cover more.
    """
    if recorded is None or ends_h is None:
        return 0.0
    return max(ends_h[1] - ends_h[0] - recorded.hours, 0.0)


def bound(since: datetime | None, until: datetime | None) -> Span:
    """Return a period within the times of records; all of them without its ends."""
    return max(since or EPOCH, EPOCH), min(until or LAST_DAY, LAST_DAY)


def find_co2(ship: ShipParticulars, recorded: RecordedVoyage) -> tuple[float, FuelBasis]:
    """Find the CO2 of all consumers' fuel [t], by the factor of the ship's fuel, and its basis."""
    fuel_t, basis = recorded.total_fuel(ship.auxiliary_t_per_day)
    return fuel_t * co2_factor(ship.fuel_type), basis


def carbon_intensity_of(
    ship: ShipParticulars, recorded: RecordedVoyage | None, last: datetime | None
) -> CarbonIntensity | None:
    """Carbon intensity of the records, rated by the requirements of their last year.

    What ends at midnight counts in the day before.
    """
    if recorded is None or last is None:
        return None
    return find_carbon_intensity(
        ship,
        co2_t=find_co2(ship, recorded)[0],
        distance_nm=recorded.distance_nm,
        year=(last - timedelta(seconds=1)).year,
    )


def _year_to_date(
    session: Session, vessel: Vessel, ship: ShipParticulars
) -> CarbonIntensity | None:
    now = utc_now()
    span = first_instant(date(now.year, 1, 1)), now
    timeline = telemetry_sums.load_timeline(
        session, vessel.id, *span, lambda _: list_spans([], span)
    )
    return carbon_intensity_of(ship, timeline.sum_between(*in_hours(span)), now)


@dataclass(frozen=True, slots=True)
class PlannedVoyage:
    """A voyage by the plan that it departed with, or its newest, with that plan's times and ends.

    ``sailed`` is the time of which records are compared with the plan: the voyage's own if it was
    started and finished, the planned one if it was never started; ``None`` if it is under way or
    abandoned.
    """

    charting_id: UUID
    departs_at: datetime
    arrives_at: datetime
    ends: tuple[Position, Position]
    state: ExecutionState | None
    sailed: Span | None
    fuel_t: float
    distance_nm: float

    @property
    def speed_kn(self) -> float:
        """Return the planned mean speed [kn]."""
        return self.distance_nm / ((self.arrives_at - self.departs_at) / timedelta(hours=1))

    @property
    def is_started(self) -> bool:
        """Return whether the voyage is under way or finished."""
        return self.state in (ExecutionState.UNDER_WAY, ExecutionState.FINISHED)


def list_fleet_voyages(
    session: Session,
    organization_id: UUID,
    since: datetime,
    until: datetime,
    *,
    vessel_id: UUID | None = None,
) -> dict[UUID, list[PlannedVoyage]]:
    """List plans of voyages that begin in a period, by vessel: one's or the fleet's."""
    query = _select_planned(organization_id, since, until)
    if vessel_id is not None:
        query = query.where(Charting.vessel_id == vessel_id)
    found: dict[UUID, list[PlannedVoyage]] = {}
    for owner, charting_id, departs_at, eta, fuel_t, distance_nm, *rest in session.execute(query):
        lat_from, lng_from, lat_to, lng_to, *execution = rest
        arrives_at = parse_instant(eta)
        voyage = PlannedVoyage(
            charting_id,
            departs_at,
            arrives_at,
            (Position(lat_from, lng_from), Position(lat_to, lng_to)),
            execution[0],
            _find_sailed((departs_at, arrives_at), *execution),
            fuel_t,
            distance_nm,
        )
        if since <= _find_departure(departs_at, execution[1]) <= until:
            found.setdefault(owner, []).append(voyage)
    return found


def _find_departure(planned: datetime, actual: datetime | None) -> datetime:
    """Find the departure that decides in which period a voyage counts."""
    return planned if actual is None or abs(actual - planned) > _MOST_APART else actual


def _select_planned(organization_id: UUID, since: datetime, until: datetime) -> Select[Any]:
    """Return the query of the columns of planned voyages that may have begun in a period."""
    summary, request = ChartingRevision.summary, ChartingRevision.request
    return (
        select(
            Charting.vessel_id,
            Charting.id,
            DEPARTS_AT,
            summary["eta"].as_string(),
            summary["fuelMt"].as_float(),
            summary["distanceNm"].as_float(),
            *(request[name].as_float() for name in ("latFrom", "lngFrom", "latTo", "lngTo")),
            VoyageExecution.state,
            VoyageExecution.departed_at,
            VoyageExecution.ended_at,
        )
        .outerjoin(
            VoyageExecution,
            (VoyageExecution.charting_id == Charting.id)
            & (VoyageExecution.organization_id == organization_id),
        )
        .join(
            ChartingRevision,
            (ChartingRevision.charting_id == Charting.id)
            & (ChartingRevision.revision == _COMPARED),
        )
        .where(
            Charting.organization_id == organization_id,
            ChartingRevision.organization_id == organization_id,
            ChartingRevision.status == ChartingStatus.COMPLETED,
            DEPARTS_AT.between(since - _MOST_APART, until + _MOST_APART),
        )
        .order_by(Charting.id)
    )


def _find_sailed(
    planned: Span,
    state: str | None,
    departed_at: datetime | None,
    ended_at: datetime | None,
) -> Span | None:
    """Find the time in which a planned voyage was sailed, as in :class:`PlannedVoyage`."""
    if state in (ExecutionState.UNDER_WAY, ExecutionState.ABANDONED):
        return None
    if state != ExecutionState.FINISHED or departed_at is None or ended_at is None:
        return planned
    return (departed_at, ended_at) if departed_at < ended_at else None


def select_sailed(
    voyages: Sequence[PlannedVoyage], timeline: Timeline, span: Span
) -> list[PlannedVoyage]:
    """Select the voyages sailed from plans in order of creation.

    Those are the started ones and, of the plans never started, those that the records in the span
    follow from end to end; of such plans for the same time the newest.
    """
    found = [voyage for voyage in voyages if voyage.is_started]
    others = [voyage for voyage in voyages if not voyage.is_started]
    for voyage in reversed(others):
        if _is_followed(voyage, timeline, span) and not any(
            _overlap(voyage, other) for other in found
        ):
            found.append(voyage)
    return found


def _is_followed(voyage: PlannedVoyage, timeline: Timeline, span: Span) -> bool:
    """Return whether records begin and end with a voyage, at its plan's ends."""
    if voyage.sailed is None:
        return False
    fixes = timeline.end_fixes(*_cut_to(span, voyage.sailed))
    if fixes is None:
        return False
    begins_h, ends_h = in_hours(voyage.sailed)
    near_nm = max(PORT_AREA_NM, _MISSED * voyage.distance_nm)
    for (time_h, lat, lng), at_h, place in zip(fixes, (begins_h, ends_h), voyage.ends, strict=True):
        apart_h = abs(time_h - at_h)
        away_nm = great_circle_distance_nm(lat, lng, place.lat, place.lng)
        if apart_h > LONGEST_GAP_H or away_nm > near_nm + voyage.speed_kn * apart_h:
            return False
    return True


def _overlap(voyage: PlannedVoyage, other: PlannedVoyage) -> bool:
    """Return whether two voyages are of the same time; one under way has no end yet."""
    since, until = voyage.sailed or (voyage.departs_at, LAST_DAY)
    others_since, others_until = other.sailed or (other.departs_at, LAST_DAY)
    return since < others_until and others_since < until


def compare(
    voyages: Sequence[PlannedVoyage], timeline: Timeline, span: Span
) -> Iterator[VoyageComparison]:
    """Compare voyages sailed with their records in a span, if these cover enough of them.

    A voyage finished or begun far from its plan's ends is no measure of the plan.
    """
    for voyage in voyages:
        if voyage.sailed is None or not _is_followed(voyage, timeline, span):
            continue
        recorded = timeline.sum_between(*_cut_to(span, voyage.sailed))
        since, until = voyage.sailed
        if recorded is None or recorded.hours < _COVERED * ((until - since) / timedelta(hours=1)):
            continue
        yield VoyageComparison(
            charting_id=voyage.charting_id,
            departs_at=voyage.departs_at,
            predicted_fuel_t=voyage.fuel_t,
            actual_fuel_t=recorded.fuel_t,
            predicted_distance_nm=voyage.distance_nm,
            actual_distance_nm=recorded.distance_nm,
        )


def list_spans(voyages: Sequence[PlannedVoyage], *spans: Span) -> Floats:
    """The spans, and the voyages' spans within the first one, in hours (m, 2)."""
    cut = [_cut_to(spans[0], voyage.sailed) for voyage in voyages if voyage.sailed]
    return np.array([*map(in_hours, spans), *cut])


def _cut_to(span: Span, sailed: Span) -> tuple[float, float]:
    """A voyage's span within another span, in hours."""
    return in_hours((max(span[0], sailed[0]), min(span[1], sailed[1])))


def in_hours(span: Span) -> tuple[float, float]:
    """A span in hours since 1970."""
    return hours_since_epoch(span[0]), hours_since_epoch(span[1])
