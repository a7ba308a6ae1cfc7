"""Speed loss in shallow water.

Source: H. Lackenby, The effect of shallow water on ship speed, Shipbuilder and
Marine Engine Builder 70 (1963) 446-450, as ISO 15016:2015, annex G.
"""

import math
from typing import Final

from app.engine.compiled import njit_borrowing
from app.engine.constants import GRAVITY_MS2

#: Depth over draught, and over the squared speed over g, from which water counts as deep: neither
#: blockage nor waves that feel the bottom take 0.1 % of speed.
_DEEP_WATER_DRAFTS: Final = 12.0
_DEEP_WATER_WAVES: Final = math.atanh(0.999**2)

#: Accuracy of the deep-water speed, as a share of it, and most steps to it. Near the critical
#: speed, beyond the range of the method, they do not suffice; the loss is at its limit soon after.
_TOLERANCE: Final = 1e-4
_MOST_STEPS: Final = 30

#: Greatest share of speed lost, to which the loss is clipped.
_LOSS_MAX: Final = 0.35


def deep_water_m(draft_m: float, speed_ms: float) -> float:
    """Return the depth from which water counts as deep for a ship up to a speed [m]."""
    return max(_DEEP_WATER_DRAFTS * draft_m, _DEEP_WATER_WAVES * speed_ms**2 / GRAVITY_MS2)


@njit_borrowing(cache=True)
def lackenby_speed_loss(speed_ms: float, depth_m: float, midship_area_m2: float) -> float:
    """Return the share of the deep-water speed lost at equal power; at most 0.35.

    ``0.1242 (AM/H^2 - 0.05) + 1 - sqrt(tanh(g H / V^2))``, the first term only where AM/H^2 > 0.05.
    ``speed_ms`` is that in deep water [m/s], ``midship_area_m2`` the section under water [m2].
    """
    blockage = midship_area_m2 / depth_m**2
    loss = 1.0 - math.sqrt(math.tanh(GRAVITY_MS2 * depth_m / max(speed_ms, 0.1) ** 2))
    if blockage > 0.05:
        loss += 0.1242 * (blockage - 0.05)
    return min(loss, _LOSS_MAX)


@njit_borrowing(cache=True)
def deep_water_speed_ms(speed_ms: float, depth_m: float, midship_area_m2: float) -> float:
    """Return the deep-water speed [m/s] of equal effective power to a speed in shallow water.

    The loss depends on the speed sought, which is found by repeated substitution from below.
    """
    deep_ms = speed_ms
    for _ in range(_MOST_STEPS):
        previous_ms = deep_ms
        deep_ms = speed_ms / (1.0 - lackenby_speed_loss(previous_ms, depth_m, midship_area_m2))
        if deep_ms - previous_ms < _TOLERANCE * deep_ms:
            break
    return deep_ms
