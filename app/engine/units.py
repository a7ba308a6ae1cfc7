"""Conversions between nautical and SI units, and angle arithmetic.

Every function takes and returns floats or NumPy arrays alike.
"""

from typing import Final

import numpy as np

from app.engine.arrays import FloatOrArray
from app.engine.constants import NAUTICAL_MILE_M

#: One knot [m/s].
KNOT_MS: Final = NAUTICAL_MILE_M / 3600.0


def ms_to_kn(speed_ms: FloatOrArray) -> FloatOrArray:
    """Convert metres per second to knots."""
    return speed_ms / KNOT_MS


def wrap_longitude(lng: FloatOrArray) -> FloatOrArray:
    """Wrap a longitude [deg] into -180 <= lng < 180."""
    return wrap_direction(lng + 180.0) - 180.0


def wrap_direction(direction_deg: FloatOrArray) -> FloatOrArray:
    """Wrap a direction [deg] into 0 <= direction < 360."""
    wrapped = direction_deg % 360.0
    # the modulo of a tiny negative angle rounds to 360
    return wrapped - 360.0 * np.float64(wrapped >= 360.0)


def direction_difference(a_deg: FloatOrArray, b_deg: FloatOrArray) -> FloatOrArray:
    """Return the smallest turn from direction b to direction a [deg], -180 <= turn < 180."""
    return wrap_longitude(a_deg - b_deg)
