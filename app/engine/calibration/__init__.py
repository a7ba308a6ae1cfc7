"""Calibration: a ship's response measured from her own reports (docs/method/calibration.md)."""

from app.engine.calibration.calibrating import Calibration, HeldOut, NotEnoughReports, calibrate
from app.engine.calibration.declared import DeclaredPoint, PointSource, as_reports
from app.engine.calibration.filtering import Outlier
from app.engine.calibration.parameters import Estimate
from app.engine.calibration.reports import ShipReports

__all__ = [
    "Calibration",
    "DeclaredPoint",
    "Estimate",
    "HeldOut",
    "NotEnoughReports",
    "Outlier",
    "PointSource",
    "ShipReports",
    "as_reports",
    "calibrate",
]
