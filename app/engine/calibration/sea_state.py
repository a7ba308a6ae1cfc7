"""Usual relations between Beaufort force, wind and waves, for incomplete reports."""

from typing import Final

import numpy as np

from app.engine.arrays import Floats

#: Mean wind over the Beaufort force to the power 1.5 [m/s]; WMO-No. 306, code table 1100.
BEAUFORT_MS: Final = 0.836
#: Wave height of a grown sea over the squared wind [s2/m], that of Beaufort 5 in service.
GROWN_SEA: Final = 2.0 / 9.35**2
#: Peak period over the root of wave height [s/m^0.5]: MEPC.1/Circ.796 by the JONSWAP ratio.
_PEAK_PERIOD: Final = 1.296 * 3.86
#: Least height from which the period is computed [m].
_LEAST_HEIGHT_M: Final = 0.01


def usual_peak_period_s(height_m: Floats) -> Floats:
    """Return the usual peak period [s] of waves of a significant height [m], shape (n,)."""
    return np.asarray(_PEAK_PERIOD * np.sqrt(np.maximum(height_m, _LEAST_HEIGHT_M)))
