"""Critical points of a plan, which need the attention of the bridge.

Each kind has its own finder; findings on the same leg within half an hour are merged into one
point. The modules of the finders define their thresholds, with the sources.
"""

from app.engine.report.critical_points.finding import find_critical_points
from app.engine.report.critical_points.records import CriticalPoint, EditDanger, Kind, Severity

__all__ = ["CriticalPoint", "EditDanger", "Kind", "Severity", "find_critical_points"]
