"""Calibration runs: fit a vessel's model to its reports, from the row to its end."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from typing import Any, Final, NamedTuple
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.engine.arrays import Floats
from app.engine.calibration.calibrating import (
    Calibration,
    HeldOut,
    NotEnoughReports,
    calibrate,
    compare_with_estimate,
)
from app.engine.calibration.declared import as_reports
from app.engine.calibration.proposing import explain_not_better
from app.engine.calibration.reports import ShipReports
from app.engine.particulars import ShipParticulars
from app.engine.times import hours_since_epoch
from app.engine.units import direction_difference
from app.models import Vessel, VesselCalibration, utc_now
from app.records.instants import first_instant, format_instant
from app.services.engine_mapping import (
    build_uncalibrated_ship,
    read_declared_points,
    snapshot_vessel,
)
from app.services.platform import background_runs
from app.services.platform.background_runs import BackgroundProgress
from app.services.platform.run_progress import Failure, as_failure
from app.services.platform.sessions import organization_session
from app.services.vessels import calibration_reports, calibrations, vessels
from app.services.vessels.calibrations import CalibrationFailure
from app.services.vessels.noon_evidence import Evidence, WeatherOrigin
from app.services.vessels.telemetry_sums import instant_of

#: Largest number of listed outliers; the counts by reason include all.
MOST_OUTLIERS: Final = 200
#: Largest number of residuals stored for plots.
MOST_RESIDUALS: Final = 400


class CalibrationInputs(NamedTuple):
    """Inputs of a calibration."""

    ship: ShipParticulars
    particulars: dict[str, Any]
    gathered: Evidence
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
    evidence = describe_evidence(asked.ship, asked.gathered, found)
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


def describe_evidence(
    ship: ShipParticulars, gathered: Evidence, found: Calibration
) -> dict[str, Any]:
    """Describe the evidence of a calibration."""
    reports, origins = gathered.reports, Counter(gathered.origins.tolist())
    left_out = {outlier.index for outlier in found.outliers}
    used = reports.take(np.array([i not in left_out for i in range(reports.times_h.size)]))
    held_out, reasons = found.held_out, explain_not_better(ship, found)
    return {
        "records": found.records,
        "used": found.used,
        "days": int(np.unique(used.days).size),
        "period": {"from": _instant(used.times_h[0]), "to": _instant(used.times_h[-1])},
        "weather": {
            "fromRecords": origins[WeatherOrigin.REPORT],
            "fromForecasts": origins[WeatherOrigin.STORE],
            "fromClimatology": origins[WeatherOrigin.CLIMATOLOGY],
        },
        "leftOut": dict(Counter(outlier.reason for outlier in found.outliers).most_common()),
        "outliers": [
            {"at": _instant(reports.times_h[outlier.index]), "reason": outlier.reason}
            for outlier in found.outliers[:MOST_OUTLIERS]
        ],
        "estimates": [
            {
                "name": estimate.name,
                "value": round(estimate.value, 5),
                "standardError": round(estimate.standard_error, 5),
                "isMeasured": bool(estimate.is_measured),
            }
            for estimate in found.estimates
        ],
        "standardErrorPct": round(100.0 * found.voyage_error, 2),
        "isBetter": not reasons,
        "reasons": list(reasons),
        "heldOut": None if held_out is None else _describe_held_out(held_out),
        "residuals": _list_residuals(ship, used, found),
    }


def _describe_held_out(held_out: HeldOut) -> dict[str, Any]:
    """Errors on the held-out reports."""
    gain = held_out.before_median_abs_pct - held_out.after_median_abs_pct
    return {
        "days": held_out.days,
        "beforeMedianAbsPct": round(held_out.before_median_abs_pct, 2),
        "beforeBiasPct": round(held_out.before_bias_pct, 2),
        "afterMedianAbsPct": round(held_out.after_median_abs_pct, 2),
        "afterBiasPct": round(held_out.after_bias_pct, 2),
        "coveragePct": round(held_out.coverage_pct, 1),
        "betterByPct": round(gain, 2),
    }


def _list_residuals(
    ship: ShipParticulars, used: ShipReports, found: Calibration
) -> list[dict[str, Any]]:
    """Deviation of reported from expected fuel [%], before and after, at evenly chosen reports."""
    count = used.times_h.size
    chosen = used.take(np.unique(np.linspace(0, count - 1, min(count, MOST_RESIDUALS)).astype(int)))
    before = 100.0 * np.expm1(compare_with_estimate(ship, chosen))
    after = 100.0 * np.expm1(found.residuals(ship, chosen))
    off_bow = np.abs(direction_difference(chosen.wave_from_deg, chosen.course_deg))
    columns = {
        "speedKn": _round(chosen.speed_kn, 2),
        "draft": _round(chosen.draft_m, 2),
        "waveHeightM": _round(chosen.wave_height_m, 2),
        "seaOffBowDeg": _round(off_bow, 0),
        "headingDeg": _round(chosen.course_deg, 0),
        "focMtPerDay": _round(24.0 * chosen.fuel_t_per_h, 2),
        "beforePct": _round(before, 1),
        "residualPct": _round(after, 1),
    }
    rows = zip(*columns.values(), strict=True)
    times = [_instant(hours) for hours in chosen.times_h]
    return [
        {"at": at} | dict(zip(columns, row, strict=True))
        for at, row in zip(times, rows, strict=True)
    ]


def _round(values: Floats, decimals: int) -> list[float]:
    rounded: list[float] = np.round(values, decimals).tolist()
    return rounded


def _instant(hours: float) -> str:
    return format_instant(instant_of(float(hours)))
