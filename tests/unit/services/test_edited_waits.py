"""Waits of a plan that an edit of its route keeps."""

from dataclasses import replace
from datetime import timedelta

from app.engine.planning.given_route import GivenWaypoint
from app.services.chartings.route_edits import keep_planned
from tests.builders import north_atlantic_plan


def test_a_round_trip_keeps_the_wait_at_its_departure() -> None:
    plan = north_atlantic_plan()
    first, *others, last = plan.waypoints
    leaves_at = first.eta + timedelta(hours=5)
    there_and_back = (
        replace(first, leaves_at=leaves_at),
        *others,
        replace(last, position=first.position),
    )
    given = [GivenWaypoint(waypoint.position) for waypoint in there_and_back]
    kept = keep_planned(replace(plan, waypoints=there_and_back), given)
    assert kept[0].leaves == leaves_at
