"""Compiled look-up of weather at a place and time.

Vectors are interpolated by components and directions as unit vectors, so nothing
is averaged across north. Wind speed is interpolated as a scalar beside its
vector: between two opposed winds it blows, it is not calm. What is done at
coasts and horizons is told in :mod:`.stencil`.

Units: degrees, hours since 1970-01-01T00Z, m/s, m, s.
"""

import math
from typing import Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.engine.weather.groups import CURRENT_SCALE, DIRECTION_SCALE, WAVE_SCALE, WIND_SCALE
from app.engine.weather.layer import LayerRecord
from app.engine.weather.memory import prefetch_int16
from app.engine.weather.stencil import (
    coverage,
    find_cell,
    find_stencil,
    find_steps,
    inlined,
    weighted_mean,
    weighted_mean_length,
)

_compiled = njit(cache=True, nogil=True, error_model="numpy")

# Points ahead that a list of look-ups asks for.
_LOOK_AHEAD: Final = 6


class WeatherArrays(NamedTuple):
    """Forecast and climatology of the three groups that a ship feels."""

    wind: LayerRecord
    wave: LayerRecord
    current: LayerRecord
    wind_climatology: LayerRecord
    wave_climatology: LayerRecord
    current_climatology: LayerRecord


class WeatherPoint(NamedTuple):
    """Weather at one place and time, as compiled code sees it.

    Wind and current [m/s] are the eastward and northward components of motion
    (the wind blows *towards* ``(wind_u, wind_v)``); ``wave_from_east`` and
    ``wave_from_north`` are the unit vector to where the waves come from; wave
    height is significant [m], the period that of the peak [s]. The weights are
    the share of forecast in each group, 0 (climatology) to 1 (forecast).
    NaN means that neither forecast nor climatology knows the group at all.
    """

    wind_u_ms: float
    wind_v_ms: float
    wave_height_m: float
    wave_period_s: float
    wave_from_east: float
    wave_from_north: float
    current_u_ms: float
    current_v_ms: float
    wind_weight: float
    wave_weight: float
    current_weight: float


@_compiled
def sample_weather(arrays: WeatherArrays, lat: float, lng: float, time_h: float) -> WeatherPoint:
    """Weather at one place and time; inline this into a search's inner loop."""
    # A place is looked up in several arrays: all of them are asked for at once.
    prefetch_weather(arrays, lat, lng, time_h)
    u, v, wind_weight = _blended_wind(arrays.wind, arrays.wind_climatology, lat, lng, time_h)
    height, period, east, north, wave_weight = _blended_wave(
        arrays.wave, arrays.wave_climatology, lat, lng, time_h
    )
    cu, cv, current_weight = _blended_current(
        arrays.current, arrays.current_climatology, lat, lng, time_h
    )
    return WeatherPoint(
        u, v, height, period, east, north, cu, cv, wind_weight, wave_weight, current_weight
    )


@inlined
def prefetch_weather(arrays: WeatherArrays, lat: float, lng: float, time_h: float) -> None:
    """Begin to bring the forecast at a place and time into the cache, without waiting.

    Worth its while for places and times that will be looked up soon, in no order.
    """
    _ask_for(arrays.wind, lat, lng, time_h, 2)
    _ask_for(arrays.wave, lat, lng, time_h, 4)
    _ask_for(arrays.current, lat, lng, time_h, 2)


@inlined
def _ask_for(layer: LayerRecord, lat: float, lng: float, time_h: float, n_channel: int) -> None:
    """Begin to bring the corners of a place into the cache."""
    if layer.n_time == 0:
        return
    cell = find_cell(layer, lat, lng)
    i, j, _ = find_steps(layer, time_h)
    first, second = i * layer.n_cell, j * layer.n_cell
    prefetch_int16(layer.packed, (first + cell.sw) * n_channel)
    prefetch_int16(layer.packed, (first + cell.nw) * n_channel)
    prefetch_int16(layer.packed, (second + cell.sw) * n_channel)
    prefetch_int16(layer.packed, (second + cell.nw) * n_channel)


@_compiled
def sample_weather_many(
    arrays: WeatherArrays,
    lats: NDArray[np.float64],
    lngs: NDArray[np.float64],
    times_h: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Fill ``out`` ``(n, 11)`` with the fields of :class:`WeatherPoint`."""
    for index in range(lats.size):
        ahead = min(index + _LOOK_AHEAD, lats.size - 1)
        prefetch_weather(arrays, lats[ahead], lngs[ahead], times_h[ahead])
        point = sample_weather(arrays, lats[index], lngs[index], times_h[index])
        out[index, 0] = point.wind_u_ms
        out[index, 1] = point.wind_v_ms
        out[index, 2] = point.wave_height_m
        out[index, 3] = point.wave_period_s
        out[index, 4] = point.wave_from_east
        out[index, 5] = point.wave_from_north
        out[index, 6] = point.current_u_ms
        out[index, 7] = point.current_v_ms
        out[index, 8] = point.wind_weight
        out[index, 9] = point.wave_weight
        out[index, 10] = point.current_weight


@_compiled
def sample_scalar_many(
    layer: LayerRecord,
    lats: NDArray[np.float64],
    lngs: NDArray[np.float64],
    times_h: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Fill ``out`` ``(n,)`` with the packed mean of a one-channel layer, NaN where unknown."""
    for index in range(lats.size):
        out[index] = np.nan
        lat, lng, time_h = lats[index], lngs[index], times_h[index]
        if coverage(layer, lat, lng, time_h) > 0.0:
            stencil = find_stencil(layer, lat, lng, time_h, 1)
            if stencil.known:
                out[index] = weighted_mean(layer, stencil, 1, 0)


@inlined
def _wind(
    layer: LayerRecord, lat: float, lng: float, time_h: float
) -> tuple[float, float, float, bool]:
    """Vector (u, v) and scalar speed of the wind [m/s], and whether it is known."""
    stencil = find_stencil(layer, lat, lng, time_h, 2)
    u = weighted_mean(layer, stencil, 2, 0)
    v = weighted_mean(layer, stencil, 2, 1)
    speed = weighted_mean_length(layer, stencil)
    return u * WIND_SCALE, v * WIND_SCALE, speed * WIND_SCALE, stencil.known


@inlined
def _wave(
    layer: LayerRecord, lat: float, lng: float, time_h: float
) -> tuple[float, float, float, float, bool]:
    """Height [m], period [s], direction vector (east, north), and whether they are known."""
    stencil = find_stencil(layer, lat, lng, time_h, 4)
    return (
        weighted_mean(layer, stencil, 4, 0) * WAVE_SCALE,
        weighted_mean(layer, stencil, 4, 1) * WAVE_SCALE,
        weighted_mean(layer, stencil, 4, 2) * DIRECTION_SCALE,
        weighted_mean(layer, stencil, 4, 3) * DIRECTION_SCALE,
        stencil.known,
    )


@inlined
def _current(
    layer: LayerRecord, lat: float, lng: float, time_h: float
) -> tuple[float, float, bool]:
    """Vector (u, v) of the current [m/s], and whether it is known."""
    stencil = find_stencil(layer, lat, lng, time_h, 2)
    u = weighted_mean(layer, stencil, 2, 0)
    v = weighted_mean(layer, stencil, 2, 1)
    return u * CURRENT_SCALE, v * CURRENT_SCALE, stencil.known


@inlined
def _blended_wind(
    forecast: LayerRecord, climatology: LayerRecord, lat: float, lng: float, time_h: float
) -> tuple[float, float, float]:
    """Wind components [m/s], as long as the blended scalar speed, and the forecast's share."""
    weight = coverage(forecast, lat, lng, time_h)
    u = v = speed = 0.0
    if weight > 0.0:
        u, v, speed, known = _wind(forecast, lat, lng, time_h)
        weight = weight if known else 0.0
    if weight < 1.0:
        if climatology.n_time == 0:
            return np.nan, np.nan, 0.0
        cu, cv, c_speed, _ = _wind(climatology, lat, lng, time_h)
        u = weight * u + (1.0 - weight) * cu
        v = weight * v + (1.0 - weight) * cv
        speed = weight * speed + (1.0 - weight) * c_speed
    length = math.sqrt(u * u + v * v)
    if length < 1e-9:
        return 0.0, -speed, weight
    stretch = speed / length
    return u * stretch, v * stretch, weight


@inlined
def _blended_wave(
    forecast: LayerRecord, climatology: LayerRecord, lat: float, lng: float, time_h: float
) -> tuple[float, float, float, float, float]:
    """Height, period, unit direction vector and the forecast's share."""
    weight = coverage(forecast, lat, lng, time_h)
    height = period = east = north = 0.0
    if weight > 0.0:
        height, period, east, north, known = _wave(forecast, lat, lng, time_h)
        weight = weight if known else 0.0
    if weight < 1.0:
        if climatology.n_time == 0:
            return np.nan, np.nan, np.nan, np.nan, 0.0
        c_height, c_period, c_east, c_north, _ = _wave(climatology, lat, lng, time_h)
        height = weight * height + (1.0 - weight) * c_height
        period = weight * period + (1.0 - weight) * c_period
        east = weight * east + (1.0 - weight) * c_east
        north = weight * north + (1.0 - weight) * c_north
    length = math.sqrt(east * east + north * north)
    if length < 1e-9:
        return height, period, 0.0, 1.0, weight
    return height, period, east / length, north / length, weight


@inlined
def _blended_current(
    forecast: LayerRecord, climatology: LayerRecord, lat: float, lng: float, time_h: float
) -> tuple[float, float, float]:
    """Current components [m/s] and the forecast's share."""
    weight = coverage(forecast, lat, lng, time_h)
    u = v = 0.0
    if weight > 0.0:
        u, v, known = _current(forecast, lat, lng, time_h)
        weight = weight if known else 0.0
    if weight < 1.0:
        if climatology.n_time == 0:
            return np.nan, np.nan, 0.0
        cu, cv, _ = _current(climatology, lat, lng, time_h)
        u = weight * u + (1.0 - weight) * cu
        v = weight * v + (1.0 - weight) * cv
    return u, v, weight
