"""Monitoring of voyages under way: the ship's reported positions against the plan.

Monitoring is the last of the four stages of voyage planning in IMO resolution A.893(21):
appraisal, planning, execution and monitoring.
"""

from app.engine.monitoring.departure import find_arrival_h, find_departure_h
from app.engine.monitoring.planned_track import PlannedTrack
from app.engine.monitoring.positions import (
    CredibleRecords,
    PositionFault,
    RefusedPosition,
    select_credible,
)
from app.engine.monitoring.progress import NextWaypoint, VoyageProgress, measure_progress

__all__ = [
    "CredibleRecords",
    "NextWaypoint",
    "PlannedTrack",
    "PositionFault",
    "RefusedPosition",
    "VoyageProgress",
    "find_arrival_h",
    "find_departure_h",
    "measure_progress",
    "select_credible",
]
