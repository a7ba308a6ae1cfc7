"""Evidence for and against a calibration, in JSON types."""

from collections import Counter
from typing import Any, Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.calibration.calibrating import Calibration, HeldOut, compare_with_estimate
from app.engine.calibration.proposing import explain_not_better
from app.engine.calibration.reports import ShipReports
from app.engine.particulars import ShipParticulars
from app.engine.units import direction_difference
from app.records.instants import format_instant
from app.services.vessels.calibration_reports import Gathered
from app.services.vessels.telemetry_sums import instant_of

#: Largest number of listed outliers; the counts by reason include all.
MOST_OUTLIERS: Final = 200
#: Largest number of residuals stored for plots.
MOST_RESIDUALS: Final = 400


def describe(ship: ShipParticulars, gathered: Gathered, found: Calibration) -> dict[str, Any]:
    """Describe the evidence of a calibration."""
    reports = gathered.reports
    left_out = {outlier.index for outlier in found.outliers}
    used = reports.take(np.array([i not in left_out for i in range(reports.times_h.size)]))
    held_out, reasons = found.held_out, explain_not_better(ship, found)
    return {
        "records": found.records,
        "used": found.used,
        "days": int(np.unique(used.days).size),
        "period": {"from": _instant(used.times_h[0]), "to": _instant(used.times_h[-1])},
        "weather": {
            "fromRecords": gathered.by_records,
            "fromForecasts": gathered.by_forecast,
            "fromClimatology": gathered.by_climatology,
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
