"""Monitoring of a voyage under way: the ship's reported positions against the plan.

Voyage monitoring is the last of the four stages of voyage planning in IMO resolution A.893(21):
appraisal, planning, execution and monitoring.
"""

from app.engine.monitoring.departure import find_arrival_h, find_departure_h
from app.engine.monitoring.planned_track import PlannedTrack
from app.engine.monitoring.positions import Credible, PositionFault, Refused, select_credible
from app.engine.monitoring.progress import NextWaypoint, VoyageProgress, measure_progress

__all__ = [
    "Credible",
    "NextWaypoint",
    "PlannedTrack",
    "PositionFault",
    "Refused",
    "VoyageProgress",
    "find_arrival_h",
    "find_departure_h",
    "measure_progress",
    "select_credible",
]
