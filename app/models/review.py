"""Reviews of a plan's critical points."""

from uuid import UUID

from sqlalchemy import ForeignKeyConstraint, PrimaryKeyConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, CreatedAt, Instant, OrganizationId, refer_to


class PointReview(Base):
    """A user's confirmation that a critical point of one revision was reviewed.

    A point is identified by its waypoint and time. ``description`` is its text at
    the time of the review: the review is not valid for a changed text.
    """

    __tablename__ = "point_review"
    __table_args__ = (
        PrimaryKeyConstraint("charting_id", "revision", "waypoint_index", "eta"),
        refer_to("charting", cascade=True),
        ForeignKeyConstraint(
            ["charting_id", "revision"],
            ["charting_revision.charting_id", "charting_revision.revision"],
            ondelete="CASCADE",
        ),
    )

    organization_id: Mapped[OrganizationId]
    charting_id: Mapped[UUID]
    revision: Mapped[int] = mapped_column(autoincrement=False)
    waypoint_index: Mapped[int] = mapped_column(autoincrement=False)
    eta: Mapped[Instant]
    description: Mapped[str]
    reviewed_at: Mapped[CreatedAt]
    reviewed_by: Mapped[str]
    reviewer_name: Mapped[str | None]
