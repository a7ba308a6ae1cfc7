"""Turns at waypoints: arcs that the ship can sail and that its legs have room for."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from app.engine.constants import NAUTICAL_MILE_M
from app.engine.geodesy import leg_course_deg
from app.engine.sea.path import Leg
from app.engine.units import direction_difference
from app.engine.vessel.turning import TurningAbility

#: A turn about is no arc between two legs: its tangents never end [deg].
_LARGEST_CHANGE_DEG: Final = 179.0


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn from one leg to the next.

    Course change [deg], positive to starboard; radius [nm]; distance before the waypoint at which
    the wheel is put over [nm].
    """

    course_change_deg: float
    radius_nm: float
    wheel_over_nm: float


def plan_turns(legs: Sequence[Leg], ability: TurningAbility) -> tuple[Turn, ...]:
    """Plan the turns between n legs, n - 1 of them.

    Each has the ship's usual radius or, where there is no room for that, the largest at which

    - the two turns of a leg fit on it one after the other, and
    - the arc, which passes inside the waypoint, keeps within the cross-track distance of both legs.
    """
    changes_deg = [course_change_deg(a, b) for a, b in pairwise(legs)]
    tangents = [0.0, *(tangent_nm(1.0, change) for change in changes_deg), 0.0]
    rooms_nm = [
        leg.distance_nm / sum(ends) if any(ends) else math.inf
        for leg, ends in zip(legs, pairwise(tangents), strict=True)
    ]
    turns = []
    for (before, after), room_nm, change_deg in zip(
        pairwise(legs), map(min, pairwise(rooms_nm)), changes_deg, strict=True
    ):
        corridor_nm = min(before.xtd_m, after.xtd_m) / NAUTICAL_MILE_M
        radius_nm = min(ability.usual_radius_nm, room_nm, _within(corridor_nm, change_deg))
        wheel_over_nm = tangent_nm(radius_nm, change_deg) + ability.length_nm
        turns.append(Turn(change_deg, radius_nm, wheel_over_nm))
    return tuple(turns)


def course_change_deg(before: Leg, after: Leg) -> float:
    """Course change from the end of one leg to the start of the next [deg], to starboard > 0."""
    arrives_deg = leg_course_deg(before.end, before.start, before.geometry) + 180.0
    leaves_deg = leg_course_deg(after.start, after.end, after.geometry)
    return float(direction_difference(leaves_deg, arrives_deg))


def tangent_nm(radius_nm: float, change_deg: float) -> float:
    """Distance from a waypoint to where the arc of a turn begins and ends [nm]."""
    return radius_nm * math.tan(_half_rad(change_deg))


def measure_inside_nm(radius_nm: float, change_deg: float) -> float:
    """Distance by which the arc of a turn passes inside the waypoint [nm]."""
    return radius_nm * (1.0 / math.cos(_half_rad(change_deg)) - 1.0)


def _within(corridor_nm: float, change_deg: float) -> float:
    """Largest radius whose arc passes a waypoint within a cross-track distance [nm]."""
    inside = measure_inside_nm(1.0, change_deg)
    return corridor_nm / inside if inside else math.inf


def _half_rad(change_deg: float) -> float:
    return math.radians(min(abs(change_deg), _LARGEST_CHANGE_DEG)) / 2.0
