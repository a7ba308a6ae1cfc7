"""Resolution of the wide lattices in which a route is first searched."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.sea.path import Leg

#: Columns by which an edge may change.
REACH: Final = 3
#: Spacing of columns as a share of a stage: three columns are a change of course of 56 deg.
SPACING_SHARE: Final = 0.5
#: Length of a stage [nm]; length from which a route is long, and its stages; stages of coarse
#: searches.
_STAGE_NM: Final = 40.0
_LONG_ROUTE_NM: Final = 1500.0
_LONG_STAGE_NM: Final = 60.0
_COARSE_STAGE_NM: Final = 90.0
#: Length of a survey's stages as a multiple of those of its search.
SURVEY_STAGE_FACTOR: Final = 2.0
#: Distance to each side over which the courses of corridors are averaged [nm].
SMOOTH_NM: Final = 150.0


@dataclass(frozen=True)
class WideResolution:
    """Resolution of wide lattices.

    ``columns`` are the nodes to each side of the middle. ``speeds`` are the speeds tried; refining
    begins with the step between them. ``bin_h`` is the width of a bin of arrival times [h].
    Weather is sampled every ``weather_spacing_nm`` and at least once per stage, for times at most
    ``longest_step_h`` apart.
    """

    columns: int
    speeds: int
    bin_h: float
    weather_spacing_nm: float
    longest_step_h: float

    def offsets_nm(self, stage_nm: float) -> Floats:
        """Return the distances of the nodes of stages from the line [nm], ascending."""
        return SPACING_SHARE * stage_nm * np.arange(-self.columns, self.columns + 1.0)


_THOROUGH: Final = WideResolution(
    columns=14, speeds=5, bin_h=4.0, weather_spacing_nm=60.0, longest_step_h=6.0
)
_COARSE: Final = replace(_THOROUGH, columns=8)
#: A survey covers 1,080 nm to each side on long routes: better tracks have been found 600 nm off.
SURVEY: Final = WideResolution(
    columns=18, speeds=3, bin_h=8.0, weather_spacing_nm=inf, longest_step_h=12.0
)


def choose_resolution(legs: Sequence[Leg], *, coarse: bool) -> tuple[float, WideResolution]:
    """Return the length of the stages [nm] and the resolution for a route's legs."""
    if coarse:
        return _COARSE_STAGE_NM, _COARSE
    length_nm = sum(leg.distance_nm for leg in legs)
    return _STAGE_NM if length_nm < _LONG_ROUTE_NM else _LONG_STAGE_NM, _THOROUGH
