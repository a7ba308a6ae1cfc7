"""What a search asks of the water it crosses: what is met there, how fast each speed goes in it,
and its price.

The kernels are written once for any medium. A medium is a named tuple that
registers its own compiled answers to the functions here with
``numba.extending.overload``; :mod:`.ocean` is the ship in the weather, other
media stand for problems whose answer is known.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Figures of a speed that a medium works out beforehand.
READY: Final = 5
#: Figures that tell what is met at a place and time.
MET: Final = 8
#: Rows of working memory that a medium has for the passings, and one more for each speed.
WORK_ROWS: Final = 8


def prepare_speeds(medium: Any, speeds_kn: Floats, ready: Floats) -> None:
    """Work out what depends on the ordered speeds [kn], shape (m,), alone.

    Fills ``ready``, shape (m, READY), with what the medium likes.
    """
    raise TypeError(f"{type(medium).__name__} has no compiled answers; call this from a kernel")


def look(medium: Any, lat: float, lng: float, time_h: float, met: Floats) -> bool:
    """What is met at a place and time, whatever the course.

    Parameters
    ----------
    medium
        The named tuple that decides which compiled answer is taken.
    lat, lng
        Latitude and longitude [deg], or y and x [nm] in the plane.
    met
        Filled, shape (MET,), with figures that may be averaged between neighbours.

    Returns
    -------
    bool
        False where a limit forbids to be here now.
    """
    raise TypeError(f"{type(medium).__name__} has no compiled answers; call this from a kernel")


def fill_rates(
    medium: Any,
    ready: Floats,
    met: Floats,
    depth_m: float,
    course: Floats,
    speeds_kn: Floats,
    ground_kn: Floats,
    fuel_per_h: Floats,
    work: Floats,
) -> None:
    """What each ordered speed makes good over ground [kn] and burns [1/h] at some passings.

    Parameters
    ----------
    ready
        What :func:`prepare_speeds` filled for these speeds.
    met
        What :func:`look` has filled, or means of such, shape (MET, n) for n passings.
    depth_m
        Infinite where it doesn't matter.
    course
        The unit vectors of the courses, to east and to north, shape (2, n).
    speeds_kn
        Speeds ordered through the water, ascending, shape (m,).
    ground_kn, fuel_per_h
        The answers, shape (m, n). A speed that makes no way has a ground speed that is not
        above zero.
    work
        Working memory, shape (WORK_ROWS + m, n).
    """
    raise TypeError(f"{type(medium).__name__} has no compiled answers; call this from a kernel")
