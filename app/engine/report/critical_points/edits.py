"""Critical points of dangers with which an edited route was saved."""

from app.engine.plan import RoutePlan
from app.engine.report.critical_points.records import (
    EditDanger,
    Finding,
    Kind,
    Severity,
    at_waypoint,
    closest_sample,
)


def place_danger(plan: RoutePlan, danger: EditDanger) -> Finding:
    """Return the finding of a danger, at the time of the closest sample of its leg."""
    kind, severity, text, place = Kind.EDIT_DANGER, Severity.DANGER, danger.text, danger.position
    waypoint = plan.waypoints[danger.waypoint_index]
    begins_at = plan.waypoints[max(waypoint.index - 1, 0)].eta
    samples = [sample for sample in plan.profile if begins_at <= sample.time <= waypoint.eta]
    if place is None or not samples:
        return at_waypoint(waypoint, kind, severity, text)
    closest = closest_sample(samples, place.lat, place.lng)
    return Finding(kind, severity, text, waypoint.index, place, closest.time, closest.weather)
