"""Re-planning checks of voyages under way: outlook on the rest of each plan, and advice.

The computation takes seconds and holds no transaction; its result is stored in one transaction
with the event of an advice, unless another check of the voyage has been stored meanwhile.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from app.engine.errors import VoyageError
from app.engine.monitoring.advice import Advice, Thresholds, advise
from app.engine.monitoring.planned_track import PlannedTrack
from app.engine.monitoring.progress import VoyageProgress
from app.engine.monitoring.remainder import (
    Outlook,
    assess_remainder,
    find_better_plan,
    has_reached_end,
    list_remaining_waypoints,
    request_remainder,
)
from app.engine.plan import RoutePlan
from app.engine.planning.context import PlanningContext
from app.engine.request import Position
from app.engine.weather import WeatherField
from app.models import (
    AdviceState,
    AreaRecord,
    ChartingRevision,
    ExecutionState,
    VoyageAdvice,
    VoyageExecution,
    new_id,
    utc_now,
)
from app.records.advice import AdviceContentSchema
from app.records.instants import format_instant, parse_instant, write_instant
from app.records.record import Json
from app.records.route_check import FindingSchema
from app.services.areas.areas_in_force import build_present_request
from app.services.charting_request import arrival_of
from app.services.chartings.expected_voyages import close_advice
from app.services.engine_mapping import load_plan
from app.services.errors import Conflict
from app.services.identity import organizations
from app.services.monitoring import advice_mail, advices, executions, position_reports
from app.services.monitoring.position_reports import STALE_AFTER
from app.services.platform import queue
from app.services.platform.fair_queue import JobFunction
from app.services.platform.ids import find_row
from app.services.platform.sessions import after_commit, organization_session
from app.services.sea import sea
from app.services.weather import local_runs, weather

logger = logging.getLogger(__name__)

#: Longest time between two checks of a voyage.
WATCH_EVERY: Final = timedelta(hours=6)
#: Time until which weather is chosen at least if the arrival is unknown: most forecasts' reach.
_AHEAD_IF_UNKNOWN: Final = timedelta(days=5)
#: Longest delay of a check while chartings wait for planning.
_LONGEST_DELAY: Final = timedelta(minutes=5)
#: Largest number of checks that one sweep queues, and the same while chartings wait.
_MOST_AT_ONCE, _MOST_WHILE_PLANNING = 40, 4


@dataclass(frozen=True, slots=True)
class CheckInputs:
    """Inputs of a check that has begun.

    Its result is discarded if the voyage follows another revision than ``revision`` by then, or
    has been checked since ``watched_at``.
    """

    revision: int
    watched_at: datetime | None
    began_at: datetime
    weather: str
    plan: RoutePlan
    progress: VoyageProgress
    context: PlanningContext
    members: tuple[tuple[int, WeatherField], ...]
    thresholds: Thresholds
    earlier: Advice | None


def queue_due() -> int:
    """Queue the checks that are due; return their number.

    While chartings wait for planning, only a few checks that have been due for some minutes.
    """
    due_since, most = utc_now(), _MOST_AT_ONCE
    if queue.planning_queue().count:
        due_since, most = due_since - _LONGEST_DELAY, _MOST_WHILE_PLANNING
    column = VoyageExecution.watch_due_at
    due = executions.list_due(column, due_since, most, ExecutionState.UNDER_WAY)
    for organization_id, charting_id in due:
        queue.enqueue_row(JobFunction.WATCH_VOYAGE, organization_id, charting_id)
    return len(due)


def is_due(session: Session, row: VoyageExecution, now: datetime) -> bool:
    """Return whether a check is due: after some time, a new forecast, or a changed area.

    It is never due if the last position is stale.
    """
    if row.progress is None or now - parse_instant(row.progress["time"]) > STALE_AFTER:
        return False
    if row.watched_at is None or now - row.watched_at >= WATCH_EVERY:
        return True
    ends_at, ends = _read_expected_arrival(row.progress, now), _find_ends(session, row)
    if weather.name_runs(session, now, ends_at, ends) != row.watched_weather:
        return True
    visible = or_(AreaRecord.organization_id == row.organization_id, AreaRecord.made_by_operator)
    changed_at = session.scalar(select(func.max(AreaRecord.updated_at)).where(visible))
    return changed_at is not None and changed_at > row.watched_at


def watch(organization_id: UUID, charting_id: UUID) -> None:
    """Compute the outlook on the rest of a voyage under way, and advise if a better plan exists."""
    with executions.put_off_if_failed(organization_id, charting_id, VoyageExecution.watch_due_at):
        _watch(organization_id, charting_id)


def _watch(organization_id: UUID, charting_id: UUID) -> None:
    _fetch_weather(organization_id, charting_id)
    begun = _begin(organization_id, charting_id)
    if begun is None:
        return
    logger.info("watch begins", extra={"fields": {"revision": begun.revision}})
    outlook = assess_remainder(begun.context, list_remaining_waypoints(begun.plan, begun.progress))
    advice = _find_advice(begun, outlook)
    with organization_session(organization_id) as session:
        row = _lock(session, organization_id, charting_id)
        if row is None or (row.revision, row.watched_at) != (begun.revision, begun.watched_at):
            return
        row.watched_at, row.watch_due_at = begun.began_at, None
        row.watched_weather = begun.weather
        row.outlook = _write_outlook(begun, outlook)
        if advice is not None:
            _store_advice(session, row, advice, begun)
        after_commit(session, partial(_log_end, begun, outlook, advice))


def _log_end(begun: CheckInputs, outlook: Outlook, advice: Advice | None) -> None:
    fields = {
        "breaches": len(outlook.breaches),
        "advice": None if advice is None else [*map(str, advice.reasons)],
        "duration_s": round((utc_now() - begun.began_at).total_seconds(), 3),
    }
    logger.info("watch ended", extra={"fields": fields})


def expire_advice(session: Session, row: VoyageExecution, now: datetime) -> None:
    """Close the open advice of a voyage whose time to act has passed."""
    close_advice(session, row, AdviceState.EXPIRED, VoyageAdvice.act_by < now)


def _fetch_weather(organization_id: UUID, charting_id: UUID) -> None:
    """Download the weather runs for the rest of a voyage, by its last known progress."""
    with organization_session(organization_id) as session:
        row = session.get(VoyageExecution, charting_id)
        if row is None or row.progress is None:
            return
        ends = _find_ends(session, row)
    now = utc_now()
    local_runs.fetch_runs(now, _read_expected_arrival(row.progress, now), ends)


def _find_ends(session: Session, row: VoyageExecution) -> tuple[Position, Position]:
    """Return the last position of a ship, by progress as stored, and its arrival."""
    progress: Json = row.progress or {}
    # without the plan, which is large
    followed = session.get_one(ChartingRevision, (row.charting_id, row.revision))
    return Position(progress["lat"], progress["lng"]), arrival_of(followed.request)


def _read_expected_arrival(progress: Json, now: datetime) -> datetime:
    """Return the arrival until which weather is chosen, by progress as stored."""
    by_plan = progress["etaByPlan"]
    planned = parse_instant(progress["plannedEta"])
    return _expect_ahead(by_plan and parse_instant(by_plan), planned, now)


def _expect_arrival(progress: VoyageProgress, now: datetime) -> datetime:
    """Return the arrival until which weather is chosen, by progress as measured."""
    by_plan = None if progress.on_track is None else progress.on_track.eta_by_plan
    return _expect_ahead(by_plan, progress.planned_eta, now)


def _expect_ahead(by_plan: datetime | None, planned: datetime, now: datetime) -> datetime:
    """Return an arrival that lies ahead, also for a ship off its track after its planned arrival.

    Weather chosen until a time that has passed would be that of old forecasts.
    """
    if by_plan is not None and by_plan > now:
        return by_plan
    return max(planned, now + _AHEAD_IF_UNKNOWN)


def _begin(organization_id: UUID, charting_id: UUID) -> CheckInputs | None:
    """Load the inputs of a check; ``None`` if the voyage cannot be checked."""
    with organization_session(organization_id) as session:
        row = _lock(session, organization_id, charting_id)
        now = utc_now()
        if row is None:
            return None
        expire_advice(session, row, now)
        planned = position_reports.load_followed(session, row)
        plan = load_plan(planned)
        progress = _find_progress(session, row, planned, plan, now)
        if progress is None:
            row.watch_due_at = None
            return None
        organization = organizations.get(session, organization_id)
        thresholds = Thresholds(
            organization.advice_fuel_pct, organization.advice_fuel_t, organization.advice_eta_h
        )
        ends_at = _expect_arrival(progress, now)
        context = _build_context(session, planned, progress, ends_at)
        return CheckInputs(
            row.revision,
            row.watched_at,
            now,
            weather.name_runs(session, now, ends_at, context.request.ends),
            plan,
            progress,
            context,
            _find_members(session, context, ends_at),
            thresholds,
            _find_earlier(session, row),
        )


def _find_progress(
    session: Session,
    row: VoyageExecution,
    planned: ChartingRevision,
    plan: RoutePlan,
    now: datetime,
) -> VoyageProgress | None:
    """Find the fresh progress of a voyage; ``None`` without any, and at the end of its plan."""
    try:
        progress = position_reports.get_fresh_progress(session, row, planned, now)
    except Conflict as fault:
        logger.info("the voyage is not watched: %s", fault.detail)
        return None
    if has_reached_end(plan, progress):
        logger.info("the voyage is not watched: the ship is at the end of its plan")
        return None
    return progress


def _build_context(
    session: Session, planned: ChartingRevision, progress: VoyageProgress, ends_at: datetime
) -> PlanningContext:
    """Build the planning context of the rest of a voyage, with present areas and weather."""
    asked = build_present_request(session, planned, since=progress.time)
    request = request_remainder(asked, progress.time, progress.position)
    field = weather.find_field(session, request.departs_at, ends_at, request.ends)
    return sea.build_context(request, field)


def _find_members(
    session: Session, context: PlanningContext, ends_at: datetime
) -> tuple[tuple[int, WeatherField], ...]:
    """Find the members of the forecast, by which only requests with a risk choose."""
    request, field = context.request, context.weather
    if request.risk is None or field is None:
        return ()
    return weather.find_members(session, field, request.departs_at, ends_at, request.ends)


def _find_advice(begun: CheckInputs, outlook: Outlook) -> Advice | None:
    """Re-plan the rest and compare; ``None`` if no plan is better."""
    context = begun.context
    try:
        better = find_better_plan(context, outlook, begun.members)
    except VoyageError as error:
        logger.info("the rest of the voyage cannot be planned: %s", error.detail)
        return None
    if better is None:
        return None
    return advise(
        outlook,
        better,
        context.request,
        begun.thresholds,
        now=begun.began_at,
        earlier=begun.earlier,
    )


def _find_earlier(session: Session, row: VoyageExecution) -> Advice | None:
    """Find the last unaccepted advice for the followed plan."""
    not_followed = (AdviceState.DECLINED, AdviceState.OPEN, AdviceState.EXPIRED)
    query = (
        _advice_for(row)
        .where(VoyageAdvice.revision == row.revision, VoyageAdvice.state.in_(not_followed))
        .order_by(VoyageAdvice.created_at.desc())
        .limit(1)
    )
    last = session.scalar(query)
    found: Advice | None = None if last is None else AdviceContentSchema.read(last.content)
    return found


def _advice_for(row: VoyageExecution) -> Select[VoyageAdvice]:
    own = {"organization_id": row.organization_id, "charting_id": row.charting_id}
    return select(VoyageAdvice).filter_by(**own)


def _store_advice(
    session: Session, row: VoyageExecution, advice: Advice, begun: CheckInputs
) -> None:
    """Store an advice and its event; per forecast only one, unless it is urgent."""
    same = _advice_for(row).where(VoyageAdvice.weather == begun.weather).limit(1)
    if not advice.is_urgent and session.scalar(same) is not None:
        return
    close_advice(session, row, AdviceState.SUPERSEDED)
    given = VoyageAdvice(
        id=new_id(),
        organization_id=row.organization_id,
        charting_id=row.charting_id,
        revision=row.revision,
        weather=begun.weather,
        content=AdviceContentSchema.write(advice),
        act_by=advice.act_by,
        state=AdviceState.OPEN,
        created_at=begun.began_at,
    )
    session.add(given)
    advice_mail.request(session, given)
    advices.announce(session, given)


def _write_outlook(begun: CheckInputs, outlook: Outlook) -> Json:
    eta, fuel_t, plan = outlook.eta, outlook.fuel_t, begun.plan
    is_on_track = begun.progress.on_track is not None
    planned_t = PlannedTrack.of(plan).fuel_at(begun.progress.along_nm)
    hour = timedelta(hours=1)
    return {
        "watchedAt": format_instant(begun.began_at),
        "weather": begun.weather,
        "eta": write_instant(eta),
        "laterH": None if eta is None else round((eta - plan.summary.eta) / hour, 2),
        "fuelMt": None if fuel_t is None else round(fuel_t, 3),
        "plannedFuelMt": round(plan.summary.fuel_t - planned_t, 3) if is_on_track else None,
        "breaches": [*map(FindingSchema.write, outlook.breaches)],
    }


def _lock(session: Session, organization_id: UUID, charting_id: UUID) -> VoyageExecution | None:
    key = {"charting_id": charting_id, "state": ExecutionState.UNDER_WAY}
    return find_row(session, VoyageExecution, organization_id, lock=True, **key)
