"""Leeway: the resistance of a hull that drifts under a side wind.

The hull under way balances the wind's side force as a slender wing at a small
drift angle, which causes induced drag. Sources: R.T. Jones, Properties of
low-aspect-ratio pointed wings, NACA report 835 (1946), for lift and induced
drag of the hull and its mirror image; W. Blendermann, Parameter identification
of wind loads on ships, J. Wind Eng. Ind. Aerodyn. 51 (1994) 339-351, table 1,
for the mean side-force coefficient of cargo ships.
"""

from typing import Final

from app.engine.compiled import njit_borrowing

#: Side-force coefficient in beam wind, mean of Blendermann's cargo ships.
SIDE_FORCE_COEFFICIENT: Final = 0.85

#: Greatest drift angle of the method [rad] (10 deg), beyond which the wing stalls.
DRIFT_MAX_RAD: Final = 0.1745


@njit_borrowing(cache=True)
def drift_resistance_n(side_force_n: float, lift_per_radian_n: float) -> float:
    """Return the induced resistance [N], Y beta / 2 with beta = Y / lift slope, at most 10 deg."""
    angle = min(side_force_n / lift_per_radian_n, DRIFT_MAX_RAD)
    return 0.5 * side_force_n * angle
