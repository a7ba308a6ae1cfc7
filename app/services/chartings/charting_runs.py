"""Planning of one revision, from its row to its stored plan.

Any number of workers may start to plan the same revision: each start
raises ``attempt``, and only the newest attempt may write. A worker that dies
leaves a RUNNING row with an old heartbeat, which the sweeper finds.
"""

import logging
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app import logs
from app.engine.codes import FailureCode
from app.engine.errors import DataMissing
from app.engine.plan import PlanWarning, RoutePlan
from app.engine.planner import plan_voyage
from app.engine.planning.context import estimate_latest_arrival
from app.engine.request import VoyageRequest
from app.engine.weather import WeatherField
from app.extensions import chartroom
from app.models import ACTIVE, Charting, ChartingRevision, ChartingStatus, EventKind, utc_now
from app.services.areas.areas_in_force import build_present_request
from app.services.chartings import departure_windows, expected_voyages, provenance
from app.services.chartings.request_warnings import find_past_departure, find_port_mismatches
from app.services.engine_mapping import build_voyage_request, snapshot_area, store_plan
from app.services.platform import events, metrics, run_progress
from app.services.platform.run_progress import Failure, RunProgress, as_failure, explain_voyage
from app.services.platform.sessions import after_commit, cross_tenant_session, organization_session
from app.services.sea import sea
from app.services.weather import local_runs, weather
from app.services.weather.local_runs import WeatherUnavailable
from app.services.weather.weather_age import warn_of_stale_forecast

logger = logging.getLogger(__name__)


class PlanningProgress(RunProgress):
    """Progress of one attempt at planning a revision."""

    def lock_own(self, session: Session) -> Any:
        """Lock the charting first, as re-planning does, so that the two cannot deadlock.

        Advice to its voyage can be stored meanwhile.
        """
        session.get(Charting, self.key["charting_id"], with_for_update={"key_share": True})
        return super().lock_own(session)


@dataclass(frozen=True, slots=True)
class PlanningInputs:
    """Request of an attempt at planning, and the weather available at its start.

    ``warnings`` are those of the request itself.
    """

    request: VoyageRequest
    warnings: tuple[PlanWarning, ...]
    weather: WeatherField | None
    members: tuple[tuple[int, WeatherField], ...]


def run(charting_id: UUID, revision: int) -> None:
    """Plan a revision and store the result: a plan or a failure.

    Does nothing for a revision that has ended. Errors of the database, the queue,
    a damaged atlas and unavailable weather pass through, so that the job is
    retried.
    """
    refuse_damaged_atlas()
    organization_id = _find_organization(charting_id, revision)
    progress = fault = None
    if organization_id is not None:
        key = organization_id, charting_id, revision
        fault = run_progress.prepare(partial(_fetch_weather, *key), WeatherUnavailable)
        progress = _begin(*key)
    if progress is None:
        logger.info("charting %s revision %s needs no planning", charting_id, revision)
        return
    with logs.bound(attempt=progress.attempt):
        logger.info("planning begins")
        planned = progress.carry_out(
            "Planning", lambda: _plan(progress, fault), _finish, explain_planning, _timeout_detail()
        )
        if planned is not None:
            progress.end(lambda session, row: _complete(session, row, *planned))


def refuse_damaged_atlas() -> None:
    """Raise :class:`sea.AtlasDamaged`; a missing atlas is left to fail the revision later."""
    try:
        sea.open_atlas()
    except sea.AtlasDamaged:
        raise
    except DataMissing:
        return


def explain_planning(error: Exception) -> Failure | None:
    """Describe why the voyage cannot be planned.

    Raises :class:`sea.AtlasDamaged` if the atlas was damaged after the planning began: the error
    is then not the voyage's, and another attempt is made once the atlas is whole.
    """
    if isinstance(error, sea.AtlasDamaged):
        raise error
    refuse_damaged_atlas()
    return explain_voyage(error)


def _plan(progress: PlanningProgress, fault: Exception | None) -> tuple[RoutePlan, PlanningInputs]:
    """Plan a revision; raises ``fault``, the error of preparing it, if there is one."""
    if fault is not None:
        raise fault
    inputs = _load_inputs(progress)
    with progress.heartbeat():
        plan = plan_voyage(
            inputs.request,
            sea.open_atlas(),
            weather=inputs.weather,
            on_progress=progress,
            members=inputs.members,
        )
    plan = replace(plan, warnings=(*inputs.warnings, *plan.warnings))
    departs_at = inputs.request.departs_at
    return warn_of_stale_forecast(plan, inputs.weather, departs_at, utc_now()), inputs


def _find_organization(charting_id: UUID, revision: int) -> UUID | None:
    with cross_tenant_session() as session:
        query = select(ChartingRevision.organization_id).where(
            ChartingRevision.charting_id == charting_id, ChartingRevision.revision == revision
        )
        return session.scalar(query)


def _fetch_weather(organization_id: UUID, charting_id: UUID, revision: int) -> None:
    """Download the weather runs that a revision needs, unless it has ended."""
    with organization_session(organization_id) as session:
        row = session.get(ChartingRevision, (charting_id, revision))
    if row is not None and row.status in ACTIVE:
        # neither areas nor the UKC change the span
        request = build_voyage_request(row, (), 0.0)
        span = request.departs_at, estimate_latest_arrival(request)
        local_runs.fetch_runs(*span, request.ends, row.queued_at)


def _begin(organization_id: UUID, charting_id: UUID, revision: int) -> PlanningProgress | None:
    """Begin an attempt at a revision; return ``None`` if it has ended or must end now."""
    with organization_session(organization_id) as session:
        key = {"charting_id": charting_id, "revision": revision}
        table = ChartingRevision
        row = run_progress.begin(session, table, organization_id, key, _finish, _explain_deaths)
        if row is None:
            return None
        row.started_at = func.now()
        row.progress, row.stage = 0.0, None
        if row.attempt == 1:
            events.record_charting(session, EventKind.CHARTING_STARTED, row)
        return PlanningProgress(table, organization_id, key, row.attempt)


def _load_inputs(progress: PlanningProgress) -> PlanningInputs:
    """Load request and weather, and store the areas; raises :class:`Superseded`."""
    with progress.own_row() as (session, row):
        request = build_present_request(session, row)
        row.areas = [snapshot_area(area) for area in request.areas]
        voyage = request.departs_at, estimate_latest_arrival(request), request.ends
        field = weather.find_field(session, *voyage)
        members = () if field is None else weather.find_members(session, field, *voyage)
        return PlanningInputs(
            request,
            (
                *find_port_mismatches(row.request),
                *find_past_departure(request.departs_at, row.queued_at),
            ),
            field,
            members,
        )


def _explain_deaths(row: ChartingRevision) -> Failure:
    """Describe that all attempts at a revision died: by timeout if the last one ran that long."""
    allowed = timedelta(seconds=chartroom().settings.job_timeout_s)
    started, last_seen = row.started_at, row.heartbeat_at
    if started and last_seen and last_seen - started >= allowed:
        return as_failure(FailureCode.TIMEOUT, _timeout_detail())
    return run_progress.explain_deaths("Planning", row, data={"attempts": row.attempt})


def _complete(
    session: Session, row: ChartingRevision, plan: RoutePlan, inputs: PlanningInputs
) -> None:
    store_plan(row, plan)
    row.provenance = provenance.describe(
        sea.open_atlas(), inputs.request.areas, inputs.weather, row.vessel
    )
    row.progress = 1.0
    row.end(ChartingStatus.COMPLETED)
    charting = session.get_one(Charting, row.charting_id)
    charting.completed_revision = max(row.revision, charting.completed_revision or 0)
    if charting.completed_revision == row.revision:
        charting.show(row.request)
        expected_voyages.expect(session, charting, row)
        departure_windows.settle_planned(session, row)
    events.record_charting(session, EventKind.CHARTING_COMPLETED, row, summary=row.summary)
    _count(session, row)


def _finish(
    session: Session, row: ChartingRevision, status: ChartingStatus, failure: Failure | None
) -> None:
    """End a revision that failed or was cancelled, and record an event."""
    row.end(status, failure and {"data": {}, **failure})
    if failure:
        events.record_charting(session, EventKind.CHARTING_FAILED, row, failure=row.failure)
        departure_windows.settle_failed(session, row)
    else:
        events.record_charting(session, EventKind.CHARTING_CANCELLED, row)
    _count(session, row)


def _count(session: Session, row: ChartingRevision) -> None:
    if row.started_at is not None and row.finished_at is not None:
        seconds = (row.finished_at - row.started_at).total_seconds()
        after_commit(session, partial(metrics.count_planning, row.status, seconds))
        after_commit(session, partial(run_progress.log_end, "planning", row.status, seconds))


def _timeout_detail() -> str:
    minutes = chartroom().settings.job_timeout_s / 60
    return f"Planning took longer than the {minutes:g} minutes it is given."
