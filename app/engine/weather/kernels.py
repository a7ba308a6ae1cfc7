"""Compiled interpolation of weather at a place and time.

Vectors are interpolated by components and directions as unit vectors, which is correct across
north. The wind speed is interpolated as a scalar besides the vector, so that it does not vanish
between two opposed winds. Coasts and horizons are treated as described in :mod:`.stencil`.

Units: degrees, hours since 1970-01-01T00Z, m/s, m, s.
"""

import math
from typing import Final, NamedTuple

import numpy as np

from app.engine.arrays import Bools, Floats
from app.engine.compiled import njit
from app.engine.units import KNOT_MS
from app.engine.weather.groups import CURRENT_SCALE, DIRECTION_SCALE, WAVE_SCALE, WIND_SCALE
from app.engine.weather.layer import LayerRecord, layer_at
from app.engine.weather.memory import mean_of_four, mean_of_one, mean_of_two
from app.engine.weather.stencil import (
    Place,
    find_place,
    find_stencil,
    inlined,
    mean_length,
    prefetch_place,
)

_compiled = njit(cache=True, nogil=True, error_model="numpy")

# Number of points by which prefetching is ahead of the look-ups.
_LOOK_AHEAD: Final = 6


class WeatherArrays(NamedTuple):
    """Forecast and climatology of wind, waves and current.

    Each is the address of a :class:`~app.engine.weather.layer.LayerRecord`.
    """

    wind: int
    wave: int
    current: int
    wind_climatology: int
    wave_climatology: int
    current_climatology: int


class WeatherPoint(NamedTuple):
    """Weather at one place and time, in compiled code.

    Wind and current [m/s] are the eastward and northward components of motion (the wind blows
    *towards* ``(wind_u, wind_v)``); ``wave_from_east`` and ``wave_from_north`` are the vector
    towards the origin of the waves, whose length is the steadiness of both directions: the expected
    cosine of the angle between the stated direction and the one that a ship meets, 1 in a forecast.
    Wave height is significant [m], the period that of the peak [s]. The weights are the share of
    the forecast in each group, 0 (climatology) to 1 (forecast). Height and period of the waves, and
    the current, are NaN where they are unknown; the vector is then that of the wind.
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


class _Layers(NamedTuple):
    """The layers of the three groups."""

    wind: LayerRecord
    wave: LayerRecord
    current: LayerRecord


class _Sample(NamedTuple):
    """Up to four values of a layer and its share, 0 where it has no values."""

    a: float
    b: float
    c: float
    d: float
    share: float


@_compiled
def sample_weather(
    arrays: WeatherArrays, lat: float, lng: float, time_h: float, is_inland: bool
) -> WeatherPoint:
    """Interpolate the weather at one place and time.

    On inland waters the waves and the current are unknown: those of the sea do not enter them.
    """
    layers = _forecasts(arrays)
    # all blocks of a place are prefetched at once
    in_wind, in_wave, in_current = _prefetched(layers, lat, lng, time_h)
    wind = _wind(layers.wind, in_wind)
    wave = _wave(layers.wave, in_wave)
    current = _extended(arrays, _current(layers.current, in_current), lat, lng, time_h)
    # a direction that either forecast knows is as good as certain for both
    known = max(wind.share, wave.share)
    steadiness = 1.0
    if wind.share < 1.0 or wave.share < 1.0:
        climatology = layer_at(arrays.wind_climatology)
        place = find_place(climatology, lat, lng, time_h)
        if wind.share < 1.0:
            wind = _blended(wind, _wind(climatology, place))
        if wave.share < 1.0:
            waves = layer_at(arrays.wave_climatology)
            place = _place_in_other(climatology, place, waves, lat, lng, time_h)
            usual = _wave(waves, place)
            steadiness = known + (1.0 - known) * math.hypot(usual.c, usual.d)
            wave = _blended(wave, usual)
    if is_inland:
        wave, current = _unknown(), _unknown()
    u, v = _scale_to_length(wind.c, wind.a, wind.b)
    from_east, from_north = (-u, -v) if math.isnan(wave.a) else (wave.c, wave.d)
    east, north = _scale_to_length(steadiness, from_east, from_north)
    return WeatherPoint(
        wind_u_ms=u,
        wind_v_ms=v,
        wave_height_m=wave.a,
        wave_period_s=wave.b,
        wave_from_east=east,
        wave_from_north=north,
        current_u_ms=current.a,
        current_v_ms=current.b,
        wind_weight=wind.share,
        wave_weight=wave.share,
        current_weight=current.share,
    )


@_compiled
def sample_displaced_weather(
    arrays: WeatherArrays,
    lat: float,
    lng: float,
    time_h: float,
    is_inland: bool,
    displacement_deg: tuple[float, float],
) -> WeatherPoint:
    """Interpolate the weather at one place and time, with waves and wind of a displaced place.

    ``displacement_deg`` is that to north and east. The current is not displaced. Where no waves are
    known at the displaced place, as inland, waves and wind are those of the place itself.
    """
    north_deg, east_deg = displacement_deg
    if is_inland or (north_deg == 0.0 and east_deg == 0.0):
        return sample_weather(arrays, lat, lng, time_h, is_inland)
    there = sample_weather(arrays, lat + north_deg, lng + east_deg, time_h, False)
    if math.isnan(there.wave_height_m):
        return sample_weather(arrays, lat, lng, time_h, False)
    forecast = layer_at(arrays.current)
    current = _current(forecast, find_place(forecast, lat, lng, time_h))
    current = _extended(arrays, current, lat, lng, time_h)
    return WeatherPoint(
        wind_u_ms=there.wind_u_ms,
        wind_v_ms=there.wind_v_ms,
        wave_height_m=there.wave_height_m,
        wave_period_s=there.wave_period_s,
        wave_from_east=there.wave_from_east,
        wave_from_north=there.wave_from_north,
        current_u_ms=current.a,
        current_v_ms=current.b,
        wind_weight=there.wind_weight,
        wave_weight=there.wave_weight,
        current_weight=current.share,
    )


@inlined
def _extended(
    arrays: WeatherArrays, current: _Sample, lat: float, lng: float, time_h: float
) -> _Sample:
    """Blend a forecast current with the climatology, where the forecast's share is below 1."""
    if current.share >= 1.0:
        return current
    climatology = layer_at(arrays.current_climatology)
    return _blended(current, _current(climatology, find_place(climatology, lat, lng, time_h)))


@inlined
def _prefetch_weather(arrays: WeatherArrays, lat: float, lng: float, time_h: float) -> None:
    """Prefetch the forecast at a place and time into the cache, without waiting.

    Useful for places and times that will be looked up soon, in random order.
    """
    _prefetched(_forecasts(arrays), lat, lng, time_h)


@inlined
def _forecasts(arrays: WeatherArrays) -> _Layers:
    return _Layers(layer_at(arrays.wind), layer_at(arrays.wave), layer_at(arrays.current))


@inlined
def _prefetched(
    layers: _Layers, lat: float, lng: float, time_h: float
) -> tuple[Place, Place, Place]:
    """Locate a place and time in the layers, and prefetch their values there."""
    in_wind = find_place(layers.wind, lat, lng, time_h)
    if in_wind.share > 0.0:
        prefetch_place(layers.wind, in_wind)
    in_wave = _place_in_other(layers.wind, in_wind, layers.wave, lat, lng, time_h)
    in_current = _place_in_other(layers.wind, in_wind, layers.current, lat, lng, time_h)
    return in_wind, in_wave, in_current


@inlined
def _place_in_other(
    other: LayerRecord, place: Place, layer: LayerRecord, lat: float, lng: float, time_h: float
) -> Place:
    """Return the place in a layer, given that in another, equal if both are in one block."""
    if layer.block == other.block:
        return place
    place = find_place(layer, lat, lng, time_h)
    if place.share > 0.0:
        prefetch_place(layer, place)
    return place


@_compiled
def sample_weather_many(
    arrays: WeatherArrays,
    lats: Floats,
    lngs: Floats,
    times_h: Floats,
    is_inland: Bools,
    displacements_deg: Floats,
    out: Floats,
) -> None:
    """Fill ``out``, shape (10, n), with the rows of :class:`~app.engine.weather.WeatherSamples`.

    ``displacements_deg``, shape (2, n), are those of :func:`sample_displaced_weather`. Unknown
    waves and currents are zero, with a weight of zero.
    """
    for index in range(lats.size):
        ahead = min(index + _LOOK_AHEAD, lats.size - 1)
        _prefetch_weather(arrays, lats[ahead], lngs[ahead], times_h[ahead])
        point = sample_displaced_weather(
            arrays,
            lats[index],
            lngs[index],
            times_h[index],
            is_inland[index],
            (displacements_deg[0, index], displacements_deg[1, index]),
        )
        wind_u, wind_v = point.wind_u_ms, point.wind_v_ms
        current_u = zero_if_unknown(point.current_u_ms)
        current_v = zero_if_unknown(point.current_v_ms)
        out[0, index] = zero_if_unknown(point.wave_height_m)
        out[1, index] = zero_if_unknown(point.wave_period_s)
        out[2, index] = _direction_deg(point.wave_from_east, point.wave_from_north)
        out[3, index] = math.hypot(wind_u, wind_v)
        out[4, index] = _direction_deg(-wind_u, -wind_v)
        out[5, index] = math.hypot(current_u, current_v) / KNOT_MS
        out[6, index] = _direction_deg(current_u, current_v)
        out[7, index] = point.wave_weight
        out[8, index] = point.wind_weight
        out[9, index] = point.current_weight


@inlined
def _direction_deg(east: float, north: float) -> float:
    """Return the direction of a vector [deg true], 0 <= direction < 360."""
    degrees = math.degrees(math.atan2(east, north))
    if degrees < 0.0:
        degrees += 360.0
    return 0.0 if degrees >= 360.0 else degrees


@_compiled
def sample_scalar_many(
    address: int,
    lats: Floats,
    lngs: Floats,
    times_h: Floats,
    out: Floats,
) -> None:
    """Fill ``out`` ``(n,)`` with the packed mean of a one-channel layer, NaN where unknown.

    ``address`` is that of the layer's record.
    """
    layer = layer_at(address)
    for index in range(lats.size):
        out[index] = np.nan
        place = find_place(layer, lats[index], lngs[index], times_h[index])
        if place.share > 0.0:
            stencil = find_stencil(layer, place)
            if stencil.known:
                out[index] = mean_of_one(layer.packed, stencil.at, stencil.weights)[0]


@inlined
def _wind(layer: LayerRecord, place: Place) -> _Sample:
    """Interpolate the vector (u, v) and scalar speed of the wind [m/s]."""
    if place.share > 0.0:
        stencil = find_stencil(layer, place)
        if stencil.known:
            u, v = mean_of_two(layer.packed, stencil.at, stencil.weights)
            speed = mean_length(layer, stencil)
            return _Sample(u * WIND_SCALE, v * WIND_SCALE, speed * WIND_SCALE, 0.0, place.share)
    return _Sample(0.0, 0.0, 0.0, 0.0, 0.0)


@inlined
def _wave(layer: LayerRecord, place: Place) -> _Sample:
    """Interpolate wave height [m], period [s] and direction vector (east, north)."""
    if place.share > 0.0:
        stencil = find_stencil(layer, place)
        if stencil.known:
            height, period, east, north = mean_of_four(layer.packed, stencil.at, stencil.weights)
            return _Sample(
                height * WAVE_SCALE,
                period * WAVE_SCALE,
                east * DIRECTION_SCALE,
                north * DIRECTION_SCALE,
                place.share,
            )
    return _Sample(0.0, 0.0, 0.0, 0.0, 0.0)


@inlined
def _current(layer: LayerRecord, place: Place) -> _Sample:
    """Interpolate the vector (u, v) of the current [m/s]."""
    if place.share > 0.0:
        stencil = find_stencil(layer, place)
        if stencil.known:
            u, v = mean_of_two(layer.packed, stencil.at, stencil.weights)
            return _Sample(u * CURRENT_SCALE, v * CURRENT_SCALE, 0.0, 0.0, place.share)
    return _Sample(0.0, 0.0, 0.0, 0.0, 0.0)


@inlined
def _blended(forecast: _Sample, climatology: _Sample) -> _Sample:
    """Blend forecast and climatology by the forecast's share.

    Without climatology the forecast is kept, if there is one.
    """
    if climatology.share == 0.0:
        return forecast if forecast.share > 0.0 else _unknown()
    share = forecast.share
    rest = 1.0 - share
    return _Sample(
        share * forecast.a + rest * climatology.a,
        share * forecast.b + rest * climatology.b,
        share * forecast.c + rest * climatology.c,
        share * forecast.d + rest * climatology.d,
        share,
    )


@inlined
def _unknown() -> _Sample:
    """Return a sample without known values."""
    return _Sample(np.nan, np.nan, np.nan, np.nan, 0.0)


@inlined
def zero_if_unknown(value: float) -> float:
    """Return a wave height, period or current as the ship is simulated: none where it is NaN."""
    return 0.0 if math.isnan(value) else value


@inlined
def _scale_to_length(length: float, u: float, v: float) -> tuple[float, float]:
    """Scale a vector to a length; a zero vector becomes one towards the south."""
    own = math.sqrt(u * u + v * v)
    if own < 1e-9:
        return 0.0, -length
    stretch = length / own
    return u * stretch, v * stretch
