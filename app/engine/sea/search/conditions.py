"""Data of the search kernels: the waters, and the conditions of a voyage."""

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from shapely.geometry import MultiPolygon

from app.engine.arrays import Bools, Floats
from app.engine.compiled import njit_borrowing
from app.engine.geodesy.shapes import contains_points
from app.engine.sea.search.barriers import ANY_COSINE, GATE, LANE, LANE_DIAGONAL, SEARCH_COSINE

#: Cells per degree of the price map.
_PRICE_CELLS: Final = 8


class CoastData(NamedTuple):
    """The coast and depths as arrays for kernels; see :mod:`app.engine.sea`.

    Maps but the ``blocks`` of half a degree are in squares (:mod:`app.engine.sea.squares`).
    ``shoals`` is the greatest required depth to which a cell is open, by charted depth and proven
    water; ``charted`` by charted depth alone.
    """

    inside: NDArray[np.uint8]
    shore: NDArray[np.uint8]
    edges: NDArray[np.float32]
    edge_starts: NDArray[np.int32]
    field: NDArray[np.uint8]
    shoals: NDArray[np.uint8]
    shoal_blocks: NDArray[np.uint8]
    charted: NDArray[np.uint8]
    charted_blocks: NDArray[np.uint8]

    def trust(self) -> "CoastData":
        """Return the waters with unproven water open; charted depths still apply."""
        return self._replace(shoals=self.charted, shoal_blocks=self.charted_blocks)


class Conditions(NamedTuple):
    """Barriers by bucket, the price of a mile by place, and the required depth of the ship.

    ``prices`` is (1440, 2880) float32, row 0 at the south pole, column 0 at 180 W, each at least
    1; or (0, 0) if no area is priced. ``depth_steps`` is the required depth in steps of
    :mod:`app.engine.sea.shoals`, 0 for none. ``lane_cosine`` is that of the greatest angle
    between a lane and a track that crosses it.
    """

    segments: Floats
    kinds: NDArray[np.uint8]
    starts: NDArray[np.int32]
    prices: NDArray[np.float32]
    depth_steps: int
    lane_cosine: float = SEARCH_COSINE

    @property
    def closed_lines(self) -> Floats:
        """The barriers that are closed on any course, all but lanes, (n, 4)."""
        return np.asarray(self.segments[~self._is_of_lane])

    @property
    def _is_of_lane(self) -> Bools:
        """Mask of the barriers, (n,), that only bar tracks against a lane's direction."""
        return np.isin(self.kinds, (LANE, LANE_DIAGONAL))

    def ignore_lanes(self) -> "Conditions":
        """Return the conditions of tracks that may cross lanes on any course."""
        return self._replace(lane_cosine=ANY_COSINE)

    def reverse_lanes(self) -> "Conditions":
        """Return the conditions of tracks that are followed back from their ends."""
        segments, is_lane = self.segments.copy(), self._is_of_lane
        segments[is_lane] = segments[is_lane][:, [2, 3, 0, 1]]
        return self._replace(segments=segments)

    def shorten_gates(self, by_deg: float) -> "Conditions":
        """Return the conditions with gates shortened at both ends [deg], and diagonals to points.

        The other line of a leg may be some cables aside, within the water of a lane.
        """
        ends = self.segments.reshape(-1, 2, 2)
        along = ends[:, 1] - ends[:, 0]
        length = np.maximum(np.hypot(*along.T), 2.0 * by_deg)
        share = np.where(self.kinds == GATE, by_deg, 0.0) / length
        cut = np.where(self.kinds == LANE_DIAGONAL, 0.5, share)[:, None] * along
        shortened = np.stack([ends[:, 0] + cut, ends[:, 1] - cut], axis=1)
        return self._replace(segments=shortened.reshape(-1, 4))


#: Conditions without barriers, prices and required depth.
NO_CONDITIONS: Final = Conditions(
    np.empty((0, 4)),
    np.empty(0, dtype=np.uint8),
    np.zeros(1, dtype=np.int32),
    np.empty((0, 0), dtype=np.float32),
    0,
)


# a planning builds restrictions several times from the same priced areas
@lru_cache(maxsize=2)
def build_price_map(areas: tuple[tuple[MultiPolygon, float], ...]) -> NDArray[np.float32]:
    """Build the price of a mile by cell: the greatest of the areas that contain its centre."""
    if not areas:
        return np.empty((0, 0), dtype=np.float32)
    prices = np.ones((180 * _PRICE_CELLS, 360 * _PRICE_CELLS), dtype=np.float32)
    lats = (np.arange(180 * _PRICE_CELLS) + 0.5) / _PRICE_CELLS - 90.0
    lngs = (np.arange(360 * _PRICE_CELLS) + 0.5) / _PRICE_CELLS - 180.0
    for area, price in areas:
        west, south, east, north = area.bounds
        rows = slice(*np.searchsorted(lats, [south, north]))
        cols = slice(*np.searchsorted(lngs, [west, east]))
        grid_lng, grid_lat = np.meshgrid(lngs[cols], lats[rows])
        inside = contains_points(area, grid_lat, grid_lng)
        window = prices[rows, cols]
        window[inside] = np.maximum(window[inside], price)
    return prices


@njit_borrowing(cache=True)
def get_price(prices, lat, lng):  # type: ignore[no-untyped-def]
    """Return the price of a mile at a place, 1 outside priced areas."""
    if prices.shape[0] == 0:
        return 1.0
    row = min(int((lat + 90.0) * _PRICE_CELLS), prices.shape[0] - 1)
    col = int(((lng + 180.0) % 360.0) * _PRICE_CELLS) % prices.shape[1]
    return np.float64(prices[row, col])


def find_prices(prices: NDArray[np.float32], lats: Floats, lngs: Floats) -> Floats:
    """Return the price of a mile at positions, arrays of one shape, by ``Conditions.prices``."""
    if prices.shape[0] == 0:
        return np.ones(lats.shape)
    rows = np.minimum(((lats + 90.0) * _PRICE_CELLS).astype(np.int64), prices.shape[0] - 1)
    cols = (((lngs + 180.0) % 360.0) * _PRICE_CELLS).astype(np.int64) % prices.shape[1]
    return np.asarray(prices[rows, cols], dtype=np.float64)
