"""The points of a plan that the bridge should look at twice.

Each kind has its own finder; what they find at the same waypoint and hour is
merged into one point. Thresholds stand with the finders with their reasons.
"""

from app.engine.report.critical_points.finding import find_critical_points
from app.engine.report.critical_points.records import CriticalPoint, Kind, Severity

__all__ = ["CriticalPoint", "Kind", "Severity", "find_critical_points"]
