"""Limits on given routes: their times, length and duration."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Protocol

from app.engine.checking.check import CheckedRoute, check_route
from app.engine.formatting import format_time
from app.engine.geodesy import leg_distance_nm
from app.engine.geodesy.leg import LegGeometry
from app.engine.planning.context import PlanningContext
from app.engine.planning.given_route import GivenWaypoint
from app.engine.request import Position
from app.records.route_check import LONGEST_ROUTE, LONGEST_ROUTE_NM
from app.services import charting_request
from app.services.errors import FieldError, refuse


class _Placed(Protocol):
    """A waypoint, and the geometry of the leg that leads to it."""

    @property
    def position(self) -> Position: ...
    @property
    def leg_geometry(self) -> LegGeometry | None: ...


def find_time_faults(
    times: Iterable[tuple[str, datetime]], departs_at: datetime
) -> Iterator[FieldError]:
    """Yield the errors of times, by their pointers, that cannot be planned or are too late.

    A time before the departure is no error of the request but a finding of the check.
    """
    for pointer, time in times:
        beyond = [*charting_request.find_time_faults(pointer, time)]
        yield from beyond
        if not beyond and time - departs_at > LONGEST_ROUTE:
            detail = (
                f"{format_time(time)} is more than {LONGEST_ROUTE.days} days after the departure,"
                f" {format_time(departs_at)}. Give an earlier time."
            )
            yield FieldError(pointer, detail)


def find_length_faults(pointer: str, waypoints: Sequence[_Placed]) -> Iterator[FieldError]:
    """Yield the error of a route that is too long; legs are rhumb lines unless given."""
    length_nm = sum(
        leg_distance_nm(a.position, b.position, b.leg_geometry or LegGeometry.RHUMB)
        for a, b in pairwise(waypoints)
    )
    if length_nm > LONGEST_ROUTE_NM:
        detail = (
            f"The route is {length_nm:,.0f} nm long; at most {LONGEST_ROUTE_NM:,.0f} nm are"
            " checked. Send it in parts."
        )
        yield FieldError(pointer, detail)


def check_bounded(
    context: PlanningContext, waypoints: Sequence[GivenWaypoint], label: str, pointer: str
) -> CheckedRoute:
    """Check a route; raises :class:`Invalid`, at the route's pointer, if it takes too long."""
    checked = check_route(context, waypoints, label)
    refuse(_find_duration_faults(pointer, checked))
    return checked


def _find_duration_faults(pointer: str, checked: CheckedRoute) -> Iterator[FieldError]:
    hours = 0.0 if checked.route is None else checked.route.simulation.total_h
    longest_h = LONGEST_ROUTE / timedelta(hours=1)
    if hours > longest_h:
        detail = (
            f"The route takes {hours / 24.0:,.0f} days; at most {LONGEST_ROUTE.days} days are"
            " checked. Give higher speeds, or send it in parts."
        )
        yield FieldError(pointer, detail)
