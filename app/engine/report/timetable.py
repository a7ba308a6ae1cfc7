"""Times at which the ship leaves the waypoints of a plan."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from app.engine.plan import Waypoint

#: Shortest wait recognised [h]: rounded speeds and times of a long leg may differ by less.
_SHORTEST_H: Final = 0.25
#: Shortest time of a leg in a timetable to the second.
_SHORTEST_LEG: Final = timedelta(seconds=1)


def list_leaving_times(waypoints: Sequence[Waypoint]) -> tuple[datetime | None, ...]:
    """List the time of leaving each waypoint, shape (n,); ``None`` where the ship does not wait.

    The plan includes the usual wait before a canal or strait in the time of the leg after it; the
    time of leaving is such that the leg is sailed at its speed.
    """
    return *(_find_leaving_time(here, after) for here, after in pairwise(waypoints)), None


def _find_leaving_time(here: Waypoint, after: Waypoint) -> datetime | None:
    if here.leaves_at is not None or not after.speed_kn:
        return here.leaves_at
    leg_h = after.leg_distance_nm / after.speed_kn
    waited_h = (after.eta - here.eta) / timedelta(hours=1) - leg_h
    if waited_h <= _SHORTEST_H:
        return None
    return min(here.eta + timedelta(hours=waited_h), after.eta - _SHORTEST_LEG)
