"""Depth of the open sea: ETOPO5, as installed with the ``ferret-datasets`` package.

NOAA (1988), Data Announcement 88-MGG-02, Digital relief of the Surface of the
Earth. Its 5' cells mix shore and sea: of no use in narrows or near land. Heights are
above sea level, so they give no depth in lakes.
"""

from pathlib import Path
from typing import Final

import netCDF4
import numpy as np
import shapely
from numpy.typing import NDArray

from app.datasources.gshhg import LAKE, Coastline
from app.engine.sea.depth import NO_DEPTH

ETOPO5_PATH: Final = Path("/usr/share/ferret-vis/data/etopo5.cdf")

#: Grid cells per degree.
CELLS_PER_DEGREE: Final = 12

#: Lakes narrower than this [deg] have no water far enough from land to be sounded.
_NARROW_DEG: Final = 0.2


def load_depths(path: Path = ETOPO5_PATH) -> NDArray[np.int16]:
    """Depth below sea level [m], negative on land.

    Shape (2161, 4320), int16; row 0 is 90 S, column 0 is 180 W, nodes 1/12 degree apart. Raise
    :class:`FileNotFoundError` if ``ferret-datasets`` is not installed.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: apt-get install ferret-datasets")
    with netCDF4.Dataset(str(path)) as data:
        height_m = np.asarray(data.variables["ROSE"][:], dtype=np.float32)
    depth_m = np.roll(-height_m, 180 * CELLS_PER_DEGREE, axis=1)
    return np.rint(np.clip(depth_m, -32_000, 32_000)).astype(np.int16)


def blank_lakes(depths: NDArray[np.int16], coast: Coastline) -> NDArray[np.int16]:
    """The depths of :func:`load_depths` with NO_DEPTH at the nodes inside lakes."""
    sounded = depths.copy()
    for i in np.flatnonzero(coast.levels == LAKE):
        ring = coast.get_ring(int(i)).astype(np.float64)
        if np.ptp(ring, axis=0).min() < _NARROW_DEG:
            continue
        (west, south), (east, north) = ring.min(axis=0), ring.max(axis=0)
        rows = np.arange(*_span(south + 90.0, north + 90.0))
        cols = np.arange(*_span(west + 180.0, east + 180.0))
        lats, lngs = rows / CELLS_PER_DEGREE - 90.0, cols / CELLS_PER_DEGREE - 180.0
        lake = shapely.Polygon(ring)
        shapely.prepare(lake)
        inside = shapely.contains_xy(lake, *np.meshgrid(lngs, lats))
        sounded[np.ix_(rows, cols)] = np.where(inside, NO_DEPTH, sounded[np.ix_(rows, cols)])
    return sounded


def _span(low_deg: float, high_deg: float) -> tuple[int, int]:
    """First and end of the nodes between two distances from the grid's corner."""
    return int(np.ceil(low_deg * CELLS_PER_DEGREE)), int(high_deg * CELLS_PER_DEGREE) + 1
