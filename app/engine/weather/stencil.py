"""Which grid cells speak for a place and time, and how much: land, coasts, edges, horizons.

Compiled. Interpolation is linear in time and bilinear in space over the *known*
corners of a cell. Missing corners (land) carry no weight. Two known corners that
touch only across a missing diagonal are taken for two seas, and the nearer alone
counts. A cell without any known corner takes the value of the nearest known
cell, if that is within reach. Positions north or south of a global grid's last
row take that row.
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

#: A forecast relaxes to climatology over this time beyond its horizon [h].
RELAXATION_H: Final = 24.0

#: A regional forecast relaxes to climatology over this margin inside its edge [deg].
EDGE_TAPER_DEG: Final = 1.0

#: Inlined by LLVM: the parts pass small tuples, which would else go by memory.
inlined = njit(cache=True, nogil=True, error_model="numpy", forceinline=True)

# A corner that lies on the far side of its cell keeps this much weight, so
# that the sum does not vanish where it alone is known.
_LEAST_CORNER: Final = 1e-9


class Place(NamedTuple):
    """Where a place and time lie in a layer, and how much the layer has to say there.

    The corners of the cell and the time steps around are indices of packed
    values: one of each, added up, is that of a corner's first value. ``north``,
    ``east`` and ``later`` are fractions inside the cell and the time step;
    ``share`` is the layer's :func:`coverage`. Layers of one block share places.
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
    """Indices of four corners' values with weights, all 0 where nothing is known."""

    a: int
    b: int
    c: int
    d: int
    wa: float
    wb: float
    wc: float
    wd: float


class Stencil(NamedTuple):
    """The corners at two time steps; all weights together sum to 1, or nothing is known."""

    at: EightIndices
    weights: Eight
    known: bool


@inlined
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


@inlined
def _east_of_first(layer: LayerRecord, lng: float) -> float:
    """Degrees eastward from the first column, 0 to 360."""
    east = lng - layer.lng_first
    return east - 360.0 * math.floor(east * (1.0 / 360.0))


@inlined
def find_place(layer: LayerRecord, lat: float, lng: float, time_h: float) -> Place:
    """Where a place and time lie; beyond a grid's edge, at its nearest edge."""
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
    before, after, later = _steps(layer, time_h)
    size, row = layer.n_value, layer.n_value * layer.n_lng
    low, high, step = south * row, north * row, layer.n_lat * row
    left, right = west * size, east * size
    share = coverage(layer, lat, lng, time_h)
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
def _steps(layer: LayerRecord, time_h: float) -> tuple[int, int, float]:
    """The two time steps around a moment and the fraction of the later one."""
    if layer.n_time <= 1:
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


@inlined
def prefetch_place(layer: LayerRecord, place: Place) -> None:
    """Begin to bring the corners of a place into the cache, without waiting."""
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
    """The cells that speak for a place and time, with their weights."""
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
    """As :func:`find_stencil`, where some corner is unknown."""
    first = _corners(layer, place.before, place, 1.0 - place.later)
    second = _corners(layer, place.after, place, place.later)
    total = first.wa + first.wb + first.wc + first.wd + second.wa + second.wb
    total += second.wc + second.wd
    # Where one of the two steps knows nothing (ice came or went), the other speaks.
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
    """Bilinear weights of the cell's known corners at one time step, times ``share``."""
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
    """The nearest known cell's value whole, for a cell all on land."""
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
    """Weighted mean of the lengths of packed vectors of two channels."""
    total = 0.0
    for corner in range(8):
        total += stencil.weights[corner] * _length(layer, stencil.at[corner])
    return total


@inlined
def _length(layer: LayerRecord, at: int) -> float:
    u, v = int(load_int16(layer.packed, at)), int(load_int16(layer.packed, at + 1))
    return math.sqrt(float(u * u + v * v))
