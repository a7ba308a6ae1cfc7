"""Erasure at an admin's request, and removal of expired records.

Between the request and ``due_at`` a request can be taken back. What is due is
erased by the workers' sweep, with a database role of its own.
"""

import logging
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    Column,
    ColumnElement,
    Select,
    Table,
    cast,
    delete,
    func,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import JSON, TEXT
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.models import (
    ACTIVE,
    AuditEntry,
    Charting,
    ChartingRevision,
    Erasure,
    IdempotencyRecord,
    Organization,
    PointReview,
    SubjectKind,
    new_id,
    utc_now,
)
from app.services.chartings import chartings
from app.services.errors import Conflict, NotFound
from app.services.identity import users
from app.services.platform.actor import Actor
from app.services.platform.ids import find_id
from app.services.platform.sessions import cross_tenant_session, eraser_session
from app.services.problem_codes import ProblemCode
from app.services.upkeep import data_subjects
from app.services.upkeep.data_subjects import Subject
from app.services.vessels import telemetry, vessels

logger = logging.getLogger(__name__)

#: What stands where a user's name stood.
NOBODY: Final = "erased user"
#: Chartings that one sweep erases of one organization, at most.
MOST_CHARTINGS: Final = 200

#: Any number that no other user of the database takes as an advisory lock.
_ERASE_LOCK: Final = 7_238_405


def request(session: Session, actor: Actor, kind: str, subject_id: str) -> Erasure:
    """Ask for a subject and all that belongs to it to be erased; it leaves lists at once.

    Raises :class:`NotFound`, and :class:`Conflict` when it is asked for already,
    while a route of it is being planned, or for the last admin.
    """
    organization_id = actor.organization_id
    subject = data_subjects.find(session, organization_id, kind, subject_id)
    organization = session.get_one(Organization, organization_id)
    erasure = Erasure(
        id=new_id(),
        organization_id=organization_id,
        kind=subject.kind,
        subject_id=subject.id,
        created_at=utc_now(),
        created_by=actor.name,
        due_at=utc_now() + timedelta(days=organization.erase_after_days),
    )
    session.add(erasure)
    try:
        session.flush()
    except IntegrityError as error:
        raise Conflict(
            "Its erasure was asked for already.", code=ProblemCode.ERASURE_REQUESTED
        ) from error
    _take_out_of_use(session, organization_id, subject)
    return erasure


def list_erasures(session: Session, organization_id: UUID) -> list[Erasure]:
    """All erasures of an organization, newest first."""
    query = select(Erasure).where(Erasure.organization_id == organization_id)
    return list(session.scalars(query.order_by(Erasure.id.desc())))


def get(session: Session, organization_id: UUID, erasure_id: str) -> Erasure:
    """An erasure; raises :class:`NotFound`."""
    query = select(Erasure).where(
        Erasure.organization_id == organization_id, Erasure.id == find_id(erasure_id)
    )
    erasure = session.scalar(query)
    if erasure is None:
        raise NotFound("There is no erasure with this id.")
    return erasure


def take_back(session: Session, erasure: Erasure) -> None:
    """Keep a subject after all; raises :class:`Conflict` once it is erased.

    A vessel is back in the fleet; a user is activated and a charting restored by whoever wants it.
    """
    if erasure.done_at is not None:
        raise Conflict("This is erased already.", code=ProblemCode.ERASED)
    if erasure.kind == SubjectKind.VESSEL:
        vessels.bring_back(session, erasure.organization_id, erasure.subject_id)
    session.delete(erasure)
    session.flush()


def erase_due(now: datetime | None = None) -> int:
    """Erase what is due; answers how many. One process erases at a time."""
    now = now or utc_now()
    with cross_tenant_session() as session:
        if not session.scalar(select(func.pg_try_advisory_xact_lock(_ERASE_LOCK))):
            return 0
        due = select(Erasure.organization_id, Erasure.id).where(
            Erasure.done_at.is_(None), Erasure.due_at <= now
        )
        return sum(_erase_one(*row, now) for row in session.execute(due.order_by(Erasure.due_at)))


def retire_old(now: datetime | None = None) -> None:
    """Erase what organizations want kept no longer."""
    now = now or utc_now()
    with cross_tenant_session() as session:
        row = Organization
        query = select(
            row.id, row.keep_charting_days, row.keep_telemetry_days, row.keep_audit_days
        ).where(
            or_(
                row.keep_charting_days.isnot(None),
                row.keep_telemetry_days.isnot(None),
                row.keep_audit_days.isnot(None),
            )
        )
        limits = session.execute(query).all()
    for organization_id, *days in limits:
        with eraser_session(organization_id) as session:
            _retire(session, organization_id, *(_before(now, each) for each in days))


def _take_out_of_use(session: Session, organization_id: UUID, subject: Subject) -> None:
    """Let nobody use it any more; an organization itself is used until it is erased."""
    id_ = str(subject.id)
    if subject.kind is SubjectKind.VESSEL:
        vessel = vessels.get_any(session, organization_id, subject.id)
        if vessel.deleted_at is None:
            vessels.delete(session, vessel)
    elif subject.kind is SubjectKind.CHARTING:
        charting = chartings.get(session, organization_id, id_)
        chartings.refuse_active(session, charting)
        chartings.archive(charting)
    elif subject.kind is SubjectKind.USER:
        users.deactivate(session, users.get(session, organization_id, id_))


def _erase_one(organization_id: UUID, erasure_id: UUID, now: datetime) -> bool:
    with eraser_session(organization_id) as session:
        erasure = session.get(Erasure, erasure_id, with_for_update=True)
        if erasure is None or _is_active(session, erasure):
            return False
        kind = SubjectKind(erasure.kind)
        try:
            subject = data_subjects.get(session, organization_id, kind, erasure.subject_id)
            _erase(session, organization_id, subject)
        except NotFound:
            logger.info("%s %s was already deleted", kind, erasure.subject_id)
        if kind is not SubjectKind.ORGANIZATION:
            erasure.done_at = now
        else:
            session.expunge(erasure)
    logger.info("%s %s is erased", kind, erasure.subject_id)
    return True


def _is_active(session: Session, erasure: Erasure) -> bool:
    """Return whether a route of a charting or a vessel is being planned."""
    query = (
        select(ChartingRevision.charting_id)
        .join(Charting, Charting.id == ChartingRevision.charting_id)
        .where(
            ChartingRevision.status.in_(ACTIVE),
            or_(Charting.id == erasure.subject_id, Charting.vessel_id == erasure.subject_id),
        )
    )
    return session.scalar(query.limit(1)) is not None


def _erase(session: Session, organization_id: UUID, subject: Subject) -> None:
    session.execute(text("SET LOCAL statement_timeout = 0"))
    # answers given to requests may show it; they are only kept to be given again
    session.execute(
        delete(IdempotencyRecord).where(IdempotencyRecord.organization_id == organization_id)
    )
    if subject.email is not None:
        _forget_author(session, subject.email)
    for table, condition in data_subjects.rows_of(subject):
        session.execute(delete(table).where(condition))


def _forget_author(session: Session, email: str) -> None:
    """Put nobody in the place of a user whose work stays."""
    session.execute(
        update(PointReview).where(PointReview.reviewed_by == email).values(reviewer_name=None)
    )
    for table in data_subjects.tenant_tables():
        for column in data_subjects.author_columns(table):
            if table.name != "app_user":
                _replace(session, table, column, column == email, NOBODY)
        for column in data_subjects.json_columns(table):
            held, quoted = cast(column, TEXT), f'"{email}"'
            without = cast(func.replace(held, quoted, f'"{NOBODY}"'), JSON)
            _replace(session, table, column, held.contains(quoted, autoescape=True), without)


def _replace(
    session: Session,
    table: Table,
    column: Column[Any],
    condition: ColumnElement[bool],
    value: object,
) -> None:
    session.execute(update(table).where(condition).values({column: value}))


def _retire(
    session: Session,
    organization_id: UUID,
    charted_before: datetime | None,
    reported_before: datetime | None,
    audited_before: datetime | None,
) -> None:
    session.execute(text("SET LOCAL statement_timeout = 0"))
    if reported_before is not None:
        telemetry.retire(session, reported_before)
    if audited_before is not None:
        session.execute(delete(AuditEntry).where(AuditEntry.created_at < audited_before))
    if charted_before is not None:
        for charting_id in session.scalars(_old_chartings(charted_before)).all():
            found = data_subjects.get(session, organization_id, SubjectKind.CHARTING, charting_id)
            _erase(session, organization_id, found)


def _old_chartings(before: datetime) -> Select[UUID]:
    """Chartings whose newest revision was queued before a time and is at rest."""
    newest = ChartingRevision
    return (
        select(Charting.id)
        .join(
            newest,
            (newest.charting_id == Charting.id) & (newest.revision == Charting.latest_revision),
        )
        .where(newest.queued_at < before, newest.status.notin_(ACTIVE))
        .order_by(Charting.id)
        .limit(MOST_CHARTINGS)
    )


def _before(now: datetime, days: int | None) -> datetime | None:
    return None if days is None else now - timedelta(days=days)
