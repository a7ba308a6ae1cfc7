"""Parts of the seas that ensemble members are kept of."""

from dataclasses import dataclass
from math import ceil, floor
from typing import Self

import numpy as np
from numpy.typing import NDArray

from app.engine.arrays import Floats
from app.engine.weather import RegularGrid


@dataclass(frozen=True, slots=True)
class GridPart:
    """Rows and columns of a grid, by their numbers, and the grid that they make."""

    grid: RegularGrid
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]

    def take(self, values: Floats) -> Floats:
        """Return the part of values on the whole grid, ``(n_lat, n_lng)``."""
        return values[np.ix_(self.rows, self.columns)]


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the seas by its bounds [deg]; ``west`` lies beyond ``east`` over 180°."""

    south: float
    west: float
    north: float
    east: float

    @classmethod
    def read(cls, text: str) -> Self:
        """Read "30,-80,60,0": south, west, north, east. Raises ValueError."""
        try:
            south, west, north, east = map(float, text.split(","))
        except ValueError:
            south, west, north, east = np.nan, np.nan, np.nan, np.nan
        if not (-90.0 <= south < north <= 90.0 and -180.0 <= west <= 180.0 >= east >= -180.0):
            raise ValueError(
                f"{text!r} is not a region: give south, west, north and east in degrees, such as"
                " 30,-80,60,0"
            )
        return cls(south, west, north, east)

    def part_of(self, grid: RegularGrid) -> GridPart:
        """Return the part of a grid that covers the region, of one round the earth by columns too.

        Raises ValueError where it has none.
        """
        first = max(floor((self.south - grid.lat_first) / grid.lat_step), 0)
        last = min(ceil((self.north - grid.lat_first) / grid.lat_step), grid.n_lat - 1)
        if first > last:
            raise ValueError(f"a grid from {grid.lat_first:g} to {grid.lat_last:g}°N has no"
                                 f" part between {self.south:g} and {self.north:g}°N")  # fmt: skip
        rows = np.arange(first, last + 1)
        columns = self._columns(grid)
        part = RegularGrid(
            grid.lat_first + first * grid.lat_step, grid.lat_step, rows.size,
            grid.lng_first + int(columns[0]) * grid.lng_step, grid.lng_step, columns.size,
        )  # fmt: skip
        around = grid.n_around if grid.wraps else grid.n_lng
        return GridPart(part, rows, columns % around)

    def _columns(self, grid: RegularGrid) -> NDArray[np.intp]:
        """Number the columns from west to east, on beyond the last where they go round."""
        width = (self.east - self.west) % 360.0 or 360.0
        first = floor((self.west - grid.lng_first) % 360.0 / grid.lng_step)
        count = ceil(width / grid.lng_step) + 2
        if not grid.wraps or count >= grid.n_lng:
            return np.arange(grid.n_lng)
        return first + np.arange(count)
