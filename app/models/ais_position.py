"""AIS positions of vessels."""

from uuid import UUID

from sqlalchemy import PrimaryKeyConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import Base, CreatedAt, Instant, OrganizationId, refer_to


class AisPosition(Base):
    """A vessel's position [deg], speed over ground [kn], course and heading [deg true].

    One is stored per ``minute``, counted from 1970; ships under way send one in 2 to 10 seconds.
    """

    __tablename__ = "ais_position"
    __table_args__ = (
        PrimaryKeyConstraint("vessel_id", "minute"),
        refer_to("vessel"),
    )

    organization_id: Mapped[OrganizationId]
    vessel_id: Mapped[UUID]
    minute: Mapped[int] = mapped_column(autoincrement=False)
    timestamp: Mapped[Instant]
    latitude: Mapped[float]
    longitude: Mapped[float]
    speed_kn: Mapped[float]
    course_deg: Mapped[float | None]
    heading_deg: Mapped[float | None]
    received_at: Mapped[CreatedAt]
