"""Imports of noon report files."""

from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from app.models.background_run import BackgroundRun
from app.models.base import DERIVED, Base


class NoonImport(BackgroundRun, Base):
    """Import of a file of a vessel's noon reports, with the request and the result.

    ``content`` is stored until the import has ended. At most one import of a vessel is queued or
    running.
    """

    __tablename__ = "noon_import"
    __table_args__ = (
        ForeignKeyConstraint(
            ["organization_id", "vessel_id"], ["vessel.organization_id", "vessel.id"]
        ),
        CheckConstraint(
            "run_status IN ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')",
            name="run_status",
        ),
        Index(
            "uq_noon_import_active",
            "vessel_id",
            unique=True,
            postgresql_where=text("run_status IN ('QUEUED', 'RUNNING')"),
        ),
    )

    vessel_id: Mapped[UUID]
    created_by: Mapped[str]
    content: Mapped[bytes | None] = mapped_column(deferred=True, info=DERIVED)
    asked: Mapped[dict[str, Any]]
    result: Mapped[dict[str, Any] | None]
