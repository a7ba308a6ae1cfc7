"""Span of time of a voyage, estimated before it is planned."""

from datetime import datetime, timedelta
from typing import Final

from app.engine.geodesy import great_circle_distance_nm
from app.engine.request import VoyageRequest

#: Length of the longest route assumed, as a multiple of the great circle.
_MAX_DETOUR: Final = 1.5
#: Least span assumed: round a peninsula the route may be many times the great circle.
_LEAST_SPAN: Final = timedelta(days=2)


def estimate_longest_voyage(request: VoyageRequest) -> timedelta:
    """Return the time for the longest route assumed at the lowest speed."""
    direct_nm = float(great_circle_distance_nm(*request.departure, *request.arrival))
    return timedelta(hours=_MAX_DETOUR * direct_nm / max(request.speed_min_kn, 1.0))


def estimate_latest_arrival(request: VoyageRequest) -> datetime:
    """Return the end of the time for which the weather of a voyage is chosen.

    It is the required arrival or that of the longest voyage, whichever is earlier.
    """
    ends_at = request.departs_at + max(estimate_longest_voyage(request), _LEAST_SPAN)
    return ends_at if request.arrive_by is None else min(ends_at, request.arrive_by)
