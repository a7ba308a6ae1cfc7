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
    """Sample the conditions at a place and time, whatever the course; false where over a limit.

    ``medium`` is the named tuple whose implementation is called. ``lat`` and ``lng`` are latitude
    and longitude [deg], or y and x [nm] in the plane; ``is_inland`` marks inland waters.
    ``conditions``, shape (CONDITIONS,), is filled, with NaN where unknown. Values of neighbouring
    places may be averaged.
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

    ``prepared`` is filled by :func:`prepare_speeds` for ``speeds_kn``, the speeds ordered through
    the water, ascending, shape (m,). ``conditions``, shape (CONDITIONS, n), are samples of
    :func:`sample` at n places, or means of them; ``course``, shape (2, n), the unit vectors of the
    courses, to east and to north. ``depth_m`` is infinite in deep water. ``ground_kn`` and
    ``fuel_per_h``, shape (m, n), are filled; a speed that makes no headway has a ground speed of
    zero or less. ``work`` is working memory, shape (WORK_ROWS + m, n).
    """
    raise TypeError(f"{type(medium).__name__} is only implemented in kernels; call this from one")
