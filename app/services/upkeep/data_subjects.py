"""Table rows that belong to an organization, a vessel, a charting or a user.

Tables come from the models' metadata and rows are found by column names, so that a
new table is exported and erased without a change here. A test checks that every
table uses these names.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from sqlalchemy import Column, ColumnElement, String, Table, or_, select
from sqlalchemy.orm import Session

from app.models import (
    AuditEntry,
    Base,
    Charting,
    OneTimeLink,
    Organization,
    SubjectKind,
    User,
    Vessel,
)
from app.services.errors import NotFound
from app.services.platform.ids import find_id

#: The table of the subjects themselves, by kind.
TABLE_OF: Final[Mapping[SubjectKind, str]] = {
    SubjectKind.ORGANIZATION: Organization.__tablename__,
    SubjectKind.VESSEL: Vessel.__tablename__,
    SubjectKind.CHARTING: Charting.__tablename__,
    SubjectKind.USER: User.__tablename__,
}
#: The column with which other tables refer to a subject, by kind.
COLUMN_OF: Final[Mapping[SubjectKind, str]] = {kind: f"{kind}_id" for kind in SubjectKind}
#: The column with which logs refer to a subject of any kind.
ANY_SUBJECT: Final = "subject_id"
#: Table with the ids of erased subjects, as proof.
PROOF: Final = "erasure"


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject, with the ids of its dependent subjects: a vessel's chartings.

    ``emails`` are a user's present and former addresses, with which rows name their authors.
    """

    kind: SubjectKind
    id: UUID
    ids: Mapping[SubjectKind, frozenset[UUID]] = field(default_factory=dict)
    emails: frozenset[str] = frozenset()


def find(session: Session, organization_id: UUID, named: str, subject_id: str) -> Subject:
    """Find a subject of an organization by the name of its kind; raises :class:`NotFound`."""
    if named not in set(SubjectKind):
        raise NotFound(f"There is no kind {named!r}. Name one of {', '.join(SubjectKind)}.")
    kind, id_ = SubjectKind(named), find_id(subject_id)
    ids = {kind: frozenset({id_})} if id_ else {}
    table = Base.metadata.tables[TABLE_OF[kind]]
    owner = table.c.id if kind is SubjectKind.ORGANIZATION else table.c.organization_id
    row = session.execute(
        select(table).where(table.c.id == id_, owner == organization_id)
    ).one_or_none()
    if row is None or id_ is None:
        raise NotFound(f"There is no {kind} with this id.")
    if kind is SubjectKind.VESSEL:
        sailed = select(Charting.id).where(
            Charting.organization_id == organization_id, Charting.vessel_id == id_
        )
        ids[SubjectKind.CHARTING] = frozenset(session.scalars(sailed))
    if kind is not SubjectKind.USER:
        return Subject(kind, id_, ids)
    return Subject(kind, id_, ids, _find_addresses(session, organization_id, id_))


def _find_addresses(session: Session, organization_id: UUID, user_id: UUID) -> frozenset[str]:
    """Find a user's addresses without those that others have by now, as erasing does.

    Former ones are in the audit record and in the links that confirmed new ones.
    """
    audited = select(AuditEntry.before["email"].as_string()).where(
        AuditEntry.organization_id == organization_id,
        AuditEntry.subject_id == user_id,
        AuditEntry.action == "user.changed",
    )
    confirmed = select(OneTimeLink.new_email).where(
        OneTimeLink.organization_id == organization_id,
        OneTimeLink.user_id == user_id,
        OneTimeLink.used_at.is_not(None),
    )
    former = session.scalars(audited.union(confirmed))
    users = select(User.id, User.email).where(User.organization_id == organization_id)
    owners = session.execute(users).all()
    others = {email.lower() for owner, email in owners if owner != user_id}
    held = {email for owner, email in owners if owner == user_id} | set(former)
    return frozenset(email for email in held if email and email.lower() not in others)


def rows_of(subject: Subject) -> Iterator[tuple[Table, ColumnElement[bool]]]:
    """Yield the tables with rows of a subject, and the condition that selects the rows.

    Tables that refer to others come first, so that rows can be deleted in this order.
    """
    for table in reversed(Base.metadata.sorted_tables):
        conditions = list(_conditions(subject, table))
        if conditions:
            yield table, or_(*conditions)


def author_columns(table: Table) -> list[Column[str]]:
    """Columns of a table that may hold the e-mail address of an author."""
    return [column for column in table.columns if isinstance(column.type, String)]


def tenant_tables() -> list[Table]:
    """All tables whose rows belong to an organization, those that refer to others first."""
    return [t for t in reversed(Base.metadata.sorted_tables) if "organization_id" in t.columns]


def _conditions(subject: Subject, table: Table) -> Iterator[ColumnElement[bool]]:
    if table.name == PROOF and subject.kind is not SubjectKind.ORGANIZATION:
        return
    for kind, ids in subject.ids.items():
        if table.name == TABLE_OF[kind]:
            yield table.c.id.in_(ids)
        elif COLUMN_OF[kind] in table.columns:
            yield table.c[COLUMN_OF[kind]].in_(ids)
        if ANY_SUBJECT in table.columns:
            yield table.c[ANY_SUBJECT].in_(ids)
