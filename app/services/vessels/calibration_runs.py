"""The fit of a vessel's calibration to her reports, from its row to its end."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final, NamedTuple
from uuid import UUID

from rq.timeouts import JobTimeoutException
from sqlalchemy import select, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.dml import ReturningUpdate

from app.engine.calibration import NotEnoughReports, ShipReports, as_reports, calibrate
from app.engine.errors import PlanningCancelled
from app.engine.particulars import ShipParticulars
from app.models import ACTIVE, ChartingStatus, Vessel, VesselCalibration, utc_now
from app.records.instants import first_instant
from app.services.engine_mapping import (
    build_ship_particulars,
    read_declared_points,
    snapshot_vessel,
)
from app.services.platform.run_progress import RunProgress, Superseded
from app.services.platform.sessions import organization_session
from app.services.vessels import (
    calibration_evidence,
    calibration_reports,
    calibrations,
    vessels,
)
from app.services.vessels.calibration_reports import Gathered
from app.services.vessels.calibrations import CalibrationFailure
from app.services.vessels.telemetry_sums import hours_of

logger = logging.getLogger(__name__)

#: How often a calibration is begun whose worker died before it is given up.
MOST_ATTEMPTS: Final = 3


@dataclass
class CalibrationProgress(RunProgress):
    """Progress of one attempt at fitting a calibration, whose id is ``subject_id``."""

    vessel_id: UUID
    attempt: int

    def _note(self) -> ReturningUpdate[Any]:
        row = VesselCalibration
        return (
            update(row)
            .where(
                row.organization_id == self.organization_id,
                row.id == self.subject_id,
                row.attempt == self.attempt,
                row.run_status == ChartingStatus.RUNNING,
            )
            .values(heartbeat_at=utc_now(), progress=self._fraction, stage=self._stage)
            .returning(row.cancel_requested_at)
        )


class Asked(NamedTuple):
    """What a calibration is fitted to."""

    ship: ShipParticulars
    particulars: dict[str, Any]
    gathered: Gathered
    dockings_h: Sequence[float]
    declared: ShipReports | None


class Fitted(NamedTuple):
    """What a fit found, in JSON types, and the particulars that it holds for."""

    particulars: dict[str, Any]
    response: dict[str, Any]
    evidence: dict[str, Any]


def note_alive(organization_id: UUID, calibration_id: UUID) -> None:
    """Let a row show that it is being fitted, when the fit itself cannot say so."""
    row = VesselCalibration
    running = update(row).where(
        row.organization_id == organization_id,
        row.id == calibration_id,
        row.run_status == ChartingStatus.RUNNING,
    )
    with organization_session(organization_id) as session:
        session.execute(running.values(heartbeat_at=utc_now()))


def run(organization_id: UUID, calibration_id: UUID) -> None:
    """Fit a calibration. Does nothing for one that has ended.

    Errors of the database and the queue pass through.
    """
    progress = _begin(organization_id, calibration_id)
    if progress is None:
        logger.info("calibration %s is not to be fitted", calibration_id)
        return
    try:
        with progress.heartbeat():
            fitted = _fit(progress)
    except Superseded:
        logger.warning("the calibration was taken over, or is gone")
    except PlanningCancelled:
        _end(progress, lambda row: calibrations.end(row, ChartingStatus.CANCELLED))
    except NotEnoughReports as fault:
        _fail(progress, CalibrationFailure.TOO_FEW_REPORTS, str(fault))
    except JobTimeoutException:
        _fail(progress, CalibrationFailure.TIMEOUT, "The fit took longer than its worker may.")
    except DBAPIError:  # of reading reports or keeping the progress, not of the fit
        raise
    except Exception:
        logger.exception("the calibration failed")
        detail = "The fit failed; the operator's log has the details."
        _fail(progress, CalibrationFailure.INTERNAL, detail)
    else:
        _end(progress, lambda row: _complete(row, fitted))


def _begin(organization_id: UUID, calibration_id: UUID) -> CalibrationProgress | None:
    """Take a calibration up, unless it has ended or should."""
    row = VesselCalibration
    query = select(row).where(row.organization_id == organization_id, row.id == calibration_id)
    with organization_session(organization_id) as session:
        version = session.scalar(query.with_for_update())
        if version is None or version.run_status not in ACTIVE:
            return None
        if version.cancel_requested_at is not None:
            calibrations.end(version, ChartingStatus.CANCELLED)
            return None
        if version.attempt >= MOST_ATTEMPTS:
            detail = f"The fit was begun {version.attempt} times and its worker died each time."
            _write_failure(version, CalibrationFailure.INTERNAL, detail)
            return None
        version.run_status, version.heartbeat_at = ChartingStatus.RUNNING, utc_now()
        version.attempt += 1
        return CalibrationProgress(
            organization_id, calibration_id, version.vessel_id, version.attempt
        )


def _fit(progress: CalibrationProgress) -> Fitted:
    """Fit the vessel's model to her reports. Raises :class:`NotEnoughReports`."""
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


def _read(organization_id: UUID, vessel_id: UUID) -> Asked:
    with organization_session(organization_id) as session:
        vessel = vessels.get_any(session, organization_id, vessel_id)
        ship = ship_of(vessel)
        declared = as_reports(tuple(read_declared_points(snapshot_vessel(vessel))), ship)
        return Asked(
            ship,
            calibrations.modelled(vessel),
            calibration_reports.gather(session, vessel),
            [_hour_of(event) for event in vessel.maintenance or ()],
            declared if declared.times_h.size else None,
        )


def ship_of(vessel: Vessel) -> ShipParticulars:
    """The ship by her particulars alone."""
    kept = snapshot_vessel(vessel) | {"performance": None, "calibration": None}
    return build_ship_particulars(kept)


def _hour_of(event: dict[str, Any]) -> float:
    return hours_of(first_instant(date.fromisoformat(event["date"])))


def _end(progress: CalibrationProgress, action: Callable[[VesselCalibration], None]) -> None:
    """Write an attempt's end, unless another has taken over."""
    with organization_session(progress.organization_id) as session:
        row = session.get(VesselCalibration, progress.subject_id, with_for_update=True)
        is_own = (
            row is not None
            and row.run_status == ChartingStatus.RUNNING
            and row.attempt == progress.attempt
        )
        if row is not None and is_own:
            action(row)


def _complete(row: VesselCalibration, fitted: Fitted) -> None:
    row.particulars, row.response, row.evidence = fitted
    row.progress = 1.0
    calibrations.end(row, ChartingStatus.COMPLETED)


def _fail(progress: CalibrationProgress, code: CalibrationFailure, detail: str) -> None:
    _end(progress, lambda row: _write_failure(row, code, detail))


def _write_failure(row: VesselCalibration, code: CalibrationFailure, detail: str) -> None:
    calibrations.end(row, ChartingStatus.FAILED, (code, detail))
