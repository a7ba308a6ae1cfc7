"""Legs between two waypoints, by great circle or rhumb line."""

from enum import StrEnum
from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from app.engine.arrays import Floats
from app.engine.geodesy.great_circle import (
    great_circle_course_deg,
    great_circle_distance_nm,
    interpolate_great_circle,
)
from app.engine.geodesy.rhumb import interpolate_rhumb, rhumb_course_deg, rhumb_distance_nm
from app.engine.request import Position


class LegGeometry(StrEnum):
    """Line that the ship follows between two waypoints."""

    GREAT_CIRCLE = "GREAT_CIRCLE"
    RHUMB = "RHUMB"

    @property
    def other(self) -> "LegGeometry":
        """The other line, which an ECDIS may follow instead."""
        is_rhumb = self is LegGeometry.RHUMB
        return LegGeometry.GREAT_CIRCLE if is_rhumb else LegGeometry.RHUMB


#: The same legs are measured many times in one planning.
_cached = lru_cache(maxsize=4096)


@_cached
def leg_distance_nm(start: Position, end: Position, geometry: LegGeometry) -> float:
    """Return the length of the leg [nm]."""
    distance = rhumb_distance_nm if geometry is LegGeometry.RHUMB else great_circle_distance_nm
    return float(distance(*start, *end))


@_cached
def leg_course_deg(start: Position, end: Position, geometry: LegGeometry) -> float:
    """Return the course over ground at the leg's start [deg true]."""
    course = rhumb_course_deg if geometry is LegGeometry.RHUMB else great_circle_course_deg
    return float(course(*start, *end))


def interpolate_leg(
    start: Position, end: Position, geometry: LegGeometry, fractions: ArrayLike
) -> tuple[Floats, Floats]:
    """Return latitudes and longitudes [deg] at fractions (0..1) of the leg."""
    interpolate = interpolate_rhumb if geometry is LegGeometry.RHUMB else interpolate_great_circle
    return interpolate(*start, *end, fractions)


def sample_leg(
    start: Position, end: Position, geometry: LegGeometry, longest_step_nm: float
) -> tuple[Floats, Floats]:
    """Return latitudes and longitudes [deg] along the leg, both ends included.

    The samples are evenly spaced and at most ``longest_step_nm`` apart.
    """
    steps = max(1, ceil(leg_distance_nm(start, end, geometry) / longest_step_nm))
    return interpolate_leg(start, end, geometry, np.linspace(0.0, 1.0, steps + 1))
