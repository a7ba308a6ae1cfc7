"""Comparison of a window's departures, from its row to its end.

Planning has priority: a comparison neither begins nor continues while a charting waits for a
worker. Results are stored as they are found, so that the next attempt continues from them.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

from rq.timeouts import JobTimeoutException
from sqlalchemy import Select, delete, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from app.engine.codes import FailureCode
from app.engine.departures.outcome import DepartureComparison
from app.engine.departures.search import SearchedDeparture
from app.engine.departures.sweep import compare_departures
from app.engine.departures.window import DepartureWindow
from app.engine.errors import PlanningCancelled, VoyageError
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
from app.records.instants import format_instant
from app.services.areas.areas_in_force import list_areas
from app.services.chartings import departure_windows
from app.services.chartings.departure_progress import (
    DepartureProgress,
    GivesWay,
    load_found,
    orders_wait,
)
from app.services.engine_mapping import build_voyage_request, snapshot_area
from app.services.identity import organizations
from app.services.platform import run_progress
from app.services.platform.run_progress import Superseded
from app.services.platform.sessions import organization_session
from app.services.sea import sea
from app.services.weather import run_fetching, weather

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt at a comparison, with the weather available at its start."""

    progress: DepartureProgress
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
    atlas = sea.open_atlas()
    _fetch_weather(organization_id, charting_id)
    begun = _begin(organization_id, charting_id)
    if begun is None:
        logger.info("charting %s has no departures to compare", charting_id)
        return
    _carry_out(begun, lambda: compare_departures(
        begun.request, begun.window, atlas, begun.weather, begun.progress,
        begun.progress.receive, begun.known,
    ))  # fmt: skip


def _carry_out(begun: Run, compare: Callable[[], DepartureComparison]) -> None:
    """Compare the departures, and store the end of the attempt."""
    progress = begun.progress
    try:
        with progress.heartbeat():
            compared = compare()
    except Superseded:
        logger.warning("the comparison of departures was taken over, or replaced")
    except GivesWay:
        _end(progress, _lay_aside)
    except PlanningCancelled:
        _end(progress, _cancel)
    except VoyageError as error:
        _fail(progress, error.code, error.detail, error.data)
    except JobTimeoutException:
        _fail(progress, FailureCode.TIMEOUT, "A comparison took longer than its worker may.", {})
    except DBAPIError:  # from storing the progress, not from planning
        raise
    except Exception:
        logger.exception("the comparison of departures failed")
        detail = "The comparison failed; the operator's log has the details."
        _fail(progress, FailureCode.INTERNAL, detail, {})
    else:
        _end(progress, lambda session, row: _complete(session, row, compared))


def _select(organization_id: UUID, charting_id: UUID) -> Select[DepartureComparisonRecord]:
    return select(DepartureComparisonRecord).where(
        DepartureComparisonRecord.organization_id == organization_id,
        DepartureComparisonRecord.charting_id == charting_id,
    )


def _fetch_weather(organization_id: UUID, charting_id: UUID) -> None:
    """Download the weather runs that a comparison needs, unless it has ended."""
    with organization_session(organization_id) as session:
        row = session.scalar(_select(organization_id, charting_id))
    if row is not None and row.status in ACTIVE:
        run_fetching.fetch_runs(row.depart_from, row.queued_at)


def _begin(organization_id: UUID, charting_id: UUID) -> Run | None:
    """Begin an attempt at a comparison; return ``None`` if it has ended or must end now."""
    with organization_session(organization_id) as session:
        row = session.scalar(_select(organization_id, charting_id).with_for_update())
        if row is None or row.status not in ACTIVE:
            return None
        if row.cancel_requested_at is not None:
            _cancel(session, row)
            return None
        if row.attempt >= run_progress.MOST_ATTEMPTS:
            detail = f"The comparison was begun {row.attempt} times and its worker died each time."
            data = {"attempts": row.attempt}
            _write_failure(session, row, FailureCode.INTERNAL, detail, data)
            return None
        row.status = ChartingStatus.RUNNING
        row.attempt += 1
        row.heartbeat_at = func.now()
        row.started_at = row.started_at or utc_now()
        return _prepare(session, row)


def _prepare(session: Session, row: DepartureComparisonRecord) -> Run:
    """Load the inputs of an attempt; delete earlier results if weather, UKC or areas changed."""
    asked = _ask(session, row)
    areas = tuple(list_areas(session, asked))
    margin_m = organizations.get(session, row.organization_id).ukc_margin_m
    records = weather.choose_records(session, row.depart_from)
    row.weather = ", ".join(sorted({record.name for record in records.values()}))
    basis = [row.weather, margin_m, [snapshot_area(area) for area in areas]]
    digest = sha256(json.dumps(basis, sort_keys=True).encode()).hexdigest()
    if row.basis not in (None, digest):
        forgotten = ComparedDeparture.comparison_id == row.id
        session.execute(delete(ComparedDeparture).where(forgotten))
    row.basis = digest
    return Run(
        DepartureProgress(row.organization_id, row.charting_id, row.id, row.attempt),
        build_voyage_request(asked, areas, margin_m),
        departure_windows.window_of(row),
        weather.find_field(session, row.depart_from),
        tuple(load_found(session, row)),
    )


def _ask(session: Session, row: DepartureComparisonRecord) -> ChartingRevision:
    """Build an unsaved revision whose request starts at the beginning of the window."""
    planned = session.get_one(ChartingRevision, (row.charting_id, row.revision))
    arrive_by = None if row.arrive_by is None else format_instant(row.arrive_by)
    times = {"startDate": format_instant(row.depart_from), "endDate": arrive_by}
    return ChartingRevision(
        organization_id=row.organization_id,
        charting_id=row.charting_id,
        revision=row.revision,
        request=planned.request | times,
        vessel=planned.vessel,
    )


def _end(
    progress: DepartureProgress, action: Callable[[Session, DepartureComparisonRecord], None]
) -> None:
    """Store results and write the end of an attempt, unless a newer attempt has started."""
    with organization_session(progress.organization_id) as session:
        row = session.get(DepartureComparisonRecord, progress.comparison_id, with_for_update=True)
        is_own = (
            row is not None
            and row.status == ChartingStatus.RUNNING
            and row.attempt == progress.attempt
        )
        if row is not None and is_own:
            progress.store(session)
            action(session, row)


def _lay_aside(_session: Session, row: DepartureComparisonRecord) -> None:
    """Queue a comparison for its next turn; a turn that ended regularly is no failed attempt."""
    row.status, row.stage, row.queued_at = ChartingStatus.QUEUED, None, utc_now()
    row.attempt -= 1


def _cancel(session: Session, row: DepartureComparisonRecord) -> None:
    departure_windows.end(session, row, ChartingStatus.CANCELLED)


def _complete(
    session: Session, row: DepartureComparisonRecord, compared: DepartureComparison
) -> None:
    row.progress = 1.0
    row.best = None if compared.best is None else compared.best.departs_at
    departure_windows.end(session, row, ChartingStatus.COMPLETED)


def _fail(
    progress: DepartureProgress, code: FailureCode, detail: str, data: dict[str, Any]
) -> None:
    _end(progress, lambda session, row: _write_failure(session, row, code, detail, data))


def _write_failure(
    session: Session,
    row: DepartureComparisonRecord,
    code: FailureCode,
    detail: str,
    data: dict[str, Any],
) -> None:
    failure = {"code": str(code), "detail": detail, "data": data}
    departure_windows.end(session, row, ChartingStatus.FAILED, failure)
