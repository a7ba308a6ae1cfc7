"""Conversions between the units of the sea and SI, and angle arithmetic.

Every function takes and returns floats or NumPy arrays alike.
"""

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from app.engine.constants import NAUTICAL_MILE_M

Floats: TypeAlias = float | NDArray[np.float64]

#: One knot [m/s].
KNOT_MS: Final = NAUTICAL_MILE_M / 3600.0


def ms_to_kn(speed_ms: Floats) -> Floats:
    """Metres per second to knots."""
    return speed_ms / KNOT_MS


def m_to_nm(distance_m: Floats) -> Floats:
    """Metres to nautical miles."""
    return distance_m / NAUTICAL_MILE_M


def wrap_longitude(lng: Floats) -> Floats:
    """Bring a longitude [deg] into -180 <= lng < 180."""
    return wrap_direction(lng + 180.0) - 180.0


def wrap_direction(direction_deg: Floats) -> Floats:
    """Bring a direction [deg] into 0 <= direction < 360."""
    turned = direction_deg % 360.0
    # what lies less than a rounding under a full turn is rounded to one
    return turned - 360.0 * np.float64(turned >= 360.0)


def direction_difference(a_deg: Floats, b_deg: Floats) -> Floats:
    """Smallest turn from direction b to direction a [deg], -180 <= turn < 180."""
    return wrap_longitude(a_deg - b_deg)
