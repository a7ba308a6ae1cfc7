"""Layers: one group of variables each on a grid and a time axis, memory-mapped."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from app.engine.arrays import Bools, Floats, Ints
from app.engine.compiled import njit
from app.engine.constants import EARTH_MEAN_RADIUS_M
from app.engine.geodesy import unit_vectors
from app.engine.weather.grid import RegularGrid
from app.engine.weather.groups import CHANNELS, MISSING, Group, pack
from app.engine.weather.memory import load_float64, load_int64

#: Mean length of the Gregorian year [h]; 365.2425 d.
YEAR_H: Final = 8765.82

#: Greatest distance of the known cell whose value a coastal cell takes [km], the width of a gulf.
#: Cells without one are not covered.
_BORROWING_LIMIT_KM: Final = 150.0

#: Greatest distance in time of the step whose value a time takes [h]. Forecasts of wind and waves
#: are published in steps of at most 12 h, those of slow variables also as daily means.
_STEP_REACH_H: Final = 6.0
_STEP_REACH_OF_DAILY_MEANS_H: Final = 12.0
_DAILY_MEANS: Final = frozenset({Group.CURRENT, Group.ICE, Group.SEA_TEMPERATURE})

#: An edge beyond all positions [deg], for grids without that edge.
_OUT_OF_REACH_DEG: Final = 1000.0


class LayerRecord(NamedTuple):
    """A layer as addresses and numbers, for compiled code; see :mod:`.memory`.

    ``block`` is the address of int16 ``(n_time, n_cell, n_value)``, which layers of one grid and
    time axis may share; ``packed`` is that of the layer's first value in it. ``nearest`` is the
    address of int32 ``(n_cell,)``, for each cell the nearest cell with known values (itself if it
    has them), or -1 if none is near; ``times_h`` of float64 ``(n_time,)``; ``slots`` of int32
    ``(n_slot,)``, which maps equal time slots to the step in which they begin. ``south_edge``,
    ``north_edge`` and ``width`` [deg] bound a regional grid, and are beyond all positions for an
    open one. ``step_reach_h`` is that of :func:`step_reach_h`.
    """

    packed: int
    block: int
    nearest: int
    times_h: int
    slots: int
    n_time: int
    n_value: int
    n_slot: int
    n_lat: int
    n_lng: int
    wraps: int
    cyclic: int
    slots_per_hour: float
    first_h: float
    last_h: float
    lat_first: float
    rows_per_degree: float
    lng_first: float
    columns_per_degree: float
    south_edge: float
    north_edge: float
    width: float
    step_reach_h: float


#: Number of integer fields at the beginning of a record; the others are floats.
_N_WHOLE: Final = 12


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def layer_at(address: int) -> LayerRecord:
    """Read the record at an address; six records by value would fill the stack at every call."""
    return LayerRecord(
        load_int64(address, 0),
        load_int64(address, 1),
        load_int64(address, 2),
        load_int64(address, 3),
        load_int64(address, 4),
        load_int64(address, 5),
        load_int64(address, 6),
        load_int64(address, 7),
        load_int64(address, 8),
        load_int64(address, 9),
        load_int64(address, 10),
        load_int64(address, 11),
        load_float64(address, 12),
        load_float64(address, 13),
        load_float64(address, 14),
        load_float64(address, 15),
        load_float64(address, 16),
        load_float64(address, 17),
        load_float64(address, 18),
        load_float64(address, 19),
        load_float64(address, 20),
        load_float64(address, 21),
        load_float64(address, 22),
    )


@dataclass(frozen=True)
class OpenLayer:
    """A layer's opened arrays and the address of its record.

    The record is valid during the lifetime of this object.
    """

    address: int
    arrays: tuple[NDArray[Any], ...]


@dataclass(frozen=True)
class Layer:
    """One group of variables over a grid and time steps.

    ``times_h`` are strictly increasing hours since 1970-01-01T00Z, or, if ``cyclic``, equally
    spaced hours since the beginning of a mean year. ``source`` is the packed block, int16
    ``(n_time, n_cell, n_value)``, or the path of its ``.npy`` file. A layer with a path pickles as
    that path, so that worker processes share one copy in the page cache. ``nearest`` is as in
    :class:`LayerRecord`, an array or a path; ``first_value`` the index of the layer's first channel
    among the values of a cell.
    """

    group: Group
    grid: RegularGrid
    times_h: tuple[float, ...]
    source: NDArray[np.int16] | Path
    nearest: NDArray[np.int32] | Path
    cyclic: bool = False
    first_value: int = 0

    def open(
        self, blocks: dict[Path, NDArray[Any]] | None = None, *, channel: int = 0
    ) -> OpenLayer:
        """Map the layer's arrays; raises ValueError if their shapes are inconsistent.

        ``blocks`` holds the files mapped already, which layers may share. ``channel`` is the
        index of the record's first channel.
        """
        packed, nearest = _opened(self.source, blocks), _opened(self.nearest, blocks)
        expected = (len(self.times_h), self.grid.n_cell)
        last_value = self.first_value + len(CHANNELS[self.group])
        if packed.shape[:2] != expected or packed.shape[2] < last_value:
            raise ValueError(f"{self.group} layer has shape {packed.shape}, expected {expected}")
        if nearest.shape != expected[1:]:
            raise ValueError(f"{self.group} layer has {nearest.size} nearest cells")
        if packed.dtype != np.int16 or nearest.dtype != np.int32:
            raise ValueError(f"{self.group} layer is not packed as 16-bit integers")
        times_h = np.asarray(self.times_h, dtype=np.float64)
        slot_h, slots = _time_slots(times_h)
        arrays = (packed, nearest, times_h, slots)
        record = _encode_record(_record(self, arrays, slot_h, channel))
        return OpenLayer(record.ctypes.data, (*arrays, record))


def layer_from_values(
    group: Group,
    grid: RegularGrid,
    times_h: Sequence[float],
    values: NDArray[np.floating],
    *,
    cyclic: bool = False,
) -> Layer:
    """Build a layer in memory from physical values, NaN where missing.

    ``values`` has shape ``(n_time, n_lat, n_lng, n_channel)``, in the units and order of
    :data:`~app.engine.weather.groups.CHANNELS`. Unknown cells take the nearest known value within
    the :func:`borrowing_limit_km`.
    """
    packed = pack(group, values).reshape(len(times_h), grid.n_cell, len(CHANNELS[group]))
    known = (packed[..., 0] != MISSING).any(axis=0)
    nearest = nearest_known(grid, known, borrowing_limit_km(group, is_climatology=cyclic))
    return Layer(group, grid, tuple(float(t) for t in times_h), packed, nearest, cyclic)


def borrowing_limit_km(group: Group, *, is_climatology: bool) -> float:
    """Return the greatest distance of the known cell whose value an unknown cell takes [km].

    A climatology of the air and of the sea temperature has values everywhere. Waves and currents of
    the sea do not reach far inland.
    """
    is_limited = not is_climatology or group in (Group.WAVE, Group.CURRENT)
    return _BORROWING_LIMIT_KM if is_limited else np.inf


def step_reach_h(group: Group) -> float:
    """Return how far in time a step of a group speaks for the weather [h].

    Farther from both neighbouring steps, in a gap of a run, the weather is not forecast.
    """
    return _STEP_REACH_OF_DAILY_MEANS_H if group in _DAILY_MEANS else _STEP_REACH_H


def measure_coverage_h(group: Group, times_h: Sequence[float], from_h: float, to_h: float) -> float:
    """Return the hours of a span that the steps of a forecast cover, without its gaps."""
    times, reach_h = np.asarray(times_h), step_reach_h(group)
    begins = np.maximum(times - reach_h, max(from_h, times[0]))
    ends = np.minimum(times + reach_h, min(to_h, times[-1]))
    begins[1:] = np.maximum(begins[1:], ends[:-1])
    return float(np.maximum(ends - begins, 0.0).sum())


def no_layer() -> OpenLayer:
    """Return an empty layer, with a record of the same type as others."""
    grid = RegularGrid(0.0, 1.0, 1, 0.0, 1.0, 1)
    layer = Layer(Group.ICE, grid, (), np.zeros((0, 1, 1), np.int16), np.zeros(1, np.int32))
    return layer.open()


def nearest_known(grid: RegularGrid, known: Bools, limit_km: float) -> NDArray[np.int32]:
    """Find for each cell the index of the nearest known cell, -1 beyond ``limit_km``.

    Distances are chords of great circles, which are correct across the antimeridian and the poles.
    """
    nearest = np.full(grid.n_cell, -1, dtype=np.int32)
    nearest[known] = np.flatnonzero(known)
    if known.all() or not known.any():
        return nearest
    points = unit_vectors(*grid.cells())
    chord = _chord(limit_km)
    tree: Any = KDTree(points[known])
    distance, index = tree.query(points[~known], distance_upper_bound=chord)
    found = np.isfinite(distance)
    lookup = np.append(np.flatnonzero(known), -1)
    nearest[~known] = lookup[np.where(found, index, -1)]
    return nearest


def _chord(distance_km: float) -> float:
    half_angle = distance_km * 1000.0 / EARTH_MEAN_RADIUS_M / 2.0
    return 2.0 * float(np.sin(half_angle)) if half_angle < np.pi / 2.0 else 2.1


def _opened(
    source: NDArray[Any] | Path, mapped: dict[Path, NDArray[Any]] | None = None
) -> NDArray[Any]:
    if isinstance(source, Path):
        if mapped is None:
            mapped = {}
        if source not in mapped:
            mapped[source] = np.asarray(np.load(source, mmap_mode="r"))
        source = mapped[source]
    view = np.ascontiguousarray(source).view()
    view.setflags(write=False)
    return view


def _record(
    layer: Layer, arrays: tuple[NDArray[Any], ...], slot_h: float, channel: int
) -> LayerRecord:
    grid, times_h, slots = layer.grid, layer.times_h, arrays[3]
    block, nearest, times_at, slots_at = (array.ctypes.data for array in arrays)
    reaches_south_pole = grid.lat_first <= -90.0 + grid.lat_step
    reaches_north_pole = grid.lat_last >= 90.0 - grid.lat_step
    return LayerRecord(
        packed=block + arrays[0].itemsize * (layer.first_value + channel),
        block=block,
        nearest=nearest,
        times_h=times_at,
        slots=slots_at,
        n_time=len(times_h),
        n_value=arrays[0].shape[2],
        n_slot=slots.size,
        slots_per_hour=1.0 / slot_h,
        first_h=times_h[0] if times_h else 0.0,
        last_h=times_h[-1] if times_h else 0.0,
        n_lat=grid.n_lat,
        n_lng=grid.n_lng,
        lat_first=float(grid.lat_first),
        rows_per_degree=1.0 / grid.lat_step,
        lng_first=float(grid.lng_first),
        columns_per_degree=1.0 / grid.lng_step,
        south_edge=-_OUT_OF_REACH_DEG if reaches_south_pole else float(grid.lat_first),
        north_edge=_OUT_OF_REACH_DEG if reaches_north_pole else float(grid.lat_last),
        width=_OUT_OF_REACH_DEG if grid.wraps else float(grid.lng_last - grid.lng_first),
        wraps=grid.wraps,
        cyclic=layer.cyclic,
        step_reach_h=step_reach_h(layer.group),
    )


def _encode_record(record: LayerRecord) -> Ints:
    words = np.array(record[:_N_WHOLE] + (0,) * (len(record) - _N_WHOLE), dtype=np.int64)
    words[_N_WHOLE:].view(np.float64)[:] = record[_N_WHOLE:]
    return words


def _time_slots(times_h: Floats) -> tuple[float, NDArray[np.int32]]:
    """Return the length of equal slots, that of the shortest step, and the step of each slot."""
    if times_h.size < 2:
        return 1.0, np.zeros(1, dtype=np.int32)
    steps = np.diff(times_h)
    if (steps <= 0.0).any():
        raise ValueError("time steps must increase")
    slot_h = float(steps.min())
    begins = times_h[0] + slot_h * np.arange(int((times_h[-1] - times_h[0]) / slot_h) + 1)
    slots = np.searchsorted(times_h, begins + 1e-9, side="right") - 1
    return slot_h, np.minimum(slots, times_h.size - 2).astype(np.int32)
