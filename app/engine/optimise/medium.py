"""The medium of a search: conditions at a place and time, and the rates of each speed there.

The kernels are written once for any medium. A medium is a named tuple that registers its
own compiled answers to the functions here with ``numba.extending.overload``; :mod:`.ocean`
is the ship in the weather, other media pose problems whose answer is known.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Figures that a medium prepares for each speed.
READY: Final = 5
#: Figures of the conditions at a place and time.
CONDITIONS: Final = 8
#: Rows of working memory of a medium for a batch, and one more for each speed.
WORK_ROWS: Final = 8


def prepare_speeds(medium: Any, speeds_kn: Floats, ready: Floats) -> None:
    """Compute what depends on the ordered speeds [kn], shape (m,), alone.

    Fills ``ready``, shape (m, READY), as the medium needs it.
    """
    raise TypeError(f"{type(medium).__name__} has no compiled answers; call this from a kernel")


def sample(medium: Any, lat: float, lng: float, time_h: float, conditions: Floats) -> bool:
    """Sample the conditions at a place and time, whatever the course.

    Parameters
    ----------
    medium
        The named tuple that decides which compiled answer is taken.
    lat, lng
        Latitude and longitude [deg], or y and x [nm] in the plane.
    met
        Filled, shape (CONDITIONS,), with figures that may be averaged between neighbours.

    Returns
    -------
    bool
        False where a limit forbids to be here now.
    """
    raise TypeError(f"{type(medium).__name__} has no compiled answers; call this from a kernel")


def fill_rates(
    medium: Any,
    ready: Floats,
    conditions: Floats,
    depth_m: float,
    course: Floats,
    speeds_kn: Floats,
    ground_kn: Floats,
    fuel_per_h: Floats,
    work: Floats,
) -> None:
    """Compute the speed over ground [kn] and fuel [1/h] of each ordered speed in a batch.

    Parameters
    ----------
    ready
        Filled by :func:`prepare_speeds` for these speeds.
    met
        Filled by :func:`sample`, or means of such, shape (CONDITIONS, n) for n places.
    depth_m
        Infinite in deep water.
    course
        The unit vectors of the courses, to east and to north, shape (2, n).
    speeds_kn
        Speeds ordered through the water, ascending, shape (m,).
    ground_kn, fuel_per_h
        The answers, shape (m, n). A speed that makes no headway has a ground speed
        that is not above zero.
    work
        Working memory, shape (WORK_ROWS + m, n).
    """
    raise TypeError(f"{type(medium).__name__} has no compiled answers; call this from a kernel")
