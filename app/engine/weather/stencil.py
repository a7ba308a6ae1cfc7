"""Interpolation stencils: grid cells and weights at a place and time, with coasts and horizons.

Compiled. Interpolation is linear in time and bilinear in space over the *known* corners of a
cell. In a gap between time steps a forecast relaxes to climatology as beyond its horizon.
Missing corners (land) have no weight. Two known corners at the ends of a diagonal are treated as
two seas, of which only the nearer counts. A cell without any known corner takes the value of the
nearest known cell, if there is one near enough. Positions north or south of a global grid's last
row take the values of that row.
"""

import math
from typing import Final, NamedTuple

from app.engine.compiled import njit
from app.engine.weather.groups import MISSING
from app.engine.weather.layer import YEAR_H, LayerRecord
from app.engine.weather.memory import (
    Eight,
    EightIndices,
    load_float64,
    load_int16,
    load_int32,
    prefetch_int16,
)

#: Time beyond its horizon, or in a gap, over which a forecast relaxes to climatology [h].
RELAXATION_H: Final = 24.0

#: Margin inside its edge over which a regional forecast relaxes to climatology [deg].
_EDGE_TAPER_DEG: Final = 1.0

#: Inlined by LLVM, because the functions pass small tuples, which calls would pass in memory.
inlined = njit(cache=True, nogil=True, error_model="numpy", forceinline=True)

# Least weight of a known corner, so that the sum is positive where only one far corner is known.
_LEAST_CORNER: Final = 1e-9


class Place(NamedTuple):
    """Location of a place and time in a layer's grid, and the layer's weight there.

    The corners of the cell and the time steps before and after are offsets in the packed values;
    the sum of one of each is the index of a corner's first value. ``north``, ``east`` and
    ``later`` are fractions in the cell and the time step; ``share`` is the layer's
    :func:`coverage`. Layers of one block share places.
    """

    sw: int
    se: int
    nw: int
    ne: int
    before: int
    after: int
    north: float
    east: float
    later: float
    share: float


class Corners(NamedTuple):
    """Indices of the values at four corners with weights, all 0 if no value is known."""

    a: int
    b: int
    c: int
    d: int
    wa: float
    wb: float
    wc: float
    wd: float


class Stencil(NamedTuple):
    """Corners at two time steps; the weights sum to 1 unless no value is known."""

    at: EightIndices
    weights: Eight
    known: bool


@inlined
def coverage(
    layer: LayerRecord, lat: float, lng: float, time_h: float, from_step_h: float
) -> float:
    """Return the weight of a layer at a place and time, 0 outside to 1 inside.

    ``from_step_h`` is the time to the nearer of the neighbouring steps. The weight decreases
    linearly over :data:`RELAXATION_H` beyond either end of the time axis and beyond the reach of
    the steps on both sides of a gap, and over :data:`_EDGE_TAPER_DEG` inside the edge of a regional
    grid.
    """
    if layer.n_time == 0:
        return 0.0
    if layer.cyclic:
        return 1.0
    beyond_h = max(layer.first_h - time_h, time_h - layer.last_h, from_step_h - layer.step_reach_h)
    weight = 1.0 - max(beyond_h, 0.0) / RELAXATION_H
    if weight <= 0.0:
        return 0.0
    margin = min(lat - layer.south_edge, layer.north_edge - lat)
    if not layer.wraps:
        east = _east_of_first(layer, lng)
        margin = min(margin, east, layer.width - east)
    return weight * min(1.0, max(0.0, margin / _EDGE_TAPER_DEG))


@inlined
def _east_of_first(layer: LayerRecord, lng: float) -> float:
    """Return the degrees eastward from the first column, 0 to 360."""
    east = lng - layer.lng_first
    return east - 360.0 * math.floor(east * (1.0 / 360.0))


@inlined
def find_place(layer: LayerRecord, lat: float, lng: float, time_h: float) -> Place:
    """Locate a place and time in a layer; places outside the grid are moved to its edge."""
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
    before, after, later, from_step_h = _steps(layer, time_h)
    size, row = layer.n_value, layer.n_value * layer.n_lng
    low, high, step = south * row, north * row, layer.n_lat * row
    left, right = west * size, east * size
    share = coverage(layer, lat, lng, time_h, from_step_h)
    return Place(
        sw=low + left,
        se=low + right,
        nw=high + left,
        ne=high + right,
        before=before * step,
        after=after * step,
        north=y - south,
        east=x - west,
        later=later,
        share=share,
    )


@inlined
def _steps(layer: LayerRecord, time_h: float) -> tuple[int, int, float, float]:
    """Return the steps before and after a time, the fraction of the later, and the nearer's time.

    The last is hours from the nearer step, 0 outside the time axis and in a cyclic layer.
    """
    if layer.n_time <= 1:
        return 0, 0, 0.0, 0.0
    if layer.cyclic:
        phase = (time_h - layer.first_h) * (1.0 / YEAR_H)
        steps = (phase - math.floor(phase)) * layer.n_time
        index = min(int(steps), layer.n_time - 1)
        after = index + 1
        return index, after if after < layer.n_time else 0, steps - index, 0.0
    time_h = min(max(time_h, layer.first_h), layer.last_h)
    slot = int((time_h - layer.first_h) * layer.slots_per_hour)
    index = load_int32(layer.slots, min(slot, layer.n_slot - 1))
    after_h = load_float64(layer.times_h, index + 1)
    while index < layer.n_time - 2 and after_h <= time_h:
        index += 1
        after_h = load_float64(layer.times_h, index + 1)
    before_h = load_float64(layer.times_h, index)
    nearer_h = min(time_h - before_h, after_h - time_h)
    return index, index + 1, (time_h - before_h) / (after_h - before_h), nearer_h


@inlined
def prefetch_place(layer: LayerRecord, place: Place) -> None:
    """Prefetch the corners of a place into the cache, without waiting."""
    prefetch_int16(layer.packed, place.before + place.sw)
    prefetch_int16(layer.packed, place.before + place.nw)
    prefetch_int16(layer.packed, place.after + place.sw)
    prefetch_int16(layer.packed, place.after + place.nw)
    prefetch_int16(layer.packed, place.before + place.se)
    prefetch_int16(layer.packed, place.before + place.ne)
    prefetch_int16(layer.packed, place.after + place.se)
    prefetch_int16(layer.packed, place.after + place.ne)


@inlined
def find_stencil(layer: LayerRecord, place: Place) -> Stencil:
    """Return the cells of a place and time with their weights."""
    before, after = place.before, place.after
    at = (
        before + place.sw,
        before + place.se,
        before + place.nw,
        before + place.ne,
        after + place.sw,
        after + place.se,
        after + place.nw,
        after + place.ne,
    )
    if not (
        _all_known(layer, at[0], at[1], at[2], at[3])
        and _all_known(layer, at[4], at[5], at[6], at[7])
    ):
        return _stencil_with_gaps(layer, place)
    low, left = 1.0 - place.north, 1.0 - place.east
    sw, se = low * left, low * place.east
    nw, ne = place.north * left, place.north * place.east
    first, second = 1.0 - place.later, place.later
    weights = (
        sw * first,
        se * first,
        nw * first,
        ne * first,
        sw * second,
        se * second,
        nw * second,
        ne * second,
    )
    return Stencil(at, weights, True)


@inlined
def _all_known(layer: LayerRecord, a: int, b: int, c: int, d: int) -> bool:
    return _known(layer, a) and _known(layer, b) and _known(layer, c) and _known(layer, d)


@inlined
def _known(layer: LayerRecord, at: int) -> bool:
    return bool(load_int16(layer.packed, at) != MISSING)


@njit(cache=True, nogil=True, error_model="numpy")
def _stencil_with_gaps(layer: LayerRecord, place: Place) -> Stencil:
    """Return the stencil of a place with unknown corners, as :func:`find_stencil`."""
    first = _corners(layer, place.before, place, 1.0 - place.later)
    second = _corners(layer, place.after, place, place.later)
    total = first.wa + first.wb + first.wc + first.wd + second.wa + second.wb
    total += second.wc + second.wd
    # if no corner is known at one of the two steps, as when ice forms or melts, the other is used
    share = 1.0 / total if total > 0.0 else 0.0
    return Stencil(
        (first.a, first.b, first.c, first.d, second.a, second.b, second.c, second.d),
        (
            first.wa * share,
            first.wb * share,
            first.wc * share,
            first.wd * share,
            second.wa * share,
            second.wb * share,
            second.wc * share,
            second.wd * share,
        ),
        total > 0.0,
    )


@inlined
def _corners(layer: LayerRecord, step: int, place: Place, share: float) -> Corners:
    """Return bilinear weights of the cell's known corners at one time step, times ``share``."""
    sw, se, nw, ne = step + place.sw, step + place.se, step + place.nw, step + place.ne
    has_sw, has_se = _known(layer, sw), _known(layer, se)
    has_nw, has_ne = _known(layer, nw), _known(layer, ne)
    north, east = place.north, place.east
    if not (has_sw or has_se or has_nw or has_ne):
        return _borrowed(layer, step, place, share)
    if has_sw and has_ne and not has_se and not has_nw:
        has_sw = north + east <= 1.0
        has_ne = not has_sw
    elif has_se and has_nw and not has_sw and not has_ne:
        has_se = east >= north
        has_nw = not has_se
    w_sw = max((1.0 - north) * (1.0 - east), _LEAST_CORNER) * has_sw
    w_se = max((1.0 - north) * east, _LEAST_CORNER) * has_se
    w_nw = max(north * (1.0 - east), _LEAST_CORNER) * has_nw
    w_ne = max(north * east, _LEAST_CORNER) * has_ne
    norm = share / (w_sw + w_se + w_nw + w_ne)
    return Corners(sw, se, nw, ne, w_sw * norm, w_se * norm, w_nw * norm, w_ne * norm)


@inlined
def _borrowed(layer: LayerRecord, step: int, place: Place, share: float) -> Corners:
    """Return the nearest known cell with the whole weight, for a cell without known corners."""
    if place.north >= 0.5:
        own = place.ne if place.east >= 0.5 else place.nw
    else:
        own = place.se if place.east >= 0.5 else place.sw
    nearest = load_int32(layer.nearest, own // layer.n_value)
    at = step + nearest * layer.n_value
    if nearest >= 0 and _known(layer, at):
        return Corners(at, at, at, at, share, 0.0, 0.0, 0.0)
    return Corners(step, step, step, step, 0.0, 0.0, 0.0, 0.0)


@inlined
def mean_length(layer: LayerRecord, stencil: Stencil) -> float:
    """Return the weighted mean of the lengths of packed vectors of two channels."""
    total = 0.0
    for corner in range(8):
        total += stencil.weights[corner] * _length(layer, stencil.at[corner])
    return total


@inlined
def _length(layer: LayerRecord, at: int) -> float:
    u, v = int(load_int16(layer.packed, at)), int(load_int16(layer.packed, at + 1))
    return math.sqrt(float(u * u + v * v))
