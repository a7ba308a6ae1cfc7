"""Comparisons of departures, and the result of each departure."""

from typing import Any
from uuid import UUID

from sqlalchemy import Index, PrimaryKeyConstraint, UniqueConstraint, text
from sqlalchemy.orm import Mapped

from app.models.base import Base, CreatedAt, Id, Instant, OrganizationId, one_of, refer_to
from app.models.run import ChartingStatus, Run


class DepartureComparisonRecord(Run):
    """A comparison of the departures of a charting's window; a charting has at most one.

    It uses the request of ``revision``, with ``arrive_by`` as the latest arrival of all
    departures, or ``within_h`` as the longest duration of each [h]. ``basis`` is a digest of the
    weather and areas of the results so far. ``best`` is the best departure, once all are compared.
    """

    __tablename__ = "departure_comparison"
    __table_args__ = (
        UniqueConstraint("charting_id"),
        UniqueConstraint(
            "organization_id", "id", name="uq_departure_comparison_organization_id_id"
        ),
        refer_to("charting", cascade=True),
        one_of("status", ChartingStatus),
        Index(
            "ix_departure_comparison_active",
            "queued_at",
            postgresql_where=text("status IN ('QUEUED', 'RUNNING')"),
        ),
    )

    id: Mapped[Id]
    charting_id: Mapped[UUID]
    revision: Mapped[int]
    depart_from: Mapped[Instant]
    depart_to: Mapped[Instant]
    step_h: Mapped[float]
    arrive_by: Mapped[Instant | None]
    within_h: Mapped[float | None]
    weather: Mapped[str | None]
    basis: Mapped[str | None]
    best: Mapped[Instant | None]
    queued_at: Mapped[CreatedAt]
    queued_by: Mapped[str]
    started_at: Mapped[Instant | None]


class ComparedDeparture(Base):
    """Result of a departure: ``figures``, or the reason in ``infeasible``.

    Departures are ranked by ``cost`` and ``coarse_cost``; null if infeasible.
    """

    __tablename__ = "compared_departure"
    __table_args__ = (
        PrimaryKeyConstraint("comparison_id", "departs_at"),
        refer_to("departure_comparison", "comparison_id", cascade=True),
        Index("ix_compared_departure_charting_id", "organization_id", "charting_id"),
    )

    organization_id: Mapped[OrganizationId]
    charting_id: Mapped[UUID]
    comparison_id: Mapped[UUID]
    departs_at: Mapped[Instant]
    is_refined: Mapped[bool]
    figures: Mapped[dict[str, Any] | None]
    infeasible: Mapped[dict[str, Any] | None]
    cost: Mapped[float | None]
    coarse_cost: Mapped[float | None]
