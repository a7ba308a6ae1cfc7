"""Usual relations between Beaufort force, wind and waves at sea."""

from typing import Final

import numpy as np

from app.engine.arrays import FloatOrArray, Floats
from app.engine.vessel.waves import PEAK_OVER_MEAN

#: Mean wind over the Beaufort force to the power 1.5 [m/s]; WMO-No. 306, code table 1100.
BEAUFORT_MS: Final = 0.836
#: Mean wind [m/s] and probable wave height [m] of Beaufort 5, by the WMO table.
OCEAN_WIND_MS: Final = 9.35
OCEAN_WAVE_M: Final = 2.0
#: Wave height of a grown sea over the squared wind [s2/m], that of Beaufort 5.
GROWN_SEA: Final = OCEAN_WAVE_M / OCEAN_WIND_MS**2
#: Peak period over the root of wave height [s/m^0.5], by ``T1 = 3.86 sqrt(Hs)`` of MEPC.1/Circ.796.
_PEAK_PERIOD: Final = PEAK_OVER_MEAN * 3.86
#: Least height from which the period is computed [m].
_LEAST_HEIGHT_M: Final = 0.01


def usual_peak_period_s(height_m: FloatOrArray) -> Floats:
    """Return the usual peak period [s] of waves of a significant height [m], of its shape."""
    return np.asarray(_PEAK_PERIOD * np.sqrt(np.maximum(height_m, _LEAST_HEIGHT_M)))
