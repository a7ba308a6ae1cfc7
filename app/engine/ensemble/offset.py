"""Distance between two tracks, and the side on which the other lies."""

import numpy as np
from scipy.spatial import KDTree

from app.engine.constants import EARTH_MEAN_RADIUS_M, NAUTICAL_MILE_M
from app.engine.geodesy import rhumb_course_deg, unit_vectors
from app.engine.planning.simulated_route import SimulatedRoute

_SIDES = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")


def measure_largest_offset_nm(route: SimulatedRoute, other: SimulatedRoute) -> float:
    """Return the largest distance of another route's track from a route's [nm], negative to port.

    It is measured between points of the tracks, which are at most 5 nm apart.
    """
    away_nm, bearing_deg, nearest = _find_largest_offset(route, other)
    courses_deg = route.simulation.track.course_deg
    course_deg = float(courses_deg[min(nearest, courses_deg.size - 1)])
    is_starboard = (bearing_deg - course_deg) % 360.0 < 180.0
    return away_nm if is_starboard else -away_nm


def format_offset(route: SimulatedRoute, other: SimulatedRoute) -> str:
    """Format where another track lies, such as "up to 140 nm north of the planned track"."""
    away_nm, bearing_deg, _ = _find_largest_offset(route, other)
    side = _SIDES[round(bearing_deg / 45.0) % 8]
    through = "" if other.label == route.label else f"{other.label}, "
    return f"{through}up to {away_nm:.0f} nm {side} of the planned track"


def _find_largest_offset(route: SimulatedRoute, other: SimulatedRoute) -> tuple[float, float, int]:
    """Return the largest distance [nm], its bearing [deg] and the point that it is measured from.

    The point is of the route's own track, the nearest to the other one's.
    """
    track, other_track = route.simulation.track, other.simulation.track
    tree = KDTree(unit_vectors(track.lats, track.lngs))
    chords, nearest = tree.query(unit_vectors(other_track.lats, other_track.lngs))
    at = int(np.argmax(chords))
    here = int(nearest[at])
    angle = 2.0 * np.arcsin(min(float(chords[at]) / 2.0, 1.0))
    bearing_deg = rhumb_course_deg(
        track.lats[here], track.lngs[here], other_track.lats[at], other_track.lngs[at]
    )
    return float(angle * EARTH_MEAN_RADIUS_M / NAUTICAL_MILE_M), float(bearing_deg), here
