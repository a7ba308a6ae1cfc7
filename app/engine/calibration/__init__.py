"""Calibration of a ship's response by its own reports (docs/method/calibration.md)."""

from app.engine.calibration.calibrating import (
    Calibration,
    HeldOut,
    NotEnoughReports,
    calibrate,
)
from app.engine.calibration.declared import as_reports, find_contradictions
from app.engine.calibration.declared_fit import find_implausible_points, fit_declared
from app.engine.calibration.filtering import Outlier
from app.engine.calibration.parameters import Estimate, continue_fouling
from app.engine.calibration.proposing import explain_not_better
from app.engine.calibration.reports import ShipReports

__all__ = [
    "Calibration",
    "Estimate",
    "HeldOut",
    "NotEnoughReports",
    "Outlier",
    "ShipReports",
    "as_reports",
    "calibrate",
    "continue_fouling",
    "explain_not_better",
    "find_contradictions",
    "find_implausible_points",
    "fit_declared",
]
