"""Chartings and their revisions, with requests and plans, and reviews of critical points."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from geoalchemy2 import Geometry, WKBElement
from sqlalchemy import (
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    PrimaryKeyConstraint,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.models.base import Base, CreatedAt, Id, Instant, OrganizationId, one_of, refer_to
from app.models.run import ChartingStatus, Run
from app.models.vessel import Vessel


class Charting(Base):
    """A request for a route, through all its revisions.

    ``completed_revision`` is the newest one that has a plan: a failed re-planning
    never hides a plan in use. Vessel and ports are those of the revision that is shown, the
    completed one or else the newest. Lists leave out a charting with ``archived_at``.
    """

    __tablename__ = "charting"
    __table_args__ = (
        UniqueConstraint("organization_id", "id", name="uq_charting_organization_id_id"),
        refer_to("vessel"),
        Index("ix_charting_vessel_id", "organization_id", "vessel_id"),
    )

    id: Mapped[Id]
    organization_id: Mapped[OrganizationId]
    vessel_id: Mapped[UUID]
    port_from_name: Mapped[str]
    port_to_name: Mapped[str]
    latest_revision: Mapped[int] = mapped_column(default=1)
    completed_revision: Mapped[int | None]
    created_at: Mapped[CreatedAt]
    created_by: Mapped[str]
    archived_at: Mapped[Instant | None]

    vessel: Mapped[Vessel] = relationship(viewonly=True)

    def show(self, request: Mapping[str, Any]) -> None:
        """Take vessel and ports from the request of the revision that is shown."""
        self.vessel_id = UUID(request["vesselId"])
        self.port_from_name, self.port_to_name = request["portFromName"], request["portToName"]

    @property
    def current_vessel_name(self) -> str | None:
        """The vessel's name as it is now."""
        return self.vessel.name


class ChartingRevision(Run):
    """One planning of a charting, with its inputs and its plan.

    ``request`` is the request as served; ``vessel`` the vessel's particulars at that
    time; ``areas`` the applied areas. ``edit`` has the editor, reason and findings of a
    manual edit.
    ``areas``, ``plan`` and the profiles are large and loaded only on demand.
    """

    __tablename__ = "charting_revision"
    __table_args__ = (
        PrimaryKeyConstraint("charting_id", "revision"),
        refer_to("charting", cascade=True),
        one_of("status", ChartingStatus),
        CheckConstraint("progress BETWEEN 0 AND 1", name="progress"),
        Index(
            "ix_charting_revision_active",
            "organization_id",
            "status",
            postgresql_where=text("status IN ('QUEUED', 'RUNNING')"),
        ),
        Index(
            "ix_charting_revision_departure",
            "organization_id",
            text("instant_of(request ->> 'startDate')"),
            postgresql_where=text("status = 'COMPLETED'"),
        ),
    )

    charting_id: Mapped[UUID]
    revision: Mapped[int]
    request: Mapped[dict[str, Any]]
    vessel: Mapped[dict[str, Any]]
    areas: Mapped[list[dict[str, Any]] | None] = mapped_column(deferred=True)
    provenance: Mapped[dict[str, Any] | None]
    summary: Mapped[dict[str, Any] | None]
    label: Mapped[str | None]
    warnings: Mapped[list[dict[str, Any]] | None]
    plan: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)
    profile: Mapped[list[dict[str, Any]] | None] = mapped_column(deferred=True)
    edit: Mapped[dict[str, Any] | None]
    alternative_profiles: Mapped[list[list[dict[str, Any]]] | None] = mapped_column(deferred=True)
    track: Mapped[WKBElement | None] = mapped_column(
        Geometry("MULTILINESTRING", srid=4326, spatial_index=False), deferred=True
    )
    queued_at: Mapped[CreatedAt]
    queued_by: Mapped[str]
    is_queued_by_user: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    started_at: Mapped[Instant | None]

    @property
    def vessel_name(self) -> str | None:
        """The vessel's name at the time of the request."""
        name: str | None = self.vessel["name"]
        return name


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
