"""Distance between two tracks, and the side on which the other lies."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import KDTree

from app.engine.constants import EARTH_RADIUS_NM
from app.engine.geodesy import rhumb_course_deg, unit_vectors
from app.engine.planning.simulated_route import SimulatedRoute

_SIDES = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")


class Offset(NamedTuple):
    """Distance [nm], negative to port, and bearing [deg] of another track; its name if other."""

    distance_nm: float
    bearing_deg: float
    other: str | None

    def describe(self) -> str:
        """Describe the offset, such as "up to 140 nm north of the planned track"."""
        side = _SIDES[round(self.bearing_deg / 45.0) % 8]
        through = f"{self.other}, " if self.other else ""
        return f"{through}up to {abs(self.distance_nm):.0f} nm {side} of the planned track"


def find_largest_offset(route: SimulatedRoute, other: SimulatedRoute) -> Offset:
    """Find the largest distance between points of two tracks, which are at most 5 nm apart."""
    track, other_track = route.simulation.track, other.simulation.track
    tree = KDTree(unit_vectors(track.lats, track.lngs))
    chords, nearest = tree.query(unit_vectors(other_track.lats, other_track.lngs))
    at = int(np.argmax(chords))
    here = int(nearest[at])
    away_nm = EARTH_RADIUS_NM * 2.0 * np.arcsin(min(float(chords[at]) / 2.0, 1.0))
    there = other_track.lats[at], other_track.lngs[at]
    bearing_deg = float(rhumb_course_deg(track.lats[here], track.lngs[here], *there))
    course_deg = float(track.course_deg[min(here, track.course_deg.size - 1)])
    is_starboard = (bearing_deg - course_deg) % 360.0 < 180.0
    distance_nm = float(away_nm if is_starboard else -away_nm)
    return Offset(distance_nm, bearing_deg, None if other.label == route.label else other.label)
