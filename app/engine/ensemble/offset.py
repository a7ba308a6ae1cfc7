"""Distance between two tracks, and the side on which the other lies."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from app.engine.constants import EARTH_MEAN_RADIUS_M, NAUTICAL_MILE_M
from app.engine.geodesy import rhumb_course_deg, unit_vectors
from app.engine.planning.simulated_route import SimulatedRoute

Floats = NDArray[np.float64]

_SIDES = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")


def measure_largest_offset_nm(route: SimulatedRoute, other: SimulatedRoute) -> float:
    """Return the largest distance of another route's track from a route's [nm], negative to port.

    It is measured between points of the tracks, which are at most 5 nm apart.
    """
    away_nm, at, nearest = _find_largest_offset(route, other)
    track, other_track = route.simulation.track, other.simulation.track
    course_deg = track.course_deg[min(nearest, track.course_deg.size - 1)]
    bearing_deg = rhumb_course_deg(
        track.lats[nearest], track.lngs[nearest], other_track.lats[at], other_track.lngs[at]
    )
    is_starboard = (float(bearing_deg) - float(course_deg)) % 360.0 < 180.0
    return away_nm if is_starboard else -away_nm


def format_offset(route: SimulatedRoute, other: SimulatedRoute) -> str:
    """Format where another track lies, such as "up to 140 nm north of the planned track"."""
    away_nm, at, nearest = _find_largest_offset(route, other)
    track, other_track = route.simulation.track, other.simulation.track
    bearing_deg = rhumb_course_deg(
        track.lats[nearest], track.lngs[nearest], other_track.lats[at], other_track.lngs[at]
    )
    side = _SIDES[round(float(bearing_deg) / 45.0) % 8]
    through = "" if other.label == route.label else f"{other.label}, "
    return f"{through}up to {away_nm:.0f} nm {side} of the planned track"


def _find_largest_offset(route: SimulatedRoute, other: SimulatedRoute) -> tuple[float, int, int]:
    """Return the largest distance [nm], the other track's point there, and this one's nearest."""
    track, other_track = route.simulation.track, other.simulation.track
    tree = KDTree(unit_vectors(track.lats, track.lngs))
    chords, nearest = tree.query(unit_vectors(other_track.lats, other_track.lngs))
    at = int(np.argmax(chords))
    angle = 2.0 * np.arcsin(min(float(chords[at]) / 2.0, 1.0))
    return float(angle * EARTH_MEAN_RADIUS_M / NAUTICAL_MILE_M), at, int(nearest[at])
