"""Great-circle sailing, as geodesics of the WGS 84 ellipsoid.

The great circle of navigators is the geodesic on the ellipsoid, which PROJ solves to nanometres
after Karney (2013), "Algorithms for geodesics", J. Geodesy 87, 43-55. Degrees throughout;
arguments broadcast as in NumPy and take any longitude; longitudes returned lie in
-180 <= lng < 180. Scalars return zero-dimensional arrays.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from app.engine.arrays import Floats
from app.engine.constants import NAUTICAL_MILE_M
from app.engine.geodesy.proj import Geod
from app.engine.units import wrap_direction, wrap_longitude

WGS84 = Geod(ellps="WGS84")


def _broadcast(*values: ArrayLike) -> Sequence[Any]:
    """Return contiguous float arrays of one shape, as PROJ requires.

    Single values are returned as they are, because PROJ solves them ten times as fast.
    """
    if all(isinstance(value, float) for value in values):
        return values
    arrays = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in values))
    return [np.ascontiguousarray(array).reshape(array.shape) for array in arrays]


def great_circle_distance_nm(
    lat1: ArrayLike, lng1: ArrayLike, lat2: ArrayLike, lng2: ArrayLike
) -> Floats:
    """Return the length of the great circle from position 1 to position 2 [nm]."""
    lat1, lng1, lat2, lng2 = _broadcast(lat1, lng1, lat2, lng2)
    return np.asarray(WGS84.inv(lng1, lat1, lng2, lat2)[2]) / NAUTICAL_MILE_M


def great_circle_steps_nm(lats: Floats, lngs: Floats) -> Floats:
    """Return the lengths of the great circles between n + 1 successive positions [nm], (n,)."""
    return great_circle_distance_nm(lats[:-1], lngs[:-1], lats[1:], lngs[1:])


def great_circle_course_deg(
    lat1: ArrayLike, lng1: ArrayLike, lat2: ArrayLike, lng2: ArrayLike
) -> Floats:
    """Return the initial course of the great circle from position 1 to 2 [deg true, 0..360)."""
    lat1, lng1, lat2, lng2 = _broadcast(lat1, lng1, lat2, lng2)
    return np.asarray(wrap_direction(np.asarray(WGS84.inv(lng1, lat1, lng2, lat2)[0])))


def great_circle_destination(
    lat: ArrayLike, lng: ArrayLike, course_deg: ArrayLike, distance_nm: ArrayLike
) -> tuple[Floats, Floats]:
    """Return the latitude and longitude [deg] at a distance [nm] on an initial course."""
    lat, lng, course, distance = _broadcast(lat, lng, course_deg, distance_nm)
    lng2, lat2, _ = WGS84.fwd(lng, lat, course, distance * NAUTICAL_MILE_M)
    return np.asarray(lat2), np.asarray(wrap_longitude(np.asarray(lng2)))


def interpolate_great_circle(
    lat1: ArrayLike, lng1: ArrayLike, lat2: ArrayLike, lng2: ArrayLike, fractions: ArrayLike
) -> tuple[Floats, Floats]:
    """Return latitudes and longitudes [deg] at fractions (0..1) of the distance from 1 to 2."""
    azimuth, _, length_m = WGS84.inv(lng1, lat1, lng2, lat2)
    distance_nm = np.asarray(fractions, dtype=np.float64) * (length_m / NAUTICAL_MILE_M)
    return great_circle_destination(lat1, lng1, azimuth, distance_nm)
