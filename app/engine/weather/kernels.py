"""Compiled look-up of weather at a place and time.

Interpolation is linear in time and bilinear in space over the *known* corners
of a cell. Vectors are interpolated by components and directions as unit
vectors, so nothing is averaged across north. Wind speed is interpolated as a
scalar beside its vector: between two opposed winds it blows, it is not calm.

Land: missing corners carry no weight. Two known corners that touch only across
a missing diagonal are taken for two seas, and the nearer alone counts. A cell
without any known corner takes the value of the nearest known cell, if that is
within reach. Positions north or south of a global grid's last row take that row.

Units: degrees, hours since 1970-01-01T00Z, m/s, m, s.
"""

import math
from typing import Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.engine.weather.groups import (
    CURRENT_SCALE,
    DIRECTION_SCALE,
    MISSING,
    WAVE_SCALE,
    WIND_SCALE,
)
from app.engine.weather.layer import YEAR_H, LayerRecord
from app.engine.weather.memory import load_float64, load_int16, load_int32, prefetch_int16

#: A forecast relaxes to climatology over this time beyond its horizon [h].
RELAXATION_H: Final = 24.0

#: A regional forecast relaxes to climatology over this margin inside its edge [deg].
EDGE_TAPER_DEG: Final = 1.0

_compiled = njit(cache=True, nogil=True, error_model="numpy")
# Inlined by LLVM: the parts pass small tuples, which would else go by memory.
_inlined = njit(cache=True, nogil=True, error_model="numpy", forceinline=True)

# A corner that lies on the far side of its cell keeps this much weight, so
# that the sum does not vanish where it alone is known.
_LEAST_CORNER: Final = 1e-9

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


class _Cell(NamedTuple):
    """Corner indices and the fractions northward and eastward inside the cell."""

    sw: int
    se: int
    nw: int
    ne: int
    north: float
    east: float


class _Corners(NamedTuple):
    """Corner indices with weights; a sum of weights of 0 means nothing is known."""

    a: int
    b: int
    c: int
    d: int
    wa: float
    wb: float
    wc: float
    wd: float


class _Stencil(NamedTuple):
    """The corners at two time steps; all weights together sum to 1, or to 0."""

    first: _Corners
    second: _Corners
    known: bool


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


@_inlined
def prefetch_weather(arrays: WeatherArrays, lat: float, lng: float, time_h: float) -> None:
    """Begin to bring the forecast at a place and time into the cache, without waiting.

    Worth its while for places and times that will be looked up soon, in no order.
    """
    _ask_for(arrays.wind, lat, lng, time_h, 2)
    _ask_for(arrays.wave, lat, lng, time_h, 4)
    _ask_for(arrays.current, lat, lng, time_h, 2)


@_inlined
def _ask_for(layer: LayerRecord, lat: float, lng: float, time_h: float, n_channel: int) -> None:
    """Begin to bring the corners of a place into the cache."""
    if layer.n_time == 0:
        return
    cell = _cell(layer, lat, lng)
    i, j, _ = _steps(layer, time_h)
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
            stencil = _stencil(layer, lat, lng, time_h, 1)
            if stencil.known:
                out[index] = _mean(layer, stencil, 1, 0)


@_inlined
def coverage(layer: LayerRecord, lat: float, lng: float, time_h: float) -> float:
    """Share of a layer's say at a place and time, 0 outside to 1 well inside.

    It falls linearly over :data:`RELAXATION_H` beyond either end of the time
    axis and over :data:`EDGE_TAPER_DEG` inside the edge of a regional grid.
    """
    if layer.n_time == 0:
        return 0.0
    if layer.cyclic:
        return 1.0
    beyond_h = max(layer.first_h - time_h, time_h - layer.last_h, 0.0)
    weight = 1.0 - beyond_h / RELAXATION_H
    if weight <= 0.0:
        return 0.0
    margin = min(lat - layer.south_edge, layer.north_edge - lat)
    if not layer.wraps:
        east = _east_of_first(layer, lng)
        margin = min(margin, east, layer.width - east)
    return weight * min(1.0, max(0.0, margin / EDGE_TAPER_DEG))


@_inlined
def _east_of_first(layer: LayerRecord, lng: float) -> float:
    """Degrees eastward from the first column, 0 to 360."""
    east = lng - layer.lng_first
    return east - 360.0 * math.floor(east * (1.0 / 360.0))


@_inlined
def _cell(layer: LayerRecord, lat: float, lng: float) -> _Cell:
    """The cell that holds a place; beyond a grid's edge, its nearest edge."""
    y = min(max((lat - layer.lat_first) * layer.rows_per_degree, 0.0), layer.n_lat - 1.0)
    south = min(int(y), max(layer.n_lat - 2, 0))
    north = min(south + 1, layer.n_lat - 1)
    x = _east_of_first(layer, lng) * layer.columns_per_degree
    last = layer.n_lng - 1
    if not layer.wraps and x > last:
        x = float(last) if x - last < 360.0 * layer.columns_per_degree - x else 0.0
    west = min(int(x), last)
    east = west + 1
    if east > last:
        east = 0 if layer.wraps else last
    low, high = south * layer.n_lng, north * layer.n_lng
    return _Cell(low + west, low + east, high + west, high + east, y - south, x - west)


@_inlined
def _steps(layer: LayerRecord, time_h: float) -> tuple[int, int, float]:
    """The two time steps around a moment and the fraction of the later one."""
    if layer.n_time == 1:
        return 0, 0, 0.0
    if layer.cyclic:
        phase = (time_h - layer.first_h) * (1.0 / YEAR_H)
        steps = (phase - math.floor(phase)) * layer.n_time
        index = min(int(steps), layer.n_time - 1)
        after = index + 1
        return index, after if after < layer.n_time else 0, steps - index
    time_h = min(max(time_h, layer.first_h), layer.last_h)
    slot = int((time_h - layer.first_h) * layer.slots_per_hour)
    index = load_int32(layer.slots, min(slot, layer.n_slot - 1))
    after_h = load_float64(layer.times_h, index + 1)
    while index < layer.n_time - 2 and after_h <= time_h:
        index += 1
        after_h = load_float64(layer.times_h, index + 1)
    before_h = load_float64(layer.times_h, index)
    return index, index + 1, (time_h - before_h) / (after_h - before_h)


@_inlined
def _stencil(layer: LayerRecord, lat: float, lng: float, time_h: float, n_channel: int) -> _Stencil:
    """The cells that speak for a place and time, with their weights."""
    cell = _cell(layer, lat, lng)
    i, j, later = _steps(layer, time_h)
    first = _corners(layer, i * layer.n_cell, cell, n_channel, 1.0 - later)
    second = _corners(layer, j * layer.n_cell, cell, n_channel, later)
    total = first.wa + first.wb + first.wc + first.wd + second.wa + second.wb
    total += second.wc + second.wd
    if total > 1.0 - 1e-6:
        return _Stencil(first, second, True)
    if total == 0.0:
        return _Stencil(first, second, False)
    # One of the two steps knows nothing here (ice came or went): the other speaks.
    share = 1.0 / total
    return _Stencil(_scaled(first, share), _scaled(second, share), True)


@_inlined
def _scaled(corners: _Corners, share: float) -> _Corners:
    a, b, c, d, wa, wb, wc, wd = corners
    return _Corners(a, b, c, d, wa * share, wb * share, wc * share, wd * share)


@_inlined
def _corners(layer: LayerRecord, base: int, cell: _Cell, n_channel: int, share: float) -> _Corners:
    """Bilinear weights of the cell's corners times ``share``, indices counted from step 0."""
    sw, se, nw, ne = base + cell.sw, base + cell.se, base + cell.nw, base + cell.ne
    has_sw = load_int16(layer.packed, sw * n_channel) != MISSING
    has_se = load_int16(layer.packed, se * n_channel) != MISSING
    has_nw = load_int16(layer.packed, nw * n_channel) != MISSING
    has_ne = load_int16(layer.packed, ne * n_channel) != MISSING
    high, right = share * cell.north, cell.east
    low, left = share - high, 1.0 - right
    if has_sw and has_se and has_nw and has_ne:
        return _Corners(sw, se, nw, ne, low * left, low * right, high * left, high * right)
    if not (has_sw or has_se or has_nw or has_ne):
        return _borrowed(layer, base, cell, n_channel, share)
    if has_sw and has_ne and not has_se and not has_nw:
        has_sw = cell.north + cell.east <= 1.0
        has_ne = not has_sw
    elif has_se and has_nw and not has_sw and not has_ne:
        has_se = cell.east >= cell.north
        has_nw = not has_se
    w_sw = max((1.0 - cell.north) * left, _LEAST_CORNER) * has_sw
    w_se = max((1.0 - cell.north) * right, _LEAST_CORNER) * has_se
    w_nw = max(cell.north * left, _LEAST_CORNER) * has_nw
    w_ne = max(cell.north * right, _LEAST_CORNER) * has_ne
    norm = share / (w_sw + w_se + w_nw + w_ne)
    return _Corners(sw, se, nw, ne, w_sw * norm, w_se * norm, w_nw * norm, w_ne * norm)


@_inlined
def _borrowed(layer: LayerRecord, base: int, cell: _Cell, n_channel: int, share: float) -> _Corners:
    """The nearest known cell's value whole, for a cell all on land."""
    if cell.north >= 0.5:
        own = cell.ne if cell.east >= 0.5 else cell.nw
    else:
        own = cell.se if cell.east >= 0.5 else cell.sw
    nearest = load_int32(layer.nearest, own)
    if nearest >= 0 and load_int16(layer.packed, (base + nearest) * n_channel) != MISSING:
        at = base + nearest
        return _Corners(at, at, at, at, share, 0.0, 0.0, 0.0)
    return _Corners(base, base, base, base, 0.0, 0.0, 0.0, 0.0)


@_inlined
def _mean(layer: LayerRecord, stencil: _Stencil, n_channel: int, channel: int) -> float:
    """Weighted mean of one packed channel."""
    return _part_mean(layer, stencil.first, n_channel, channel) + _part_mean(
        layer, stencil.second, n_channel, channel
    )


@_inlined
def _part_mean(layer: LayerRecord, corners: _Corners, n_channel: int, channel: int) -> float:
    packed = layer.packed
    return float(
        corners.wa * load_int16(packed, corners.a * n_channel + channel)
        + corners.wb * load_int16(packed, corners.b * n_channel + channel)
        + corners.wc * load_int16(packed, corners.c * n_channel + channel)
        + corners.wd * load_int16(packed, corners.d * n_channel + channel)
    )


@_inlined
def _part_mean_length(layer: LayerRecord, corners: _Corners) -> float:
    """Weighted mean of the lengths of packed vectors of two channels."""
    return (
        corners.wa * _length(layer, corners.a)
        + corners.wb * _length(layer, corners.b)
        + corners.wc * _length(layer, corners.c)
        + corners.wd * _length(layer, corners.d)
    )


@_inlined
def _length(layer: LayerRecord, cell: int) -> float:
    u = float(load_int16(layer.packed, 2 * cell))
    v = float(load_int16(layer.packed, 2 * cell + 1))
    return math.sqrt(u * u + v * v)


@_inlined
def _wind(
    layer: LayerRecord, lat: float, lng: float, time_h: float
) -> tuple[float, float, float, bool]:
    """Vector (u, v) and scalar speed of the wind [m/s], and whether it is known."""
    stencil = _stencil(layer, lat, lng, time_h, 2)
    u = _mean(layer, stencil, 2, 0)
    v = _mean(layer, stencil, 2, 1)
    speed = _part_mean_length(layer, stencil.first) + _part_mean_length(layer, stencil.second)
    return u * WIND_SCALE, v * WIND_SCALE, speed * WIND_SCALE, stencil.known


@_inlined
def _wave(
    layer: LayerRecord, lat: float, lng: float, time_h: float
) -> tuple[float, float, float, float, bool]:
    """Height [m], period [s], direction vector (east, north), and whether they are known."""
    stencil = _stencil(layer, lat, lng, time_h, 4)
    return (
        _mean(layer, stencil, 4, 0) * WAVE_SCALE,
        _mean(layer, stencil, 4, 1) * WAVE_SCALE,
        _mean(layer, stencil, 4, 2) * DIRECTION_SCALE,
        _mean(layer, stencil, 4, 3) * DIRECTION_SCALE,
        stencil.known,
    )


@_inlined
def _current(
    layer: LayerRecord, lat: float, lng: float, time_h: float
) -> tuple[float, float, bool]:
    """Vector (u, v) of the current [m/s], and whether it is known."""
    stencil = _stencil(layer, lat, lng, time_h, 2)
    u = _mean(layer, stencil, 2, 0)
    v = _mean(layer, stencil, 2, 1)
    return u * CURRENT_SCALE, v * CURRENT_SCALE, stencil.known


@_inlined
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


@_inlined
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


@_inlined
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
