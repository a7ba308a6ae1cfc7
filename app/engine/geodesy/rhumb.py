"""Rhumb-line sailing on the WGS 84 ellipsoid.

A rhumb line is straight on the Mercator chart and covers meridian distance at
a constant rate (Bowring 1985, "The geometry of the loxodrome on the ellipsoid",
Can. Surveyor 39, 223-230; Karney 2024, "The area of rhumb polygons", Stud.
Geophys. Geod. 68, sec. 2). PROJ supplies both ingredients: isometric latitude
as the ordinate of its Mercator projection, meridian distance as the length of
a geodesic along a meridian. Degrees; arguments broadcast as in NumPy.
Between longitudes 180 degrees apart the line goes west. Undefined at the poles.
"""

import numpy as np
from numpy.typing import ArrayLike

from app.engine.arrays import Floats
from app.engine.constants import NAUTICAL_MILE_M, WGS84_A_M, WGS84_F
from app.engine.geodesy.great_circle import WGS84
from app.engine.geodesy.proj import Proj
from app.engine.units import direction_difference, wrap_direction, wrap_longitude

_MERCATOR = Proj(proj="merc", ellps="WGS84")
_E2 = WGS84_F * (2.0 - WGS84_F)

#: Below this difference of latitude [deg] the quotient of differences has a larger error, by
#: cancellation, than the derivative has by curvature.
_PARALLEL_SAILING_DEG = 1e-4


def _isometric_latitude(lat: Floats) -> Floats:
    """Isometric latitude [rad]."""
    return np.asarray(_MERCATOR(np.zeros_like(lat), lat)[1]) / WGS84_A_M


def _meridian_distance_m(lat: Floats) -> Floats:
    """Distance along the meridian from the equator, north positive [m]."""
    zero = np.zeros_like(lat)
    length_m = np.asarray(WGS84.inv(zero, zero, zero, np.ascontiguousarray(lat))[2])
    return np.asarray(np.copysign(length_m, lat))


def _parallel_radius_m(lat: Floats) -> Floats:
    """Radius of the circle of latitude [m], equal to dM / d(isometric latitude)."""
    phi = np.radians(lat)
    radius: Floats = WGS84_A_M * np.cos(phi) / np.sqrt(1.0 - _E2 * np.sin(phi) ** 2)
    return radius


def _departure_m(
    lats: tuple[Floats, Floats], northing_m: Floats, psi: Floats, d_lng: Floats
) -> Floats:
    """Return the easting of rhumb lines [m] between two latitudes [deg].

    ``psi`` and ``d_lng`` are the differences of isometric latitude and longitude [rad].
    """
    near = np.abs(lats[1] - lats[0]) < _PARALLEL_SAILING_DEG
    quotient = northing_m / np.where(near, 1.0, psi)
    return d_lng * np.where(near, _parallel_radius_m((lats[0] + lats[1]) / 2.0), quotient)


def _components(
    lat1: ArrayLike, lng1: ArrayLike, lat2: ArrayLike, lng2: ArrayLike
) -> tuple[Floats, Floats]:
    """Northing and departure (easting) of the rhumb line [m]."""
    arrays = (np.asarray(value, dtype=np.float64) for value in (lat1, lng1, lat2, lng2))
    lat1, lng1, lat2, lng2 = np.broadcast_arrays(*arrays)
    lats = np.stack([lat1, lat2])
    from_m, to_m = _meridian_distance_m(lats)
    from_psi, to_psi = _isometric_latitude(lats)
    d_lng = np.radians(np.asarray(direction_difference(lng2, lng1)))
    northing_m = to_m - from_m
    return northing_m, _departure_m((lat1, lat2), northing_m, to_psi - from_psi, d_lng)


def _course_deg(northing_m: Floats, easting_m: Floats) -> Floats:
    return np.asarray(wrap_direction(np.degrees(np.arctan2(easting_m, northing_m))))


def rhumb_distance_nm(lat1: ArrayLike, lng1: ArrayLike, lat2: ArrayLike, lng2: ArrayLike) -> Floats:
    """Return the length of the rhumb line from position 1 to position 2 [nm]."""
    return np.asarray(np.hypot(*_components(lat1, lng1, lat2, lng2)) / NAUTICAL_MILE_M)


def rhumb_course_deg(lat1: ArrayLike, lng1: ArrayLike, lat2: ArrayLike, lng2: ArrayLike) -> Floats:
    """Return the course of the rhumb line from position 1 to position 2 [deg true, 0..360)."""
    northing_m, easting_m = _components(lat1, lng1, lat2, lng2)
    return _course_deg(northing_m, easting_m)


def rhumb_courses_along(lats: Floats, lngs: Floats) -> Floats:
    """Return the courses of the rhumb lines between n + 1 positions [deg true, 0..360), (n,)."""
    northing_m, psi = np.diff(_meridian_distance_m(lats)), np.diff(_isometric_latitude(lats))
    d_lng = np.radians(np.asarray(direction_difference(lngs[1:], lngs[:-1])))
    easting_m = _departure_m((lats[:-1], lats[1:]), northing_m, psi, d_lng)
    return _course_deg(northing_m, easting_m)


def interpolate_rhumb(
    lat1: float, lng1: float, lat2: float, lng2: float, fractions: ArrayLike
) -> tuple[Floats, Floats]:
    """Return latitudes and longitudes [deg] at fractions (0..1) of the distance from 1 to 2."""
    fraction = np.asarray(fractions, dtype=np.float64)
    start, end = _meridian_distance_m(np.array([lat1, lat2]))
    along_m = np.atleast_1d(start + fraction * (end - start))
    zero = np.zeros_like(along_m)
    lats = np.asarray(WGS84.fwd(zero, zero, zero, along_m)[1]).reshape(fraction.shape)
    d_lng = float(direction_difference(lng2, lng1))
    if abs(lat2 - lat1) < _PARALLEL_SAILING_DEG:
        return lats, np.asarray(wrap_longitude(lng1 + fraction * d_lng))
    psi1, psi2 = _isometric_latitude(np.array([lat1, lat2]))
    share = (_isometric_latitude(lats) - psi1) / (psi2 - psi1)
    return lats, np.asarray(wrap_longitude(lng1 + share * d_lng))
