"""Times at which the ship leaves the waypoints of a stored plan."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.engine.report.timetable import list_leaving_times
from app.records.instants import format_instant
from app.records.plan import WaypointSchema


def list_departures(waypoints: Sequence[Mapping[str, Any]]) -> list[str | None]:
    """List the departure from each waypoint where the ship waits, usual waits included."""
    times = list_leaving_times([WaypointSchema.read(waypoint) for waypoint in waypoints])
    return [None if time is None else format_instant(time) for time in times]
