"""Turns at waypoints: arcs within the ship's turning ability and the room of its legs."""

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

#: Greatest course change for which an arc is computed [deg]; at 180 its tangents are infinite.
_MAX_CHANGE_DEG: Final = 179.0
#: Distance [m] below which an arc does not differ from its legs: route files state positions to
#: about a metre.
_PRECISION_M: Final = 1.0


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn from one leg to the next.

    Course change [deg], positive to starboard; radius [nm]; distance from the wheel-over point to
    the waypoint [nm].
    """

    course_change_deg: float
    radius_nm: float
    wheel_over_nm: float


def plan_turns(legs: Sequence[Leg], ability: TurningAbility) -> tuple[Turn, ...]:
    """Return the n - 1 turns between n legs.

    Each has the ship's usual radius or, if there is no room for that, the largest at which

    - the two turns of a leg fit on it one after the other, and
    - the arc, which passes inside the waypoint, stays within the cross-track distance of both legs,
      or within a metre of the waypoint.
    """
    changes_deg = [course_change_deg(a, b) for a, b in pairwise(legs)]
    tangents = [0.0, *(tangent_nm(1.0, change) for change in changes_deg), 0.0]
    fitting_nm = [
        leg.distance_nm / sum(ends) if any(ends) else math.inf
        for leg, ends in zip(legs, pairwise(tangents), strict=True)
    ]
    turns = []
    for (before, after), fits_nm, change_deg in zip(
        pairwise(legs), map(min, pairwise(fitting_nm)), changes_deg, strict=True
    ):
        xtd_nm = max(min(before.xtd_m, after.xtd_m), _PRECISION_M) / NAUTICAL_MILE_M
        radius_nm = min(ability.usual_radius_nm, fits_nm, _max_radius_nm(xtd_nm, change_deg))
        wheel_over_nm = tangent_nm(radius_nm, change_deg) + ability.length_nm
        turns.append(Turn(change_deg, radius_nm, wheel_over_nm))
    return tuple(turns)


def course_change_deg(before: Leg, after: Leg) -> float:
    """Return the course change from one leg to the next [deg], positive to starboard."""
    arrives_deg = leg_course_deg(before.end, before.start, before.geometry) + 180.0
    leaves_deg = leg_course_deg(after.start, after.end, after.geometry)
    return float(direction_difference(leaves_deg, arrives_deg))


def tangent_nm(radius_nm: float, change_deg: float) -> float:
    """Return the distance from a waypoint to the start and the end of its turn's arc [nm]."""
    return radius_nm * math.tan(_half_rad(change_deg))


def measure_inside_nm(radius_nm: float, change_deg: float) -> float:
    """Return the distance at which the arc of a turn passes inside the waypoint [nm]."""
    return radius_nm * (1.0 / math.cos(_half_rad(change_deg)) - 1.0)


def _max_radius_nm(xtd_nm: float, change_deg: float) -> float:
    """Return the largest radius whose arc passes a waypoint within a cross-track distance [nm]."""
    inside = measure_inside_nm(1.0, change_deg)
    return xtd_nm / inside if inside else math.inf


def _half_rad(change_deg: float) -> float:
    return math.radians(min(abs(change_deg), _MAX_CHANGE_DEG)) / 2.0
