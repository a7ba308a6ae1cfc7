"""Weather as it is known since: each time from the newest of consecutive runs."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Floats, Ints
from app.engine.weather.field import WeatherRun
from app.engine.weather.grid import RegularGrid
from app.engine.weather.groups import CHANNELS, MISSING, Group
from app.engine.weather.layer import Layer, borrowing_limit_km, nearest_known, step_reach_h

#: Water kept around the places of a voyage [deg]: more than the margin over which a forecast
#: relaxes to climatology inside its edge.
_MARGIN_DEG: Final = 5.0
#: Largest size of a spliced layer [bytes]; of a larger one only some of the steps are kept.
_MOST_BYTES: Final = 256 * 1024 * 1024


class _Step(NamedTuple):
    """A step of a run: its time [h since 1970-01-01T00Z], and run and step by index."""

    time_h: float
    run: int
    step: int


class _Window(NamedTuple):
    """A part of a grid: its rows and columns, by index, and the grid that they make up."""

    rows: slice
    columns: Ints
    grid: RegularGrid


def splice(
    runs: Sequence[WeatherRun],
    group: Group,
    span_h: tuple[float, float],
    lats: Floats,
    lngs: Floats,
) -> list[WeatherRun]:
    """Splice a group of consecutive runs on one grid, the newest first, around n places [deg].

    Of each run the steps in a span [h since 1970-01-01T00Z] are taken that no newer run covers.
    Each place is near the one before, as a ship passes them. Return one run, in memory; none if no
    step is in the span, or no place in the grid.
    """
    layers = [run.layers[group] for run in runs]
    window = _find_window(layers[0].grid, lats, lngs) if layers else None
    listed = sorted(_list_steps(layers, span_h))
    if window is None or not listed:
        return []
    n_channel = len(CHANNELS[group])
    steps = _thin(listed, group, 2 * n_channel * window.grid.n_cell)
    packed = np.empty((len(steps), window.grid.n_cell, n_channel), dtype=np.int16)
    blocks = [layer.open().arrays[0] for layer in layers]
    for row, step in enumerate(steps):
        packed[row] = _cut(blocks[step.run][step.step], layers[step.run], window)
    known = (packed[..., 0] != MISSING).any(axis=0)
    limit_km = borrowing_limit_km(group, is_climatology=False)
    nearest = nearest_known(window.grid, known, limit_km)
    layer = Layer(group, window.grid, tuple(step.time_h for step in steps), packed, nearest)
    names = tuple(dict.fromkeys(runs[step.run].name for step in steps))
    return [WeatherRun(" + ".join(names), {group: layer}, spliced=names)]


def _list_steps(layers: Sequence[Layer], span_h: tuple[float, float]) -> Iterator[_Step]:
    """List the steps of runs in a span that lie outside the times of newer ones, without gaps."""
    newer: list[tuple[float, float]] = [(-np.inf, span_h[0]), (span_h[1], np.inf)]
    for run, layer in enumerate(layers):
        for index, time_h in enumerate(layer.times_h):
            if not any(first_h <= time_h <= last_h for first_h, last_h in newer):
                yield _Step(time_h, run, index)
        gaps = np.flatnonzero(np.diff(layer.times_h) > 2.0 * step_reach_h(layer.group)) + 1
        newer += [(part[0], part[-1]) for part in np.split(np.array(layer.times_h), gaps)]


def _thin(steps: list[_Step], group: Group, bytes_per_step: int) -> list[_Step]:
    """Keep so few steps that they fit into memory, but enough to leave no gap between them."""
    most = max(_MOST_BYTES // bytes_per_step, 1)
    span_h, longest_h = steps[-1].time_h - steps[0].time_h, 2.0 * step_reach_h(group)
    least_h = span_h / most if len(steps) > most else 0.0
    kept = steps[:1]
    for step, following in zip(steps[1:], [*steps[2:], None], strict=False):
        last_h = kept[-1].time_h
        is_needed = following is None or following.time_h - last_h > longest_h
        if is_needed or step.time_h - last_h >= least_h:
            kept.append(step)
    return kept


def _cut(packed: NDArray[np.int16], layer: Layer, window: _Window) -> NDArray[np.int16]:
    """Cut one step of a layer, (n_cell, n_value), to a window, (m_cell, n_channel)."""
    n_channel = len(CHANNELS[layer.group])
    rows = packed.reshape(layer.grid.n_lat, layer.grid.n_lng, -1)[window.rows]
    values = rows[:, window.columns, layer.first_value : layer.first_value + n_channel]
    return values.reshape(-1, n_channel)


def _find_window(grid: RegularGrid, lats: Floats, lngs: Floats) -> _Window | None:
    """Find the part of a grid around places; ``None`` if it has none of them."""
    south, north = lats.min() - _MARGIN_DEG, lats.max() + _MARGIN_DEG
    first = max(int((south - grid.lat_first) // grid.lat_step), 0)
    last = min(-int((grid.lat_first - north) // grid.lat_step), grid.n_lat - 1)
    columns = _find_columns(grid, lngs)
    if first > last or not columns.size:
        return None
    part = RegularGrid(
        grid.lat_first + first * grid.lat_step,
        grid.lat_step,
        last - first + 1,
        grid.lng_first + float(columns[0]) * grid.lng_step,
        grid.lng_step,
        columns.size,
    )
    around = columns % grid.n_around if grid.wraps else columns
    return _Window(slice(first, last + 1), around, part)


def _find_columns(grid: RegularGrid, lngs: Floats) -> Ints:
    """Find the columns around longitudes; those of a grid that wraps count on past its last."""
    passed = np.unwrap(lngs, period=360.0)
    west, east = passed.min() - _MARGIN_DEG, passed.max() + _MARGIN_DEG
    if not grid.wraps:
        middle = 0.5 * (grid.lng_first + grid.lng_last)
        turns = 360.0 * np.round((middle - 0.5 * (west + east)) / 360.0)
        west, east = west + turns, east + turns
    first = int((west - grid.lng_first) // grid.lng_step)
    last = -int((grid.lng_first - east) // grid.lng_step)
    if not grid.wraps:
        first, last = max(first, 0), min(last, grid.n_lng - 1)
    elif last - first >= grid.n_around:
        first, last = 0, grid.n_lng - 1
    return np.arange(first, last + 1)
