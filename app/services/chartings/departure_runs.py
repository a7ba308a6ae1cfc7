"""Comparison of a window's departures, from its row to its end.

Planning has priority: a comparison neither begins nor continues while a charting waits for a
worker. Results are stored as they are found, so that the next attempt continues from them.
"""

import json
import logging
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.engine.departures.sweep import SearchedDeparture, compare_departures
from app.engine.departures.window import DepartureComparison, DepartureWindow
from app.engine.planning.context import estimate_latest_arrival
from app.engine.request import VoyageRequest
from app.engine.weather import WeatherField
from app.models import (
    ACTIVE,
    ChartingRevision,
    ChartingStatus,
    ComparedDeparture,
    DepartureComparisonRecord,
    utc_now,
)
from app.records.instants import format_instant, write_instant
from app.services.areas.areas_in_force import build_present_request
from app.services.chartings import departure_windows
from app.services.chartings.charting_runs import explain_planning, refuse_damaged_atlas
from app.services.chartings.departure_progress import (
    DepartureProgress,
    GivesWay,
    load_found,
    orders_wait,
)
from app.services.engine_mapping import build_voyage_request, snapshot_area
from app.services.platform import run_progress
from app.services.platform.ids import find_row
from app.services.platform.run_progress import Failure
from app.services.platform.sessions import organization_session
from app.services.sea import sea
from app.services.weather import local_runs, weather
from app.services.weather.local_runs import WeatherUnavailable

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ComparisonInputs:
    """Request and window of an attempt at a comparison, and the weather available at its start."""

    request: VoyageRequest
    window: DepartureWindow
    weather: WeatherField | None
    known: tuple[SearchedDeparture, ...]


def run(organization_id: UUID, charting_id: UUID) -> None:
    """Compare the departures of a charting's window, or continue to.

    Does nothing for a comparison that has ended, and while a charting waits. Errors of the
    database, the queue, a damaged atlas and unavailable weather pass through.
    """
    if orders_wait():
        logger.info("the comparison of departures waits for an order")
        return
    refuse_damaged_atlas()
    fetch = partial(_fetch_weather, organization_id, charting_id)
    fault = run_progress.prepare(fetch, WeatherUnavailable)
    progress = _begin(organization_id, charting_id)
    if progress is None:
        logger.info("charting %s has no departures to compare", charting_id)
        return
    logger.info("comparison of departures begins", extra={"fields": {"attempt": progress.attempt}})
    compared = progress.carry_out(
        "The comparison",
        lambda: _compare(progress, fault),
        departure_windows.end,
        explain_planning,
        "A comparison took longer than its worker may.",
    )
    if compared is not None:
        progress.end(lambda session, row: _complete(session, row, compared))


def _compare(progress: DepartureProgress, fault: Exception | None) -> DepartureComparison | None:
    """Compare the departures; ``None`` if the comparison gives way to an order.

    Raises ``fault``, the error of preparing it, if there is one.
    """
    if fault is not None:
        raise fault
    atlas = sea.open_atlas()
    with progress.own_row() as (session, row):
        inputs = _prepare(session, row)
    try:
        with progress.heartbeat():
            return compare_departures(
                inputs.request, inputs.window, atlas, inputs.weather, progress,
                progress.receive, inputs.known,
            )  # fmt: skip
    except GivesWay:
        progress.end(_lay_aside)
        return None


def _fetch_weather(organization_id: UUID, charting_id: UUID) -> None:
    """Download the weather runs that a comparison needs, unless it has ended."""
    with organization_session(organization_id) as session:
        table = DepartureComparisonRecord
        row = find_row(session, table, organization_id, charting_id=charting_id)
        if row is None or row.status not in ACTIVE:
            return
        # neither areas nor the UKC change the span
        request = build_voyage_request(_ask(session, row), (), 0.0)
        span = _find_span(row, request)
    local_runs.fetch_runs(*span, request.ends, row.queued_at)


def _begin(organization_id: UUID, charting_id: UUID) -> DepartureProgress | None:
    """Begin an attempt at a comparison; return ``None`` if it has ended or must end now."""
    with organization_session(organization_id) as session:
        table, key = DepartureComparisonRecord, {"charting_id": charting_id}
        row = run_progress.begin(
            session, table, organization_id, key, departure_windows.end, _explain_deaths
        )
        if row is None:
            return None
        row.started_at = row.started_at or utc_now()
        return DepartureProgress(table, organization_id, {"id": row.id}, row.attempt, charting_id)


def _prepare(session: Session, row: DepartureComparisonRecord) -> ComparisonInputs:
    """Load the inputs of an attempt; delete earlier results if weather, UKC or areas changed."""
    request = build_present_request(session, _ask(session, row))
    span = _find_span(row, request)
    row.weather = weather.name_runs(session, *span, request.ends)
    basis = [row.weather, request.ukc_margin_m, [*map(snapshot_area, request.areas)]]
    digest = sha256(json.dumps(basis, sort_keys=True).encode()).hexdigest()
    if row.basis not in (None, digest):
        forgotten = ComparedDeparture.comparison_id == row.id
        session.execute(delete(ComparedDeparture).where(forgotten))
    row.basis = digest
    return ComparisonInputs(
        request,
        departure_windows.window_of(row),
        weather.find_field(session, *span, request.ends),
        load_found(session, row),
    )


def _find_span(row: DepartureComparisonRecord, request: VoyageRequest) -> tuple[datetime, datetime]:
    """Return the first departure of a window and the latest arrival after its last one."""
    return row.depart_from, estimate_latest_arrival(replace(request, departs_at=row.depart_to))


def _ask(session: Session, row: DepartureComparisonRecord) -> ChartingRevision:
    """Build an unsaved revision whose request starts at the beginning of the window."""
    planned = session.get_one(ChartingRevision, (row.charting_id, row.revision))
    times = {
        "startDate": format_instant(row.depart_from),
        "endDate": write_instant(row.arrive_by),
    }
    return ChartingRevision(
        organization_id=row.organization_id,
        charting_id=row.charting_id,
        revision=row.revision,
        request=planned.request | times,
        vessel=planned.vessel,
    )


def _lay_aside(_session: Session, row: DepartureComparisonRecord) -> None:
    """Queue a comparison for its next turn; a turn that ended regularly is no failed attempt."""
    row.status, row.stage, row.queued_at = ChartingStatus.QUEUED, None, utc_now()
    row.attempt -= 1


def _complete(
    session: Session, row: DepartureComparisonRecord, compared: DepartureComparison
) -> None:
    row.progress = 1.0
    row.best = None if compared.best is None else compared.best.departs_at
    departure_windows.end(session, row, ChartingStatus.COMPLETED)


def _explain_deaths(row: DepartureComparisonRecord) -> Failure:
    return run_progress.explain_deaths("The comparison", row, data={"attempts": row.attempt})
