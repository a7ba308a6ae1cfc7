"""Calibration runs: fit a vessel's model to its reports, from the row to its end."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy.orm import Session

from app.engine.calibration.calibrating import NotEnoughReports, calibrate
from app.engine.calibration.declared import as_reports
from app.engine.calibration.reports import ShipReports
from app.engine.particulars import ShipParticulars
from app.engine.times import hours_since_epoch
from app.models import Vessel, VesselCalibration, utc_now
from app.records.instants import first_instant
from app.services.engine_mapping import (
    build_uncalibrated_ship,
    read_declared_points,
    snapshot_vessel,
)
from app.services.platform import background_runs
from app.services.platform.background_runs import BackgroundProgress
from app.services.platform.run_progress import Failure, as_failure
from app.services.platform.sessions import organization_session
from app.services.vessels import calibration_evidence, calibration_reports, calibrations, vessels
from app.services.vessels.calibration_reports import Gathered
from app.services.vessels.calibrations import CalibrationFailure


class CalibrationInputs(NamedTuple):
    """Inputs of a calibration."""

    ship: ShipParticulars
    particulars: dict[str, Any]
    gathered: Gathered
    dockings_h: Sequence[float]
    declared: ShipReports | None


class Fitted(NamedTuple):
    """Result of a fit in JSON types, and the particulars for which it is valid."""

    particulars: dict[str, Any]
    response: dict[str, Any]
    evidence: dict[str, Any]


def run(organization_id: UUID, calibration_id: UUID) -> None:
    """Fit a calibration."""
    background_runs.carry_out(
        VesselCalibration, organization_id, calibration_id, _fit, _keep, _explain
    )


def _fit(progress: BackgroundProgress) -> Fitted:
    """Fit the vessel's model to its reports. Raises :class:`NotEnoughReports`."""
    progress(0.0, "Reading reports")
    asked = _read(progress.organization_id, progress.vessel_id)
    found = calibrate(
        asked.ship,
        asked.gathered.reports,
        dockings_h=asked.dockings_h,
        declared=asked.declared,
        on_progress=progress,
    )
    if not found.used:
        raise NotEnoughReports(f"None of {found.records} reports is of steady sailing.")
    evidence = calibration_evidence.describe(asked.ship, asked.gathered, found)
    return Fitted(asked.particulars, asdict(found.response()), evidence)


def _read(organization_id: UUID, vessel_id: UUID) -> CalibrationInputs:
    with organization_session(organization_id) as session:
        vessel = vessels.get_any(session, organization_id, vessel_id)
        kept = snapshot_vessel(vessel)
        ship = build_uncalibrated_ship(kept)
        declared = as_reports(tuple(read_declared_points(kept)), ship)
        return CalibrationInputs(
            ship,
            calibrations.modelled(vessel),
            calibration_reports.gather(session, vessel),
            _list_dockings_h(vessel),
            declared if declared.times_h.size else None,
        )


def _list_dockings_h(vessel: Vessel) -> list[float]:
    """List the times of dockings and cleanings up to now [h since 1970]; later ones are planned."""
    days = [date.fromisoformat(event["date"]) for event in vessel.maintenance or ()]
    return [hours_since_epoch(first_instant(day)) for day in days if day <= utc_now().date()]


def _keep(_session: Session, row: VesselCalibration, fitted: Fitted) -> None:
    row.particulars, row.response, row.evidence = fitted


def _explain(fault: Exception) -> Failure | None:
    if not isinstance(fault, NotEnoughReports):
        return None
    return as_failure(CalibrationFailure.TOO_FEW_REPORTS, str(fault))
