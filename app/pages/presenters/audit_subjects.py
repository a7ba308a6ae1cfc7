"""Names of the subjects of audit entries."""

from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.models import (
    ApiKey,
    AreaRecord,
    AuditEntry,
    Charting,
    Organization,
    User,
    Vessel,
    WebhookEndpoint,
)

#: Id and name of each kind of subject.
_NAMES: Final[tuple[tuple[InstrumentedAttribute[UUID], ColumnElement[Any]], ...]] = (
    (ApiKey.id, func.concat_ws(" ", ApiKey.prefix.concat("…"), ApiKey.name)),
    (AreaRecord.id, AreaRecord.name.expression),
    (Charting.id, func.concat(Charting.port_from_name, " to ", Charting.port_to_name)),
    (Organization.id, Organization.name.expression),
    (User.id, User.email.expression),
    (Vessel.id, Vessel.name.expression),
    (WebhookEndpoint.id, WebhookEndpoint.url.expression),
)


def name_subjects(session: Session, entries: Iterable[AuditEntry]) -> dict[UUID, str]:
    """Return the names of the entries' subjects by id, except of those deleted or unnamed."""
    ids = {entry.subject_id for entry in entries}
    found: dict[UUID, str] = {}
    for id_, name in _NAMES:
        named = session.execute(select(id_, name).where(id_.in_(ids)))
        found |= {subject_id: words for subject_id, words in named if words}
    return found
