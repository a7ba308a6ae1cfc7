"""Regular latitude-longitude grids, the only kind in the weather store."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.units import wrap_longitude

#: Southern and northern limit of the main trades [deg]: Cape Horn and the North Cape.
_SOUTHERN_TRADE: Final = -60.0
_NORTHERN_TRADE: Final = 72.0


@dataclass(frozen=True, slots=True)
class RegularGrid:
    """A grid of ``n_lat`` by ``n_lng`` points, south to north and west to east.

    ``lat_first`` and ``lng_first`` [deg] are the south-western point; both steps [deg] are
    positive. A grid ``wraps`` if its columns cover 360 degrees, so that the last column is
    adjacent to the first, or repeats it.
    """

    lat_first: float
    lat_step: float
    n_lat: int
    lng_first: float
    lng_step: float
    n_lng: int

    def __post_init__(self) -> None:
        if self.n_lat < 1 or self.n_lng < 1 or self.lat_step <= 0.0 or self.lng_step <= 0.0:
            raise ValueError("a grid needs at least one point and positive steps")
        if self.lat_first < -90.001 or self.lat_last > 90.001:
            raise ValueError(f"latitudes {self.lat_first} to {self.lat_last} exceed -90 to 90")

    @property
    def lat_last(self) -> float:
        """Latitude of the northernmost row [deg]."""
        return self.lat_first + (self.n_lat - 1) * self.lat_step

    @property
    def lng_last(self) -> float:
        """Longitude of the easternmost column [deg], not wrapped."""
        return self.lng_first + (self.n_lng - 1) * self.lng_step

    @property
    def n_cell(self) -> int:
        """Number of points."""
        return self.n_lat * self.n_lng

    @property
    def wraps(self) -> bool:
        """Return whether the columns cover 360 degrees."""
        return self.n_lng * self.lng_step > 360.0 - 0.5 * self.lng_step

    @property
    def n_around(self) -> int:
        """Number of columns once around the globe, of a grid that wraps."""
        return min(self.n_lng, round(360.0 / self.lng_step))

    @property
    def is_global(self) -> bool:
        """Return whether the grid covers the main trades of shipping."""
        return self.wraps and self.lat_first <= _SOUTHERN_TRADE and self.lat_last >= _NORTHERN_TRADE

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """South, west, north and east edge [deg]; east is below west across the antimeridian."""
        west, east = (float(wrap_longitude(lng)) for lng in (self.lng_first, self.lng_last))
        return self.lat_first, west, self.lat_last, east

    def lats(self) -> Floats:
        """Return the latitudes of the rows [deg], shape ``(n_lat,)``."""
        return self.lat_first + self.lat_step * np.arange(self.n_lat, dtype=np.float64)

    def lngs(self) -> Floats:
        """Return the longitudes of the columns [deg], shape ``(n_lng,)``, not wrapped."""
        return self.lng_first + self.lng_step * np.arange(self.n_lng, dtype=np.float64)

    def cells(self) -> tuple[Floats, Floats]:
        """Return the latitude and longitude [deg] of every point, each of shape ``(n_cell,)``."""
        lats, lngs = np.meshgrid(self.lats(), self.lngs(), indexing="ij")
        return lats.ravel(), lngs.ravel()

    def thinned(self, stride: int) -> "RegularGrid":
        """Return the grid of every ``stride``-th row and column, beginning with the first."""
        return RegularGrid(
            self.lat_first,
            self.lat_step * stride,
            -(-self.n_lat // stride),
            self.lng_first,
            self.lng_step * stride,
            -(-self.n_lng // stride),
        )
