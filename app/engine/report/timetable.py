"""When the ship leaves the waypoints of a plan."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from app.engine.plan import Waypoint

#: What speeds and times, rounded, may seem to be waited on a long leg [h].
_SHORTEST_H: Final = 0.25
#: Time that each leg takes in a timetable to the second, however short it is.
_SHORTEST_LEG: Final = timedelta(seconds=1)


def list_leaving_times(waypoints: Sequence[Waypoint]) -> tuple[datetime | None, ...]:
    """Return when the ship leaves each waypoint, shape (n,); ``None`` where it does not wait.

    The usual wait before a canal or strait is counted in the time of the leg after it: it
    leaves so late that it sails this leg at its speed.
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
