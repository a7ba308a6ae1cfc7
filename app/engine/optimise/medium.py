"""Interface of a medium: conditions at a place and time, and the rates of each speed there.

The kernels of the search are written once for any medium. A medium is a named tuple for which
the functions here are implemented with ``numba.extending.overload``. :mod:`.ocean` implements
them for a ship in the weather, the benchmarks for problems with a known optimum.
"""

from typing import Any, Final

from app.engine.arrays import Floats

#: Number of values that a medium prepares for each speed.
PREPARED: Final = 5
#: Number of values that describe the conditions at a place and time.
CONDITIONS: Final = 8
#: Rows of working memory of a medium for a batch, besides one for each speed.
WORK_ROWS: Final = 8


def prepare_speeds(medium: Any, speeds_kn: Floats, prepared: Floats) -> None:
    """Fill ``prepared``, shape (m, PREPARED), with values that depend on the speeds alone.

    ``speeds_kn`` are the ordered speeds [kn], shape (m,).
    """
    raise TypeError(f"{type(medium).__name__} is only implemented in kernels; call this from one")


def sample(
    medium: Any, lat: float, lng: float, time_h: float, is_inland: bool, conditions: Floats
) -> bool:
    """Sample the conditions at a place and time, whatever the course.

    Parameters
    ----------
    medium
        The named tuple whose implementation is called.
    lat, lng
        Latitude and longitude [deg], or y and x [nm] in the plane.
    is_inland
        Whether the place is on inland waters.
    conditions
        Written, shape (CONDITIONS,), NaN where unknown. Values of neighbouring places may be
        averaged.

    Returns
    -------
    bool
        False where a limit is exceeded.
    """
    raise TypeError(f"{type(medium).__name__} is only implemented in kernels; call this from one")


def fill_rates(
    medium: Any,
    prepared: Floats,
    conditions: Floats,
    depth_m: float,
    course: Floats,
    speeds_kn: Floats,
    ground_kn: Floats,
    fuel_per_h: Floats,
    work: Floats,
) -> None:
    """Compute speed over ground [kn] and fuel rate [1/h] of each ordered speed in a batch.

    Parameters
    ----------
    prepared
        Written by :func:`prepare_speeds` for these speeds.
    conditions
        Samples of :func:`sample`, or means of them, at n places, shape (CONDITIONS, n).
    depth_m
        Infinite in deep water.
    course
        The unit vectors of the courses, to east and to north, shape (2, n).
    speeds_kn
        Speeds ordered through the water, ascending, shape (m,).
    ground_kn, fuel_per_h
        Written, shape (m, n). A speed that makes no headway has a ground speed of zero or less.
    work
        Working memory, shape (WORK_ROWS + m, n).
    """
    raise TypeError(f"{type(medium).__name__} is only implemented in kernels; call this from one")
