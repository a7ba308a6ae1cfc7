"""Beaufort and Douglas scales as limits: the upper bound of each degree."""

from collections.abc import Mapping
from math import floor
from typing import Any, Final

import numpy as np

from app.engine.arrays import Floats
from app.engine.formatting import BEAUFORT
from app.engine.request import LimitScale
from app.records.charting import WAVES_M, WINDS_MS

#: Upper bound of the mean wind speed at 10 m [m/s] by Beaufort number. Force 12 has none.
BEAUFORT_UPPER_MS: Final = tuple(upper_ms for _, upper_ms in BEAUFORT)

#: Upper bound of the significant wave height [m] by degree of the Douglas sea scale;
#: WMO-No. 306, code table 3700. Degree 9 has none.
DOUGLAS_UPPER_M: Final = (0.0, 0.1, 0.5, 1.25, 2.5, 4.0, 6.0, 9.0, 14.0, None)

#: Middle of each degree of the Douglas scale [m].
_DOUGLAS_MIDDLE_M: Final = tuple(
    0.5 * (low + (16.0 if high is None else high))
    for low, high in zip((0.0, *DOUGLAS_UPPER_M[:-1]), DOUGLAS_UPPER_M, strict=True)
)

#: Waves and wind of a plan are in hundredths; what products of such numbers are off by.
_PER_DIGIT, _ROUNDING = 100.0, 1e-6

#: Greatest limit that a request may have, in metres or m/s.
_MOST: Final = float(max(WAVES_M.max, WINDS_MS.max))

_BEAUFORT: Final = LimitScale("Beaufort", BEAUFORT_UPPER_MS)
_DOUGLAS: Final = LimitScale("Douglas", DOUGLAS_UPPER_M)
#: Scales by the unit of a limit; metres and m/s are no scale.
SCALES: Final = {"bf": _BEAUFORT, "douglas": _DOUGLAS}


def douglas_height_m(degrees: Floats) -> Floats:
    """Significant wave height [m] of reported sea states: the middle of the degree.

    Interpolated between degrees, as in an average of several reports.
    """
    return np.interp(degrees, np.arange(len(_DOUGLAS_MIDDLE_M)), _DOUGLAS_MIDDLE_M)


def wind_limit_ms(request: Mapping[str, Any]) -> float | None:
    """The highest wind speed [m/s] that a request allows, if it has a limit."""
    return _limit(request["maxWindBf"], request["windUnit"])


def wave_limit_m(request: Mapping[str, Any]) -> float | None:
    """The highest significant wave [m] that a request allows, if it has a limit."""
    return _limit(request["maxWaveHeight"], request["waveUnit"])


def _limit(value: float | None, unit: str) -> float | None:
    """Return a limit in the digits that plans have; one between two of them is the lower.

    Otherwise the values of a plan that keeps a limit could be above it once they are rounded. A
    limit beyond any sea, as requests once could have, counts as the greatest that is allowed now.
    """
    scale = SCALES.get(unit)
    if value is None:
        return None
    if scale is None:
        return floor(_PER_DIGIT * min(value, _MOST) + _ROUNDING) / _PER_DIGIT
    return scale.upper[int(value)]
