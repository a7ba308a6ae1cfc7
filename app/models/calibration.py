"""Calibrations of vessels, in versions."""

from typing import Any

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped

from app.models.base import Instant
from app.models.run import BackgroundRun, constrain_runs


class VesselCalibration(BackgroundRun):
    """A fit to a vessel's reports, with its evidence; the active one is copied to the vessel.

    ``particulars`` are those that it was fitted to, ``response`` the factors on the estimate
    from these. ``withdrawn_at`` marks an accepted version that was reverted.

    A worker fits it: ``response`` and ``evidence`` are set when it is COMPLETED. At most one
    calibration of a vessel is queued or running.
    """

    __tablename__ = "vessel_calibration"
    __table_args__ = (
        UniqueConstraint("vessel_id", "number"),
        *constrain_runs("vessel_calibration"),
    )

    number: Mapped[int]
    particulars: Mapped[dict[str, Any]]
    response: Mapped[dict[str, Any] | None]
    evidence: Mapped[dict[str, Any] | None]
    accepted_at: Mapped[Instant | None]
    accepted_by: Mapped[str | None]
    withdrawn_at: Mapped[Instant | None]
