"""The sea as a ship meets it on its course, and its speed over the ground, compiled."""

import math
from typing import NamedTuple

from app.engine.compiled import njit_borrowing


class RelativeSea(NamedTuple):
    """Waves and wind as a ship meets them on its course, and the depth.

    Significant height [m], peak period [s] and angle off the bow of the waves [deg, 0 ahead..180
    astern]; the true wind's components from ahead and, unsigned, from abeam [m/s]; the depth [m],
    infinity in deep water. Waves or wind of NaN, unknown, count as none.
    """

    wave_height_m: float
    wave_period_s: float
    off_bow_deg: float
    ahead_ms: float
    abeam_ms: float
    depth_m: float


@njit_borrowing(cache=True, error_model="numpy")
def off_bow_deg(from_deg: float, course_deg: float) -> float:
    """Return the angle off the bow of waves or wind from a direction [deg, 0 ahead..180 astern]."""
    turn = abs(from_deg - course_deg)
    turn -= 360.0 * math.floor(turn * (1.0 / 360.0))
    return min(turn, 360.0 - turn)


@njit_borrowing(cache=True, error_model="numpy")
def _wind_components_ms(speed_ms: float, from_deg: float, course_deg: float) -> tuple[float, float]:
    """Return the true wind's components from ahead and, unsigned, from abeam [m/s]."""
    angle = math.radians(from_deg - course_deg)
    return speed_ms * math.cos(angle), speed_ms * abs(math.sin(angle))


@njit_borrowing(cache=True, error_model="numpy")
def find_calm_sea(depth_m: float) -> RelativeSea:
    """Return a sea without waves and wind, of a depth [m]."""
    return RelativeSea(0.0, 0.0, 0.0, 0.0, 0.0, depth_m)


@njit_borrowing(cache=True, error_model="numpy")
def find_relative_sea(
    course_deg: float,
    wave_height_m: float,
    wave_period_s: float,
    wave_from_deg: float,
    wind_speed_ms: float,
    wind_from_deg: float,
    depth_m: float,
) -> RelativeSea:
    """Return the sea as a ship meets it on a course, with directions in degrees true."""
    ahead_ms, abeam_ms = _wind_components_ms(wind_speed_ms, wind_from_deg, course_deg)
    off_bow = off_bow_deg(wave_from_deg, course_deg)
    return RelativeSea(wave_height_m, wave_period_s, off_bow, ahead_ms, abeam_ms, depth_m)


@njit_borrowing(cache=True, error_model="numpy", forceinline=True)
def find_expected_sea(
    course: tuple[float, float],
    wave_height_m: float,
    wave_period_s: float,
    wave_from: tuple[float, float],
    wind_ms: tuple[float, float],
    depth_m: float,
) -> RelativeSea:
    """Return the sea that a ship is expected to meet on a course.

    Vectors are components to east and north: ``course`` has length 1, ``wave_from`` points to where
    waves come from, and the wind blows towards ``wind_ms``. The length of ``wave_from`` is the
    steadiness of waves and wind: the expected cosine of the angle between their mean direction and
    the one that the ship meets. The cosine of the angle off the bow is its product with that of the
    mean direction. At a steadiness of 0 waves and wind are thus on the beam.
    """
    (sine, cosine), (east, north), (u, v) = course, wave_from, wind_ms
    off_bow = math.degrees(math.acos(min(max(east * sine + north * cosine, -1.0), 1.0)))
    ahead_ms = -math.sqrt(east * east + north * north) * (u * sine + v * cosine)
    abeam_ms = math.sqrt(max(u * u + v * v - ahead_ms * ahead_ms, 0.0))
    return RelativeSea(wave_height_m, wave_period_s, off_bow, ahead_ms, abeam_ms, depth_m)


@njit_borrowing(cache=True, error_model="numpy")
def speed_over_ground_kn(
    through_water_kn: float, course: tuple[float, float], current_kn: tuple[float, float]
) -> float:
    """Return the speed over ground along a course, with the heading corrected for the set [kn].

    The course, of length 1, and the current are components to east and north. NaN if the current's
    component across the course is not below the speed through the water.
    """
    (sine, cosine), (u, v) = course, current_kn
    along, across = u * sine + v * cosine, u * cosine - v * sine
    if abs(across) >= through_water_kn:
        return math.nan
    return along + math.sqrt(through_water_kn**2 - across**2)
