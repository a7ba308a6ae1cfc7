"""How much deeper a ship sits when she makes way in shallow water.

Source: C.B. Barrass, D.R. Derrett, Ship Stability for Masters and Mates, 7th
ed. (2012), chapter 42: in open water, the blockage unknown, the maximum squat
is about ``CB V^2 / 100`` [m], V in knots.
"""

from app.engine.units import Floats


def open_water_squat_m(speed_kn: Floats, block_coefficient: float) -> Floats:
    """Maximum squat [m] at speeds through the water [kn], on the safe side in deep water."""
    return block_coefficient * speed_kn**2 / 100.0
