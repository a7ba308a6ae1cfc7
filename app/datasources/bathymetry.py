"""The operator's own grid of depths: GEBCO or ETOPO 2022 as NetCDF, the world's or a part of it.

Read row by row, so that a grid of 15 seconds (7.5 GB) needs some megabytes of memory.
Sources: GEBCO Compilation Group, GEBCO grid (variable ``elevation``); NOAA National Centers for
Environmental Information (2022), ETOPO 2022 (variable ``z``): heights above sea level [m].
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import netCDF4
import numpy as np
from numpy.typing import NDArray

from app.datasources.etopo import CELLS_PER_DEGREE
from app.datasources.netcdf_classic import HeaderInvalid, find_missing_bytes
from app.engine.arrays import Floats, Ints
from app.engine.progress import Progress
from app.engine.sea.clearance import FIELD_CELLS, FIELD_COLS, FIELD_ROWS
from app.engine.sea.depth import NO_DEPTH
from app.engine.sea.shoals import DEEP, STEPS_PER_M, UNKNOWN

#: Names of the variable of heights; the first one in a file is read.
_HEIGHTS: Final = ("elevation", "z", "Band1")
_LATS: Final = ("lat", "latitude", "y")
_LNGS: Final = ("lon", "longitude", "x")
#: Coarsest and finest step between samples [deg]: 1 minute and 5 seconds.
_COARSEST_DEG: Final = 1.01 / 60.0
_FINEST_DEG: Final = 5.0 / 3600.0


class InvalidBathymetry(ValueError):
    """The file is no grid of depths; the message gives the reason."""


class FineDepths(NamedTuple):
    """Depths of a source grid, on the grids of the atlas.

    ``steps``, (FIELD_ROWS, FIELD_COLS) uint8, is the least depth of each 1/32 degree in steps of
    :mod:`app.engine.sea.shoals`, UNKNOWN outside the grid; ``nodes``, (2161, 4320) int16, the
    least depth [m] around each node of the 5' grid, NO_DEPTH outside. ``source`` names the file.
    """

    steps: NDArray[np.uint8]
    nodes: NDArray[np.int16]
    source: str


def load_bathymetry(path: Path, progress: Progress) -> FineDepths:
    """Read a grid of heights into the least depth of each cell of the atlas.

    Raise :class:`InvalidBathymetry` if the file is no NetCDF grid of heights of 5 seconds to 1
    minute, or is cut short.
    """
    with _open(path) as data:
        lats, lngs = _read_axis(data, _LATS, path), _read_axis(data, _LNGS, path)
        heights = _find(data, _HEIGHTS, path)
        if heights.shape != (lats.size, lngs.size):
            raise InvalidBathymetry(f"{path}: {heights.name} does not lie on latitude, longitude.")
        steps = np.full((FIELD_ROWS, FIELD_COLS), UNKNOWN, dtype=np.uint8)
        nodes = np.full((180 * CELLS_PER_DEGREE + 1, 360 * CELLS_PER_DEGREE), NO_DEPTH, np.int16)
        for row in _group_rows(lats, FIELD_CELLS, 0.0, FIELD_ROWS, progress):
            least, cols = _find_least(heights, row.samples, lngs, FIELD_CELLS, 0.0)
            known = np.clip(np.floor(least * STEPS_PER_M), 0, DEEP).astype(np.uint8)
            np.minimum.at(steps[row.number], cols, known)
        for row in _group_rows(lats, CELLS_PER_DEGREE, 0.5, nodes.shape[0], progress):
            least, cols = _find_least(heights, row.samples, lngs, CELLS_PER_DEGREE, 0.5)
            known = np.clip(np.floor(least), -32_000, 32_000).astype(np.int16)
            np.minimum.at(nodes[row.number], cols, known)
        title = getattr(data, "title", "") or path.stem
    return FineDepths(steps, nodes, f"{title} ({path.name})")


def _open(path: Path) -> netCDF4.Dataset:
    try:
        missing = find_missing_bytes(path)
        if missing:
            raise InvalidBathymetry(
                f"{path} is cut short and lacks {missing:,} bytes. Download it again."
            )
        return netCDF4.Dataset(str(path))
    except (OSError, HeaderInvalid) as error:
        raise InvalidBathymetry(
            f"{path} is not a whole NetCDF file. BATHYMETRY takes a GEBCO or ETOPO 2022 grid (.nc)."
        ) from error


class _Row(NamedTuple):
    number: int
    samples: slice


def _read_axis(data: Any, names: tuple[str, ...], path: Path) -> Floats:
    axis = np.asarray(_find(data, names, path)[:], dtype=np.float64)
    steps = np.diff(axis)
    if axis.ndim != 1 or axis.size < 2 or not (np.all(steps > 0.0) or np.all(steps < 0.0)):
        raise InvalidBathymetry(f"{path}: {names[0]} is no axis of a grid.")
    step = float(np.abs(steps).mean())
    if not _FINEST_DEG <= step <= _COARSEST_DEG:
        raise InvalidBathymetry(
            f"{path.name}: samples lie {3600.0 * step:.0f} seconds apart; 5 seconds to 1 minute "
            "is taken."
        )
    return axis


def _find(data: Any, names: tuple[str, ...], path: Path) -> Any:
    for name in names:
        if name in data.variables:
            return data.variables[name]
    raise InvalidBathymetry(
        f"{path} has no variable {' or '.join(names)}. BATHYMETRY takes a GEBCO or ETOPO 2022 grid."
    )


def _group_rows(
    lats: Floats, cells: int, shift: float, count: int, progress: Progress
) -> Iterator[_Row]:
    """Rows of a grid of the atlas with the samples in each and one beyond to either side.

    Only rows that the samples cover wholly: a tile's edge covers half a cell.
    """
    step = float(np.abs(np.diff(lats)).mean())
    place = (lats + 90.0) * cells + shift
    south, north = place.min() - 0.5 * step * cells, place.max() + 0.5 * step * cells
    rising = lats[1] > lats[0]
    at = place if rising else place[::-1]
    for number in range(max(0, int(np.ceil(south - 1e-6))), min(count, int(north + 1e-6) + 1)):
        if min(number + 1.0, 180.0 * cells + shift) > north + 1e-6:
            continue
        first = max(int(np.searchsorted(at, number)) - 1, 0)
        end = min(int(np.searchsorted(at, number + 1.0)) + 1, lats.size)
        samples = slice(first, end) if rising else slice(lats.size - end, lats.size - first)
        if number % 256 == 0:
            progress(number / count, "Reading depths")
        yield _Row(number, samples)


def _find_least(
    heights: Any, rows: slice, lngs: Floats, cells: int, shift: float
) -> tuple[Floats, Ints]:
    """Least depth [m] of each cell of a row that samples cover, and the cells' columns.

    A column comes twice where a grid round the world overlaps itself.
    """
    band = np.ma.filled(np.ma.asarray(heights[rows, :], dtype=np.float64), np.inf)
    depth = -band.max(axis=0)  # where no height is known the cell is dry
    if lngs[1] < lngs[0]:
        depth, lngs = depth[::-1], lngs[::-1]
    step = float(np.diff(lngs).mean())
    depth, lngs = _overlap(depth, lngs, step, 1.0 / cells)
    place = (lngs + 180.0) * cells + shift
    west, east = place[0] - 0.5 * step * cells, place[-1] + 0.5 * step * cells
    first, last = int(np.ceil(west - 1e-6)), int(np.floor(east + 1e-6))
    edges = np.arange(first, last + 1)
    begins = np.maximum(np.searchsorted(place, edges[:-1]) - 1, 0)
    ends = np.minimum(np.searchsorted(place, edges[1:]) + 1, place.size)
    # pairs of begin and end, which may lie behind the last sample; reduceat leaves what lies
    # between pairs aside
    bounds = np.stack([begins, ends], axis=1).ravel()
    least = np.minimum.reduceat(np.append(depth, np.inf), bounds)[::2]
    return least, edges[:-1] % (360 * cells)


def _overlap(depth: Floats, lngs: Floats, step: float, width: float) -> tuple[Floats, Floats]:
    """Continue a grid round the world by ``width`` [deg] to either side; others as they are."""
    if lngs.size * step < 360.0 - 0.5 * step:
        return depth, lngs
    count = int(np.ceil(width / step))
    lngs = np.concatenate([lngs[-count:] - 360.0, lngs, lngs[:count] + 360.0])
    return np.concatenate([depth[-count:], depth, depth[:count]]), lngs
