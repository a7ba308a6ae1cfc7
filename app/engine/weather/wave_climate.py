"""Wave climatology from a wind climatology: growth by fetch and duration, and swell.

Climatologies of winds are common, those of waves are not. The wind sea of a month is computed
from its mean wind speed by the growth curves of JONSWAP, and its swell from the wind seas upwind
along great circles. Four constants are calibrated, the others published;
``docs/method/weather.md`` has the results.

References
----------
- CERC (1984), Shore Protection Manual, vol. I, eqs 3-33 to 3-38: JONSWAP growth
  (Hasselmann et al. 1973) with its fully developed limit.
- Justus et al. (1978), J. Appl. Meteorol. 17, eq. 20: shape of a Weibull
  distribution from its mean and standard deviation.
- Banerjee et al. (2005), J. Mach. Learn. Res. 6, eq. 4.4: concentration of a
  von Mises distribution from its mean resultant length.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gamma

from app.engine.arrays import Bools, Floats
from app.engine.compiled import njit
from app.engine.constants import EARTH_MEAN_RADIUS_M, GRAVITY_MS2
from app.engine.weather.grid import RegularGrid

#: Coefficient of variation of wind speeds without a prevailing direction [1]: that of a Rayleigh
#: distribution, sqrt(4 / pi - 1).
RAYLEIGH_SPREAD: Final = math.sqrt(4.0 / math.pi - 1.0)

#: Dimensionless growth, Shore Protection Manual (1984) eqs 3-33 to 3-38.
_HEIGHT_FACTOR: Final = 0.0016
_PERIOD_FACTOR: Final = 0.2857
_DURATION_FACTOR: Final = 68.8
_FULL_HEIGHT: Final = 0.2433

#: Calibrated: persistence of a wind without a prevailing direction, the passage of a depression
#: [s], and its relative increase with steadiness.
_PERSISTENCE_S: Final = 15.0 * 3600.0
_STEADY_PERSISTENCE: Final = 0.5

#: Mean resultant length of a wind sea's directions about the wind, that of cosine-squared
#: spreading: 8 / (3 pi).
_SPREAD_RESULTANT: Final = 8.0 / (3.0 * math.pi)

#: Calibrated: share of a wind sea's energy that becomes swell per metre of its extent [1/m], and
#: distance over which swell decays by a factor of e [m].
_SWELL_YIELD_PER_M: Final = 6.0e-7
_SWELL_DECAY_M: Final = 5.0e6

#: Rays: number of directions, step and length [m]. The step is shorter than a cell of 2 degrees.
_N_RAYS: Final = 24
_RAY_STEP_M: Final = 1.2e5
_RAY_REACH_M: Final = 1.2e7

#: Fetch of a fully developed sea in a gale of 15 m/s [m], eq. 3-33.
_LONGEST_FETCH_M: Final = 4.0e6


@dataclass(frozen=True)
class WindClimate:
    """Monthly winds on a grid.

    ``speed_ms`` is the scalar mean, ``u_ms`` and ``v_ms`` the vector mean,
    eastward and northward, each ``(n_month, n_cell)``.
    """

    speed_ms: Floats
    u_ms: Floats
    v_ms: Floats

    @property
    def steadiness(self) -> Floats:
        """Length of the vector mean over the scalar mean, 0 to 0.98."""
        length = np.hypot(self.u_ms, self.v_ms)
        return np.clip(length / np.maximum(self.speed_ms, 0.1), 0.0, 0.98)


@dataclass(frozen=True)
class WaveClimate:
    """Monthly mean waves, each ``(n_month, n_cell)``; NaN on land.

    Significant height [m], peak period [s], mean direction of origin [deg true] and its
    steadiness: the expected cosine of the angle between that direction and the direction of a sea
    of the month, from 0 (any direction is as likely) to 1 (always this one).
    """

    height_m: Floats
    period_s: Floats
    from_deg: Floats
    steadiness: Floats


def grow_waves(
    wind_speed_ms: Floats, fetch_m: Floats | float, duration_s: Floats | float
) -> tuple[Floats, Floats]:
    """Compute significant height [m] and peak period [s] of a growing wind sea.

    The sea is limited by fetch, duration or full development, in deep water. Shore Protection
    Manual (1984), eqs 3-33 to 3-38, with the wind at 10 m. Arguments broadcast; all positive.
    """
    by_fetch = GRAVITY_MS2 * np.asarray(fetch_m) / wind_speed_ms**2
    by_duration = (GRAVITY_MS2 * np.asarray(duration_s) / wind_speed_ms / _DURATION_FACTOR) ** 1.5
    fully = (_FULL_HEIGHT / _HEIGHT_FACTOR) ** 2
    fetch = np.minimum(np.minimum(by_fetch, by_duration), fully)
    height = _HEIGHT_FACTOR * np.sqrt(fetch) * wind_speed_ms**2 / GRAVITY_MS2
    period = _PERIOD_FACTOR * np.cbrt(fetch) * wind_speed_ms / GRAVITY_MS2
    return height, period


def compute_wave_climate(grid: RegularGrid, sea: Bools, winds: WindClimate) -> WaveClimate:
    """Compute the mean waves of each month from its mean winds.

    The rays are traced on ``grid`` too, which is global. ``sea`` is a mask of water cells,
    ``(n_cell,)``; land stops waves. ``winds`` are known at least in the cells of ``sea``.
    """
    wave_to = _directions(np.arctan2(winds.u_ms, winds.v_ms), winds.steadiness)
    lats, lngs = grid.cells()
    reach = _open_water_m(sea, lats, lngs, _geometry(grid))
    sea_cells = np.flatnonzero(sea)
    root_fetch = np.einsum("mcd,cd->mc", wave_to[:, sea_cells], np.sqrt(reach[sea_cells]))
    height, energy, period = _wind_sea(
        winds.speed_ms[:, sea_cells], winds.steadiness[:, sea_cells], root_fetch**2
    )
    emitted = np.zeros(wave_to.shape, dtype=np.float32)
    emitted[:, sea_cells] = energy[..., np.newaxis] * wave_to[:, sea_cells]
    periods = np.zeros(wave_to.shape[:2], dtype=np.float32)
    periods[:, sea_cells] = period
    # months are the last axis, because those of a cell and ray are read together
    by_month = (np.ascontiguousarray(emitted.transpose(1, 2, 0)), np.ascontiguousarray(periods.T))
    swell, swell_moment = _swell(sea, lats, lngs, _geometry(grid), *by_month)
    return _combined(sea, wave_to, height, period, swell.transpose(2, 0, 1), swell_moment.T)


def _geometry(grid: RegularGrid) -> Floats:
    return np.array(
        [grid.lat_first, grid.lat_step, grid.n_lat, grid.lng_first, grid.lng_step, grid.n_lng]
    )


def _directions(towards_rad: Floats, steadiness: Floats) -> NDArray[np.float32]:
    """Compute the shares of wave energy that propagate along each ray, which sum to 1.

    A von Mises distribution about the mean wind, whose mean resultant length is the wind's
    steadiness times that of the waves' spreading.
    """
    resultant = steadiness * _SPREAD_RESULTANT
    concentration = resultant * (2.0 - resultant**2) / (1.0 - resultant**2)
    rays = 2.0 * np.pi * np.arange(_N_RAYS) / _N_RAYS
    turn = np.cos(rays - towards_rad[..., np.newaxis]) - 1.0
    density = np.exp((concentration[..., np.newaxis] * turn).astype(np.float32))
    return np.asarray(density / density.sum(axis=-1, keepdims=True), dtype=np.float32)


def _wind_sea(
    speed_ms: Floats, steadiness: Floats, fetch_m: Floats
) -> tuple[Floats, Floats, Floats]:
    """Average height [m], squared height [m2] and period [s] over the wind's distribution."""
    n_class = 12
    probability = (np.arange(n_class) + 0.5) / n_class
    shape = (RAYLEIGH_SPREAD * np.sqrt(1.0 - steadiness**2)) ** -1.086
    persistence_s = _PERSISTENCE_S * (1.0 + _STEADY_PERSISTENCE * steadiness)
    height, energy, moment = (np.zeros_like(speed_ms) for _ in range(3))
    for quantile in -np.log1p(-probability):
        wind = np.maximum(speed_ms * quantile ** (1.0 / shape) / gamma(1.0 + 1.0 / shape), 0.1)
        class_height, class_period = grow_waves(wind, fetch_m, persistence_s)
        height += class_height / n_class
        energy += class_height**2 / n_class
        moment += class_height**2 * class_period / n_class
    return height, energy, moment / np.maximum(energy, 1e-9)


@njit(cache=True, nogil=True, error_model="numpy")
def _cell_at(geometry: Floats, lat_deg: float, lng_deg: float) -> int:
    lat_first, lat_step, n_lat, lng_first, lng_step, n_lng = geometry
    row = min(max(round((lat_deg - lat_first) / lat_step), 0), int(n_lat) - 1)
    column = round(((lng_deg - lng_first) % 360.0) / lng_step) % int(n_lng)
    return int(row * int(n_lng) + column)


@njit(cache=True, nogil=True, error_model="numpy")
def _along(lat_rad: float, course_rad: float, angle: float) -> tuple[float, float, float]:
    """Return latitude, change of longitude and course at an angle along a great circle [rad]."""
    sin_lat, cos_lat = math.sin(lat_rad), math.cos(lat_rad)
    sin_angle, cos_angle = math.sin(angle), math.cos(angle)
    sin_there = sin_lat * cos_angle + cos_lat * sin_angle * math.cos(course_rad)
    there = math.asin(min(max(sin_there, -1.0), 1.0))
    east = math.sin(course_rad) * sin_angle * cos_lat
    change = math.atan2(east, cos_angle - sin_lat * sin_there)
    course = math.atan2(
        math.sin(course_rad) * cos_lat,
        cos_lat * cos_angle * math.cos(course_rad) - sin_lat * sin_angle,
    )
    return there, change, course


@njit(cache=True, nogil=True, error_model="numpy")
def _open_water_m(sea: Bools, lats: Floats, lngs: Floats, geometry: Floats) -> Floats:
    """Measure the open water upwind of each cell [m] along each ray, (n_cell, n_ray)."""
    longest_m = _LONGEST_FETCH_M
    reach = np.full((lats.size, _N_RAYS), longest_m)
    for cell in range(lats.size):
        if not sea[cell]:
            continue
        for ray in range(_N_RAYS):
            upwind = 2.0 * math.pi * ray / _N_RAYS + math.pi
            distance = 0.5 * _RAY_STEP_M
            while distance < longest_m:
                lat, change, _ = _along(
                    math.radians(lats[cell]), upwind, distance / EARTH_MEAN_RADIUS_M
                )
                if not sea[
                    _cell_at(geometry, math.degrees(lat), lngs[cell] + math.degrees(change))
                ]:
                    reach[cell, ray] = distance
                    break
                distance += 0.5 * _RAY_STEP_M
    return reach


@njit(cache=True, nogil=True, error_model="numpy")
def _swell(
    sea: Bools,
    lats: Floats,
    lngs: Floats,
    geometry: Floats,
    emitted: NDArray[np.float32],
    periods: NDArray[np.float32],
) -> tuple[NDArray[np.float32], Floats]:
    """Compute the swell energy arriving along each ray [m2], and its sum times period [m2 s].

    ``emitted`` and the energy are ``(n_cell, n_ray, n_month)``, ``periods`` and the sum
    ``(n_cell, n_month)``.

    The intensity that arrives along a ray is the sum of that emitted by the wind seas on it,
    reduced by decay with distance: propagation along great circles conserves intensity, and land
    ends the ray.
    """
    n_month = emitted.shape[2]
    arriving = np.zeros(emitted.shape, dtype=np.float32)
    moment = np.zeros((lats.size, n_month))
    for cell in range(lats.size):
        if not sea[cell]:
            continue
        for ray in range(_N_RAYS):
            upstream = 2.0 * math.pi * ray / _N_RAYS + math.pi
            distance = _RAY_STEP_M
            while distance < _RAY_REACH_M:
                lat, change, course = _along(
                    math.radians(lats[cell]), upstream, distance / EARTH_MEAN_RADIUS_M
                )
                at = _cell_at(geometry, math.degrees(lat), lngs[cell] + math.degrees(change))
                if not sea[at]:
                    break
                travels = round((course + math.pi) * _N_RAYS / (2.0 * math.pi)) % _N_RAYS
                share = _SWELL_YIELD_PER_M * _RAY_STEP_M * math.exp(-distance / _SWELL_DECAY_M)
                for month in range(n_month):
                    energy = share * emitted[at, travels, month]
                    arriving[cell, ray, month] += energy
                    moment[cell, month] += energy * periods[at, month]
                distance += _RAY_STEP_M
    return arriving, moment


def _combined(
    sea: Bools,
    wave_to: NDArray[np.float32],
    height: Floats,
    period: Floats,
    swell: NDArray[np.float32],
    swell_moment: Floats,
) -> WaveClimate:
    """Combine wind sea and swell; period, direction and steadiness are weighted by energy.

    In each direction the greater of the two counts, because swell from upwind is already included
    in the wind sea by its fetch.
    """
    cells = np.flatnonzero(sea)
    wind_sea = height[..., np.newaxis] ** 2 * wave_to[:, cells]
    arriving = swell[:, cells]
    shares = np.maximum(wind_sea, arriving)
    from_wind = np.where(wind_sea >= arriving, wind_sea, 0.0).sum(axis=-1)
    total = shares.sum(axis=-1)
    swell_period = swell_moment[:, cells] / np.maximum(arriving.sum(axis=-1), 1e-9)
    rays = 2.0 * np.pi * np.arange(_N_RAYS) / _N_RAYS
    east, north = -(shares @ np.sin(rays)), -(shares @ np.cos(rays))
    out = [np.full((height.shape[0], sea.size), np.nan) for _ in range(4)]
    out[0][:, cells] = np.sqrt(total)
    mixed = from_wind * period + (total - from_wind) * swell_period
    out[1][:, cells] = mixed / np.maximum(total, 1e-9)
    out[2][:, cells] = np.degrees(np.arctan2(east, north)) % 360.0
    # the spreading of a single sea is part of its resistance, not of the climate
    resultant = np.hypot(east, north) / np.maximum(total, 1e-9)
    out[3][:, cells] = np.minimum(resultant / _SPREAD_RESULTANT, 1.0)
    return WaveClimate(*out)
