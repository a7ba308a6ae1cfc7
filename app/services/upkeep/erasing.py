"""Erasure at an admin's request, and removal of expired records.

A request can be cancelled until ``due_at``, which the database sets. The workers'
sweep erases due subjects through functions of the database, which determine by its
own clock and rows what is due.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Function, cast, func, or_, select, text
from sqlalchemy.dialects.postgresql import ARRAY, TEXT
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session

from app.models import Erasure, Organization, SubjectKind
from app.records.instants import format_instant
from app.services.chartings import chartings
from app.services.errors import Conflict
from app.services.identity import users
from app.services.platform import audit
from app.services.platform.actor import Actor
from app.services.platform.audit import DataAction
from app.services.platform.ids import find_row, flush, get_row
from app.services.platform.sessions import (
    cross_tenant_session,
    operator_session,
    read_clock,
    worker_session,
)
from app.services.problem_codes import ProblemCode
from app.services.upkeep import data_subjects
from app.services.upkeep.data_subjects import Subject
from app.services.vessels import vessels

logger = logging.getLogger(__name__)

#: Largest number of chartings of one organization that one sweep erases.
MOST_CHARTINGS: Final = 200

#: Any number that no other user of the database takes as an advisory lock.
_ERASE_LOCK: Final = 7_238_405


def request(
    session: Session,
    actor: Actor,
    kind: str,
    subject_id: str,
    due_at: datetime | None = None,
) -> Erasure:
    """Request the erasure of a subject with all its data; lists omit it at once.

    It is due after the organization's waiting period, or at ``due_at``.

    Raises :class:`NotFound`, and :class:`Conflict` if erasure has been requested
    already, while a route of it is being planned, and for the last admin.
    """
    organization_id = actor.organization_id
    subject = data_subjects.find(session, organization_id, kind, subject_id)
    erasure = Erasure(
        organization_id=organization_id,
        kind=subject.kind,
        subject_id=subject.id,
        created_by=actor.name,
    )
    session.add(erasure)
    asked = Conflict("Its erasure was asked for already.", code=ProblemCode.ERASURE_REQUESTED)
    flush(session, {"uq_erasure_subject_id": asked})
    _deactivate(session, organization_id, subject)
    if due_at is not None:
        erasure.due_at = due_at
    _record(session, actor, DataAction.ERASURE_REQUESTED, erasure)
    return erasure


def request_at_once(session: Session, actor: Actor, kind: str, subject_id: str) -> Erasure:
    """Request an erasure without the waiting period, or make the requested one due.

    Raises what :func:`request` raises, but no :class:`Conflict` for an earlier request.
    """
    subject = data_subjects.find(session, actor.organization_id, kind, subject_id)
    now = read_clock(session)
    erasure = find_row(session, Erasure, actor.organization_id, subject_id=subject.id, done_at=None)
    if erasure is None:
        return request(session, actor, kind, subject_id, now)
    erasure.due_at = now
    _record(session, actor, DataAction.ERASURE_REQUESTED, erasure)
    return erasure


def is_done(organization_id: UUID, erasure_id: UUID) -> bool:
    """Return whether an erasure is done; that of an organization leaves no row."""
    with operator_session(organization_id) as session:
        erasure = session.get(Erasure, erasure_id)
        return erasure is None or erasure.done_at is not None


def list_erasures(session: Session, organization_id: UUID) -> list[Erasure]:
    """All erasures of an organization, newest first."""
    query = select(Erasure).where(Erasure.organization_id == organization_id)
    return list(session.scalars(query.order_by(Erasure.id.desc())))


def get(session: Session, organization_id: UUID, erasure_id: str) -> Erasure:
    """An erasure; raises :class:`NotFound`."""
    query = select(Erasure).filter_by(organization_id=organization_id)
    return get_row(session, query, erasure_id, "erasure")


def take_back(session: Session, actor: Actor, erasure: Erasure) -> None:
    """Cancel an erasure; raises :class:`Conflict` once it is done.

    A vessel that the request deleted is restored, unless another one has its IMO number or MMSI by
    now; users must be activated and chartings restored separately.
    """
    if erasure.done_at is not None:
        raise Conflict("This is erased already.", code=ProblemCode.ERASED)
    if erasure.kind == SubjectKind.VESSEL:
        vessel = vessels.get_any(session, erasure.organization_id, erasure.subject_id)
        if vessel.deleted_at is not None and vessel.deleted_at >= erasure.created_at:
            vessels.restore(session, vessel)
    _record(session, actor, DataAction.ERASURE_CANCELLED, erasure)
    session.delete(erasure)
    session.flush()


def erase_due() -> int:
    """Erase due subjects; return their number. Only one process erases at a time."""
    with cross_tenant_session() as session:
        if not session.scalar(select(func.pg_try_advisory_xact_lock(_ERASE_LOCK))):
            return 0
        # the lock is held as long as erasing takes, and this transaction is idle meanwhile
        session.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        due = select(Erasure.organization_id, Erasure.id).where(
            Erasure.done_at.is_(None), Erasure.due_at <= func.now()
        )
        return sum(_erase_one(*row) for row in session.execute(due.order_by(Erasure.due_at)))


def erase_expired() -> None:
    """Erase records whose retention by their organization's settings has ended."""
    with cross_tenant_session() as session:
        row = Organization
        query = select(row.id).where(
            or_(
                row.keep_charting_days.isnot(None),
                row.keep_telemetry_days.isnot(None),
                row.keep_audit_days.isnot(None),
            )
        )
        keeping = session.scalars(query).all()
    for organization_id in keeping:
        with (
            _leaving_others(f"removal of expired records of {organization_id}"),
            worker_session(organization_id) as session,
        ):
            _call(session, func.retire_expired(MOST_CHARTINGS, _tables()))


def _record(session: Session, actor: Actor, action: DataAction, erasure: Erasure) -> None:
    """Add an audit entry about the subject, so that it is erased with the subject."""
    due = {"erasureId": str(erasure.id), "dueAt": format_instant(erasure.due_at)}
    audit.record(session, actor, f"{erasure.kind}.{action}", erasure.subject_id, after=due)


def _deactivate(session: Session, organization_id: UUID, subject: Subject) -> None:
    """Delete, archive or deactivate a subject; an organization stays in use until erased."""
    id_ = str(subject.id)
    if subject.kind is SubjectKind.VESSEL:
        vessel = vessels.get_any(session, organization_id, subject.id)
        if vessel.deleted_at is None:
            vessels.delete(session, vessel)
    elif subject.kind is SubjectKind.CHARTING:
        charting = chartings.get(session, organization_id, id_)
        chartings.refuse_in_use(session, charting)
        chartings.archive(charting)
    elif subject.kind is SubjectKind.USER:
        users.change(session, users.get(session, organization_id, id_), {"is_active": False})


def _erase_one(organization_id: UUID, erasure_id: UUID) -> bool:
    kind = None
    with (
        _leaving_others(f"erasure {erasure_id}"),
        worker_session(organization_id) as session,
    ):
        kind = _call(session, func.erase_due(erasure_id, _tables()))
    if kind is not None:
        logger.info("%s of erasure %s is erased", kind, erasure_id)
    return kind is not None


@contextmanager
def _leaving_others(what: str) -> Iterator[None]:
    """Log the error of one removal, so that the others go on; an outage ends them all."""
    try:
        yield
    except (OperationalError, InterfaceError):
        raise
    except SQLAlchemyError:
        logger.exception("%s failed and is tried again", what)


def _call(session: Session, function: Function[Any]) -> str | None:
    """Call a database function that erases due rows, which no login may delete directly."""
    session.execute(text("SET LOCAL statement_timeout = 0"))
    return session.scalar(select(function))


def _tables() -> ColumnElement[Any]:
    """Names of the tables, in an order in which rows can be deleted."""
    names = [table.name for table in data_subjects.tenant_tables()]
    return cast([*names, Organization.__tablename__], ARRAY(TEXT))
