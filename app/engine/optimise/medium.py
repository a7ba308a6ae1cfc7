"""What a search asks of the water it crosses: how fast each speed goes there, and its price.

The kernels are written once for any medium. A medium is a named tuple that
registers its own compiled answer to :func:`fill_rates` with ``numba.extending.overload``;
:mod:`.ocean` is the ship in the weather, other media stand for problems whose
answer is known.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def fill_rates(
    medium: Any,
    place: tuple[float, float, float, float],
    course_deg: float,
    time_h: float,
    speeds_kn: Floats,
    ground_kn: Floats,
    fuel_per_h: Floats,
) -> bool:
    """What each ordered speed makes good over ground [kn] and burns [1/h] here and now.

    Parameters
    ----------
    medium
        The named tuple that decides which compiled answer is taken.
    place
        Latitude and longitude [deg], or y and x [nm] in the plane; the speed
        prescribed there [kn] and the depth [m], infinite where there is none.
    speeds_kn, ground_kn, fuel_per_h
        Speeds ordered through the water, shape (m,), and the answers. A speed
        that makes no way has a ground speed that is not above zero.

    Returns
    -------
    bool
        False where a limit forbids to be here now.
    """
    raise TypeError(f"{type(medium).__name__} has no compiled rates; call this from a kernel")
