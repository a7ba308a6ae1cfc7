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

from numba import njit

from app.engine.weather.groups import MISSING
from app.engine.weather.layer import YEAR_H, LayerRecord
from app.engine.weather.memory import load_float64, load_int16, load_int32

#: A forecast relaxes to climatology over this time beyond its horizon [h].
RELAXATION_H: Final = 24.0

#: A regional forecast relaxes to climatology over this margin inside its edge [deg].
EDGE_TAPER_DEG: Final = 1.0

#: Inlined by LLVM: the parts pass small tuples, which would else go by memory.
inlined = njit(cache=True, nogil=True, error_model="numpy", forceinline=True)

# A corner that lies on the far side of its cell keeps this much weight, so
# that the sum does not vanish where it alone is known.
_LEAST_CORNER: Final = 1e-9


class Cell(NamedTuple):
    """Corner indices and the fractions northward and eastward inside the cell."""

    sw: int
    se: int
    nw: int
    ne: int
    north: float
    east: float


class Corners(NamedTuple):
    """Corner indices with weights; a sum of weights of 0 means nothing is known."""

    a: int
    b: int
    c: int
    d: int
    wa: float
    wb: float
    wc: float
    wd: float


class Stencil(NamedTuple):
    """The corners at two time steps; all weights together sum to 1, or to 0."""

    first: Corners
    second: Corners
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
def find_cell(layer: LayerRecord, lat: float, lng: float) -> Cell:
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
    return Cell(low + west, low + east, high + west, high + east, y - south, x - west)


@inlined
def find_steps(layer: LayerRecord, time_h: float) -> tuple[int, int, float]:
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


@inlined
def find_stencil(
    layer: LayerRecord, lat: float, lng: float, time_h: float, n_channel: int
) -> Stencil:
    """The cells that speak for a place and time, with their weights."""
    cell = find_cell(layer, lat, lng)
    i, j, later = find_steps(layer, time_h)
    first = _corners(layer, i * layer.n_cell, cell, n_channel, 1.0 - later)
    second = _corners(layer, j * layer.n_cell, cell, n_channel, later)
    total = first.wa + first.wb + first.wc + first.wd + second.wa + second.wb
    total += second.wc + second.wd
    if total > 1.0 - 1e-6:
        return Stencil(first, second, True)
    if total == 0.0:
        return Stencil(first, second, False)
    # One of the two steps knows nothing here (ice came or went): the other speaks.
    share = 1.0 / total
    return Stencil(_scaled(first, share), _scaled(second, share), True)


@inlined
def _scaled(corners: Corners, share: float) -> Corners:
    a, b, c, d, wa, wb, wc, wd = corners
    return Corners(a, b, c, d, wa * share, wb * share, wc * share, wd * share)


@inlined
def _corners(layer: LayerRecord, base: int, cell: Cell, n_channel: int, share: float) -> Corners:
    """Bilinear weights of the cell's corners times ``share``, indices counted from step 0."""
    sw, se, nw, ne = base + cell.sw, base + cell.se, base + cell.nw, base + cell.ne
    has_sw = load_int16(layer.packed, sw * n_channel) != MISSING
    has_se = load_int16(layer.packed, se * n_channel) != MISSING
    has_nw = load_int16(layer.packed, nw * n_channel) != MISSING
    has_ne = load_int16(layer.packed, ne * n_channel) != MISSING
    high, right = share * cell.north, cell.east
    low, left = share - high, 1.0 - right
    if has_sw and has_se and has_nw and has_ne:
        return Corners(sw, se, nw, ne, low * left, low * right, high * left, high * right)
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
    return Corners(sw, se, nw, ne, w_sw * norm, w_se * norm, w_nw * norm, w_ne * norm)


@inlined
def _borrowed(layer: LayerRecord, base: int, cell: Cell, n_channel: int, share: float) -> Corners:
    """The nearest known cell's value whole, for a cell all on land."""
    if cell.north >= 0.5:
        own = cell.ne if cell.east >= 0.5 else cell.nw
    else:
        own = cell.se if cell.east >= 0.5 else cell.sw
    nearest = load_int32(layer.nearest, own)
    if nearest >= 0 and load_int16(layer.packed, (base + nearest) * n_channel) != MISSING:
        at = base + nearest
        return Corners(at, at, at, at, share, 0.0, 0.0, 0.0)
    return Corners(base, base, base, base, 0.0, 0.0, 0.0, 0.0)


@inlined
def weighted_mean(layer: LayerRecord, stencil: Stencil, n_channel: int, channel: int) -> float:
    """Weighted mean of one packed channel."""
    return _part_mean(layer, stencil.first, n_channel, channel) + _part_mean(
        layer, stencil.second, n_channel, channel
    )


@inlined
def _part_mean(layer: LayerRecord, corners: Corners, n_channel: int, channel: int) -> float:
    packed = layer.packed
    return float(
        corners.wa * load_int16(packed, corners.a * n_channel + channel)
        + corners.wb * load_int16(packed, corners.b * n_channel + channel)
        + corners.wc * load_int16(packed, corners.c * n_channel + channel)
        + corners.wd * load_int16(packed, corners.d * n_channel + channel)
    )


@inlined
def weighted_mean_length(layer: LayerRecord, stencil: Stencil) -> float:
    """Weighted mean of the lengths of packed vectors of two channels."""
    return _part_mean_length(layer, stencil.first) + _part_mean_length(layer, stencil.second)


@inlined
def _part_mean_length(layer: LayerRecord, corners: Corners) -> float:
    """Weighted mean of the lengths of packed vectors of two channels."""
    return (
        corners.wa * _length(layer, corners.a)
        + corners.wb * _length(layer, corners.b)
        + corners.wc * _length(layer, corners.c)
        + corners.wd * _length(layer, corners.d)
    )


@inlined
def _length(layer: LayerRecord, cell: int) -> float:
    u = float(load_int16(layer.packed, 2 * cell))
    v = float(load_int16(layer.packed, 2 * cell + 1))
    return math.sqrt(u * u + v * v)
