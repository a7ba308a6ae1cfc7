"""A stored plan's waypoints show when the ship leaves, after usual waits too."""

from datetime import timedelta

from app.pages.presenters.presenters import list_departures
from app.records.instants import parse_instant
from app.records.plan import WaypointSchema
from tests.builders import panama_plan


def test_speed_times_time_from_the_departure_shown_is_the_distance_of_the_leg() -> None:
    usual_h = 9.0
    first, *others = panama_plan().waypoints
    stored = [WaypointSchema.write(waypoint) for waypoint in (first, *others)]
    stored[1]["eta"] = _later(stored[1]["eta"], usual_h)
    leaving, *none = list_departures(stored[:2])
    assert leaving is not None
    assert none == [None]
    hours = (parse_instant(stored[1]["eta"]) - parse_instant(leaving)) / timedelta(hours=1)
    assert abs(hours * stored[1]["speedKn"] - stored[1]["legDistanceNm"]) < 0.1


def _later(time: str, hours: float) -> str:
    return (parse_instant(time) + timedelta(hours=hours)).isoformat()
