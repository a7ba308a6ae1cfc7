"""How much deeper a ship sits when it makes way in shallow water.

Source: C.B. Barrass, D.R. Derrett, Ship Stability for Masters and Mates, 7th
ed. (2012), chapter 42: the maximum squat [m] is about ``CB V^2 / 100`` in open water and
``CB V^2 / 50`` in confined channels, whose section the ship fills to 0.100-0.265; V in knots.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.engine.units import Floats


def squat_m(
    speed_kn: Floats, block_coefficient: float, *, is_confined: ArrayLike = False
) -> Floats:
    """Maximum squat [m] at speeds through the water [kn], on the safe side in deep water."""
    return block_coefficient * speed_kn**2 / _divisor(is_confined)


def squat_speed_kn(
    squat_m: ArrayLike, block_coefficient: float, *, is_confined: ArrayLike = False
) -> NDArray[np.float64]:
    """Speed [kn] at which the squat is so much [m]; 0 where none is left."""
    left_m = np.maximum(squat_m, 0.0)
    return np.sqrt(left_m * _divisor(is_confined) / block_coefficient)


def _divisor(is_confined: ArrayLike) -> NDArray[np.float64]:
    return np.where(is_confined, 50.0, 100.0)
