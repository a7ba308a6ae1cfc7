"""Distances, courses and positions on a sphere, or in a plane for test problems.

Positions are pairs (latitude, longitude) [deg] on a sphere of ``radius_nm``. A ``radius_nm`` of 0
stands for the plane, where positions are pairs (y, x) [nm]. Courses are degrees clockwise from
north, or from the y axis.
"""

import math
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.compiled import njit, njit_borrowing

#: Radius that stands for the plane.
PLANE_RADIUS_NM: Final = 0.0


@njit_borrowing(cache=True, error_model="numpy")
def wrap_longitude_difference(radius_nm: float, dlng: float) -> float:
    """Return a difference of longitude in -180..180 [deg]; unchanged in the plane."""
    return dlng if radius_nm == 0.0 else dlng - 360.0 * np.floor((dlng + 180.0) / 360.0)


@njit_borrowing(cache=True, error_model="numpy")
def measure_segment(
    radius_nm: float, lat0: float, lng0: float, lat1: float, lng1: float
) -> tuple[float, float]:
    """Return the distance [nm] and the course [deg] of a short segment, as ``measure_edge``."""
    cosines = math.cos(math.radians(lat0)), math.cos(math.radians(lat1))
    distance_nm, east, north = measure_edge(radius_nm, (lat0, lng0), (lat1, lng1), cosines)
    return distance_nm, math.degrees(math.atan2(east, north))


@njit_borrowing(cache=True, error_model="numpy")
def measure_edge(
    radius_nm: float,
    start: tuple[float, float],
    end: tuple[float, float],
    cosines: tuple[float, float],
) -> tuple[float, float, float]:
    """Return the distance [nm] of a short segment, and its course as a unit vector (east, north).

    ``cosines`` are those of the latitudes. The distance is that of the great circle (haversine
    formula). The course is that of middle-latitude sailing: within 0.01 deg of the rhumb line up
    to 60 nm and 70 deg of latitude. North, if the positions are equal.
    """
    (lat0, lng0), (lat1, lng1) = start, end
    dlng = wrap_longitude_difference(radius_nm, lng1 - lng0)
    if radius_nm == 0.0:
        distance_nm = math.hypot(dlng, lat1 - lat0)
        east, north = dlng, lat1 - lat0
    else:
        p, q = math.radians(lat1 - lat0), math.radians(dlng)
        s = math.sin(p / 2.0) ** 2 + cosines[0] * cosines[1] * math.sin(q / 2.0) ** 2
        distance_nm = 2.0 * radius_nm * math.asin(min(1.0, math.sqrt(s)))
        east, north = q * math.cos(math.radians((lat0 + lat1) / 2.0)), p
    length = math.sqrt(east * east + north * north)
    return (distance_nm, east / length, north / length) if length > 0.0 else (0.0, 0.0, 1.0)


@njit_borrowing(cache=True, error_model="numpy")
def find_destination(
    radius_nm: float, lat: float, lng: float, course_deg: float, distance_nm: float
) -> tuple[float, float]:
    """Return the position reached along a great circle by an initial course and a distance [nm]."""
    north, east = math.cos(math.radians(course_deg)), math.sin(math.radians(course_deg))
    if radius_nm == 0.0:
        return lat + distance_nm * north, lng + distance_nm * east
    arc, start = distance_nm / radius_nm, math.radians(lat)
    sine = math.sin(start) * math.cos(arc) + math.cos(start) * math.sin(arc) * north
    turn = math.atan2(
        east * math.sin(arc) * math.cos(start), math.cos(arc) - math.sin(start) * sine
    )
    there = math.degrees(math.asin(min(max(sine, -1.0), 1.0)))
    return there, (lng + math.degrees(turn) + 180.0) % 360.0 - 180.0


@njit(cache=True, error_model="numpy")
def segment_lengths_nm(radius_nm: float, lats: Floats, lngs: Floats) -> Floats:
    """Return the distances between successive positions of a line [nm], shape (n - 1,)."""
    lengths_nm = np.empty(lats.size - 1)
    for k in range(lats.size - 1):
        lengths_nm[k], _ = measure_segment(radius_nm, lats[k], lngs[k], lats[k + 1], lngs[k + 1])
    return lengths_nm


def cumulative_nm(lengths_nm: Floats) -> Floats:
    """Return the distances of n positions along a line [nm] by the n - 1 lengths between them."""
    return np.concatenate([[0.0], np.cumsum(lengths_nm)])
