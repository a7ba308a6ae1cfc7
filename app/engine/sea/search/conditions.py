"""What the search kernels read: the waters, and what binds on this voyage."""

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import MultiPolygon

from app.engine.compiled import njit_borrowing

#: Cells per degree of the map of prices.
PRICE_CELLS: Final = 8


class CoastData(NamedTuple):
    """The coast in the forms that kernels need; see :mod:`app.engine.sea`.

    ``shoals`` holds the greatest depth that a ship may need in a cell, where it is charted
    less or the water is unproven; ``charted`` what is charted alone.
    """

    inside: NDArray[np.uint8]
    shore: NDArray[np.uint8]
    edges: NDArray[np.float32]
    edge_starts: NDArray[np.int64]
    field: NDArray[np.uint8]
    shoals: NDArray[np.uint8]
    shoal_blocks: NDArray[np.uint8]
    charted: NDArray[np.uint8]
    charted_blocks: NDArray[np.uint8]

    def trust(self) -> "CoastData":
        """The waters as they are where unproven water is entered: what is charted still binds."""
        return self._replace(shoals=self.charted, shoal_blocks=self.charted_blocks)


class Conditions(NamedTuple):
    """Barriers by bucket, a price for each mile by place, and the depth the ship needs.

    ``prices`` is (1440, 2880) float32, row 0 at the south pole, column 0 at
    180 W, each at least 1; or (0, 0) when no area is priced. ``depth_steps`` is
    the least depth in steps of :mod:`app.engine.sea.shoals`; 0 asks for none.
    """

    segments: NDArray[np.float64]
    is_gate: NDArray[np.bool_]
    starts: NDArray[np.int32]
    prices: NDArray[np.float32]
    depth_steps: int


#: Nothing barred, nothing priced, any depth good.
NO_CONDITIONS: Final = Conditions(
    np.empty((0, 4)),
    np.empty(0, dtype=np.bool_),
    np.zeros(1, dtype=np.int32),
    np.empty((0, 0), dtype=np.float32),
    0,
)


# a planning builds restrictions again and again, from the same priced areas
@lru_cache(maxsize=2)
def build_price_map(areas: tuple[tuple[MultiPolygon, float], ...]) -> NDArray[np.float32]:
    """Price of a mile by place: the greatest of the areas that hold the cell's centre."""
    if not areas:
        return np.empty((0, 0), dtype=np.float32)
    prices = np.ones((180 * PRICE_CELLS, 360 * PRICE_CELLS), dtype=np.float32)
    lats = (np.arange(180 * PRICE_CELLS) + 0.5) / PRICE_CELLS - 90.0
    lngs = (np.arange(360 * PRICE_CELLS) + 0.5) / PRICE_CELLS - 180.0
    for area, price in areas:
        west, south, east, north = area.bounds
        rows = slice(*np.searchsorted(lats, [south, north]))
        cols = slice(*np.searchsorted(lngs, [west, east]))
        shapely.prepare(area)
        grid_lng, grid_lat = np.meshgrid(lngs[cols], lats[rows])
        held = shapely.contains_xy(area, grid_lng, grid_lat)
        window = prices[rows, cols]
        window[held] = np.maximum(window[held], price)
    return prices


@njit_borrowing(cache=True)
def get_price(prices, lat, lng):  # type: ignore[no-untyped-def]
    """Price of a mile at a place, 1 where nothing is priced."""
    if prices.shape[0] == 0:
        return 1.0
    row = min(int((lat + 90.0) * PRICE_CELLS), prices.shape[0] - 1)
    col = int(((lng + 180.0) % 360.0) * PRICE_CELLS) % prices.shape[1]
    return np.float64(prices[row, col])
