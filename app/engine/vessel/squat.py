"""Squat, the increase of draught of a ship under way in shallow water.

Source: C.B. Barrass, D.R. Derrett, Ship Stability for Masters and Mates, 7th
ed. (2012), chapter 42: the maximum squat [m] is about ``CB V^2 / 100`` in open water and
``CB V^2 / 50`` in confined channels, with a blockage factor of 0.100-0.265; V in knots, CB
on the length between perpendiculars.
"""

import numpy as np
from numpy.typing import ArrayLike

from app.engine.arrays import FloatOrArray, Floats


def squat_m(
    speed_kn: FloatOrArray, block_coefficient: float, *, is_confined: ArrayLike = False
) -> FloatOrArray:
    """Return the maximum squat [m] at speeds through the water [kn]; less in deep water."""
    return block_coefficient * speed_kn**2 / _divisor(is_confined)


def squat_speed_kn(
    squat_m: ArrayLike, block_coefficient: float, *, is_confined: ArrayLike = False
) -> Floats:
    """Return the speed [kn] of a maximum squat [m]; 0 for a squat of 0 or less."""
    return np.sqrt(np.maximum(squat_m, 0.0) * _divisor(is_confined) / block_coefficient)


def _divisor(is_confined: ArrayLike) -> Floats:
    return np.where(is_confined, 50.0, 100.0)
