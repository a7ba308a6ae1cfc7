"""From a file's order of values to a regular grid, south to north and west to east."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.arrays import Floats, Ints
from app.engine.weather import RegularGrid

#: The most points of a grid that is read: 0.05° of the whole globe has 26 million.
MOST_POINTS: Final = 30_000_000
#: The most rows or columns: 0.01° of the whole globe has 36,000.
MOST_IN_A_ROW: Final = 40_000


class UnsupportedGrid(Exception):
    """A grid that cannot be brought to a regular one here; the message names it."""


def check_size(n_lat: int, n_lng: int) -> None:
    """Raise :class:`UnsupportedGrid` for a grid that would take too much memory.

    A file of a few bytes can claim any size, so this comes before its values are read.
    """
    if max(n_lat, n_lng) > MOST_IN_A_ROW or n_lat * n_lng > MOST_POINTS:
        raise UnsupportedGrid(
            f"grid of {n_lat} by {n_lng} points is too large;"
            f" up to {MOST_POINTS:,} points and {MOST_IN_A_ROW:,} in a row are read"
        )


@dataclass(frozen=True)
class RowLayout:
    """Order of a field's values.

    Rows run west to east unless ``from_east``, south to north unless
    ``from_north``. A grid whose rows differ in length or spacing has the
    latitudes [deg] and lengths of its rows, each row once round from Greenwich.
    """

    from_north: bool = False
    from_east: bool = False
    by_column: bool = False
    row_lats: Floats | None = None
    row_counts: Ints | None = None

    def regular_grid(self) -> RegularGrid:
        """A global grid as fine as the finest row of a row-wise layout."""
        if self.row_lats is None or self.row_counts is None:
            raise ValueError("a regular layout is its own grid")
        south, north = float(self.row_lats.min()), float(self.row_lats.max())
        n_lat, n_lng = self.row_lats.size, int(self.row_counts.max())
        return RegularGrid(south, (north - south) / (n_lat - 1), n_lat, 0.0, 360.0 / n_lng, n_lng)


def rows_to_regular(values: Floats, grid: RegularGrid, layout: RowLayout) -> Floats:
    """Values in a layout's order on its grid, ``(n_lat, n_lng)``; NaN where missing.

    Rows of a reduced grid are interpolated linearly along their latitude, then
    between latitudes where these are uneven (Gaussian). Next to a missing value
    the nearer one counts, so that land does not spread into the sea. Raise :class:`ValueError` for
    another number of values than the layout has.
    """
    if layout.row_lats is None or layout.row_counts is None:
        return _regular(values, grid, layout)
    ends = np.cumsum(layout.row_counts)
    if ends[-1] != values.size:
        raise ValueError(f"{values.size} values for rows of {ends[-1]} points in all")
    rows = np.full((grid.n_lat, grid.n_lng), np.nan)
    for index, (end, count) in enumerate(zip(ends, layout.row_counts, strict=True)):
        if count:
            rows[index] = _stretched(values[end - count : end], grid.n_lng)
    lats = layout.row_lats
    if layout.from_north:
        rows, lats = rows[::-1], lats[::-1]
    if np.allclose(lats, grid.lats(), atol=1e-4):
        return rows
    return _between(rows, np.interp(grid.lats(), lats, np.arange(lats.size)))


def _regular(values: Floats, grid: RegularGrid, layout: RowLayout) -> Floats:
    if layout.by_column:
        table = values.reshape(grid.n_lng, grid.n_lat).T
    else:
        table = values.reshape(grid.n_lat, grid.n_lng)
    if layout.from_north:
        table = table[::-1]
    return table[:, ::-1] if layout.from_east else table


def _stretched(row: Floats, n_lng: int) -> Floats:
    """A row once round the earth on more columns."""
    if row.size == n_lng:
        return row
    closed = np.append(row, row[0])
    return _between(closed, np.arange(n_lng) * row.size / n_lng)


def _between(values: Floats, positions: Floats) -> Floats:
    """Linear interpolation at fractional positions of rows; by a gap, the nearer value."""
    low = np.minimum(np.floor(positions).astype(int), values.shape[0] - 2)
    share = (positions - low).reshape(-1, *[1] * (values.ndim - 1))
    before, after = values[low], values[low + 1]
    mean = before * (1.0 - share) + after * share
    nearer = np.where(share > 0.5, after, before)
    return np.asarray(np.where(np.isnan(mean), nearer, mean))
