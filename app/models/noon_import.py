"""Imports of noon report files."""

from typing import Any

from sqlalchemy.orm import Mapped, mapped_column

from app.models.base import DERIVED
from app.models.run import BackgroundRun, constrain_runs


class NoonImport(BackgroundRun):
    """Import of a file of a vessel's noon reports, with the request and the result.

    ``content`` is stored until the import has ended. At most one import of a vessel is queued or
    running.
    """

    __tablename__ = "noon_import"
    __table_args__ = constrain_runs("noon_import")

    content: Mapped[bytes | None] = mapped_column(deferred=True, info=DERIVED)
    asked: Mapped[dict[str, Any]]
    result: Mapped[dict[str, Any] | None]
