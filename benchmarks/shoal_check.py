"""Do legs cross shoals? An independent judge: scipy on the depth grid, GEOS for the offing.

Nothing of the engine's own map of shoals is used here, so that it is tested too.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import RegularGridInterpolator

from app.datasources.etopo import load_depths
from app.engine.geodesy import sample_leg
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg
from app.engine.voyage import LegGeometry
from benchmarks.land_check import LandCheck

#: Farther than this from land [nm] the grid counts: 12 nm, and a cell's diagonal of the
#: engine's own measure of distance.
OFFSHORE_NM = 14.7
_STEP_NM = 0.5


class ShoalCheck:
    """Counts legs over water charted too shallow, passages excepted."""

    def __init__(self, land: LandCheck, passages: Sequence[Passage]) -> None:
        self._land = land
        self._vouched = {passage.name for passage in passages}
        depths = load_depths().astype(np.float64)
        depths = np.hstack([depths, depths[:, :1]])
        axes = np.arange(depths.shape[0]) / 12.0 - 90.0, np.arange(depths.shape[1]) / 12.0 - 180.0
        self._depth_m = RegularGridInterpolator(axes, depths)

    def list_legs_on_shoal(self, legs: Sequence[Leg], required_m: float) -> list[Leg]:
        """The legs that offshore have less than a depth anywhere, on either line."""
        return [
            leg
            for leg in legs
            if leg.passage not in self._vouched
            and any(self._touches(leg, geometry, required_m) for geometry in LegGeometry)
        ]

    def _touches(self, leg: Leg, geometry: LegGeometry, required_m: float) -> bool:
        lats, lngs = sample_leg(leg.start, leg.end, geometry, _STEP_NM)
        points = np.column_stack([lats, (lngs + 180.0) % 360.0 - 180.0])
        shallow: NDArray[np.float64] = points[self._depth_m(points) < required_m]
        return any(self._land.is_offshore(lat, lng, OFFSHORE_NM) for lat, lng in shallow.tolist())
