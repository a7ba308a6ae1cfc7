"""The lattice that dynamic programming runs over."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Columns of ``Stages.hops``.
LAT, LNG, COURSE_DEG, DISTANCE_NM, CAP_KN, WAIT_H, DEPTH_M = range(7)


class Stages(NamedTuple):
    """Points in rows across the way, and which of them can be joined.

    ``lats``, ``lngs``, shape (s, p): row k holds the points of stage k; columns
    that a stage doesn't use are joined to nothing. ``clear``, shape (s - 1, p, p):
    whether the straight line from point i of stage k to point j of the next may
    be sailed. ``closed_from_h``, ``closed_to_h``, shape (s - 1, p, p): hours
    between which it may not be sailed, from after to when none.

    A stage whose way to the next is given, through a canal or by a fixed track,
    has one point, and its way as rows ``first_hop[k]`` to ``first_hop[k + 1]`` of
    ``hops``, shape (n, 7): middle of the hop, course [deg], distance [nm], speed
    prescribed [kn], hours waited before it, depth [m]. Where that is no row the
    way is the straight line.

    ``price``, shape (s - 1, p, p), weighs the fuel burnt on each line.
    """

    lats: Floats
    lngs: Floats
    clear: NDArray[np.bool_]
    closed_from_h: Floats
    closed_to_h: Floats
    first_hop: NDArray[np.int64]
    hops: Floats
    price: Floats


class Search(NamedTuple):
    """How finely a lattice is searched, and what is least.

    ``speeds_kn``, shape (s - 1, m): the speeds tried from each stage.
    ``from_h``, shape (s,): where the window of arrival times at a stage begins,
    ``width_h``, shape (s,), how long each of the ``bins`` in it is. ``fuel_price``
    and ``hour_prices``, shape (bins,), weigh the sum that is least of a bin.
    ``longest_hop_nm`` is how far the weather of one place stands for;
    ``longest_step_h`` is how far apart the times are at which a line's hours and fuel
    are worked out, and between which they are taken as linear. ``longest_wait_h``,
    shape (s,), is how long the ship waits at most for a line to open.
    """

    speeds_kn: Floats
    from_h: Floats
    width_h: Floats
    bins: int
    fuel_price: float
    hour_prices: Floats
    longest_hop_nm: float
    longest_step_h: float
    longest_wait_h: Floats


class Labels(NamedTuple):
    """The labels of all stages, shape (s, p, bins): exact time [h] and fuel, infinite where there
    is none; ``left_h`` is when the point that each came from was left, which is later than it was
    reached where the ship waited there; ``parent``, shape (s, p, bins, 3), is that point, its bin
    and the speed."""

    time_h: Floats
    fuel: Floats
    left_h: Floats
    parent: NDArray[np.int16]
