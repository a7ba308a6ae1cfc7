"""Depth of the open sea: ETOPO5, as installed with the ``ferret-datasets`` package.

NOAA (1988), Data Announcement 88-MGG-02, Digital relief of the Surface of the
Earth. Its 5' cells mix shore and sea: of no use in narrows or near land.
"""

from pathlib import Path
from typing import Final

import netCDF4
import numpy as np
from numpy.typing import NDArray

ETOPO5_PATH: Final = Path("/usr/share/ferret-vis/data/etopo5.cdf")

#: Grid cells per degree.
CELLS_PER_DEGREE: Final = 12


def load_depths(path: Path = ETOPO5_PATH) -> NDArray[np.int16]:
    """Depth below sea level [m], negative on land.

    Returns
    -------
    (2161, 4320) int16; row 0 is 90 S, column 0 is 180 W, nodes 1/12 degree apart.

    Raises
    ------
    FileNotFoundError
        ``ferret-datasets`` is not installed.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: apt-get install ferret-datasets")
    with netCDF4.Dataset(str(path)) as data:
        height_m = np.asarray(data.variables["ROSE"][:], dtype=np.float32)
    depth_m = np.roll(-height_m, 180 * CELLS_PER_DEGREE, axis=1)
    return np.rint(np.clip(depth_m, -32_000, 32_000)).astype(np.int16)
