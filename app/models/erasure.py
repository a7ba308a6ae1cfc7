"""Requested and completed erasures."""

from enum import StrEnum
from uuid import UUID

from sqlalchemy import FetchedValue, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, Id, Instant, OrganizationId, one_of


class SubjectKind(StrEnum):
    """Kinds of subjects that can be exported and erased with all their data."""

    ORGANIZATION = "organization"
    VESSEL = "vessel"
    CHARTING = "charting"
    USER = "user"


class Erasure(Base):
    """Erasure of a subject, due at ``due_at`` and done at ``done_at``.

    It has only the subject's id and stays as proof.
    """

    __tablename__ = "erasure"
    __table_args__ = (
        one_of("kind", SubjectKind),
        Index(
            "uq_erasure_subject_id",
            "organization_id",
            "subject_id",
            unique=True,
            postgresql_where=text("done_at IS NULL"),
        ),
    )

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    kind: Mapped[str] = mapped_column()
    subject_id: Mapped[UUID]
    #: The database sets both from its clock and the organization's settings.
    created_at: Mapped[Instant] = mapped_column(server_default=text("now()"))
    created_by: Mapped[str]
    due_at: Mapped[Instant] = mapped_column(server_default=FetchedValue())
    done_at: Mapped[Instant | None]
