"""Independent check of legs for shoals, with scipy on the depth grid and GEOS for the offing.

It uses nothing of the engine's own map of shoals, so that it tests that too.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import RegularGridInterpolator

from app.datasources.etopo import load_depths
from app.engine.arrays import Bools, Floats
from app.engine.geodesy import sample_leg
from app.engine.geodesy.leg import LegGeometry
from app.engine.sea.passages import Passage
from app.engine.sea.path import Leg
from benchmarks.land_check import LandCheck

#: Least distance from land [nm] at which the grid counts: 12 nm, and the diagonal of a cell of the
#: engine's distance grid.
OFFSHORE_NM: Final = 14.7
_STEP_NM: Final = 0.5
#: Legs checked at a time, to limit memory.
_BATCH: Final = 2_000
#: Rounding error of interpolation between equal depths [m].
_ROUNDING_M: Final = 1e-6


class ShoalCheck:
    """Finds legs over water charted too shallow, except in passages."""

    def __init__(
        self,
        land: LandCheck,
        passages: Sequence[Passage],
        depths_m: NDArray[np.int16] | None = None,
    ) -> None:
        self._land = land
        self._vouched = {passage.name for passage in passages}
        depths = (load_depths() if depths_m is None else depths_m).astype(np.float64)
        depths = np.hstack([depths, depths[:, :1]])
        axes = np.arange(depths.shape[0]) / 12.0 - 90.0, np.arange(depths.shape[1]) / 12.0 - 180.0
        self._depth_m = RegularGridInterpolator(axes, depths)

    def find_legs_on_shoal(self, legs: Sequence[Leg], required_m: float) -> Bools:
        """Return which legs have less than a depth anywhere offshore, on either line."""
        batches = (legs[i : i + _BATCH] for i in range(0, len(legs), _BATCH))
        found = [self._judge(batch, required_m) for batch in batches]
        return np.concatenate([np.zeros(0, dtype=np.bool_), *found])

    def _judge(self, legs: Sequence[Leg], required_m: float) -> Bools:
        lats, lngs, owners = [], [], []
        for i, leg in enumerate(legs):
            if leg.passage in self._vouched:
                continue
            for geometry in LegGeometry:
                lat, lng = sample_leg(leg.start, leg.end, geometry, _STEP_NM)
                lats.append(lat)
                lngs.append((lng + 180.0) % 360.0 - 180.0)
                owners.append(np.full(lat.size, i))
        lat, lng, owner = (np.concatenate([*parts, []]) for parts in (lats, lngs, owners))
        shallow = np.flatnonzero(self.is_shallow(lat, lng, required_m))
        # the grid's heights are above sea level, not above a lake's surface
        shallow = shallow[~self._land.find_lakes(lng[shallow], lat[shallow])]
        offshore = self._land.find_offshore(lng[shallow], lat[shallow], OFFSHORE_NM)
        on_shoal = np.zeros(len(legs), dtype=np.bool_)
        on_shoal[owner[shallow[offshore]].astype(np.int64)] = True
        return on_shoal

    def is_shallow(self, lats: Floats, lngs: Floats, required_m: float) -> Bools:
        """Return whether the grid has less than a depth, except for rounding."""
        found = self._depth_m(np.column_stack([lats, lngs]))
        return np.asarray(found < required_m - _ROUNDING_M)
