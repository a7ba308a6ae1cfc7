"""What a search asks of the water it crosses: how fast each speed goes there, and its price.

The kernels are written once for any medium. A medium is a named tuple that
registers its own compiled answers to :func:`prepare_speeds` and :func:`fill_rates`
with ``numba.extending.overload``; :mod:`.ocean` is the ship in the weather, other
media stand for problems whose answer is known.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Rows of the working memory that a medium has for each of the speeds.
READY_ROWS: Final = 6


def prepare_speeds(medium: Any, speeds_kn: Floats, ready: Floats) -> None:
    """Work out what depends on the ordered speeds [kn], shape (m,), alone.

    Fills ``ready``, shape (READY_ROWS, m), which the medium lays out as it likes.
    """
    raise TypeError(f"{type(medium).__name__} has no compiled rates; call this from a kernel")


def fill_rates(
    medium: Any,
    ready: Floats,
    place: tuple[float, float, float],
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
    ready
        What :func:`prepare_speeds` filled for these speeds.
    place
        Latitude and longitude [deg], or y and x [nm] in the plane; the depth [m],
        infinite where it doesn't matter.
    speeds_kn, ground_kn, fuel_per_h
        Speeds ordered through the water, ascending, shape (m,), and the answers. A
        speed that makes no way has a ground speed that is not above zero.

    Returns
    -------
    bool
        False where a limit forbids to be here now.
    """
    raise TypeError(f"{type(medium).__name__} has no compiled rates; call this from a kernel")
