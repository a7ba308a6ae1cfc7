"""The surface that a search runs on: a sphere, or a plane for problems posed in one.

Positions are pairs (latitude, longitude) [deg] on a sphere of ``radius_nm``,
and (y, x) [nm] in the plane, whose ``radius_nm`` is 0. Courses are degrees
clockwise from north, or from y.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.engine.compiled import njit_borrowing
from app.engine.sea.search.sphere import RADIAN_NM

Floats = NDArray[np.float64]

#: Radius that stands for the plane.
PLANE: Final = 0.0
#: Mean radius of the earth [nm].
EARTH: Final = float(RADIAN_NM)


@njit_borrowing(cache=True, error_model="numpy")
def wrap(radius_nm: float, dlng: float) -> float:
    """Return a difference of longitude [deg] by the shorter arc; unchanged in the plane."""
    return dlng if radius_nm == 0.0 else (dlng + 180.0) % 360.0 - 180.0


@njit_borrowing(cache=True, error_model="numpy")
def hop_between(
    radius_nm: float, lat0: float, lng0: float, lat1: float, lng1: float
) -> tuple[float, float, float]:
    """Return distance [nm], course [deg] and difference of longitude [deg] of a short hop.

    The distance is the great circle's (haversine formula), the course that of the chord at
    middle latitude: within 0.01 deg of the rhumb line's up to 60 nm and 70 deg of latitude.
    """
    if radius_nm == 0.0:
        dx, dy = lng1 - lng0, lat1 - lat0
        return math.hypot(dx, dy), math.degrees(math.atan2(dx, dy)), dx
    dlng = wrap(radius_nm, lng1 - lng0)
    p0, p1, q = math.radians(lat0), math.radians(lat1), math.radians(dlng)
    s = math.sin((p1 - p0) / 2.0) ** 2 + math.cos(p0) * math.cos(p1) * math.sin(q / 2.0) ** 2
    distance_nm = 2.0 * radius_nm * math.asin(min(1.0, math.sqrt(s)))
    course = math.atan2(q * math.cos((p0 + p1) / 2.0), p1 - p0)
    return distance_nm, math.degrees(course), dlng


def shift(
    radius_nm: float, lats: Floats, lngs: Floats, course_deg: Floats, distance_nm: Floats
) -> tuple[Floats, Floats]:
    """Return positions at distances [nm] along great circles that leave at courses; broadcasts."""
    course = np.radians(course_deg)
    if radius_nm == PLANE:
        return lats + distance_nm * np.cos(course), lngs + distance_nm * np.sin(course)
    arc, lat = distance_nm / radius_nm, np.radians(lats)
    sine = np.sin(lat) * np.cos(arc) + np.cos(lat) * np.sin(arc) * np.cos(course)
    turn = np.arctan2(np.sin(course) * np.sin(arc) * np.cos(lat), np.cos(arc) - np.sin(lat) * sine)
    there = (lngs + np.degrees(turn) + 180.0) % 360.0 - 180.0
    return np.degrees(np.arcsin(np.clip(sine, -1.0, 1.0))), there


@njit_borrowing(cache=True, error_model="numpy")
def hops_along(radius_nm: float, lats: Floats, lngs: Floats, out: Floats) -> None:
    """Fill ``out``, shape (n - 1, 3), with the hops between n positions; ``hop_between``."""
    for k in range(lats.size - 1):
        out[k] = hop_between(radius_nm, lats[k], lngs[k], lats[k + 1], lngs[k + 1])
