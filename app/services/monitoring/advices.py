"""Advice to voyages under way: list, accept, decline."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from app.engine.formatting import format_time
from app.models import (
    AdviceState,
    Charting,
    ChartingRevision,
    EventKind,
    Role,
    VoyageAdvice,
    utc_now,
)
from app.services.chartings import chartings
from app.services.chartings.charting_search import ChartingView
from app.services.errors import Conflict
from app.services.monitoring import executions, position_reports
from app.services.platform import audit, events
from app.services.platform.actor import Actor
from app.services.platform.ids import get_row, lock_row
from app.services.platform.paging import Page, fetch_page


def list_page(
    session: Session, charting: Charting, page: int, page_size: int
) -> Page[VoyageAdvice]:
    """A page of a voyage's advice, newest first."""
    return fetch_page(session, _of(charting).order_by(VoyageAdvice.id.desc()), page, page_size)


def get(session: Session, charting: Charting, advice_id: str) -> VoyageAdvice:
    """An advice of a voyage; raises :class:`NotFound`."""
    return get_row(session, _of(charting), advice_id, "advice")


def find_open(session: Session, charting: Charting) -> VoyageAdvice | None:
    """Find the open advice of a voyage."""
    return session.scalar(_of(charting).where(VoyageAdvice.state == AdviceState.OPEN).limit(1))


def find_advised(
    session: Session, organization_id: UUID, charting_ids: Collection[UUID]
) -> frozenset[UUID]:
    """Find the voyages among some that have open advice."""
    query = select(VoyageAdvice.charting_id).where(
        VoyageAdvice.organization_id == organization_id,
        VoyageAdvice.charting_id.in_(charting_ids),
        VoyageAdvice.state == AdviceState.OPEN,
    )
    return frozenset(session.scalars(query))


def accept(
    session: Session, actor: Actor, charting: Charting, advice: VoyageAdvice
) -> ChartingView:
    """Accept an advice: re-plan the rest of the voyage from the ship's last position.

    Raises :class:`Conflict` for an advice that is not open, if the voyage is not under way or
    its position is not certain, and while another revision is being planned.
    """
    actor.require(Role.MASTER)
    # charting, voyage, advice are locked in this order, as by a new plan, so that none deadlocks
    chartings.lock(session, charting)
    row = executions.get_under_way(session, charting)
    _refuse_answered(session, actor, advice)
    followed = position_reports.load_followed(session, row)
    progress = position_reports.get_fresh_progress(session, row, followed, utc_now())
    rest = position_reports.request_rest(followed, progress) | _read_raised_limits(advice)
    ordered = chartings.resubmit(session, actor, charting, rest)
    advice.accepted_revision = ordered.state.revision
    _answer(session, actor, advice, AdviceState.ACCEPTED)
    return ordered


def _read_raised_limits(advice: VoyageAdvice) -> dict[str, Any]:
    """Read the fields of the limits that an advice raises, because no route keeps them."""
    raised: dict[str, Any] = {}
    if (wave_m := advice.content.get("allowedWaveM")) is not None:
        raised |= {"maxWaveHeight": wave_m, "waveUnit": "meters"}
    if (wind_ms := advice.content.get("allowedWindMs")) is not None:
        raised |= {"maxWindBf": wind_ms, "windUnit": "m/s"}
    return raised


def decline(session: Session, actor: Actor, advice: VoyageAdvice, reason: str) -> None:
    """Decline an advice; raises :class:`Conflict` for one that is not open."""
    _refuse_answered(session, actor, advice)
    advice.answer_reason = reason
    _answer(session, actor, advice, AdviceState.DECLINED)


def announce(session: Session, advice: VoyageAdvice) -> None:
    """Record the event of an advice that was given or answered."""
    events.record_charting(
        session,
        EventKind.CHARTING_ADVICE,
        session.get_one(ChartingRevision, (advice.charting_id, advice.revision)),
        adviceId=str(advice.id),
        advice=advice.content,
        state=advice.state,
        answeredBy=advice.answered_by,
        reason=advice.answer_reason,
    )


def _refuse_answered(session: Session, actor: Actor, advice: VoyageAdvice) -> None:
    actor.require(Role.MASTER)
    lock_row(session, advice, "advice")
    if advice.state != AdviceState.OPEN:
        raise Conflict(_describe_end(advice), state=advice.state)


def _describe_end(advice: VoyageAdvice) -> str:
    if advice.answered_by is None or advice.answered_at is None:
        return f"This advice is {advice.state.lower()}."
    answered = f"{advice.state.lower()} by {advice.answered_by}"
    return f"This advice was {answered}, {format_time(advice.answered_at)}."


def _answer(session: Session, actor: Actor, advice: VoyageAdvice, state: AdviceState) -> None:
    advice.state, advice.answered_at, advice.answered_by = state, utc_now(), actor.name
    after = {"adviceId": str(advice.id), "state": str(state), "reason": advice.answer_reason}
    audit.record(session, actor, audit.Action.ADVICE_ANSWERED, advice.charting_id, after=after)
    announce(session, advice)


def _of(charting: Charting) -> Select[VoyageAdvice]:
    owner: UUID = charting.organization_id
    return select(VoyageAdvice).where(
        VoyageAdvice.organization_id == owner, VoyageAdvice.charting_id == charting.id
    )
