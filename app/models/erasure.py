"""Requested and completed erasures."""

from enum import StrEnum
from uuid import UUID

from sqlalchemy import CheckConstraint, FetchedValue, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, Id, Instant, OrganizationId


class SubjectKind(StrEnum):
    """Kinds of subjects that can be exported and erased with everything that belongs to them."""

    ORGANIZATION = "organization"
    VESSEL = "vessel"
    CHARTING = "charting"
    USER = "user"


class Erasure(Base):
    """A subject that is erased at ``due_at``, or was at ``done_at``.

    It holds the subject's id and nothing else of it, and so stays as the proof.
    """

    __tablename__ = "erasure"
    __table_args__ = (
        CheckConstraint("kind IN ('organization', 'vessel', 'charting', 'user')", name="kind"),
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
    #: The database sets both by its own clock and the organization's days.
    created_at: Mapped[Instant] = mapped_column(server_default=text("now()"))
    created_by: Mapped[str]
    due_at: Mapped[Instant] = mapped_column(server_default=FetchedValue())
    done_at: Mapped[Instant | None]
