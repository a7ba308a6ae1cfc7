"""The lattice that dynamic programming runs over."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Columns of ``Lattice.hops``.
LAT, LNG, COURSE_DEG, DISTANCE_NM, CAP_KN, WAIT_H, DEPTH_M = range(7)


class Lattice(NamedTuple):
    """Points in rows across the route, and the edges between them.

    ``lats``, ``lngs``, shape (s, p): row k holds the points of stage k; columns that a stage
    does not use have no edges. ``clear``, shape (s - 1, p, p): whether the straight edge from
    point i of stage k to point j of the next may be sailed. ``closed_from_h``, ``closed_to_h``,
    shape (s - 1, p, p): hours between which it may not, from after to where there are none.

    A prescribed stage, through a canal or along a fixed track, has one point, and its hops as
    rows ``first_hop[k]`` to ``first_hop[k + 1]`` of ``hops``, shape (n, 7): middle of the hop,
    course [deg], distance [nm], speed prescribed [kn], hours waited before it, depth [m]. Where
    there is no such row the edge is the straight line.

    ``price``, shape (s - 1, p, p), weighs the fuel burnt on each edge.
    """

    lats: Floats
    lngs: Floats
    clear: NDArray[np.bool_]
    closed_from_h: Floats
    closed_to_h: Floats
    first_hop: NDArray[np.int64]
    hops: Floats
    price: Floats


class SearchSettings(NamedTuple):
    """Resolution and objective of the search of a lattice.

    ``speeds_kn``, shape (s - 1, m): the speeds tried from each stage. ``from_h``, shape (s,):
    where the window of arrival times at a stage begins; ``width_h``, shape (s,), the width of
    each of its ``bins``. ``fuel_price`` and ``hour_prices``, shape (bins,), weigh the sum that is
    minimised in a bin. ``longest_hop_nm`` is the distance for which one sample of the weather
    stands; ``longest_step_h`` the step between times at which time and fuel of an edge are
    computed, linear between, and ``limited_step_h``, where shorter, that of stages where a limit
    closes an edge at one of those times. ``longest_wait_h``, shape (s,), is the longest wait for an
    edge.
    """

    speeds_kn: Floats
    from_h: Floats
    width_h: Floats
    bins: int
    fuel_price: float
    hour_prices: Floats
    longest_hop_nm: float
    longest_step_h: float
    limited_step_h: float
    longest_wait_h: Floats


class StageLabels(NamedTuple):
    """The labels of all stages, shape (s, p, bins): exact time [h] and fuel.

    They are infinite where there is no label. ``left_h`` is when the point before was left,
    later than it was reached where the ship waited there; ``parent``, shape (s, p, bins, 3), is
    that point, its bin and the speed.
    """

    time_h: Floats
    fuel: Floats
    left_h: Floats
    parent: NDArray[np.int16]
