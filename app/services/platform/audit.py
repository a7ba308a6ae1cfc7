"""Audit record: explicit entries and lists; :mod:`app.services.platform.auditing` adds the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from app.models import AuditEntry, SubjectKind
from app.services.platform.actor import Actor
from app.services.platform.auditing import AUDITED, build_entry
from app.services.platform.ids import find_id
from app.services.platform.paging import Page, fetch_page


class Action(StrEnum):
    """Actions that are recorded explicitly; each name begins with the kind of its subject."""

    TELEMETRY_CORRECTED = "telemetry.corrected"
    TELEMETRY_DELETED = "telemetry.deleted"
    NOON_REPORTS_IMPORTED = "noon_reports.imported"
    NOON_REPORTS_DELETED = "noon_reports.deleted"
    CHARTING_DELETED = "charting.deleted"
    ROUTE_EDITED = "charting.edited"
    VOYAGE_STARTED = "voyage.started"
    VOYAGE_FINISHED = "voyage.finished"
    VOYAGE_REOPENED = "voyage.reopened"
    VOYAGE_ABANDONED = "voyage.abandoned"
    ADVICE_ANSWERED = "voyage.advice_answered"
    CALIBRATION_ACCEPTED = "vessel.calibration_accepted"
    CALIBRATION_REVERTED = "vessel.calibration_reverted"
    LINK_ISSUED = "user.link_issued"
    SIGNED_IN = "user.signed_in"
    SIGN_IN_FAILED = "user.sign_in_failed"
    SIGNED_OUT = "user.signed_out"
    FACTOR_ADDED = "user.second_factor_added"
    FACTOR_REMOVED = "user.second_factor_removed"
    PASSKEY_REFUSED = "user.passkey_refused"


class DataAction(StrEnum):
    """Actions on all data of a subject of any kind."""

    EXPORTED = "exported"
    ERASURE_REQUESTED = "erasure_requested"
    ERASURE_CANCELLED = "erasure_cancelled"


#: Names of all actions.
ACTIONS: Final = tuple(
    dict.fromkeys(
        (
            *Action,
            *(f"{kind}.{action}" for kind in SubjectKind for action in DataAction),
            *(
                f"{kind}.{verb}"
                for kind in AUDITED.values()
                for verb in ("created", "changed", "deleted")
            ),
        )
    )
)


def record(
    session: Session,
    actor: Actor,
    action: str,
    subject_id: UUID,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    """Add an audit entry in the transaction of the action itself.

    ``before`` and ``after`` hold JSON types.
    """
    session.add(build_entry(actor.organization_id, action, subject_id, before, after, actor.name))


def record_export(
    session: Session, actor: Actor, kind: str, subject_id: UUID, media_type: str
) -> None:
    """Record that data of a subject was handed out."""
    action = f"{kind}.{DataAction.EXPORTED}"
    record(session, actor, action, subject_id, after={"as": media_type})


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Filter of entries: actor names that contain ``who``, one action, the id of one subject.

    Empty is any.
    """

    who: str = ""
    action: str = ""
    about: str = ""


EVERYTHING: Final = AuditFilter()

#: Number of entries that an export fetches at a time.
_BATCH: Final = 1000


def list_page(
    session: Session,
    organization_id: UUID,
    page: int,
    page_size: int,
    wanted: AuditFilter = EVERYTHING,
) -> Page[AuditEntry]:
    """A page of an organization's entries, newest first."""
    return fetch_page(session, _matching(organization_id, wanted), page, page_size)


def list_before(
    session: Session, organization_id: UUID, wanted: AuditFilter, before: UUID | None
) -> Sequence[AuditEntry]:
    """A thousand entries before one, or the first thousand, newest first."""
    query = _matching(organization_id, wanted)
    if before is not None:
        query = query.where(AuditEntry.id < before)
    return session.scalars(query.limit(_BATCH)).all()


def _matching(organization_id: UUID, wanted: AuditFilter) -> Select[AuditEntry]:
    query = select(AuditEntry).where(AuditEntry.organization_id == organization_id)
    if wanted.who:
        query = query.where(AuditEntry.actor.icontains(wanted.who, autoescape=True))
    if wanted.action:
        query = query.where(AuditEntry.action == wanted.action)
    if wanted.about:
        query = query.where(AuditEntry.subject_id == find_id(wanted.about))
    return query.order_by(AuditEntry.id.desc())
