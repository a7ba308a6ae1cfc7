"""Compiled great circles and rhumb lines between two points.

Great circles are computed with geocentric directions (great ellipse), rhumb lines as straight
lines in ellipsoidal isometric latitude. Rhumb lines are within metres of the loxodrome of WGS 84.
The geodesic is at most 220 m from a great ellipse of 1,000 nm and 900 m from one of 2,000 nm, both
on courses on which legs are split much earlier; it is the same along a meridian.
"""

from typing import Final

import numpy as np

from app.engine.compiled import njit_borrowing
from app.engine.constants import EARTH_RADIUS_NM, WGS84_F

_GEOCENTRIC: Final = (1.0 - WGS84_F) ** 2
_ECCENTRICITY: Final = float(np.sqrt(WGS84_F * (2.0 - WGS84_F)))


@njit_borrowing(cache=True)
def distance_nm(lat0, lng0, lat1, lng1):  # type: ignore[no-untyped-def]
    """Return the great-circle distance on the sphere [nm] by the haversine formula."""
    p0 = np.radians(lat0)
    p1 = np.radians(lat1)
    s = np.sin((p1 - p0) / 2.0) ** 2
    s += np.cos(p0) * np.cos(p1) * np.sin(np.radians(lng1 - lng0) / 2.0) ** 2
    return 2.0 * EARTH_RADIUS_NM * np.arcsin(min(1.0, np.sqrt(s)))


@njit_borrowing(cache=True)
def to_vector(lat, lng):  # type: ignore[no-untyped-def]
    """Return the geocentric unit vector of a geodetic position."""
    p = np.arctan(_GEOCENTRIC * np.tan(np.radians(lat)))
    q = np.radians(lng)
    return np.cos(p) * np.cos(q), np.cos(p) * np.sin(q), np.sin(p)


@njit_borrowing(cache=True)
def on_great_circle(a, b, angle, fraction):  # type: ignore[no-untyped-def]
    """Return latitude and longitude [deg] at a fraction of the arc between vectors a and b."""
    if angle < 1e-12:
        wa, wb = 1.0 - fraction, fraction
    else:
        wa = np.sin((1.0 - fraction) * angle) / np.sin(angle)
        wb = np.sin(fraction * angle) / np.sin(angle)
    x = wa * a[0] + wb * b[0]
    y = wa * a[1] + wb * b[1]
    z = wa * a[2] + wb * b[2]
    p = np.arctan2(z, np.sqrt(x * x + y * y) * _GEOCENTRIC)
    return np.degrees(p), np.degrees(np.arctan2(y, x))


@njit_borrowing(cache=True)
def turn_towards(a, b, angle):  # type: ignore[no-untyped-def]
    """Return the unit tangent at ``a`` of the great circle to ``b``, ``angle`` [rad] away."""
    if angle < 1e-12:
        return 0.0, 0.0, 0.0
    s = np.sin(angle)
    c = np.cos(angle)
    return (b[0] - c * a[0]) / s, (b[1] - c * a[1]) / s, (b[2] - c * a[2]) / s


@njit_borrowing(cache=True)
def on_arc(a, tangent, turned):  # type: ignore[no-untyped-def]
    """Return latitude and longitude [deg] at an angle ``turned`` [rad] from a along ``tangent``."""
    c = np.cos(turned)
    s = np.sin(turned)
    x = c * a[0] + s * tangent[0]
    y = c * a[1] + s * tangent[1]
    z = c * a[2] + s * tangent[2]
    p = np.arctan2(z, np.sqrt(x * x + y * y) * _GEOCENTRIC)
    return np.degrees(p), np.degrees(np.arctan2(y, x))


@njit_borrowing(cache=True)
def angle_between(a, b):  # type: ignore[no-untyped-def]
    """Return the angle between unit vectors [rad], accurate for small ones too."""
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    return np.arctan2(np.sqrt(x * x + y * y + z * z), a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@njit_borrowing(cache=True)
def isometric(lat):  # type: ignore[no-untyped-def]
    """Return the isometric latitude [rad] on WGS 84 (Snyder 1987, eq. 3-7), to 89.999 degrees."""
    s = np.sin(np.radians(min(89.999, max(-89.999, lat))))
    return np.arctanh(s) - _ECCENTRICITY * np.arctanh(_ECCENTRICITY * s)


@njit_borrowing(cache=True)
def from_isometric(psi):  # type: ignore[no-untyped-def]
    """Return the latitude [deg] of an isometric latitude by iteration (Snyder 1987, 7-9)."""
    s = np.tanh(psi)
    for _ in range(5):
        s = np.tanh(psi + _ECCENTRICITY * np.arctanh(_ECCENTRICITY * s))
    return np.degrees(np.arcsin(s))


@njit_borrowing(cache=True)
def on_rhumb(lat0, lng0, lat1, dlng, fraction):  # type: ignore[no-untyped-def]
    """Return latitude and longitude [deg] at a fraction of a rhumb line."""
    psi0 = isometric(lat0)
    psi1 = isometric(lat1)
    if abs(lat1 - lat0) < 1e-9:
        return lat0, lng0 + fraction * dlng
    return from_isometric(psi0 + fraction * (psi1 - psi0)), lng0 + fraction * dlng
